package recovery

import (
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// A Situation is a system in a state at a time, to be driven by its throttle. It does
// not change.
type Situation struct {
	sys *model.System
	t   float64 // s
	y   []float64

	row    []float64 // observables
	scales []float64
	pools  []poolColumn
	watch  float64 // s for which a step has to stay up to be safe
	done   <-chan struct{}
}

// Columns of an observation.
const (
	colBoots    = model.ColBoots
	colAttempts = model.ColAttempts
	colAdmitted = model.ColAdmitted
	colSuccess  = model.ColSuccess
	colWaiting  = model.ColWaiting
)

// rtol is the relative tolerance of the trajectories.
const rtol = 1e-5

// At runs the scenario to the time at (s since its start) and returns the situation there,
// before anything is done. The timeline's entries from then on are dropped, what is in
// progress goes on: the rollout step that runs is finished unless an entry pauses it. The
// situation can be driven for ahead seconds, in which traffic follows its profile. done, if
// not nil, ends the run once it is closed. It fails on times out of range, on a scenario
// that does not compile or has no initial state, and where the run does not arrive.
func At(sc *model.Scenario, at, ahead float64, done <-chan struct{}) (*Situation, error) {
	return situation(sc, nil, at, ahead, done)
}

// From is At with the state corrected by what is seen there: the hit rate, the work in
// system and the clients that wait. What is not seen, such as which keys are missing, is as
// in the scenario's run up to then; see [model.System.Correct].
func From(sc *model.Scenario, seen model.Initial, at, ahead float64, done <-chan struct{}) (*Situation, error) {
	return situation(sc, &seen, at, ahead, done)
}

func situation(sc *model.Scenario, seen *model.Initial, at, ahead float64, done <-chan struct{}) (*Situation, error) {
	if !(at >= 0 && ahead > 0 && at+ahead < math.MaxFloat32) {
		return nil, fmt.Errorf("recovery: a plan from %g s for %g s", at, ahead)
	}
	cut := sc.Clone()
	for i, e := range cut.Timeline {
		if e.At >= at {
			cut.Timeline = cut.Timeline[:i]
			break
		}
	}
	cut.Duration = at + ahead
	sys, err := cut.Compile()
	if err != nil {
		return nil, err
	}
	s := &Situation{sys: sys, done: done, scales: sys.Scales(), watch: defaultWatch}
	for _, p := range cut.Pools {
		c := poolColumn{slices.Index(sys.Columns(), "in_system."+p.Name), p.Value.Capacity, p.Value.Timeout}
		if math.IsInf(c.timeout, 1) {
			c.timeout = 1
		}
		s.pools = append(s.pools, c)
	}
	y, err := sys.Start()
	if err != nil {
		return nil, fmt.Errorf("recovery: no initial state: %w", err)
	}
	sys.Reset()
	end, err := ode.Solve(sys, y, 0, at, s.settings())
	if err != nil {
		return nil, fmt.Errorf("recovery: %w", err)
	}
	if err := end.Status.Err(); err != nil {
		return nil, fmt.Errorf("recovery: the scenario's own run: %w", err)
	}
	if seen != nil {
		if err := sys.Correct(at, end.Y, seen); err != nil {
			return nil, fmt.Errorf("recovery: the state at %g s: %w", at, err)
		}
	}
	return s.at(sys, at, end.Y)
}

func (s *Situation) settings() *ode.Settings {
	tols := make([]float64, len(s.scales))
	for i, v := range s.scales {
		tols[i] = v * rtol / 10
	}
	return &ode.Settings{RTol: rtol, ATol: rtol / 10, ATols: tols, Done: s.done}
}

// at returns the situation in which sys is in state y at t.
func (s *Situation) at(sys *model.System, t float64, y []float64) (*Situation, error) {
	next := *s
	var err error
	if next.sys, err = sys.Control(t, nil); err != nil {
		return nil, err
	}
	next.t, next.y = t, y
	row := make([]float64, len(next.sys.Columns()))
	next.sys.Observe(row, t, y)
	next.row = row
	return &next, nil
}

// Time returns the time of the situation in seconds since the scenario's start.
func (s *Situation) Time() float64 { return s.t }

// Columns names what Observe returns; see [model.System.Columns].
func (s *Situation) Columns() []string { return s.sys.Columns() }

// Observe returns the observables of the situation. The caller must not change them.
func (s *Situation) Observe() []float64 { return s.row }

// up reports whether most of what is admitted succeeds.
func (s *Situation) up() bool { return s.row[colSuccess] >= upSuccess }

func (s *Situation) time() float64 { return s.t }

// hold returns the situation after d seconds with the throttle at limit (boots/s).
func (s *Situation) hold(limit, d float64) (state, error) {
	sys, err := s.sys.Control(s.t, Plan{{s.t, limit}}.points())
	if err != nil {
		return nil, err
	}
	return s.run(sys, d, s.settings())
}

// run returns the situation after d seconds under sys.
func (s *Situation) run(sys *model.System, d float64, set *ode.Settings) (*Situation, error) {
	end, err := ode.Solve(sys, s.y, s.t, s.t+d, set)
	if err == nil {
		err = end.Status.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("recovery: %w", err)
	}
	return s.at(sys, end.T, end.Y)
}

// Run runs a plan, which begins at the time of the situation, for ahead seconds; see
// [trajectory.RunFrom].
func (s *Situation) Run(plan Plan, ahead float64, set *trajectory.Settings) (*trajectory.Result, error) {
	sys, err := s.sys.Control(s.t, plan.points())
	if err != nil {
		return nil, err
	}
	return trajectory.RunFrom(sys, s.y, s.t, s.t+ahead, set)
}
