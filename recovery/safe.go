package recovery

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/trajectory"
)

// A system is up while at least upSuccess of what it admits succeeds, and has relapsed
// once less does. Service is full while the goodput is at least fullService of the
// demand: otherwise it is an outage.
const (
	upSuccess   = 0.9
	fullService = trajectory.OutageShare
)

// safe reports whether the system is up and stays up when the throttle goes to limit
// (boots/s, +Inf for none) now and is left there while one watches: at every instant
// 90 % of what is admitted succeeds.
func (s *Situation) safe(limit float64) (bool, error) {
	if !s.up() {
		return false, nil
	}
	f, err := s.follow(Plan{{s.t, limit}}, s.watch, true)
	return err == nil && f.home(), err
}

// A fate is how a plan goes.
type fate struct {
	relapse float64 // s: when the system, once up, goes down; +Inf if it does not
	success float64 // share of what is admitted that succeeds at the end
	full    float64 // s: from when on service is full
	lost    float64 // clients that gave up
	demand  float64 // boots/s, the largest
}

func (f *fate) home() bool { return math.IsInf(f.relapse, 1) && f.success >= upSuccess }

// follow runs a plan for so many seconds, or, if asked, only until the system relapses.
func (s *Situation) follow(plan Plan, ahead float64, untilRelapse bool) (*fate, error) {
	sys, err := s.sys.Control(s.t, plan.points())
	if err != nil {
		return nil, err
	}
	f := &fate{relapse: math.Inf(1), full: s.t}
	row, y := make([]float64, len(s.row)), make([]float64, sys.MaxDim())
	set := s.settings()
	set.Events = []ode.Event{{
		Terminal: untilRelapse, Direction: -1,
		Value: func(t float64, y []float64) float64 {
			sys.Observe(row, t, y)
			return row[colSuccess] - upSuccess
		},
	}}
	t0, missing := s.t, s.row[colBoots]-s.row[colAdmitted]*s.row[colSuccess]
	set.Step = func(p *ode.Interpolant) {
		for _, t := range [2]float64{(p.T0 + p.T1) / 2, p.T1} {
			sys.Observe(row, t, p.At(y[:p.Dim()], t))
			boots, goodput := row[colBoots], row[colAdmitted]*row[colSuccess]
			f.lost += (t - t0) * (missing + boots - goodput) / 2
			if goodput < fullService*boots {
				f.full = t
			}
			f.demand = max(f.demand, boots)
			t0, missing = t, boots-goodput
		}
	}
	end, err := ode.Solve(sys, s.y, s.t, s.t+ahead, set)
	if err != nil {
		return nil, fmt.Errorf("recovery: %w", err)
	}
	if end.Status != ode.Complete && end.Status != ode.EventTerminated {
		return nil, fmt.Errorf("recovery: a run under a throttle: %s", end.Status)
	}
	if len(end.Events) > 0 {
		f.relapse = end.Events[0].T
	}
	sys.Observe(row, end.T, end.Y)
	f.success = row[colSuccess]
	f.lost = max(0, f.lost-(row[colWaiting]-s.row[colWaiting])) // who waits has not given up
	return f, nil
}

// comesUp reports whether the system is or comes up within so many seconds with the
// throttle at limit.
func (s *Situation) comesUp(limit, ahead float64) (bool, error) {
	if s.up() {
		return true, nil
	}
	at, err := s.turn(limit, ahead, 1)
	return !math.IsInf(at, 1), err
}

// turn returns when the success of what is admitted crosses upSuccess, upward or
// downward by the sign of the direction, with the throttle at limit; +Inf if it does not
// within so many seconds.
func (s *Situation) turn(limit, ahead float64, direction int) (float64, error) {
	sys, err := s.sys.Control(s.t, Plan{{s.t, limit}}.points())
	if err != nil {
		return 0, err
	}
	row, set := make([]float64, len(s.row)), s.settings()
	set.Events = []ode.Event{{Terminal: true, Direction: direction, Value: func(t float64, y []float64) float64 {
		sys.Observe(row, t, y)
		return row[colSuccess] - upSuccess
	}}}
	end, err := ode.Solve(sys, s.y, s.t, s.t+ahead, set)
	switch {
	case err != nil:
		return 0, fmt.Errorf("recovery: %w", err)
	case end.Status == ode.EventTerminated:
		return end.T, nil
	case end.Status != ode.Complete:
		return 0, fmt.Errorf("recovery: a run under a throttle: %s", end.Status)
	}
	return math.Inf(1), nil
}
