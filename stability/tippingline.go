package stability

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/metastable/metastable/model"
)

// A TippingPoint is the largest shock absorbed at one value of a parameter.
type TippingPoint struct {
	X float64

	// Trigger is nil where Err says why there is none, such as ErrNoHealthy; beside
	// ErrNoOutcome it is the bracket so far.
	Trigger *Trigger
	Err     error
}

// TippingLine is [LargestAbsorbed] at n ≥ 2 evenly spaced values of an axis, which may be any
// but FlushAxis; each search starts from what its neighbour found. seen, if not nil, gets
// each point once it is found. It fails as
// [NewFamily] does, and with the points so far and ErrInterrupted.
func TippingLine(sc *model.Scenario, at model.Moment, axis Axis, n int, shock Shock, set *Settings, seen func(TippingPoint)) ([]TippingPoint, error) {
	if err := axis.check(); err != nil {
		return nil, err
	}
	if n < 2 || axis.Path == FlushAxis {
		return nil, fmt.Errorf("%w: %d values of %s", ErrAxis, n, axis.Path)
	}
	if err := shock.check(sc); err != nil {
		return nil, err
	}
	base := sc.Clone()
	if compiled(axis.Path) && !strings.HasPrefix(axis.Path, "timeline") {
		still, err := Still(sc, at)
		if err != nil {
			return nil, err
		}
		base, at = still, model.Moment{Traffic: -1, Throttle: -1}
	}
	var points []TippingPoint
	guess := math.NaN()
	for i := range n {
		p := TippingPoint{X: axis.at(float64(i) / float64(n-1))}
		switch axis.Path {
		case TrafficAxis:
			at.Traffic = p.X
		case ThrottleAxis:
			at.Throttle = p.X
		default:
			if err := base.SetFloat(axis.Path, p.X); err != nil {
				return points, err
			}
		}
		p.Trigger, p.Err = absorbedNear(base, at, shock, guess, set)
		if errors.Is(p.Err, ErrInterrupted) {
			return points, p.Err
		}
		guess = math.NaN()
		if p.Err == nil && !math.IsInf(p.Trigger.Hi, 1) {
			guess = p.Trigger.Lo
		}
		points = append(points, p)
		if seen != nil {
			seen(p)
		}
	}
	return points, nil
}

// absorbedNear is LargestAbsorbed with a guess.
func absorbedNear(sc *model.Scenario, at model.Moment, shock Shock, guess float64, set *Settings) (*Trigger, error) {
	s, err := newSituation(sc, at, set)
	if err != nil {
		return nil, err
	}
	if s.healthy < 0 {
		return nil, ErrNoHealthy
	}
	return s.withstands(s.healthy, shock, guess)
}
