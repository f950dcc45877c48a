package model

import (
	"fmt"
	"math"
	"slices"
)

// window is a factor that holds for a while.
type window struct {
	until, value float64
}

// schedule builds the pieces between breaks: the timeline's entries, the ends of
// what lasts, and the kinks of the traffic profile.
func (s *System) schedule(sc *Scenario, par *params) error {
	st := &state{sc: sc, par: par, tables: s.tables, limit: sc.Throttle.Limit, shedAll: sc.Throttle.Priority == "all", keep: 1}
	st.kappa = slices.Repeat([]window{{math.Inf(1), 1}}, len(sc.Pools))
	st.traffic, st.validate = window{math.Inf(1), 1}, window{math.Inf(1), 0}

	var times []float64
	for _, e := range sc.Timeline {
		times = append(times, e.At)
		if e.Over > 0 {
			times = append(times, e.At+e.Over)
		}
	}
	jumps := append([]float64{0}, times...)
	for _, c := range par.class {
		if c.fixed { // what jumps comes back one time to live later, and two
			for _, t := range jumps {
				times = append(times, t+1/c.age, t+2/c.age)
			}
		}
	}
	times = slices.DeleteFunc(times, func(t float64) bool { return t > sc.Duration })
	times = append(times, sc.kinks()...)
	slices.Sort(times)
	times = slices.Compact(times)

	s.pieces = []*piece{st.piece(0)}
	next := 0
	for i := 0; i < len(times); i++ {
		t := times[i]
		st.expire(t)
		st.keep = 1
		for ; next < len(sc.Timeline) && sc.Timeline[next].At <= t; next++ {
			if err := st.apply(&s.lay, &sc.Timeline[next]); err != nil {
				return fmt.Errorf("timeline[%d]: %w", next, err)
			}
		}
		s.breaks = append(s.breaks, t)
		s.pieces = append(s.pieces, st.piece(t))
		for _, end := range st.rollout.ends() {
			if j, known := slices.BinarySearch(times, end); !known && end > t && end <= sc.Duration {
				times = slices.Insert(times, j, end)
			}
		}
	}
	return nil
}

// state is what the timeline has set so far.
type state struct {
	sc     *Scenario
	par    *params
	tables *tables

	traffic, validate window
	kappa             []window
	limit, slope      float64 // throttle at rampFrom, slope until rampEnd
	rampFrom, rampEnd float64
	shedAll           bool
	rollout           rollout
	keep              float64
}

func (st *state) expire(t float64) {
	if t >= st.traffic.until {
		st.traffic = window{math.Inf(1), 1}
	}
	if t >= st.validate.until {
		st.validate = window{math.Inf(1), 0}
	}
	for i, k := range st.kappa {
		if t >= k.until {
			st.kappa[i] = window{math.Inf(1), 1}
		}
	}
	if st.slope != 0 && t >= st.rampEnd {
		st.limit, st.slope = st.at(st.rampEnd), 0
	}
}

// at returns the throttle's limit at t, inside a ramp or outside.
func (st *state) at(t float64) float64 {
	if st.slope == 0 {
		return st.limit
	}
	return st.limit + st.slope*(t-st.rampFrom)
}

func (st *state) apply(lay *layout, e *Entry) error {
	until := math.Inf(1)
	if e.Over > 0 {
		until = e.At + e.Over
	}
	switch e.Action {
	case Rollout:
		return st.rollout.start(&st.sc.Cache, e)
	case Pause:
		st.rollout.pause(e.At)
	case ThrottleTo:
		st.limit, st.slope = e.Value, 0
		if e.Priority != "" {
			st.shedAll = e.Priority == "all"
		}
	case Ramp:
		from := st.at(e.At)
		if math.IsInf(from, 1) {
			return fmt.Errorf("ramp: no throttle is in force at %g s", e.At)
		}
		st.limit, st.slope = from, (e.Value-from)/e.Over
		st.rampFrom, st.rampEnd = e.At, until
	case Flush:
		st.keep *= 1 - e.Value
	case Capacity:
		i := 0
		if e.Pool != "" {
			i = slices.IndexFunc(st.sc.Pools, func(p Named[Pool]) bool { return p.Name == e.Pool })
		}
		if i < 0 {
			return fmt.Errorf("capacity: no pool is called %q", e.Pool)
		}
		st.kappa[i] = window{until, e.Value}
	case TrafficTo:
		st.traffic = window{until, e.Value}
	case Validate:
		st.validate = window{until, e.Value}
	case Change:
		return st.change(lay, e)
	}
	return nil
}

func (st *state) change(lay *layout, e *Entry) error {
	sc := st.sc.Clone()
	if _, err := sc.apply(e.Change); err != nil {
		return err
	}
	par, err := sc.params(st.tables)
	if err != nil {
		return err
	}
	if l := newLayout(sc, par); !l.sameAs(lay) {
		return fmt.Errorf("change: bins, ttl stages, backoff stages, coalesce, cached and the cache's size have to stay as they are during a run")
	}
	for q, c := range par.class {
		if old := &st.par.class[q]; c.fixed != old.fixed || c.fixed && c.age != old.age {
			return fmt.Errorf("change: classes.%s: a fixed time to live has to stay as it is during a run", sc.Classes[q].Name)
		}
	}
	st.sc, st.par = sc, par
	return nil
}

// piece freezes what is in force from t on.
func (st *state) piece(t float64) *piece {
	tr := &st.sc.Traffic
	f, slope := tr.at(t)
	p := &piece{
		par: st.par, t0: t, keep: st.keep,
		mult: f * st.traffic.value, multRate: slope * st.traffic.value,
		u: st.at(t), uRate: st.slope, shedAll: st.shedAll,
		validate: st.validate.value,
	}
	p.lam, p.lamRate = st.par.boots*p.mult, st.par.boots*p.multRate
	for _, k := range st.kappa {
		p.kappa = append(p.kappa, k.value)
	}
	st.rollout.piece(p, &st.sc.Cache)
	return p
}

// kinks returns the times in (0, duration) where the profile bends.
func (sc *Scenario) kinks() []float64 {
	tr := &sc.Traffic
	var out []float64
	for shift := 0.0; shift < sc.Duration; shift += tr.Repeat {
		for _, p := range tr.Profile.Points {
			if t := p.T + shift; t > 0 && t < sc.Duration {
				out = append(out, t)
			}
		}
		if math.IsInf(tr.Repeat, 1) {
			break
		}
	}
	return out
}

// at returns the profile's value at t and its slope just after t (1/s).
func (tr *Traffic) at(t float64) (value, slope float64) {
	pts := tr.Profile.Points
	if len(pts) == 0 {
		return 1, 0
	}
	if !math.IsInf(tr.Repeat, 1) {
		t = math.Mod(t, tr.Repeat)
	}
	// The first point after t, where times that differ by rounding are equal and the
	// later value of a step holds.
	i, _ := slices.BinarySearchFunc(pts, t+1e-9*(1+t), func(p Point, t float64) int {
		if p.T <= t {
			return -1
		}
		return 1
	})
	switch i {
	case 0:
		return pts[0].Value, 0
	case len(pts):
		return pts[len(pts)-1].Value, 0
	}
	a, b := pts[i-1], pts[i]
	slope = (b.Value - a.Value) / (b.T - a.T)
	return a.Value + slope*(t-a.T), slope
}
