package stability

import (
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// edges adds the unstable equilibria between neighbouring stable ones, where none is
// listed: a trajectory that starts on the line between the two, as close to the edge
// of their basins as bisection gets, lingers near the one on that edge (edge tracking:
// Skufca, Yorke & Eckhardt, Phys. Rev. Lett. 96 (2006) 174101); Newton's method starts
// where it is slow. Where that fails they are
// looked for along the branches over the traffic.
func (r *Result) edges(sys, frozen *model.System, at model.Moment, set *Settings) error {
	r.sort()
	known := slices.Clone(r.Equilibria)
	for i := 1; i < len(known); i++ {
		a, b := &known[i-1], &known[i]
		if !a.Stable || !b.Stable {
			continue
		}
		if err := set.interrupted(); err != nil {
			return err
		}
		e := edge(frozen, a.State, b.State, set)
		for _, from := range []*Equilibrium{b, a} {
			if e == nil && set.interrupted() == nil {
				e = alongTraffic(sys, at, from, set)
			}
		}
		if e == nil || !r.add(e, frozen) {
			r.Warnings = append(r.Warnings, fmt.Errorf("stability: the tipping point between the states %d and %d was not found", i, i+1))
		}
	}
	return set.interrupted()
}

const (
	halvings = 40   // of the line between two states
	patience = 8    // halvings between two attempts to find the state on the edge
	nearby   = 1e-3 // to a state, of the distance between the two: its basin
)

// edge looks for an unstable equilibrium between the stable states a and b; nil if it
// is not found.
func edge(s *model.System, a, b []float64, set *Settings) *Equilibrium {
	lo, hi := 0.0, 1.0
	for k := range halvings {
		mid := (lo + hi) / 2
		toA, slow, ok := fall(s, a, b, mid, set)
		if !ok {
			return nil
		}
		if toA {
			lo = mid
		} else {
			hi = mid
		}
		if k%patience != patience-1 {
			continue
		}
		for _, y := range slow {
			if e, err := polish(s, y); err == nil && !e.Stable {
				return e
			}
		}
	}
	return nil
}

// fall starts on the line from a to b, the fraction of the way given, and returns
// whether the system goes to a, and the states in which it was slower than before and
// after; ok is false where it goes to neither.
func fall(s *model.System, a, b []float64, way float64, set *Settings) (toA bool, slow [][]float64, ok bool) {
	y := make([]float64, len(a))
	for i := range y {
		y[i] = a[i] + way*(b[i]-a[i])
	}
	if s.Consistent(0, y) != nil {
		return false, nil, false
	}
	scale := s.Scales()
	radius := nearby * distance(scale, a, b)
	f, state, before := make([]float64, len(y)), make([]float64, len(y)), make([]float64, len(y))
	last, falling := math.Inf(1), true
	is := integration(s, set)
	is.Step = func(p *ode.Interpolant) {
		p.At(state, p.T1)
		s.Eval(f, 0, state)
		speed := 0.0
		for i, v := range f {
			speed = max(speed, math.Abs(v)/max(scale[i], math.Abs(state[i])))
		}
		if falling && speed > last {
			slow = append(slow, slices.Clone(before))
		}
		falling = speed < last
		last = speed
		copy(before, state)
	}
	for _, to := range [][]float64{a, b} {
		is.Events = append(is.Events, ode.Event{
			Value:    func(_ float64, y []float64) float64 { return distance(scale, y, to) - radius },
			Terminal: true,
		})
	}
	end, err := ode.Solve(s, y, 0, forever, is)
	if err != nil || len(end.Events) == 0 {
		return false, nil, false
	}
	return end.Events[0].Event == 0, slow, true
}
