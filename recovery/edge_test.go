package recovery_test

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/recovery"
)

// The plan stays below the line that it must not cross, and one step at the line is
// safe where one a tenth above it is not.
func TestEdge_slack(t *testing.T) {
	s := at(t, scenariotest.Shipped(t, "slack-2022-02-22"), morning)
	plan := recovery.Plan{{T: morning, Limit: 900}, {T: morning + 1200, Limit: 1700}, {T: morning + 3000, Limit: math.Inf(1)}}
	edge, err := recovery.Edge(s, plan[:2], 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range edge {
		if e.Largest != 0 && e.Limit > e.Largest {
			t.Errorf("moment %d: limit %g above %g", i, e.Limit, e.Largest)
		}
		if i < 2 || math.IsInf(e.Largest, 1) {
			continue
		}
		for _, c := range []struct {
			factor float64
			safe   bool
		}{{1, true}, {1.1, false}} {
			var there recovery.Plan
			for _, step := range plan[:2] {
				if step.T < e.T {
					there = append(there, step)
				}
			}
			there = append(there, recovery.Step{T: e.T, Limit: c.factor * e.Largest})
			vs, err := recovery.Verify([]*recovery.Situation{s}, there, &recovery.Settings{Longest: e.T - morning + 1800})
			if err != nil {
				t.Fatal(err)
			}
			if safe := math.IsInf(vs[0].Relapse, 1); safe != c.safe {
				t.Errorf("moment %d: %g times the line: safe %v", i, c.factor, safe)
			}
		}
	}
}
