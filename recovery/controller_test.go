package recovery_test

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
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
	s := at(t, scenariotest.Shipped(t, "slack-2022-02-22"), morning)
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
	s := at(t, scenariotest.Shipped(t, "slack-2022-02-22"), morning)
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

// With the largest safe gain no controller relapses, with a tenth more each does: that is
// twice the tolerance. One that acts a tenth as often may
// raise the limit by more at a time.
func TestSafeGain_slack(t *testing.T) {
	s := at(t, scenariotest.Shipped(t, "slack-2022-02-22"), morning)
	set := &recovery.Settings{Longest: 2 * 3600}
	for _, c := range recovery.Controllers()[1:] {
		gain, err := recovery.SafeGain(s, c, 5, set)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: up to %g", c.Name(), gain)
		for _, x := range []struct {
			gain     float64
			relapses bool
		}{{gain, false}, {1.1 * gain, true}} {
			got, err := recovery.Drive(s, c.WithGain(x.gain), 5, set)
			if err != nil {
				t.Fatal(err)
			}
			if got.Relapses > 0 != x.relapses {
				t.Errorf("%s with a gain of %g: %+v", c.Name(), x.gain, *got)
			}
		}
	}
	fast, err := recovery.SafeGain(s, recovery.AIMD{}, 5, set)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := recovery.SafeGain(s, recovery.AIMD{}, 50, set)
	if err != nil {
		t.Fatal(err)
	}
	if !(slow > fast) {
		t.Errorf("AIMD every 5 s is safe up to %g, every 50 s up to %g", fast, slow)
	}
}

// Where nothing can relapse there is no largest gain.
func TestSafeGain_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	sc.Timeline = nil
	for path, value := range map[string]string{"classes.gdm_members.fetch": "missing", "classes.gdm_members.route": "keyed"} {
		if err := sc.Set(path, value); err != nil {
			t.Fatal(err)
		}
	}
	gain, err := recovery.SafeGain(at(t, sc, morning), recovery.AIMD{}, 60, &recovery.Settings{Longest: 3600})
	if err != nil || !math.IsInf(gain, 1) {
		t.Errorf("up to %g, %v; want no end", gain, err)
	}
}

// Where sessions ask for as much as boots do, a throttle that spares them admits the load
// of all sessions whatever its limit, and one that sheds everyone alike does not; where
// they ask for nothing the two are one.
func TestShedding_exact(t *testing.T) {
	for _, perSession := range []string{"0/s", "0.0001/s"} {
		sc := scenariotest.Shipped(t, "slack-2022-02-22")
		if err := sc.Set("classes.gdm_members.per_session", perSession); err != nil {
			t.Fatal(err)
		}
		s := at(t, sc, 3600)
		var load [2]float64
		for i, all := range []bool{false, true} {
			shed, err := s.Shedding(all)
			if err != nil {
				t.Fatal(err)
			}
			res, err := shed.Run(recovery.Plan{{T: 3600, Limit: 0}}, 60, nil)
			if err != nil {
				t.Fatal(err)
			}
			load[i] = res.Rows[len(res.Rows)-1][slices.Index(res.Columns, "load.main")]
		}
		// Without any request what is left is the background: 3200 of 8000 at 0.4167 of the traffic.
		background := s.Observe()[1] / 3000 * 3200 / 8000
		if math.Abs(load[1]-background) > 1e-3 || (load[0] > load[1]) != (perSession != "0/s") {
			t.Errorf("per session %s: load %g boots first, %g everyone alike, background %g", perSession, load[0], load[1], background)
		}
	}
}
