package recovery

import "math"

// A Tunable is a controller with a main gain.
type Tunable interface {
	Controller

	// Gain returns by how much it raises the limit at most at a time while all is well, as a
	// share of the demand.
	Gain() float64

	// WithGain returns one of its kind that has seen nothing yet, with another gain.
	WithGain(gain float64) Tunable
}

// The gains that are looked at: a raise of less than a ten-thousandth of the demand is none,
// and one of ten times the demand is no control.
const (
	leastGain = 1e-4
	firstGain = 0.01 // the first, whatever the controller's own
	mostGain  = 10
	gainTol   = 0.05
)

// SafeGain returns the largest gain, within 5 %, with which the controller drives the
// situation without a relapse, see Drive: with more it relapses. 0 where it relapses with a
// gain of 1e-4, +Inf where it does not with one of 10. That a larger gain is no safer is taken
// for granted.
func SafeGain(s *Situation, c Tunable, every float64, set *Settings) (float64, error) {
	d, err := set.withDefaults()
	if err != nil {
		return 0, err
	}
	s = s.with(d)
	safe := func(gain float64) (bool, error) {
		driven, err := s.drive(c.WithGain(gain), every, d, true)
		return err == nil && driven.Relapses == 0, err
	}
	lo, hi := 0.0, math.Inf(1)
	for x := firstGain; lo == 0 || hi > (1+gainTol)*lo; {
		ok, err := safe(x)
		if err != nil {
			return 0, err
		}
		if ok {
			lo = x
		} else {
			hi = x
		}
		switch {
		case lo >= mostGain:
			return math.Inf(1), nil
		case hi <= leastGain:
			return 0, nil
		case math.IsInf(hi, 1):
			x = min(mostGain, 4*lo)
		case lo == 0:
			x = max(leastGain, hi/4)
		default:
			x = math.Sqrt(lo * hi)
		}
	}
	return lo, nil
}
