package recovery

import (
	"errors"
	"math"
)

// A Recovery is what is known of the way home from a situation.
type Recovery struct {
	// Plan is the one soonest home of those tried; empty where no throttle is needed.
	Plan Plan

	// Drains is the largest limit (boots/s, within 5 %) under which the system comes up
	// within Longest if it is held; +Inf if it does without a throttle.
	Drains float64

	Home float64 // s after the situation: no throttle, and service full from then on
	Lost float64 // clients that gave up until Longest has passed

	// Tried are the plans that come home, for the choice between time and clients.
	Tried []Candidate

	Warnings []error // what makes the plan suspect and what would mend it
}

// A Candidate is a plan that comes home.
type Candidate struct {
	Plan       Plan
	Home, Lost float64
}

// Find searches a plan that is home soon from the situation: through limits that grow
// from one under which the system comes up to one above the demand, each raised as
// soon as the next one is safe. Of first and last limits and of shapes in between it
// takes the best that a search along each in turn finds. All runs that a plan is judged
// by are trajectories of the whole system.
//
// There is no plan where the system is home by itself as soon. It fails with a [*Hopeless],
// and with ErrNoPlan if nothing is home within Longest.
func Find(s *Situation, set *Settings) (*Recovery, error) {
	d, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	s = s.with(d)
	open := Plan{{s.t, math.Inf(1)}}
	free, err := s.follow(open, d.Longest, false)
	if err != nil {
		return nil, err
	}
	r := &Recovery{Drains: math.Inf(1)}
	alone := math.Inf(1) // s until it is home by itself
	if free.home() {
		alone = free.full - s.t
	}
	if alone <= d.MinHold {
		r.Home, r.Lost = alone, free.lost
		return r, nil
	}
	r.Drains, err = s.drains(free.demand, d)
	if errors.Is(err, ErrHopeless) {
		return nil, s.hopeless(d)
	}
	if err != nil {
		return nil, err
	}
	err = r.search([]*Situation{s}, free.demand, d)
	if !math.IsInf(alone, 1) && alone <= r.Home && (err == nil || errors.Is(err, ErrNoPlan)) { // no throttle is as fast
		return &Recovery{Drains: math.Inf(1), Home: alone, Lost: free.lost}, nil
	}
	return r, err
}

// with returns the situation with the settings that its runs need.
func (s *Situation) with(set *Settings) *Situation {
	c := *s
	c.watch, c.done = set.Watch, set.Done
	return &c
}

// drains returns the largest limit, up to the demand, that brings the system up.
func (s *Situation) drains(demand float64, set *Settings) (float64, error) {
	ok := func(limit float64) (bool, error) { return s.comesUp(limit, set.Longest) }
	up, err := ok(0)
	if err != nil {
		return 0, err
	}
	if !up {
		return 0, ErrHopeless
	}
	const least = 1e-3 // of the demand: less is nothing
	lo, hi := least*demand, demand
	if up, err = ok(lo); err != nil || !up {
		return 0, err
	}
	for hi > 1.05*lo {
		mid := math.Sqrt(lo * hi)
		if up, err = ok(mid); err != nil {
			return 0, err
		}
		if up {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// A shape is what the search varies: the first limit as a share of what drains, the
// last one as a multiple of the demand, and the bend between.
type shape [3]float64

// choices are the values tried for each part of a shape, the start first.
var choices = [3][]float64{
	{0.7, 1, 0.85, 0.55, 0.4, 0.25, 0.1},
	{1.02, 1.1, 1.3, 1.6, 2},
	{1, 0.7, 1.4, 0.5},
}

// search goes along the first limit, the bend, the last and again the first limit in turn.
func (r *Recovery) search(group []*Situation, demand float64, set *Settings) error {
	best := shape{choices[0][0], choices[1][0], choices[2][0]}
	r.Home = math.Inf(1)
	for _, part := range []int{0, 2, 1, 0} {
		tried := make([]shape, len(choices[part]))
		found := make([]*Candidate, len(tried))
		for i, v := range choices[part] {
			tried[i] = best
			tried[i][part] = v
		}
		within := min(set.Longest, r.Home)
		err := parallel(len(tried), set.Workers, func(i int) (err error) {
			found[i], err = try(group, tried[i].limits(set, r.Drains, demand), set, within)
			return err
		})
		if err != nil {
			return err
		}
		for i, c := range found {
			if c == nil {
				continue
			}
			r.Tried = append(r.Tried, *c)
			if c.Home < r.Home || c.Home == r.Home && c.Lost < r.Lost {
				r.Plan, r.Home, r.Lost, best = c.Plan, c.Home, c.Lost, tried[i]
			}
		}
	}
	if r.Plan == nil {
		return ErrNoPlan
	}
	return nil
}

// limits returns the limits of a shape. Where only a closed throttle drains they begin
// with it.
func (h shape) limits(set *Settings, drains, demand float64) []float64 {
	if drains == 0 {
		const floor = 0.02 // of the demand, to start from after nothing
		return append([]float64{0}, limits(set.Steps-1, floor*demand/h[0], h[1]*demand, h[2])...)
	}
	return limits(set.Steps, min(h[0]*drains, h[1]*demand), h[1]*demand, h[2])
}

// try returns the plan through the limits, nil if some of the group do not come home
// in time. One goroutine is enough: plans are tried side by side.
func try(group []*Situation, limits []float64, set *Settings, within float64) (*Candidate, error) {
	one := *set
	one.Workers = 1
	plan, err := staircase(states(group), limits, &one, within)
	if errors.Is(err, ErrNoPlan) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &Candidate{Plan: plan}
	for _, s := range group {
		f, err := s.follow(plan, set.Longest, false)
		if err != nil || !f.home() {
			return nil, err
		}
		c.Home = max(c.Home, f.full-s.t, plan[len(plan)-1].T-s.t)
		c.Lost += f.lost / float64(len(group))
	}
	return c, nil
}

func states(group []*Situation) []state {
	out := make([]state, len(group))
	for i, s := range group {
		out[i] = s
	}
	return out
}
