package recovery_test

import (
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
)

// A cache before a processor-sharing database whose queries time out together, down since
// half of its content was lost; nobody comes back.
const cooperative = `
name: shared
duration: 4h
traffic: {boots: 100/s, profile: [[0h, 0.9], [1h, 1], [2h, 0.95]], session_length: 1s}
classes: {q: {per_boot: 1, keys_per_request: 5, keys: 10k, popularity: {zipf: 0.8, bins: 8}, ttl: 1d, fetch: all, key_cost: 0}}
pools: {p: {capacity: 20/s, timeout: 1s, queue_limit: 200, discipline: ps, service_scv: 0.1}}
timeline: [{at: 10m, flush: 50%}]
`

// Where the system is cooperative every step after the first has a bound, which its run
// keeps to; with a first-come-first-served queue in its place the runs alone vouch.
func TestGuarantee_comparison(t *testing.T) {
	for _, c := range []struct {
		discipline string
		compares   bool
	}{{"ps", true}, {"fifo", false}} {
		s, err := recovery.At(scenariotest.Parse(t, cooperative, "pools.p.discipline", c.discipline), 1800, 3*3600, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := recovery.Find(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		watches, err := recovery.Watches([]*recovery.Situation{s}, r.Plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		bounds := 0
		for i, w := range watches {
			if (w.Unbounded == nil) != (w.Bound >= 0.9) {
				t.Errorf("step %d: bound %g, %v", i, w.Bound, w.Unbounded)
			}
			if w.Unbounded != nil {
				continue
			}
			bounds++
			res, err := s.Run(append(r.Plan[:i:i], w.Step), w.T, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range res.Rows {
				if row[model.ColTime] >= w.T && row[model.ColSuccess] < w.Bound-1e-3 {
					t.Errorf("step %d: success %g at %g s, bound %g", i, row[model.ColSuccess], row[0], w.Bound)
				}
			}
		}
		got := recovery.Guarantee(watches)
		if (got == "comparison") != c.compares || (bounds > 0) != c.compares {
			t.Errorf("%s: %d bounds, %s", c.discipline, bounds, got)
		}
	}
}
