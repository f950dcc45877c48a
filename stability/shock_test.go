package stability

import (
	"errors"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// survives runs a still scenario for six hours with one entry after a minute, by the package that
// runs whole days and with another tolerance, and reports whether boots succeed at the end.
func survives(t *testing.T, still *model.Scenario, e model.Entry) bool {
	t.Helper()
	e.At, still.Duration = 60, 6*3600
	still.Timeline = []model.Entry{e}
	r, err := trajectory.Run(scenariotest.Compile(t, still), &trajectory.Settings{RTol: 1e-8})
	if err != nil || r.Status.Early() {
		t.Fatal(err, r.Status)
	}
	return r.Rows[len(r.Rows)-1][model.ColSuccess] > 0.99
}

// Losses of capacity and surges of traffic agree with runs at both ends of the bracket.
func TestLargestAbsorbed_runs_exact(t *testing.T) {
	for _, name := range []string{"osdi22-mongodb", "hotos21-retry", "hotos21-cache"} {
		path := "../data/scenarios/" + name + ".yaml"
		for _, k := range []Shock{{Kind: CapacityShock, Over: 600}, {Kind: TrafficShock, Over: 600}} {
			tr, err := LargestAbsorbed(scenariotest.Read(t, path), asIs, k, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			if !(tr.Hi-tr.Lo <= 1.1e-3*max(1, tr.Lo) && tr.Lo > k.none()) {
				t.Errorf("%s %s: %+v", name, k.Kind, *tr)
			}
			for _, size := range []float64{tr.Lo, tr.Hi} {
				e := model.Entry{Action: model.TrafficTo, Value: size, Over: k.Over}
				if k.Kind == CapacityShock {
					e = model.Entry{Action: model.Capacity, Value: 1 - size, Over: k.Over}
				}
				still, err := Still(scenariotest.Read(t, path), asIs)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := survives(t, still, e), size == tr.Lo; got != want {
					t.Errorf("%s %s of %g: survives %v, want %v by %+v", name, k.Kind, size, got, want, *tr)
				}
			}
		}
	}
}

func (k Shock) none() float64 { return kinds[k.Kind].none }

// Along a parameter each bracket meets the one found on its own, larger traffic bears
// less, and where there is no healthy state that is said.
func TestTippingLine_invariant(t *testing.T) {
	sc := scenariotest.Read(t, slack)
	shock := Shock{Kind: FlushShock}
	at := model.Moment{Traffic: -1, Throttle: math.Inf(1)}
	line, err := TippingLine(sc, at, Axis{Path: TrafficAxis, Lo: 0.5, Hi: 2.5}, 9, shock, nil, nil)
	if err != nil || len(line) != 9 {
		t.Fatal(err, len(line))
	}
	last, runs := 1.0, 0
	for i, p := range line {
		at.Traffic = p.X
		alone, err := LargestAbsorbed(sc, at, shock, nil)
		if !errors.Is(p.Err, err) {
			t.Fatalf("traffic %g: %v, alone %v", p.X, p.Err, err)
		}
		if err != nil {
			if !errors.Is(err, ErrNoHealthy) || i < 7 {
				t.Errorf("traffic %g: %v", p.X, err)
			}
			continue
		}
		if p.Trigger.Hi < alone.Lo || alone.Hi < p.Trigger.Lo || p.Trigger.Hi < 1 && p.Trigger.Hi-p.Trigger.Lo > 1e-3 {
			t.Errorf("traffic %g: %+v, alone %+v", p.X, *p.Trigger, *alone)
		}
		if p.Trigger.Lo > last {
			t.Errorf("traffic %g: absorbs %g after %g", p.X, p.Trigger.Lo, last)
		}
		last = p.Trigger.Lo
		runs += p.Trigger.Runs - alone.Runs
	}
	if runs > 0 {
		t.Errorf("a guess costs %d runs more than none", runs)
	}
	// A parameter of the scenario.
	line, err = TippingLine(sc, model.Moment{Traffic: 1, Throttle: math.Inf(1)}, Axis{Path: "pools.main.capacity", Lo: 8000, Hi: 40000}, 3, shock, nil, nil)
	if err != nil || !(line[0].Trigger.Lo < line[1].Trigger.Lo && math.IsInf(line[2].Trigger.Hi, 1)) {
		t.Errorf("capacity: %v, %+v", err, line)
	}
}

// What brings home the cache of Bronson et al. (HotOS 2021) is to let in less than its
// hidden capacity, 300 of 2,500 requests/s, for long enough to fill it: shutting it off
// fills nothing. The time-out leaves the fold within a percent of it.
func TestCriticalShocks_hotos21_exact(t *testing.T) {
	r, all, err := CriticalShocks(scenariotest.Read(t, "../data/scenarios/hotos21-cache.yaml"), asIs, 86400, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[ShockKind]bool{}
	for _, c := range all {
		seen[c.Shock.Kind] = true
		if c.Err != nil || c.Healthy != (r.Value(&r.Equilibria[c.State], "boot_success") > 0.99) {
			t.Errorf("%+v", c)
			continue
		}
		switch c.Shock.Kind {
		case CutShock, ThrottleShock:
			if math.Abs(c.Trigger.Hi-(1-300./2500)) > 0.01*300/2500 {
				t.Errorf("%s: %+v, want 0.88", c.Shock.Kind, *c.Trigger)
			}
		case StopShock:
			if !math.IsInf(c.Trigger.Hi, 1) {
				t.Errorf("shut off for %+v s it comes home", *c.Trigger)
			}
		}
	}
	if len(seen) != 7 {
		t.Errorf("kinds %v", seen)
	}
}

func TestShock_badInput(t *testing.T) {
	sc := scenariotest.Read(t, slack)
	for _, k := range []Shock{
		{Kind: "quake"},
		{Kind: TrafficShock},
		{Kind: CapacityShock, Over: -1},
		{Kind: CapacityShock, Over: math.NaN()},
		{Kind: CapacityShock, Over: 60, Pool: "backup"},
		{Kind: FlushShock, Over: 60},
		{Kind: TrafficShock, Over: 60, Pool: "main"},
	} {
		if _, err := LargestAbsorbed(sc, asIs, k, nil); !errors.Is(err, ErrShock) {
			t.Errorf("%+v: %v, want %v", k, err, ErrShock)
		}
	}
	for _, a := range []Axis{{TrafficAxis, 1, 1}, {FlushAxis, 0, 1}, {TrafficAxis, -1, 1}} {
		if _, err := TippingLine(sc, asIs, a, 3, Shock{Kind: FlushShock}, nil, nil); !errors.Is(err, ErrAxis) {
			t.Errorf("%+v: %v, want %v", a, err, ErrAxis)
		}
	}
}
