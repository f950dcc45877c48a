package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// The same scenario twice, the second time in other units throughout.
const (
	plainUnits = `
name: units
duration: 1h
traffic: {boots: 100/s, profile: [[0h, 0.5], [0.5h, 1.5]], session_length: 10m}
classes: {q: {per_boot: 2, per_session: 0.01/s, keys_per_request: 5, keys: 20k, popularity: {zipf: 0.9, bins: 6}, ttl: 1h, route: scatter, visit_cost: 1, key_cost: 0.25}}
pools: {p: {shards: 8, capacity: 900/s, queue_limit: 300, timeout: 0.5s, background: {rate: 60/s, follows: traffic}}}
cache: {nodes: 10, outage: 60s, hold_down: 30s, pace: 0.05/s, size: 9k}
clients: {backoff: {base: 1s, factor: 3, cap: 20s}, give_up: 10%}
timeline:
  - {at: 3m, rollout: 25%, over: 10m}
  - {at: 5m, throttle: 60/s}
  - {at: 6m, ramp: 90/s, over: 2m}
  - {at: 7m, capacity: 50%, over: 90s}
  - {at: 8m, change: {classes.q.ttl: 2h}}
`
	otherUnits = `
name: units
duration: 3600000ms
traffic: {boots: 6k/m, profile: [[0, 50%], [1800, 150%]], session_length: 600}
classes: {q: {per_boot: 2.0, per_session: 36/h, keys_per_request: 5, keys: 0.02M, popularity: {zipf: 0.90, bins: 6}, ttl: 60m, route: scatter, visit_cost: 1.0, key_cost: 0.250}}
pools: {p: {shards: 8, capacity: 54k/m, queue_limit: 0.3k, timeout: 500ms, background: {rate: 3.6k/m, follows: traffic}}}
cache: {nodes: 10, outage: 1m, hold_down: 0.5m, pace: 3/m, size: 9000}
clients: {backoff: {base: 1000ms, factor: 3, cap: 20}, give_up: 0.1}
timeline:
  - {at: "0:03", rollout: 0.25, over: 600s}
  - {at: 300s, throttle: 3600/m}
  - {at: "0:06", ramp: 5.4k/m, over: 120}
  - {at: 420s, capacity: 0.5, over: 1.5m}
  - {at: 480000ms, change: {classes.q.ttl: 7200}}
`
)

// Units change nothing: the two files are the same system to the last bit.
func TestUnitsExact(t *testing.T) {
	a, b := compiled(t, plainUnits, nil), compiled(t, otherUnits, nil)
	if a.Span() != b.Span() || !slices.Equal(a.Breaks(), b.Breaks()) {
		t.Fatalf("span %g and %g, breaks %v and %v", a.Span(), b.Span(), a.Breaks(), b.Breaks())
	}
	r := rand.New(rand.NewPCG(7, 7))
	for _, at := range []float64{0, 200, 310, 400, 430, 500, 2000} {
		y := randomState(t, a, r, at)
		for k, br := range b.Breaks() {
			if br <= at {
				b.Enter(k, at, slices.Clone(y))
			}
		}
		f, g := make([]float64, len(y)), make([]float64, len(y))
		a.Eval(f, at, y)
		b.Eval(g, at, y)
		if !slices.Equal(f, g) {
			t.Errorf("at %g s\n%v\n%v", at, f, g)
		}
		a.Reset()
		b.Reset()
	}
}

// In milliseconds everything goes as in seconds: with all times a thousandth and all
// rates a thousandfold, the right-hand side is a thousandfold at the scaled state, for
// every option.
func TestTimeScaleInvariant(t *testing.T) {
	const scale = 1000
	for name := range variants {
		sc := parseVariant(t, name)
		slow, err := sc.Compile()
		if err != nil {
			t.Fatal(err)
		}
		fast := faster(t, sc, scale)
		for seed := range uint64(3) {
			const at = 100.0
			y := randomState(t, slow, rand.New(rand.NewPCG(seed, 9)), at)
			for k := range fast.breaks {
				if fast.breaks[k] <= at/scale {
					fast.Enter(k, at/scale, slices.Clone(y))
				}
			}
			scaled := slices.Clone(y)
			if i := slow.lay.theta; i >= 0 {
				scaled[i] /= scale
			}
			f, g := make([]float64, len(y)), make([]float64, len(y))
			slow.Eval(f, at, y)
			fast.Eval(g, at/scale, scaled)
			gross := 0.0
			for i, m := range slow.Mass() {
				if m == 1 {
					g[i] /= scale
				}
				gross = max(gross, f[i], -f[i])
			}
			numtest.CheckSlice(t, name, g, f, 1e-10, 1e-13*gross)
			want, got := make([]float64, len(slow.Columns())), make([]float64, len(slow.Columns()))
			slow.Observe(want, at, y)
			fast.Observe(got, at/scale, scaled)
			for i, c := range slow.Columns() {
				v := got[i]
				switch {
				case c == "t_s":
					v *= scale
				case strings.HasSuffix(c, "_per_s"):
					v /= scale
				}
				numtest.Check(t, name+": "+c, v, want[i], 1e-10, 0)
			}
		}
	}
}

// faster compiles the scenario with all times divided and all rates multiplied by k.
func faster(t *testing.T, sc *Scenario, k float64) *System {
	t.Helper()
	sc = sc.Clone()
	times := []*float64{&sc.Duration, &sc.Traffic.SessionLength, &sc.Cache.Outage, &sc.Cache.HoldDown, &sc.Clients.Backoff.Base, &sc.Clients.Backoff.Cap}
	rates := []*float64{&sc.Traffic.Boots, &sc.Cache.Pace, &sc.Throttle.Limit}
	for i := range sc.Classes {
		times = append(times, &sc.Classes[i].Value.TTL)
		rates = append(rates, &sc.Classes[i].Value.PerSession)
	}
	for i := range sc.Pools {
		p := &sc.Pools[i].Value
		times = append(times, &p.Timeout)
		rates = append(rates, &p.Capacity, &p.Background.Rate)
	}
	for i := range sc.Traffic.Profile.Points {
		times = append(times, &sc.Traffic.Profile.Points[i].T)
	}
	for i := range sc.Timeline {
		e := &sc.Timeline[i]
		times = append(times, &e.At, &e.Over)
		if e.Action == ThrottleTo || e.Action == Ramp {
			rates = append(rates, &e.Value)
		}
	}
	for _, x := range times {
		*x /= k
	}
	for _, x := range rates {
		*x *= k
	}
	s, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Work may be counted in other units where no point read sets one: without background,
// and without what waits for a point read (coalesce, late_fill, on_error: delete; its
// sojourn is (n + 1)/μ). With costs, capacity and queue limit c-fold, work in system is
// c-fold, its variance c²-fold, the mean residual query c-fold, and nothing else moves.
func TestWorkScaleInvariant(t *testing.T) {
	const c = 7.3
	const file = `
name: work
duration: 1h
traffic: {boots: 100/s, session_length: 10m}
classes:
  a: {per_boot: 2, keys_per_request: 5, keys: 20k, popularity: {zipf: 0.9, bins: 6}, ttl: 1h, route: scatter, pool: p, visit_cost: 1, key_cost: 0.2}
  b: {per_boot: 0.5, keys_per_request: 3, keys: 5k, popularity: {zipf: 1.1, bins: 4}, ttl: 20m, fetch: missing, pool: r, visit_cost: 0.5, key_cost: 0.5, attempts: 3}
pools:
  p: {shards: 8, capacity: 900/s, queue_limit: 300, timeout: 0.5s%s}
  r: {shards: 4, capacity: 150/s, queue_limit: 2k, timeout: 1s, arrival_scv: 2, service_scv: 0.5%s}
clients: {backoff: {base: 1s, factor: 3, cap: 20s}, give_up: 0.1}
timeline: [{at: 0s, rollout: 50%%, over: 10m}]
`
	for _, law := range []string{"", ", discipline: ps", ", drop_expired: true"} {
		text := fmt.Sprintf(file, law, law)
		small := compiled(t, text, nil)
		big := compiled(t, text, map[string]float64{
			"classes.a.visit_cost": c, "classes.a.key_cost": 0.2 * c, "classes.b.visit_cost": 0.5 * c, "classes.b.key_cost": 0.5 * c,
			"pools.p.capacity": 900 * c, "pools.r.capacity": 150 * c, "pools.p.queue_limit": 300 * c, "pools.r.queue_limit": 2000 * c,
		})
		for seed := range uint64(4) {
			const at = 10.0
			y := randomState(t, small, rand.New(rand.NewPCG(seed, 10)), at)
			big.Enter(0, at, slices.Clone(y))
			powers := make([]int, len(y))
			for _, p := range small.lay.pool {
				powers[p.n], powers[p.v], powers[p.b] = 1, 2, 1
			}
			scaled, f, g := slices.Clone(y), make([]float64, len(y)), make([]float64, len(y))
			for i, p := range powers {
				scaled[i] *= math.Pow(c, float64(p))
			}
			small.Eval(f, at, y)
			big.Eval(g, at, scaled)
			gross := 0.0
			for i, p := range powers {
				g[i] /= math.Pow(c, float64(p))
				gross = max(gross, math.Abs(f[i]))
			}
			numtest.CheckSlice(t, law, g, f, 1e-11, 1e-13*gross)
			if err := big.Consistent(at, scaled); err != nil {
				t.Error(err)
			}
			for i, p := range powers {
				numtest.Check(t, law+": closure", scaled[i]/math.Pow(c, float64(p)), y[i], 1e-12, 0)
			}
		}
	}
}
