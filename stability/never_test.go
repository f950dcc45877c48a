package stability

import (
	"math"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// Entries that never expire, in front of a pool that cannot carry the cold load; then clients that
// never give up besides; then a queue without a limit and clients held back by a budget.
const (
	mortals = `
name: mortals
duration: 30d
traffic: {boots: 100/s, session_length: 1m}
classes: {q: {per_boot: 1, keys: 1000}}
pools: {db: {capacity: 50/s, queue_limit: 100, timeout: 1s}}
`
	persistent = `
name: persistent
duration: 30d
traffic: {boots: 500/s, session_length: 1h}
classes: {q: {per_boot: 1, keys_per_request: 4, keys: 100k, popularity: {zipf: 0.5}, ttl: never, fetch: all, route: scatter, key_cost: 0.2}}
pools: {db: {shards: 8, capacity: 700/s, queue_limit: 1500, timeout: 1s}}
clients: {backoff: {base: 2s, cap: 64s}}
`
	endless = `
name: endless
duration: 30d
traffic: {boots: 500/s, session_length: 1h}
classes: {q: {per_boot: 1, keys_per_request: 4, keys: 100k, popularity: {zipf: 0.5}, ttl: never, fetch: all, route: scatter, key_cost: 0.2}}
pools: {db: {shards: 8, capacity: 700/s, queue_limit: none, timeout: 1s}}
clients: {backoff: {base: 2s, cap: 64s}, retry_budget: 0.2}
`
)

// What lasts for ever is a state in every answer alike: the equilibria, the largest flush, the
// branches and the map say metastable, and the scenario as it is, without limits on anything, comes home
// from a smaller flush and is down a month after a larger one.
func TestNever_exact(t *testing.T) {
	for _, text := range []string{mortals, persistent, endless} {
		sc := scenariotest.Parse(t, text)
		sys := scenariotest.Compile(t, sc)
		r, err := Equilibria(sys, asIs, nil)
		if err != nil || r.Verdict() != Metastable || r.Certainty != fixedpoint.Proved || len(r.Equilibria) != 3 {
			t.Errorf("%s: %v, %d states, %v, %v", sc.Name, r.Verdict(), len(r.Equilibria), r.Certainty, err)
		}
		d, err := Bifurcate(sc, asIs, Axis{TrafficAxis, 0.9, 1.1}, nil)
		if err != nil || d.Certainty != fixedpoint.Proved || len(d.Warnings) > 0 {
			t.Fatal(sc.Name, err, d.Certainty, d.Warnings)
		}
		stable := 0
		for _, b := range d.Branches {
			if err := b.Err(); err != nil {
				t.Errorf("%s: %v", sc.Name, err)
			}
			if b.Points[0].Stable {
				stable++
			}
		}
		if stable != 2 || len(d.Branches) != 3 {
			t.Errorf("%s: %d of %d branches are stable", sc.Name, stable, len(d.Branches))
		}
		flush, err := LargestFlush(sc, asIs, nil)
		if err != nil {
			t.Fatal(sc.Name, err)
		}
		for _, c := range []struct {
			share float64
			home  bool
		}{{flush.Lo - 0.01, true}, {flush.Hi + 0.01, false}} {
			if got := served(t, sc, c.share); got > 0.99 != c.home || got > 0.5 != c.home {
				t.Errorf("%s: a month after a flush of %.3g the success is %.3g", sc.Name, c.share, got)
			}
		}
	}
}

// served returns the success of boots at the end of the scenario after a flush.
func served(t *testing.T, sc *model.Scenario, flush float64) float64 {
	t.Helper()
	c := sc.Clone()
	c.Timeline = []model.Entry{{At: 60, Action: model.Flush, Value: flush}}
	sys, err := c.Compile()
	if err != nil {
		t.Fatal(err)
	}
	y, err := sys.Start()
	if err != nil {
		t.Fatal(err)
	}
	sys.Reset()
	end, err := ode.Solve(sys, y, 0, c.Duration, integration(sys, nil))
	if err != nil || end.Status != ode.Complete {
		t.Fatal(err, end.Status)
	}
	row := make([]float64, len(sys.Columns()))
	sys.Observe(row, end.T, end.Y)
	return row[model.ColSuccess]
}

// Clients that a retry budget holds back keep a collapse for years: slack is metastable without a
// throttle, and safe under the one of 06:40, where reads of the admitted need no warm cache.
func TestBudget_verdict_invariant(t *testing.T) {
	sys := scenariotest.Compile(t, scenariotest.Shipped(t, "slack-2022-02-22", "clients.retry_budget", "0.1"))
	for throttle, want := range map[float64]Verdict{math.Inf(1): Metastable, 400: AlwaysSafe} {
		r, err := Equilibria(sys, model.Moment{Time: 24000, Traffic: -1, Throttle: throttle}, nil)
		if err != nil || r.Verdict() != want || r.Certainty != fixedpoint.Proved {
			t.Errorf("throttle %g: %v, %v (%v), want %s", throttle, err, r.Verdict(), r.Certainty, want)
		}
	}
}
