package model

import "slices"

// A Moment is the system with every function of time frozen: rollouts and
// validations off, capacities, parameters and the throttle as they are at a time.
type Moment struct {
	Time     float64 // s
	Traffic  float64 // boots as a share of the full rate (profile 1); negative: as at Time
	Throttle float64 // boots/s, +Inf for none; negative: as at Time
}

// What lasts for ever in a scenario lasts long in a frozen system. Where entries never expire, a
// collapse is healed after centuries by the last trickle of reads that succeed; where clients
// never give up, or a queue has no limit, it becomes ever worse. None of these is an equilibrium,
// each is a state in which a system stays; with these limits it is an equilibrium, and what
// happens in a day is the same.
const (
	// Lifetime (s), about three years, is the longest that an entry of a cache lives and that
	// a retry budget holds a client back, and the work that a queue holds at most.
	Lifetime = 1e8

	// Patience is the mean number of failed attempts after which a client gives up, at most.
	Patience = 1e6
)

// Freeze returns a copy of the system that stands still at the moment: Eval and its
// companions do not depend on t any more. [Lifetime] and [Patience] are limits there.
func (s *System) Freeze(at Moment) *System {
	f := s.Clone()
	f.breaks, f.pieces = nil, []*piece{{}}
	f.mem, f.settling = nil, true // at rest a fixed time to live is an exponential one
	s.Refreeze(f, at)
	f.Reset()
	return f
}

// Refreeze puts a system that Freeze made of s at another moment, in place, and with it its
// return map.
func (s *System) Refreeze(frozen *System, at Moment) {
	k := 0
	for k < len(s.breaks) && s.breaks[k] <= at.Time {
		k++
	}
	pc := *s.pieces[k]
	dt := at.Time - pc.t0
	pc.mult += pc.multRate * dt
	pc.u += pc.uRate * dt
	if at.Traffic >= 0 {
		pc.mult = at.Traffic
	}
	if at.Throttle >= 0 {
		pc.u = at.Throttle
	}
	pc.lam = pc.par.boots * pc.mult
	pc.t0, pc.lamRate, pc.multRate, pc.uRate = 0, 0, 0, 0
	pc.validate, pc.absent, pc.loss, pc.rolling, pc.rollStart, pc.keep = 0, absence{}, 0, false, false, 1
	if pc.lasts, pc.par = pc.par, frozen.pieces[0].par; frozen.pieces[0].lasts != pc.lasts {
		pc.par = pc.lasts.bounded(&s.lay)
	}
	*frozen.pieces[0] = pc
}

// Bounded returns a copy of the system with the limits [Lifetime] and [Patience].
func (s *System) Bounded() *System {
	f := s.Clone()
	f.pieces = make([]*piece, len(s.pieces))
	for i, pc := range s.pieces {
		limited := *pc
		limited.par = pc.par.bounded(&s.lay)
		f.pieces[i] = &limited
	}
	f.Reset()
	return f
}

// bounded returns the parameters with the limits.
func (p *params) bounded(l *layout) *params {
	out := *p
	out.class, out.pool = slices.Clone(p.class), slices.Clone(p.pool)
	for q := range out.class {
		if c := &out.class[q]; c.cached {
			c.age = max(c.age, float64(l.class[q].k)/Lifetime)
		}
	}
	for i := range out.pool {
		c := &out.pool[i]
		c.limit = min(c.limit, c.mu*Lifetime)
	}
	out.leave = 1 / Lifetime
	if out.lastFeeds {
		out.giveUp = max(out.giveUp, 1/Patience)
	}
	return &out
}
