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
// never give up, more and more of them wait. Neither is an equilibrium, both are a state in which
// a system stays; with these limits it is an equilibrium, and what happens in a day is the same.
const (
	Lifetime = 1e8 // s, about three years: the longest that an entry of a cache lives
	Patience = 1e6 // failed attempts after which a client gives up, in the mean, at most
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
		pc.par = pc.lasts.mortal(&s.lay)
	}
	*frozen.pieces[0] = pc
}

// mortal returns the parameters with Lifetime and Patience as limits.
func (p *params) mortal(l *layout) *params {
	out := *p
	out.class = slices.Clone(p.class)
	for q := range out.class {
		if c := &out.class[q]; c.cached {
			c.age = max(c.age, float64(l.class[q].k)/Lifetime)
		}
	}
	if out.lastFeeds {
		out.giveUp = max(out.giveUp, 1/Patience)
	}
	return &out
}
