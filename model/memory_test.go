package model_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/scenariotest"
)

const fixedTTL = `
name: fixed
duration: 2h
traffic: {boots: 100/s, session_length: 1s}
classes:
  q: {per_boot: 1, keys_per_request: 30, keys: 300k, popularity: {zipf: 0.8, bins: 12}, ttl: 30m, ttl_law: %s, fetch: missing, route: scatter, pool: p, visit_cost: 1, key_cost: 0.1}
pools:
  p: {shards: 16, capacity: 400/s, queue_limit: 1000, timeout: 1s, background: 160/s}
cache: {nodes: 100}
timeline: [%s]
`

// missesAt runs a scenario and returns 1 − hit rate at the times.
func missesAt(t *testing.T, law, timeline string, times ...float64) []float64 {
	t.Helper()
	s := scenariotest.Compile(t, scenariotest.Parse(t, fmt.Sprintf(fixedTTL, law, timeline)))
	y, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	row := make([]float64, len(s.Columns()))
	r, err := ode.Solve(s, y, 0, s.Span(), &ode.Settings{RTol: 1e-9, ATol: 1e-11, Output: times, Record: func(t float64, y []float64) {
		s.Observe(row, t, y)
		out = append(out, 1-row[7])
	}})
	if err != nil || r.Status.Err() != nil {
		t.Fatal(err, r.Status)
	}
	return out
}

// Without refill what flowed in evenly over one time to live drains linearly, a step
// of a rollout takes its share of what is left once, and a flush takes its own.
func TestFixedTTLExact(t *testing.T) {
	const ttl = 1800.0
	got := missesAt(t, "fixed", `{at: 0s, throttle: 0/s}, {at: 5m, rollout: 40%, over: 10m}, {at: 12m, pause: rollout}, {at: 20m, flush: 50%}`,
		0, 200, 510, 900, 1320, 1700)
	start := 1 - got[0]
	for i, c := range []struct{ at, share float64 }{
		{0, 1}, {200, 1}, {510, 1 - 0.4*210/600}, {900, 1 - 0.4*420/600}, {1320, 0.5 * (1 - 0.4*420/600)}, {1700, 0.5 * (1 - 0.4*420/600)},
	} {
		want := start * (1 - c.at/ttl) * c.share
		if e := math.Abs(1 - got[i] - want); e > 1e-7 {
			t.Errorf("hit rate at %g s: %.9f, want %.9f", c.at, 1-got[i], want)
		}
	}
}

// At rest the laws of the time to live are alike, and many stages come close to the
// fixed law after a rollout and a flush: for k stages the relative spread of the time
// to live is 1/√k, so the difference falls as k grows.
func TestFixedTTLConvergence(t *testing.T) {
	const timeline = `{at: 5m, rollout: 30%, over: 10m}, {at: 25m, flush: 20%}`
	times := []float64{240, 800, 1490, 1900, 2400, 3000, 3700}
	fixed := missesAt(t, "fixed", timeline, times...)
	first := 0.0
	for _, k := range []int{1, 8, 64} {
		staged := missesAt(t, fmt.Sprintf("{stages: %d}", k), timeline, times...)
		worst := 0.0
		for i := range staged {
			worst = max(worst, math.Abs(staged[i]-fixed[i]))
		}
		if math.Abs(staged[0]-fixed[0]) > 1e-9 {
			t.Errorf("at rest: %d stages %g, fixed %g", k, staged[0], fixed[0])
		}
		if k == 1 {
			first = worst
		} else if limit := 1.5 * first / math.Sqrt(float64(k)); worst > limit {
			t.Errorf("%d stages differ by %g from the fixed law, want at most %g", k, worst, limit)
		}
	}
}

// A cold start comes back one time to live later, and so does each entry of the
// timeline: the run has breaks there, however many entries there are.
func TestFixedTTLBreaksExact(t *testing.T) {
	timeline := ""
	for n := range 5 {
		s := scenariotest.Compile(t, scenariotest.Parse(t, fmt.Sprintf(fixedTTL, "fixed", timeline)))
		for k := range n + 1 {
			if at := 1800 + 60*float64(k); !slices.Contains(s.Breaks(), at) {
				t.Errorf("%d entries: no break at %g s: %v", n, at, s.Breaks())
			}
		}
		timeline += fmt.Sprintf("{at: %ds, flush: 1%%}, ", 60*(n+1))
	}
}
