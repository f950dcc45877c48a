package model_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// A plan and the same steps on the timeline are the same run, also when the plan takes
// over in the middle of a rollout step.
func TestControl_timeline_exact(t *testing.T) {
	const from = 22000.0 // s: the third step is under way
	plan := []model.Point{{T: 24000, Value: 400}, {T: 26000, Value: 900}, {T: 30000, Value: math.Inf(1)}}

	base := scenariotest.Shipped(t, "slack-2022-02-22")
	base.Timeline = base.Timeline[:3]
	whole := base.Clone()
	for _, p := range plan {
		whole.Timeline = append(whole.Timeline, model.Entry{At: p.T, Action: model.ThrottleTo, Value: p.Value})
	}
	want := end(t, scenariotest.Compile(t, whole), nil, 0, 34000)

	sys := scenariotest.Compile(t, base)
	c, err := sys.Control(from, plan)
	if err != nil {
		t.Fatal(err)
	}
	y := end(t, sys, nil, 0, from)
	got := end(t, c, y, from, 34000)
	for i, scale := range sys.Scales()[:len(want)] {
		if math.Abs(got[i]-want[i]) > 1e-5*(math.Abs(want[i])+scale) { // the integrations' own error at rtol 1e-8
			t.Errorf("component %d: %.9g under the plan, %.9g by the timeline", i, got[i], want[i])
		}
	}
}

// The timeline's own throttles after the plan takes over do not count; until the plan's
// first step the limit stays as it is.
func TestControl_replaces_exact(t *testing.T) {
	const from, to = 6.9 * 3600, 7.6 * 3600 // between the timeline's 400/s at 6:40 and its 2500/s at 7:05
	plan := []model.Point{{T: 7.2 * 3600, Value: 700}}
	base := scenariotest.Shipped(t, "slack-2022-02-22")
	base.Timeline = slices.DeleteFunc(base.Timeline, func(e model.Entry) bool { return e.Action == model.Change })
	cut := base.Clone()
	cut.Timeline = slices.DeleteFunc(cut.Timeline, func(e model.Entry) bool { return e.At > from })

	y := end(t, scenariotest.Compile(t, base), nil, 0, from)
	var ends [2][]float64
	for i, sc := range []*model.Scenario{base, cut} {
		c, err := scenariotest.Compile(t, sc).Control(from, plan)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Throttle(from); got != 400 {
			t.Errorf("limit at first: %g, want 400", got)
		}
		ends[i] = end(t, c, y, from, to)
	}
	for i, want := range ends[1] {
		numtest.Check(t, fmt.Sprintf("component %d", i), ends[0][i], want, 1e-5, 1e-5) // the integrations' own error at rtol 1e-8
	}
}

func TestControl_refuses(t *testing.T) {
	sys := scenariotest.Compile(t, scenariotest.Shipped(t, "slack-2022-02-22"))
	for name, plan := range map[string][]model.Point{
		"past":     {{T: 10, Value: 1}},
		"order":    {{T: 200, Value: 1}, {T: 200, Value: 2}},
		"negative": {{T: 200, Value: -1}},
		"nan":      {{T: 200, Value: math.NaN()}},
	} {
		if _, err := sys.Control(100, plan); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	if err := sc.Set("classes.gdm_members.ttl_law", "fixed"); err != nil {
		t.Fatal(err)
	}
	if _, err := scenariotest.Compile(t, sc).Control(0, nil); err == nil {
		t.Error("a fixed time to live: no error")
	}
}

// end integrates from a state, or from the start if it is nil, as far as Enter at t1.
func end(t *testing.T, sys *model.System, y []float64, t0, t1 float64) []float64 {
	t.Helper()
	if y == nil {
		var err error
		if y, err = sys.Start(); err != nil {
			t.Fatal(err)
		}
	}
	sys.Reset()
	r, err := ode.Solve(sys, y, t0, t1, &ode.Settings{RTol: 1e-8, ATol: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Status.Err(); err != nil {
		t.Fatal(err)
	}
	return r.Y
}
