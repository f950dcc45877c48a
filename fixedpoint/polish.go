package fixedpoint

import "math"

// problem is the residual as a Problem.
func (e *enumeration) problem() *Problem {
	return &Problem{Dim: e.Dim, F: e.residual, Scale: e.Scale}
}

// polish returns the fixed point in b by Newton's method, with one unknown by the secant method, or the
// middle of b and whether it is a finite point.
func (e *enumeration) polish(b Box) ([]float64, bool) {
	x := make([]float64, e.Dim)
	if e.Dim == 1 && e.secant(x, b) {
		return x, true
	}
	for i := range x {
		x[i] = b.Lo[i] + (b.Hi[i]-b.Lo[i])/2
	}
	r, err := Newton(e.problem(), x, nil, nil)
	if err == nil && r.Status == Converged && b.Contains(r.X) {
		return r.X, true
	}
	return x, finite(x)
}

// secant stores the zero of the scalar residual between the ends of b in x, by regula falsi with the
// Illinois rule; false where the sign does not change or the budget is spent.
func (e *enumeration) secant(x []float64, b Box) bool {
	at := func(v float64) float64 {
		x[0] = v
		e.residual(e.lo, x, nil)
		return e.lo[0]
	}
	lo, hi := b.Lo[0], b.Hi[0]
	f, g := at(lo), at(hi)
	last, side := lo, 0
	for f*g < 0 && e.evals < e.limit {
		next := lo + (hi-lo)*f/(f-g)
		v := at(next)
		if math.Abs(next-last) <= 4*epsilon*math.Abs(next) || v == 0 {
			return true
		}
		last = next
		if v*f > 0 {
			lo, f = next, v
			if side == 1 {
				g /= 2
			}
			side = 1
		} else {
			hi, g = next, v
			if side == -1 {
				f /= 2
			}
			side = -1
		}
	}
	return false
}

// relativeResidual is |x − G(x)| over max(Scale, |x|), or |G(x)| over that.
func (e *enumeration) relativeResidual(x []float64) float64 {
	e.residual(e.lo, x, nil)
	var m float64
	for i, r := range e.lo {
		m = max(m, math.Abs(r)/max(e.Scale[i], math.Abs(x[i])))
	}
	return m
}
