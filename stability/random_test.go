package stability

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

var long = flag.Bool("long", false, "look at a thousand random scenarios")

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func between(r *rand.Rand, lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }

// randomScenario is a cache, or none, before a pool that carries from a tenth of the
// cold load to thrice that; sometimes a second class shares the pool.
func randomScenario(t *testing.T, r *rand.Rand) *model.Scenario {
	t.Helper()
	const visit, key = 1.0, 0.1
	boots, shards := between(r, 10, 3000), math.Round(between(r, 1, 100))
	classes, cold := "", 0.0
	for i := range 1 + r.IntN(6)/5 {
		keys, route := math.Round(between(r, 1, 30)), pick(r, "scatter", "keyed")
		if route == "keyed" {
			cold += boots * (visit + key) * keys / shards
		} else {
			cold += boots * (visit + key*keys)
		}
		classes += fmt.Sprintf("  q%d: {per_boot: 1, per_session: %s, keys_per_request: %g, keys: %g, popularity: {zipf: %.2f, bins: 8}, ttl: %gs, fetch: %s, route: %s, visit_cost: %g, key_cost: %g, cached: %s, on_error: %s, attempts: %s}\n",
			i, pick(r, "0/h", "0/h", "0/h", "0/h", "0/h", "1/h"), keys, math.Round(between(r, 1e3, 1e6)), 1.2*r.Float64(), between(r, 600, 1e6),
			pick(r, "all", "all", "missing"), route, visit, key, pick(r, "true", "true", "true", "false"),
			pick(r, "keep", "keep", "keep", "delete"), pick(r, "1", "1", "1", "2"))
	}
	capacity := between(r, 0.1, 3) * cold
	text := fmt.Sprintf(`
name: random
duration: 1h
traffic: {boots: %g/s, session_length: 10m}
classes:
%spools:
  p: {shards: %g, capacity: %g/s, queue_limit: %g, timeout: %gs, drop_expired: %s, discipline: %s, background: %g/s}
clients: {backoff: {base: 1s, factor: 2, cap: 8s}, give_up: %.2f, retry_budget: %s}
throttle: %s
`, boots, classes, shards, capacity, between(r, 2, 20)*capacity, between(r, 0.1, 1),
		pick(r, "false", "false", "false", "true"), pick(r, "fifo", "fifo", "fifo", "ps"), 0.2*capacity*r.Float64(),
		0.1+0.8*r.Float64(), pick(r, "none", "none", "none", "0.3"), pick(r, "none", "none", fmt.Sprintf("%g/s", between(r, 0.3, 3)*boots)))
	sc, err := model.Parse("random", []byte(text), nil)
	if err != nil {
		t.Fatal(err, text)
	}
	return sc
}

// The number is odd, since the return map leads into its box: every crossing upward is
// followed by one downward. Residuals are small.
func checkList(t *testing.T, n int, res *Result) {
	if len(res.Equilibria)%2 == 0 {
		t.Errorf("%d: %d equilibria (%v) %v", n, len(res.Equilibria), res.Certainty, res.Warnings)
	}
	if most := 3 * mostBounds; res.Evals > most { // division, proofs, and the search
		t.Errorf("%d: %d evaluations", n, res.Evals)
	}
	for i := range res.Equilibria {
		if e := &res.Equilibria[i]; !(e.Residual <= 1e-10) || res.Certainty == fixedpoint.Proved && e.Gain > 1 && e.Stable {
			t.Errorf("%d: equilibrium %d has residual %g, gain %g, stable %v", n, i, e.Residual, e.Gain, e.Stable)
		}
	}
}

// Scenarios whose tipping points are hard to find: one within 1e-4 of the capacity, between almost all
// succeeding and none, and two where hardly any read succeeds.
func TestEquilibria_steep_exact(t *testing.T) {
	for _, n := range []uint64{75, 250, 383} {
		sys, err := randomScenario(t, rand.New(rand.NewPCG(7, n))).Compile()
		if err != nil {
			t.Fatal(err)
		}
		res, err := Equilibria(sys, asIs, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkList(t, int(n), res)
		if e := res.Tipping(); len(res.Equilibria) != 3 || e == nil || e.Stable {
			t.Errorf("%d: %d equilibria, tipping point %v, %v", n, len(res.Equilibria), e, res.Warnings)
		}
	}
}

// In random scenarios, proved and searched, every state in which a long run from a random
// start comes to rest is listed and stable. Starts are a random hit rate and queue, and
// what a random rush of traffic makes of that.
func TestEquilibria_random_invariant(t *testing.T) {
	scenarios, starts := 30, 5
	if *long {
		scenarios, starts = 1000, 20
	}
	var count [2]int // by certainty
	ends := map[fate]int{}
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
		checkList(t, n, res)
		for range starts {
			hit, queue := r.Float64(), r.Float64()*sc.Pools[0].Value.QueueLimit
			rush, lasts := 0.0, 0.0
			if r.IntN(2) == 0 {
				rush, lasts = between(r, 1, 20), between(r, 10, 36000)
			}
			sc.Initial = model.Initial{Kind: "given", HitRate: hit, InSystem: queue}
			y, end := restOf(t, sc, rush, lasts)
			ends[end]++
			if end == rests && !listed(res, y) {
				t.Errorf("%d: from hit rate %.2f and %.3g in system, after %.1f times the traffic for %.3g s, it %s, but in none of the %d states (%v) %v\n%s",
					n, hit, queue, rush, lasts, end, len(res.Equilibria), res.Certainty, res.Warnings, sc.YAML())
			}
		}
	}
	t.Logf("%d proved, %d searched; runs: %v", count[fixedpoint.Proved], count[fixedpoint.Searched], ends)
	if count[fixedpoint.Proved] < scenarios/8 || count[fixedpoint.Searched] < scenarios/8 {
		t.Errorf("%d are searched and %d proved: too few of one kind", count[fixedpoint.Searched], count[fixedpoint.Proved])
	}
	if ends[wanders] > ends[rests]/20 {
		t.Errorf("too many runs do not come to rest: %v", ends)
	}
}

// A fate is how a long run ends.
type fate string

const (
	rests   fate = "comes to rest"
	wanders fate = "wanders"
)

// restOf runs a frozen scenario for 300 years, after a rush of traffic if it lasts, and
// returns the state then.
func restOf(t *testing.T, sc *model.Scenario, rush, lasts float64) ([]float64, fate) {
	t.Helper()
	sys, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	frozen := sys.Freeze(asIs)
	y, err := frozen.Start()
	if err != nil {
		t.Fatal(err)
	}
	frozen.Reset()
	if lasts > 0 {
		rushed := sys.Freeze(model.Moment{Traffic: rush, Throttle: -1})
		end, err := ode.Solve(rushed, y, 0, lasts, integration(rushed, nil))
		if err != nil {
			t.Fatal(err)
		}
		y = end.Y
		if err := frozen.Consistent(0, y); err != nil {
			t.Fatal(err)
		}
	}
	end, err := ode.Solve(frozen, y, 0, forever, integration(frozen, nil))
	if err != nil {
		t.Fatal(err)
	}
	if end.Status != ode.Complete {
		return end.Y, wanders
	}
	return end.Y, rests
}

func listed(r *Result, y []float64) bool {
	near := func(a, b float64) bool { return numtest.Close(a, b, 1e-3, 1e-3) }
	for i := range r.Equilibria {
		e := &r.Equilibria[i]
		if e.Stable && slices.EqualFunc(y, e.State, near) {
			return true
		}
	}
	return false
}
