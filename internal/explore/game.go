// Package explore lets a player run the operations of a scenario's day: what the scenario's
// timeline does to the system stays, what its operators did is left to the player. Every
// action runs the day again from its beginning, so that it is the same as a run of the
// scenario with that timeline.
package explore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/metastable/metastable/model"
)

// A Game is a scenario without what its operators did.
type Game struct {
	// Incident is what the scenario's own operators did.
	Incident []Action

	// Fixes are the changes of queries that the player can make, by the index in an action.
	Fixes []Fix

	// Step is a rollout step as the scenario's own: a share of the cache nodes and the
	// seconds it takes; 25 % in 20 minutes, or a fiftieth of a short day, if it has none.
	Step, StepOver float64

	base *model.Scenario
}

// A Fix is a change of queries for good.
type Fix struct {
	Label  string             `json:"label"`
	Change []model.Assignment `json:"-"`
}

// An Action is what the player does at a time.
type Action struct {
	At    float64 `json:"at"` // s
	Do    Verb    `json:"do"`
	Value float64 `json:"value"` // share of the nodes, 1/s, or the index of a fix
	Over  float64 `json:"over"`  // s
}

// A Verb is a kind of action.
type Verb string

// What the player can do. Only Rollout and Ramp take time; Pause and Off have no value.
const (
	Rollout  Verb = "rollout"
	Pause    Verb = "pause"
	Throttle Verb = "throttle"
	Ramp     Verb = "ramp"
	Off      Verb = "off"
	Apply    Verb = "fix"
)

// New takes the operators out of a scenario.
func New(sc *model.Scenario) *Game {
	g := &Game{base: sc.Clone(), Step: 0.25, StepOver: min(1200, sc.Duration/50)}
	g.base.Timeline = nil
	words := wordPaths(sc)
	first := true
	for _, e := range sc.Timeline {
		a := Action{At: e.At, Value: e.Value, Over: e.Over}
		switch {
		case e.Action == model.Rollout:
			a.Do = Rollout
			if first {
				g.Step, g.StepOver, first = e.Value, e.Over, false
			}
		case e.Action == model.Pause:
			a.Do = Pause
		case e.Action == model.ThrottleTo && math.IsInf(e.Value, 1):
			a.Do, a.Value = Off, 0
		case e.Action == model.ThrottleTo:
			a.Do = Throttle
		case e.Action == model.Ramp:
			a.Do = Ramp
		case e.Action == model.Change && !slices.ContainsFunc(e.Change, func(c model.Assignment) bool { return !words[c.Path] }):
			a.Do, a.Value = Apply, float64(len(g.Fixes))
			g.Fixes = append(g.Fixes, Fix{cmp.Or(e.Note, e.Change[0].Path+" = "+e.Change[0].Value), e.Change})
		default:
			g.base.Timeline = append(g.base.Timeline, e)
			continue
		}
		g.Incident = append(g.Incident, a)
	}
	g.addFetches()
	return g
}

// wordPaths returns the parameters that are no quantities: how a query works, not how much.
func wordPaths(sc *model.Scenario) map[string]bool {
	words := map[string]bool{}
	for _, p := range sc.Paths() {
		words[p.Path] = p.Unit == ""
	}
	return words
}

// addFetches offers every query that reads all keys of a request for one that misses to read
// the missing ones alone, unless the scenario's operators thought of it.
func (g *Game) addFetches() {
	for _, c := range g.base.Classes {
		change := model.Assignment{Path: "classes." + c.Name + ".fetch", Value: "missing"}
		known := slices.ContainsFunc(g.Fixes, func(f Fix) bool { return slices.Contains(f.Change, change) })
		if c.Value.Cached && c.Value.Fetch == "all" && c.Value.KeysPerRequest > 1 && !known {
			g.Fixes = append(g.Fixes, Fix{c.Name + " reads only the missing", []model.Assignment{change}})
		}
	}
}

// Scenario returns the scenario with the actions on its timeline. It fails on an action that
// makes no sense, such as a pause without a rollout, or a time outside of the day.
func (g *Game) Scenario(actions []Action) (*model.Scenario, error) {
	sc := g.base.Clone()
	for i, a := range actions {
		e, err := g.entry(a)
		if err != nil {
			return nil, fmt.Errorf("action %d: %w", i+1, err)
		}
		sc.Timeline = append(sc.Timeline, e)
	}
	slices.SortStableFunc(sc.Timeline, func(a, b model.Entry) int { return cmp.Compare(a.At, b.At) })
	return sc, sc.Check()
}

func (g *Game) entry(a Action) (model.Entry, error) {
	e := model.Entry{At: a.At, Over: a.Over, Value: a.Value}
	if !(a.At >= 0 && a.At <= g.base.Duration) {
		return e, fmt.Errorf("at %g s: the day lasts from 0 to %g s", a.At, g.base.Duration)
	}
	switch a.Do {
	case Rollout:
		e.Action, e.Note = model.Rollout, percent(a.Value)+" step"
		if !(a.Value > 0 && a.Value <= 1 && a.Over > 0 && a.Over <= g.base.Duration) {
			return e, fmt.Errorf("a rollout of %g in %g s", a.Value, a.Over)
		}
	case Pause:
		e.Action, e.Value, e.Note = model.Pause, 0, "rollout paused"
	case Throttle, Ramp:
		e.Action, e.Note = model.ThrottleTo, "throttle "+strconv.FormatFloat(a.Value, 'g', 6, 64)+"/s"
		if a.Do == Ramp {
			e.Action = model.Ramp
		}
		if !(a.Value >= 0 && a.Value <= 1e12 && a.Over >= 0 && a.Over <= g.base.Duration) {
			return e, fmt.Errorf("a throttle of %g/s", a.Value)
		}
	case Off:
		e.Action, e.Value, e.Note = model.ThrottleTo, math.Inf(1), "throttle off"
	case Apply:
		i := int(a.Value)
		if float64(i) != a.Value || i < 0 || i >= len(g.Fixes) {
			return e, fmt.Errorf("there is no fix %g", a.Value)
		}
		e.Action, e.Value, e.Note, e.Change = model.Change, 0, g.Fixes[i].Label, g.Fixes[i].Change
	default:
		return e, fmt.Errorf("no action is called %q", string(a.Do))
	}
	return e, nil
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 4, 64) + " %" }
