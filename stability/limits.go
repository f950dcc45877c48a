package stability

import (
	"errors"
	"fmt"
	"math"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// A Bracket holds a limit between two values at which the answer differs.
type Bracket struct{ Lo, Hi float64 }

// Limits are how far a system is from where its states come and go, with everything
// frozen at a moment.
type Limits struct {
	// ColdLoad is, per pool, the load over the capacity with empty caches; above 1 the
	// cache is load-bearing.
	ColdLoad []float64

	// Safe is the traffic (share of the full rate) below which no collapsed state exists:
	// the hidden capacity of Bronson et al. (HotOS 2021). Between Safe and End a system is
	// vulnerable, and metastable once it is tipped (Huang et al., OSDI 2022).
	Safe Bracket

	// End is the traffic above which the healthy state does not exist: the advertised
	// capacity. End over the traffic is the headroom.
	End Bracket

	// Throttle is the limit (boots/s) up to which the healthy state is the only one at the
	// traffic of the moment.
	Throttle Bracket
}

// states is what exists at a moment.
type states struct{ healthy, collapsed bool }

const (
	succeeds   = 0.5 // success of a boot that tells a healthy state from a collapsed one
	widest     = 1e4 // factor up to which a limit is looked for
	growth     = 1.5
	limitTol   = 1e-4 // relative
	maxHalving = 60
)

var errUnproved = errors.New("stability: the equilibria of this scenario can be searched but not counted, so it has no proved limits")

// FindLimits brackets the limits to 1e-4, each by bisection on the proved equilibria. It
// fails where these cannot be proved. A limit that does not exist up to a factor of
// 10⁴ has Hi = +Inf; one that lies below has Lo = 0.
func FindLimits(sys *model.System, at model.Moment) (*Limits, error) {
	frozen := sys.Freeze(at)
	m, err := model.NewReturnMap(frozen)
	if err != nil {
		return nil, err
	}
	if !m.Signs() {
		return nil, errUnproved
	}
	l := &Limits{ColdLoad: m.ColdLoad()}
	traffic := func(x float64) (states, error) {
		a := at
		a.Traffic, a.Throttle = x, math.Inf(1)
		return look(sys, a)
	}
	if l.Safe, err = bracket(1, func(x float64) (bool, error) { s, err := traffic(x); return !s.collapsed, err }); err != nil {
		return nil, err
	}
	if l.End, err = bracket(1, func(x float64) (bool, error) { s, err := traffic(x); return s.healthy, err }); err != nil {
		return nil, err
	}
	start := math.Max(1, frozen.Boots())
	l.Throttle, err = bracket(start, func(x float64) (bool, error) {
		a := at
		a.Throttle = x
		s, err := look(sys, a)
		return s.healthy && !s.collapsed, err
	})
	return l, err
}

// look finds the stable states at a moment.
func look(sys *model.System, at model.Moment) (states, error) {
	var s states
	m, err := model.NewReturnMap(sys.Freeze(at))
	if err != nil {
		return s, err
	}
	set, err := roots(m)
	if err != nil {
		return s, err
	}
	if set.Certainty != fixedpoint.Proved && len(set.Undecided) == 0 {
		return s, errUnproved
	}
	for _, e := range set.Equilibria {
		if m.Dim() == 1 && slope(m, e.X[0]) > 1 {
			continue
		}
		if m.Success(e.X) >= succeeds {
			s.healthy = true
		} else {
			s.collapsed = true
		}
	}
	return s, nil
}

// bracket finds where holds, true at small values, ends: from start on by steps of a
// factor, then by bisection.
func bracket(start float64, holds func(float64) (bool, error)) (Bracket, error) {
	b := Bracket{0, math.Inf(1)}
	for x := start; x < start*widest && x > start/widest; {
		ok, err := holds(x)
		if err != nil {
			return b, fmt.Errorf("%w (at %.6g)", err, x)
		}
		if ok {
			b.Lo = x
			x *= growth
		} else {
			b.Hi = x
			x /= growth
		}
		if b.Lo > 0 && !math.IsInf(b.Hi, 1) {
			break
		}
	}
	for range maxHalving {
		if b.Lo == 0 || math.IsInf(b.Hi, 1) || b.Hi-b.Lo <= limitTol*b.Lo {
			break
		}
		x := math.Sqrt(b.Lo * b.Hi)
		ok, err := holds(x)
		if err != nil {
			return b, fmt.Errorf("%w (at %.6g)", err, x)
		}
		if ok {
			b.Lo = x
		} else {
			b.Hi = x
		}
	}
	return b, nil
}
