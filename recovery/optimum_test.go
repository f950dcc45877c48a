package recovery_test

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/recovery"
)

// The continuous optimum is no later than any plan, nearly the same whatever the number of
// steps of the plan that it is compared with, and nearer by the more steps there are. The plan of
// 16 steps of at least 30 s comes within 12 %, one step up: its steps are of an eighth each.
func TestOptimum_slack(t *testing.T) {
	s := at(t, scenariotest.Shipped(t, "slack-2022-02-22"), morning)
	first, before := 0.0, math.Inf(1)
	for _, c := range []struct {
		steps     int
		hold, gap float64
	}{{4, 60, 1}, {16, 30, 0.12}} {
		set := &recovery.Settings{Steps: c.steps, MinHold: c.hold}
		r, err := recovery.Find(s, set)
		if err != nil {
			t.Fatal(err)
		}
		best, err := recovery.Optimum(s, r, set)
		if err != nil {
			t.Fatal(err)
		}
		gap := r.Home/best - 1
		t.Logf("%d steps: home after %g s, the optimum %g s: %.1f %%", c.steps, r.Home, best, 100*gap)
		if !(gap >= 0 && gap < before && gap < c.gap) {
			t.Errorf("%d steps: %g longer than the optimum, with fewer %g", c.steps, gap, before)
		}
		if first == 0 {
			first = best
		}
		if math.Abs(best/first-1) > 0.03 {
			t.Errorf("%d steps: the optimum is home after %g s, otherwise %g s", c.steps, best, first)
		}
		before = gap
	}
}

func BenchmarkOptimum(b *testing.B) {
	s := at(b, scenariotest.Shipped(b, "slack-2022-02-22"), morning)
	r, err := recovery.Find(s, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := recovery.Optimum(s, r, nil); err != nil {
			b.Fatal(err)
		}
	}
}
