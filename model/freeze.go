package model

// A Moment is the system with every function of time frozen: rollouts and
// validations off, capacities, parameters and the throttle as they are at a time.
type Moment struct {
	Time     float64 // s
	Traffic  float64 // boots as a share of the full rate (profile 1); negative: as at Time
	Throttle float64 // boots/s, +Inf for none; negative: as at Time
}

// Freeze returns a copy of the system that stands still at the moment: Eval and its
// companions do not depend on t any more.
func (s *System) Freeze(at Moment) *System {
	f := s.Clone()
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
	f.breaks, f.pieces = nil, []*piece{&pc}
	f.mem, f.settling = nil, true // at rest a fixed time to live is an exponential one
	f.Reset()
	return f
}
