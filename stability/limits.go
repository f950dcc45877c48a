package stability

import (
	"errors"
	"fmt"
	"math"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// A Bracket holds a limit between two values at which the answer differs: at Lo the
// system is still as it should be, at Hi it is not any more. Hi is +Inf where that
// holds at every value tried, up to 10⁴ times what is there, and Lo is 0 where it holds
// at none, down to 10⁻⁴ of it. That a system which is safe at Lo is safe below it is
// taken for granted.
type Bracket struct{ Lo, Hi float64 }

// A Limit is a bracket and what it rests on.
type Limit struct {
	Bracket

	// Certainty is Proved where the number of equilibria is proved at each value looked
	// at. Searched rests on the states that a warm and an overloaded start come to.
	Certainty fixedpoint.Certainty
}

// ErrUndecided reports a bracket that is wider than asked for: within it the number of
// equilibria is not decided.
var ErrUndecided = errors.New("stability: the number of equilibria is undecided, two of them are about to meet")

// ColdLoad returns the cold-load ratio Γ = W(x = 0)/μ of each pool: the load over the
// capacity that first attempts bring with empty caches. A cache in front of a pool
// with Γ > 1 is load-bearing. It fails where there is no return map.
func ColdLoad(sys *model.System, at model.Moment) ([]float64, error) {
	m, err := model.NewReturnMap(sys.Freeze(at))
	if err != nil {
		return nil, err
	}
	return m.ColdLoad(), nil
}

// SafeTraffic brackets the traffic, as a share of the full rate, below which no
// collapsed state exists: the hidden capacity of Bronson et al. (HotOS 2021), under
// the throttle of the moment. Below it a system is stable; above, vulnerable (Huang et
// al., OSDI 2022).
//
// This and the next two bisect; with ErrUndecided or ErrInterrupted comes the bracket so far.
func SafeTraffic(sys *model.System, at model.Moment, set *Settings) (Limit, error) {
	l := newLooker(sys, at, set)
	return l.limit(start(share(sys, at)), func(x float64) (bool, error) {
		a := at
		a.Traffic = x
		s, err := l.look(a, both)
		return !s.collapsed, err
	})
}

// Headroom brackets the factor on the traffic of the moment at which the healthy state
// ends, by a fold or because less than half of its boots succeed: the advertised
// capacity of Bronson et al. over the traffic, under the throttle of the moment. Below
// 1 there is no healthy state now.
func Headroom(sys *model.System, at model.Moment, set *Settings) (Limit, error) {
	l := newLooker(sys, at, set)
	now := share(sys, at)
	if now == 0 {
		return Limit{Bracket{0, math.Inf(1)}, l.certainty()}, errors.New("stability: there is no headroom without traffic")
	}
	return l.limit(1, func(x float64) (bool, error) {
		a := at
		a.Traffic = x * now
		s, err := l.look(a, healthyOnly)
		return s.healthy, err
	})
}

// ThrottleLine brackets the largest limit (boots/s) under which the healthy state is
// the only one at the traffic of the moment.
func ThrottleLine(sys *model.System, at model.Moment, set *Settings) (Limit, error) {
	l := newLooker(sys, at, set)
	return l.limit(start(sys.Freeze(at).Boots()), func(x float64) (bool, error) {
		a := at
		a.Throttle = x
		s, err := l.look(a, both)
		return s.healthy && !s.collapsed, err
	})
}

// start is a positive value to search from.
func start(x float64) float64 {
	if x > 0 {
		return x
	}
	return 1
}

const (
	widest = 1e4 // factor up to which a limit is looked for
	growth = 1.5
)

// cuts are where a bracket is cut, as shares of its logarithm: in the middle unless the
// number of equilibria is undecided there.
var cuts = []float64{0.5, 0.25, 0.75}

// bracket finds where holds, true at small values, ends: from a value on by steps of a
// factor, then by bisection.
func bracket(from, tol float64, set *Settings, holds func(float64) (bool, error)) (Bracket, error) {
	b := Bracket{0, math.Inf(1)}
	for {
		open := b.Lo == 0 || math.IsInf(b.Hi, 1)
		if !open && b.Hi-b.Lo <= tol*b.Lo {
			return b, nil
		}
		if b.Lo >= from*widest || b.Hi <= from/widest {
			return b, nil
		}
		if err := set.interrupted(); err != nil {
			return b, err
		}
		var x float64
		var ok bool
		err := ErrUndecided
		for i := 0; i < len(cuts) && errors.Is(err, ErrUndecided); i++ {
			x = next(b, from, cuts[i])
			ok, err = holds(x)
		}
		switch {
		case err != nil:
			return b, fmt.Errorf("%w (at %.6g)", err, x)
		case ok:
			b.Lo = x
		default:
			b.Hi = x
		}
	}
}

// next is the value to look at.
func next(b Bracket, from, cut float64) float64 {
	switch {
	case b.Lo == 0 && math.IsInf(b.Hi, 1):
		return from * math.Pow(growth, cut-0.5)
	case b.Lo == 0:
		return b.Hi / math.Pow(growth, cut+0.5)
	case math.IsInf(b.Hi, 1):
		return b.Lo * math.Pow(growth, cut+0.5)
	}
	return b.Lo * math.Pow(b.Hi/b.Lo, cut)
}
