package stability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func between(r *rand.Rand, lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }

// randomScenario is a cache, or none, before a pool that carries from a tenth of the
// cold load to thrice that.
func randomScenario(t *testing.T, r *rand.Rand) *model.Scenario {
	t.Helper()
	keys := math.Round(between(r, 1, 30))
	boots := between(r, 10, 3000)
	route, shards, visit, key := pick(r, "scatter", "keyed"), math.Round(between(r, 1, 100)), 1.0, 0.1
	cold := boots * (visit + key*keys)
	if route == "keyed" {
		cold = boots * (visit + key) * keys / shards
	}
	capacity := between(r, 0.1, 3) * cold
	text := fmt.Sprintf(`
name: random
duration: 1h
traffic: {boots: %g/s, session_length: 10m}
classes:
  q: {per_boot: 1, keys_per_request: %g, keys: %g, popularity: {zipf: %.2f, bins: 8}, ttl: %gs, fetch: %s, route: %s, visit_cost: %g, key_cost: %g, cached: %s, on_error: %s}
pools:
  p: {shards: %g, capacity: %g/s, queue_limit: %g, timeout: %gs, drop_expired: %s}
clients: {backoff: {base: 1s, factor: 2, cap: 8s}, give_up: %.2f}
throttle: %s
`, boots, keys, math.Round(between(r, 1e3, 1e6)), 1.2*r.Float64(), between(r, 600, 1e6),
		pick(r, "all", "all", "missing"), route, visit, key, pick(r, "true", "true", "true", "false"), pick(r, "keep", "keep", "keep", "delete"),
		shards, capacity, between(r, 2, 20)*capacity, between(r, 0.1, 1), pick(r, "false", "false", "false", "true"),
		0.1+0.8*r.Float64(), pick(r, "none", "none", fmt.Sprintf("%g/s", between(r, 0.3, 3)*boots)))
	sc, err := model.Parse("random", []byte(text), nil)
	if err != nil {
		t.Fatal(err, text)
	}
	return sc
}

// In random scenarios, proved and searched: every state in which a long run from a
// random start comes to rest is listed and stable; the residuals are small; where the
// number is proved it is odd, since the return map leads into its box (every crossing
// upward is followed by one downward).
func TestEquilibria_random_invariant(t *testing.T) {
	const scenarios, starts = 200, 3
	var count [2]int // by certainty
	for n := range scenarios {
		r := rand.New(rand.NewPCG(7, uint64(n)))
		sc := randomScenario(t, r)
		sys, err := sc.Compile()
		if err != nil {
			t.Fatal(err)
		}
		res, err := Equilibria(sys, asIs, nil)
		if err != nil {
			t.Fatal(err)
		}
		count[res.Certainty]++
		if res.Certainty == fixedpoint.Proved && len(res.Equilibria)%2 == 0 {
			t.Errorf("%d: %d equilibria", n, len(res.Equilibria))
		}
		for i := range res.Equilibria {
			if e := &res.Equilibria[i]; !(e.Residual <= 1e-10) || res.Certainty == fixedpoint.Proved && e.Gain > 1 && e.Stable {
				t.Errorf("%d: equilibrium %d has residual %g, gain %g, stable %v", n, i, e.Residual, e.Gain, e.Stable)
			}
		}
		for range starts {
			sc.Duration = forever
			hit, queue := r.Float64(), r.Float64()*sc.Pools[0].Value.QueueLimit
			sc.Initial = model.Initial{Kind: "given", HitRate: hit, InSystem: queue}
			if y, ok := restOf(t, sc); ok && !listed(res, y) {
				t.Errorf("%d: from hit rate %.2f and %.3g in system it comes to rest in none of the %d states (%v) %v\n%s", n, hit, queue, len(res.Equilibria), res.Certainty, res.Warnings, sc.YAML())
			}
		}
	}
	if count[fixedpoint.Proved] < scenarios/4 || count[fixedpoint.Searched] < scenarios/4 {
		t.Errorf("%d are searched and %d proved: too few of one kind", count[fixedpoint.Searched], count[fixedpoint.Proved])
	}
}

// restOf runs a scenario for 30 years and returns the state then, if it rests.
func restOf(t *testing.T, sc *model.Scenario) ([]float64, bool) {
	t.Helper()
	sys, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	y, err := sys.Start()
	if err != nil {
		t.Fatal(err)
	}
	sys.Reset()
	end, err := ode.Solve(sys, y, 0, forever, integration(sys, nil))
	if err != nil {
		t.Fatal(err)
	}
	return end.Y, end.Status == ode.Complete
}

func listed(r *Result, y []float64) bool {
	for i := range r.Equilibria {
		e := &r.Equilibria[i]
		worst := 0.0
		for k := range y {
			worst = max(worst, math.Abs(y[k]-e.State[k])/(1+math.Abs(e.State[k])))
		}
		if worst < 1e-3 && e.Stable {
			return true
		}
	}
	return false
}
