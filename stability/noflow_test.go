package stability

import (
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// Without boots nothing can fail: one state, proved, in which nothing flows.
func TestNoFlow_exact(t *testing.T) {
	for _, c := range []struct {
		name string
		at   model.Moment
	}{
		{"slack-2022-02-22", model.Moment{Traffic: 0, Throttle: -1}},
		{"slack-2022-02-22", model.Moment{Traffic: -1, Throttle: 0}},
		{"hotos21-cache", model.Moment{Traffic: 0, Throttle: -1}},
		{"hotos21-retry", model.Moment{Traffic: -1, Throttle: 0}},
	} {
		sys, err := scenariotest.Shipped(t, c.name).Compile()
		if err != nil {
			t.Fatal(err)
		}
		r, err := Equilibria(sys, c.at, nil)
		if err != nil {
			t.Fatalf("%s at %+v: %v", c.name, c.at, err)
		}
		if len(r.Equilibria) != 1 || r.Certainty != fixedpoint.Proved || r.Verdict() != AlwaysSafe {
			t.Errorf("%s at %+v: %d states, %v, %s; want one, proved, always safe", c.name, c.at, len(r.Equilibria), r.Certainty, r.Verdict())
			continue
		}
		if v := r.Value(&r.Equilibria[0], "admitted_per_s"); v != 0 {
			t.Errorf("%s at %+v: %g boots/s are admitted", c.name, c.at, v)
		}
	}
}

// A diagram may begin where nothing flows.
func TestNoFlow_axis(t *testing.T) {
	d, err := Bifurcate(scenariotest.Shipped(t, "hotos21-cache"), model.Moment{Traffic: -1, Throttle: -1}, Axis{Path: TrafficAxis, Lo: 0, Hi: 1}, nil)
	if err != nil || len(d.Branches) == 0 {
		t.Fatalf("%v, %v", d, err)
	}
	if _, err := TippingLine(scenariotest.Shipped(t, "hotos21-cache"), model.Moment{Traffic: -1, Throttle: -1}, Axis{Path: TrafficAxis, Lo: 0, Hi: 1}, 2, Shock{Kind: FlushShock}, nil,
		func(p TippingPoint) {
			if p.Err != nil {
				t.Errorf("at traffic %g: %v", p.X, p.Err)
			}
		}); err != nil {
		t.Error(err)
	}
}
