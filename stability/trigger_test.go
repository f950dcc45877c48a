package stability

import (
	"errors"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// slackAtPeak is slack with all of its traffic for ever, without [Still].
func slackAtPeak(t *testing.T) *model.Scenario {
	sc := scenariotest.Read(t, slack)
	sc.Traffic.Profile = model.Profile{Points: []model.Point{{T: 0, Value: 1}}}
	sc.Traffic.Repeat = math.Inf(1)
	return sc
}

// The largest flush and the largest step over 30 minutes that slack absorbs at its
// peak agree with runs at the ends of the bracket and at sizes all over.
func TestTrigger_slack_exact(t *testing.T) {
	const over = 1800
	sc, peak := scenariotest.Read(t, slack), model.Moment{Traffic: 1, Throttle: math.Inf(1)}
	flush, err := LargestFlush(sc, peak, nil)
	if err != nil {
		t.Fatal(err)
	}
	step, err := LargestAbsorbed(sc, peak, Shock{Kind: RolloutShock, Over: over}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tr    *Trigger
		entry model.Entry
	}{{flush, model.Entry{Action: model.Flush}}, {step, model.Entry{Action: model.Rollout, Over: over}}} {
		if c.tr.Hi-c.tr.Lo > 1e-3 || c.tr.Lo <= 0 {
			t.Errorf("%s: bracket %+v", c.entry.Action, *c.tr)
		}
		for _, size := range []float64{c.tr.Lo / 4, c.tr.Lo / 2, c.tr.Lo, c.tr.Hi, 2 * c.tr.Hi, 0.5, 1} {
			c.entry.Value = size
			if got, want := survives(t, slackAtPeak(t), c.entry), size <= c.tr.Lo; got != want {
				t.Errorf("%s of %g: comes back: %v, want %v by %+v", c.entry.Action, size, got, want, *c.tr)
			}
		}
	}
	if !(step.Lo > flush.Hi) {
		t.Errorf("a step over half an hour is absorbed up to %g, a flush up to %g", step.Lo, flush.Lo)
	}
}

// Where no collapsed state exists every flush is absorbed; where no healthy one does
// there is nothing to disturb.
func TestTrigger_verdict_invariant(t *testing.T) {
	sc := scenariotest.Read(t, slack)
	tr, err := LargestFlush(sc, model.Moment{Traffic: 0.8, Throttle: 1100}, nil)
	if err != nil || tr.Lo != 1 || !math.IsInf(tr.Hi, 1) || tr.Runs != 4 {
		t.Errorf("below the throttle line: %+v, %v", tr, err)
	}
	if _, err := LargestFlush(sc, model.Moment{Traffic: 2.5, Throttle: math.Inf(1)}, nil); !errors.Is(err, ErrNoHealthy) {
		t.Errorf("beyond the healthy state: %v, want %v", err, ErrNoHealthy)
	}
	done, peak := make(chan struct{}), model.Moment{Traffic: 1, Throttle: math.Inf(1)}
	close(done)
	if tr, err := LargestFlush(sc, peak, &Settings{Done: done}); !errors.Is(err, ErrInterrupted) || tr != nil {
		t.Errorf("interrupted before the states are known: %+v, %v", tr, err)
	}
	s, err := newSituation(sc, peak, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.set = &Settings{Done: done}
	if tr, err := s.withstands(s.healthy, Shock{Kind: FlushShock}, math.NaN()); !errors.Is(err, ErrInterrupted) || tr == nil || tr.Runs != 0 {
		t.Errorf("interrupted after that: %+v, %v", tr, err)
	}
	if _, err := LargestAbsorbed(sc, asIs, Shock{Kind: RolloutShock}, nil); err == nil {
		t.Error("a step over 0 s is accepted")
	}
}

// A still scenario has the equilibria of the frozen one, also when the timeline has
// changed capacity, throttle, traffic and the query before.
func TestStill_frozen_invariant(t *testing.T) {
	sc := scenariotest.Read(t, "../data/scenarios/slack-2022-02-22.yaml")
	sc.Timeline = append([]model.Entry{
		{At: 600, Action: model.Capacity, Pool: "main", Value: 0.9},
		{At: 700, Action: model.TrafficTo, Value: 1.1},
	}, sc.Timeline...)
	for _, hours := range []float64{0, 0.18, 7, 8, 13} {
		at := model.Moment{Time: hours * 3600, Traffic: -1, Throttle: -1}
		sys, err := sc.Compile()
		if err != nil {
			t.Fatal(err)
		}
		still, err := Still(sc, at)
		if err != nil {
			t.Fatal(err)
		}
		stillSys, err := still.Compile()
		if err != nil {
			t.Fatal(err)
		}
		a, err := Equilibria(sys, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Equilibria(stillSys, asIs, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Equilibria) != len(b.Equilibria) || len(a.Equilibria) == 0 {
			t.Fatalf("at %g h: %d equilibria, and %d of the still scenario", hours, len(a.Equilibria), len(b.Equilibria))
		}
		for i := range a.Equilibria {
			if d := distance(scales(sys), a.Equilibria[i].State, b.Equilibria[i].State); d > 1e-8 {
				t.Errorf("at %g h: equilibrium %d differs by %g", hours, i, d)
			}
		}
	}
}
