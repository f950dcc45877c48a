package recovery

import "math"

const (
	optimumMoments = 100  // about so many on the way home, at which the bound is looked up
	optimumTol     = 0.01 // of the bound
)

// Optimum returns the time home (s after the situation) with a throttle that is set
// continuously, the least that a plan of steps can come near to: the throttle is held low
// until the system is up, and from then on it is at u*(state), the largest limit that is safe,
// less Settings.Margin, until none is needed. Of two first limits, that of the plan found and
// a tenth of what drains, the better is taken.
//
// Where more admitted refills sooner, as long as it is safe, no throttle that keeps the margin
// is home sooner. u* is followed in about a hundred moments, to within 1 %, which makes the
// time at most some percent too long. Where reads begin to fail well below the bound, which
// slows the refill, to keep away from it can be sooner and this is no optimum. The plan itself
// is such a throttle: what is returned is never more than its Home, and its Home where
// following the bound is no sooner. It fails where a trajectory does.
func Optimum(s *Situation, r *Recovery, set *Settings) (float64, error) {
	d, err := set.withDefaults()
	if err != nil || len(r.Plan) == 0 {
		return r.Home, err
	}
	s = s.with(d)
	firsts := []float64{r.Plan[0].Limit, min(r.Plan[0].Limit, r.Drains/10)}
	homes := make([]float64, len(firsts))
	err = parallel(len(firsts), d.Workers, func(i int) (err error) {
		homes[i], err = s.follower(firsts[i], d, r.Home)
		return err
	})
	return min(r.Home, homes[0], homes[1]), err
}

// follower returns when the situation is home (s) if the throttle is at first while it is down
// and at the largest safe limit while it is up; +Inf if that is not so within so many seconds.
func (s *Situation) follower(first float64, set *Settings, within float64) (float64, error) {
	limit := first
	for at := s; at.t-s.t < within; {
		if !at.up() {
			up, err := at.turn(first, within, 1)
			if err != nil || math.IsInf(up, 1) {
				return math.Inf(1), err
			}
			const beyond = 0.1 // s, so that it is up and not about to be
			if at, err = at.held(first, up+beyond-at.t); err != nil {
				return 0, err
			}
			limit = first
			continue
		}
		f, err := at.follow(Plan{{at.t, math.Inf(1)}}, at.watch, true)
		if err != nil {
			return 0, err
		}
		if f.home() {
			return max(at.t, f.full) - s.t, nil
		}
		if limit, err = at.raised(limit, set.Margin); err != nil {
			return 0, err
		}
		if at, err = at.held(limit, within/optimumMoments); err != nil {
			return 0, err
		}
	}
	return math.Inf(1), nil
}

// raised returns the largest limit that is safe raised by the margin, from one that is on: the
// steps up grow while they are safe.
func (s *Situation) raised(limit, margin float64) (float64, error) {
	most := 20 * max(s.row[colBoots], s.row[colAdmitted])
	for grow := 1 + 2*optimumTol; grow > 1+optimumTol/4 && limit < most; {
		ok, err := s.safe(limit * grow * (1 + margin))
		switch {
		case err != nil:
			return 0, err
		case ok:
			limit *= grow
			grow *= grow
		default:
			grow = math.Pow(grow, 0.25)
		}
	}
	return limit, nil
}

func (s *Situation) held(limit, d float64) (*Situation, error) {
	next, err := s.hold(limit, d)
	if err != nil {
		return nil, err
	}
	return next.(*Situation), nil
}
