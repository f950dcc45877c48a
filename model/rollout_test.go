package model

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/ode"
)

// rolloutFile stops its traffic at 10 s, so that nothing is refilled or expires.
const rolloutFile = `
name: rollout
duration: 1h
traffic: {boots: 50/s, session_length: 1s}
classes: {q: {per_boot: 1, keys_per_request: 3, keys: 1000, popularity: {zipf: 1, bins: 8}, ttl: never}}
pools: {p: {capacity: 500/s, background: 100/s}}
cache: {nodes: 20, outage: 30s%s}
initial: {hit_rate: 0.8}
timeline:
  - {at: 10s, traffic: 0%%}
%s`

// What a rollout leaves of the content when nothing is refilled: each node that is
// replaced is emptied, once.
func TestRolloutExact(t *testing.T) {
	const step = "  - {at: 1m, rollout: 40%, over: 10m}\n"
	e := math.Exp
	for _, c := range []struct {
		name, cache, timeline string
		left, absent          float64 // at the end; 40 s into the (first) step
	}{
		{"plain", "", step, 0.6, 0},
		{"hold-down", ", hold_down: 45s", step, 1 - 0.4*e(-1.5), 0.4 / 600 * 30 * (1 - e(-40./30))},
		{"short hold-down", ", hold_down: 20s", step, 1 - 0.4*e(-2./3), 0.4 / 600 * 30 * (1 - e(-2./3))},
		{"paused within the hold-down", ", hold_down: 45s", step + "  - {at: 95s, pause: rollout}\n", 1 - 0.4*35/600*e(-1.5), 0.4 / 600 * 30 * (e(-5./30) - e(-40./30))},
		{"churn", ", flushes_per_restart: 2", step, 0.2, 0},
		{"paused", "", step + "  - {at: 4m, pause: rollout}\n", 1 - 0.4*0.3, 0},
		{"paused and resumed", "", step + "  - {at: 4m, pause: rollout}\n  - {at: 5m, rollout: 50%, over: 7m}\n", (1 - 0.4*0.3) * 0.5, 0},
		{"two steps on end", "", step + "  - {at: 11m, rollout: 60%, over: 1m}\n", 0.6 * 0.4, 0},
		// 40 % of 20 nodes in 600 s are 1/75 a second
		{"paced", ", pace: 0.005/s", step, 1 - 0.4*0.005*75, 30 * (0.4/600 - 0.005/20) * (1 - e(-40./30))},
		{"paced below hold-down", ", hold_down: 45s, pace: 1/s", step, 1 - 0.4*e(-1.5), 0.4 / 600 * 30 * (1 - e(-40./30))},
		{"paced, short hold-down", ", hold_down: 20s, pace: 0.005/s", step, 1 - 0.4*0.005*75, 30 * (0.4/600*(1-e(-40./30)) - 0.005/20*(1-e(-20./30)))},
		{"no pace", ", pace: 1e-300/s", step, 1, 0.4 / 600 * 30 * (1 - e(-40./30))},
		{"endless hold-down", ", hold_down: 1e9s", step, 1, 0.4 / 600 * 30 * (1 - e(-40./30))},
		{"flush", "", "  - {at: 2m, flush: 15%}\n", 0.85, 0},
		{"two flushes at once", "", "  - {at: 2m, flush: 15%}\n  - {at: 2m, flush: 50%}\n", 0.425, 0},
		{"flush in a step", "", step + "  - {at: 6m, flush: 50%}\n", 0.3, 0},
		{"flush as a step starts", "", "  - {at: 1m, flush: 50%}\n" + step, 0.3, 0},
		{"flush as a step ends", "", step + "  - {at: 11m, flush: 50%}\n", 0.3, 0},
	} {
		s := compiled(t, fmt.Sprintf(rolloutFile, c.cache, c.timeline), nil)
		var before []float64
		end := integrated(t, s, ode.Settings{RTol: 1e-8}, []float64{20, 100}, func(at float64, y []float64) {
			if at == 20 {
				before = append(before, y[:s.lay.z]...)
			} else {
				absent, _ := s.now.absent.at(at - s.now.t0)
				numtest.Check(t, c.name+": absent", absent, c.absent, 1e-12, 1e-300)
				served := (1 - c.absent) * s.weigh(s.now.par.class[0].pi, y[:s.lay.z], 1)
				numtest.Check(t, c.name+": hit rate", observed(s, at, y)["hit_rate.q"], served, 1e-13, 0)
			}
		})
		if len(end) != s.lay.base {
			t.Errorf("%s: %d components at the end, want %d", c.name, len(end), s.lay.base)
		}
		for b, x := range before {
			numtest.Check(t, fmt.Sprintf("%s: bin %d", c.name, b), end[b], c.left*x, 1e-12, 0)
		}
	}
}

// An absorbed step of a fleet under traffic: the miss fraction at its end against that
// of many bins. 24 bins are good to 1 %; the comparison with the project's
// discrete-event simulation (docs, "Bins") has 12 bins at 1.3 % too much and 5 at 6 %.
func TestBinsConvergence(t *testing.T) {
	miss := func(bins float64) float64 {
		s := compiled(t, strings.NewReplacer("BINS", fmt.Sprint(bins)).Replace(`
name: absorbed
duration: 1020s
traffic: {boots: 60/s, session_length: 1s}
classes: {q: {per_boot: 1, keys_per_request: 30, keys: 300k, popularity: {zipf: 0.8, bins: BINS}, ttl: 1d, route: scatter, visit_cost: 1, key_cost: 0.1}}
pools: {p: {shards: 16, capacity: 400/s, queue_limit: 1000, timeout: 1s, background: 160/s}}
clients: {backoff: {base: 2s, factor: 2, cap: 64s}, give_up: 0.05}
timeline: [{at: 2m, rollout: 40%, over: 15m}]
`), nil)
		m := 0.0
		integrated(t, s, ode.Settings{RTol: 1e-7}, []float64{1020}, func(at float64, y []float64) {
			m = 1 - observed(s, at, y)["hit_rate.q"]
		})
		return m
	}
	fine := miss(200)
	for _, c := range []struct{ bins, lo, hi float64 }{{5, 0.05, 0.07}, {12, 0.01, 0.016}, {24, 0, 0.01}, {48, 0, 0.0025}} {
		if e := miss(c.bins)/fine - 1; e < c.lo || e > c.hi {
			t.Errorf("%g bins: miss fraction off by %.2f %%, want %g to %g %%", c.bins, 100*e, 100*c.lo, 100*c.hi)
		}
	}
}
