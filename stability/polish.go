package stability

import (
	"fmt"
	"math"
	"slices"

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
	scale := scales(s)
	x, jac, left := descend(s, scale, y)
	if !(left <= residual) {
		var err error
		if x, left, err = damped(s, scale, y, jac); err != nil {
			return nil, err
		}
	}
	switch {
	case !(left <= residual):
		return nil, fmt.Errorf("the equations of the whole system are left with a residual of %.2g", left)
	case !s.Inside(x) || immense(s, x):
		return nil, fmt.Errorf("the equilibrium of the whole system near it is no state")
	}
	e := &Equilibrium{State: x, Gain: math.NaN(), Residual: left}
	e.idle = idlers(s, scale, x, jac)
	spectrum, err := spectrumOf(s, scale, x, jac, e.idle)
	if err != nil {
		return nil, err
	}
	e.Leading, e.Stable = spectrum.Eigenvalues[0], stays(spectrum)
	e.Row = make([]float64, len(s.Columns()))
	s.Observe(e.Row, 0, x)
	e.Variance = s.Variances(x)
	return e, nil
}

// stays reports whether a state with the spectrum is stable. Where rounding leaves the sign of an
// eigenvalue open, as among the many of -1/[model.Lifetime] of clients that a retry budget holds
// back, the computed one counts: what it moves, it moves in years.
func stays(s *fixedpoint.Spectrum) bool {
	return s.Unstable == 0 && (len(s.Eigenvalues) == 0 || real(s.Eigenvalues[0]) < 0)
}

// immense reports whether a component is beyond all that is a state.
func immense(s *model.System, x []float64) bool {
	const most = 1e15
	for i, size := range s.Scales()[:len(x)] {
		if math.Abs(x[i]) > most*size {
			return true
		}
	}
	return false
}

const (
	fewSteps = 8    // of Newton's method without damping
	lastStep = 1e-9 // after it the next would be rounding, since it converges quadratically
)

// descend is Newton's method with the Jacobian in arrow form, for starts so close that
// every step is shorter than half the last. It returns the last point, the Jacobian and
// the residual there; NaN where the steps do not shrink.
func descend(s *model.System, scale, y []float64) (x, jac []float64, left float64) {
	n := s.Dim()
	x, jac = slices.Clone(y[:n]), make([]float64, n*n)
	f, dt := make([]float64, n), make([]float64, n)
	last := math.Inf(1)
	for range fewSteps {
		s.EvalLinearize(f, dt, 0, x)
		if s.Factor(0) != nil {
			return x, jac, math.NaN()
		}
		s.Solve(f)
		size := 0.0
		for i, step := range f {
			size = max(size, math.Abs(step)/max(scale[i], math.Abs(x[i])))
			x[i] += step
		}
		if !(size < last/2) {
			return x, jac, math.NaN()
		}
		if last = size; size <= lastStep {
			break
		}
	}
	if !(last <= lastStep) {
		return x, jac, math.NaN()
	}
	s.EvalLinearize(f, dt, 0, x)
	s.Jacobian(jac)
	for i, v := range f {
		sum := 0.0
		for j, a := range jac[i*n : i*n+n] {
			sum += math.Abs(a) * max(scale[j], math.Abs(x[j]))
		}
		if v != 0 {
			left = max(left, math.Abs(v)/sum)
		}
	}
	return x, jac, left
}

// damped is Newton's method from anywhere. It stores the Jacobian at the end in jac.
func damped(s *model.System, scale, y, jac []float64) (x []float64, left float64, err error) {
	dt := make([]float64, s.Dim())
	p := &fixedpoint.Problem{
		Dim: s.Dim(), Scale: scale, Mass: s.Mass(),
		F: func(dst, x, _ []float64) { s.Eval(dst, 0, x) },
		JacX: func(dst, x, _ []float64) {
			s.Linearize(dt, 0, x)
			s.Jacobian(dst)
			for i := range x { // what nothing moves stays
				if !slices.ContainsFunc(dst[i*len(x):(i+1)*len(x)], func(a float64) bool { return a != 0 }) {
					dst[i*len(x)+i] = -1
				}
			}
		},
	}
	r, err := fixedpoint.Newton(p, y, nil, nil)
	if err != nil {
		return nil, 0, err
	}
	if err := r.Status.Err(); err != nil {
		return nil, 0, fmt.Errorf("no equilibrium of the whole system near it: %w", err)
	}
	s.Linearize(dt, 0, r.X)
	s.Jacobian(jac)
	return r.X, r.Residual, nil
}

// spectrumOf is the spectrum of the Jacobian at x in units of typical sizes, without the
// components that are idle. A component that nothing else moves, as the content of a cache
// that nothing fills, or that moves nothing else, as sessions that ask for nothing, has an
// eigenvalue of its own, which is known to its own rounding and not to that of the largest.
func spectrumOf(s *model.System, scale, x, jac []float64, idle []bool) (*fixedpoint.Spectrum, error) {
	n, all := len(x), s.Mass()
	size, a := make([]float64, n), make([]float64, n*n)
	for i, v := range x {
		size[i] = max(scale[i]/small, math.Abs(v))
	}
	for i, to := range size {
		for j, v := range jac[i*n : i*n+n] {
			a[i*n+j] = v * size[j] / to
		}
	}
	var active []int
	for i := range n {
		if !idle[i] {
			active = append(active, i)
		}
	}
	active, own := loners(active, all, a)
	m := len(active)
	scaled, mass := a[:0], make([]float64, m) // in place: nothing is written before it is read
	evolves := false
	for k, i := range active {
		mass[k] = all[i]
		evolves = evolves || mass[k] != 0
		for _, j := range active {
			scaled = append(scaled, a[i*n+j])
		}
	}
	spectrum := &fixedpoint.Spectrum{}
	if evolves {
		var err error
		if spectrum, err = fixedpoint.Stability(scaled, m, mass); err != nil {
			return nil, err
		}
	}
	spectrum.Add(own)
	return spectrum, nil
}

// loners takes the components with an eigenvalue of their own out of the active ones of the
// matrix a, until there are no more, and returns what is left and those eigenvalues.
func loners(active []int, mass, a []float64) (rest []int, own []float64) {
	const rounding = 1e-16
	n := len(mass)
	rest = slices.Clone(active)
	for k := 0; k < len(rest); {
		i := rest[k]
		d := a[i*n+i]
		least := rounding * math.Abs(d)
		driven, drives := false, false
		for _, j := range rest {
			if driven && drives {
				break
			}
			if j != i {
				driven, drives = driven || math.Abs(a[i*n+j]) > least, drives || math.Abs(a[j*n+i]) > least
			}
		}
		if mass[i] == 0 || d == 0 || driven && drives {
			k++
			continue
		}
		own = append(own, d)
		rest = slices.Delete(rest, k, k+1)
		k = 0 // others may be alone now
	}
	return rest, own
}

// idlers tells which components are what they are: nothing moves them, as the content
// that nobody asks for and that never expires, or they move nothing, themselves included, by
// more than rounding, as the variance of a queue that stays empty. Each is an eigenvalue of
// zero that says nothing on stability.
func idlers(s *model.System, scale, x, jac []float64) []bool {
	const rounding = 1e-16
	n, mass := len(x), s.Mass()
	idle, row := make([]bool, n), make([]float64, n)
	for changed := true; changed; {
		changed = false
		driven, drives := make([]bool, n), make([]bool, n)
		for i := range n {
			clear(row)
			most := 0.0
			for j, a := range jac[i*n : i*n+n] {
				if !idle[i] && !idle[j] {
					row[j] = math.Abs(a) * max(scale[j]/small, math.Abs(x[j]))
					most = max(most, row[j])
				}
			}
			driven[i] = most > 0
			for j, a := range row {
				drives[j] = drives[j] || a > rounding*most
			}
		}
		for i, m := range mass {
			if m != 0 && !idle[i] && !(driven[i] && drives[i]) {
				idle[i], changed = true, true
			}
		}
	}
	return idle
}

// add lists an equilibrium unless it is listed, and reports whether it was new. What is idle
// in both makes no difference.
func (r *Result) add(e *Equilibrium, s *model.System) bool {
	for i := range r.Equilibria {
		known := &r.Equilibria[i]
		y := slices.Clone(e.State)
		for k, idle := range e.idle {
			if idle && known.idle[k] {
				y[k] = known.State[k]
			}
		}
		if distance(scales(s), known.State, y) <= merge {
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
