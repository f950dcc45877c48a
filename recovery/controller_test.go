package recovery_test

import (
	"math"
	"testing"

	"github.com/metastable/metastable/recovery"
)

// A script is a controller that follows a plan whatever it sees.
type script struct {
	every float64
	plan  recovery.Plan
	begin float64
	calls int
}

func (*script) Name() string { return "script" }

func (c *script) Next(limit float64, _ recovery.Seen) float64 {
	now := c.begin + float64(c.calls)*c.every
	c.calls++
	for _, step := range c.plan {
		if step.T <= now {
			limit = step.Limit
		}
	}
	return limit
}

// Driven by a script, a situation does what it does under the same plan.
func TestDrive_exact(t *testing.T) {
	s := at(t, scenario(t, "slack-2022-02-22"), morning)
	plan := recovery.Plan{{T: morning, Limit: 900}, {T: morning + 1800, Limit: 2000}, {T: morning + 3600, Limit: 4000}, {T: morning + 5400, Limit: math.Inf(1)}}
	want := home(t, s, plan)
	got, err := recovery.Drive(s, &script{every: 60, plan: plan, begin: morning}, 60, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Relapses != 0 || math.Abs(got.Lost-want.Lost) > 0.01*want.Lost || got.Home > want.Home {
		t.Errorf("driven %+v, by the plan %+v", *got, want)
	}
}

// A gentle controller comes home without a relapse, a bold one relapses.
func TestDrive_slack(t *testing.T) {
	s := at(t, scenario(t, "slack-2022-02-22"), morning)
	for _, c := range []struct {
		controller recovery.Controller
		every      float64
		relapses   bool
	}{
		{recovery.AIMD{Add: 0.01}, 30, false},
		{recovery.AIMD{Add: 0.2}, 30, true},
	} {
		got, err := recovery.Drive(s, c.controller, c.every, &recovery.Settings{Longest: 2 * 3600})
		if err != nil {
			t.Fatal(err)
		}
		if got.Relapses > 0 != c.relapses || math.IsInf(got.Home, 1) {
			t.Errorf("%s %v: %+v", c.controller.Name(), c.controller, *got)
		}
	}
}
