package stability

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

const (
	residual = 1e-10 // scaled, of what is reported
	small    = 1e-3  // of model.System.Scales: below it a component counts as small
	merge    = 1e-6  // distance within which two equilibria are one
)

// polish refines an equilibrium of a frozen system by Newton's method on all its
// equations, and looks at the linearization there.
func polish(s *model.System, y []float64) (*Equilibrium, error) {
	n := s.Dim()
	scale := scales(s)
	dt := make([]float64, n)
	p := &fixedpoint.Problem{
		Dim: n, Scale: scale, Mass: s.Mass(),
		F: func(dst, x, _ []float64) { s.Eval(dst, 0, x) },
		JacX: func(dst, x, _ []float64) {
			s.Linearize(dt, 0, x)
			s.Jacobian(dst)
		},
	}
	r, err := fixedpoint.Newton(p, y, nil, nil)
	switch {
	case err != nil:
		return nil, err
	case r.Status.Err() != nil:
		return nil, fmt.Errorf("no equilibrium of the whole system near it: %w", r.Status.Err())
	case !(r.Residual <= residual):
		return nil, fmt.Errorf("the equations of the whole system are left with a residual of %.2g", r.Residual)
	case !s.Inside(r.X):
		return nil, fmt.Errorf("the equilibrium of the whole system near it is no state")
	}
	e := &Equilibrium{State: r.X, Gain: math.NaN(), Residual: r.Residual}
	jac := make([]float64, n*n)
	p.JacX(jac, r.X, nil)
	size := func(i int) float64 { return max(scale[i], math.Abs(r.X[i])) }
	for i := range n {
		for j := range n {
			jac[i*n+j] *= size(j) / size(i)
		}
	}
	spectrum, err := fixedpoint.Stability(jac, n, p.Mass)
	if err != nil {
		return nil, err
	}
	e.Leading, e.Stable = spectrum.Eigenvalues[0], spectrum.Verdict() == fixedpoint.Stable
	e.Row = make([]float64, len(s.Columns()))
	s.Observe(e.Row, 0, r.X)
	e.Variance = s.Variances(r.X)
	return e, nil
}

// add lists an equilibrium unless it is listed, and reports whether it was new.
func (r *Result) add(e *Equilibrium, s *model.System) bool {
	for i := range r.Equilibria {
		if distance(scales(s), r.Equilibria[i].State, e.State) <= merge {
			return false
		}
	}
	r.Equilibria = append(r.Equilibria, *e)
	return true
}

// scales are the sizes below which components of the state count as small.
func scales(s *model.System) []float64 {
	scale := s.Scales()[:s.Dim()]
	for i := range scale {
		scale[i] *= small
	}
	return scale
}

// distance is the largest over the components in units of their sizes.
func distance(scale, a, b []float64) float64 {
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i])/max(scale[i], math.Abs(a[i]), math.Abs(b[i])))
	}
	return worst
}
