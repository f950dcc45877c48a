package fixedpoint

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Settings control a Newton iteration. The zero value of a field stands for the
// default its comment states; nil Settings are all defaults.
type Settings struct {
	// Tol bounds the last correction: the largest over the unknowns in units of
	// max(Scale, |x|). Default 1e-12.
	Tol float64

	// MaxIterations bounds the Jacobians. Default 100.
	MaxIterations int
}

// withDefaults returns a copy of s with every default filled in; it fails on a setting that
// makes no sense.
func (s *Settings) withDefaults() (Settings, error) {
	var d Settings
	if s != nil {
		d = *s
	}
	if d.Tol == 0 {
		d.Tol = 1e-12
	}
	if d.MaxIterations == 0 {
		d.MaxIterations = 100
	}
	if !(d.Tol > 0 && d.Tol < 1) {
		return d, fmt.Errorf("fixedpoint: Tol %g outside (0, 1)", d.Tol)
	}
	if d.MaxIterations < 0 {
		return d, fmt.Errorf("fixedpoint: MaxIterations %d is negative", d.MaxIterations)
	}
	return d, nil
}

// Result is the outcome of a Newton iteration.
type Result struct {
	Status Status

	// X is the last point. It is finite whatever the status.
	X []float64

	// Residual is the largest |F_i| in units of Σ_j |∂F_i/∂x_j| max(Scale_j, |x_j|): of
	// what a change of all unknowns by their own size makes of F_i.
	Residual float64

	// Error estimates the distance of X from the equilibrium, in units of
	// max(Scale, |x|), from the contraction and from the rounding seen in F; of use if
	// Converged.
	Error float64

	// Steps are the sizes of the corrections before damping, in the same units.
	Steps []float64

	// Contraction is the ratio of two corrections with the same Jacobian, of the last step
	// that rounding cannot spoil: near 0 at a regular equilibrium, ¼ on the way to a
	// double one; 0 if the start is the answer.
	Contraction float64

	// Evals and Jacobians count evaluations of F, without those for differences, and
	// of its Jacobian.
	Evals, Jacobians int

	// Warnings say what makes the answer suspect and what would mend it.
	Warnings []error
}

const (
	// leastDamping is the shortest fraction of a correction that is tried.
	leastDamping = 1e-6

	// looseTol is where an iteration that rounding stops has still converged: the
	// error at a double root is about the root of the rounding error.
	looseTol = 1e-6

	// worstError is that at a triple root, about ε^{1/3}.
	worstError = 1e-5

	// tellingStep is the shortest correction whose contraction is recorded.
	tellingStep = 1e-7
)

// errMultiple warns of equilibria that Newton's method does not converge to quadratically.
var errMultiple = errors.New("the Jacobian is nearly singular: a fold or a branch point is near, " +
	"and the equilibrium is known to about half of the digits only")

// Newton solves F(x, par) = 0 from x0 by Newton's method with the affine-covariant damping
// NLEQ-ERR of Deuflhard, Newton Methods for Nonlinear Problems (2004), section
// 3.3.3: a step is as long as the next simplified correction is shorter than this one, in
// units of Scale. It neither keeps nor changes x0 and par.
//
// It fails on input that makes no sense. An iteration without an equilibrium is a
// Status.
func Newton(p *Problem, x0, par []float64, settings *Settings) (*Result, error) {
	if err := p.check(x0, par); err != nil {
		return nil, err
	}
	if x0 == nil {
		return nil, fmt.Errorf("fixedpoint: no start")
	}
	s, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	it := newIteration(p, par)
	it.Settings = s
	return it.run(x0), nil
}

// An iteration is Newton's method on one problem at one choice of the parameters; its
// storage is reused from start to start.
type iteration struct {
	Settings
	p   *Problem
	par []float64
	lin *equilibrated

	x, f, jac, step     []float64
	trial, fTrial, next []float64
	diff                []float64
	res                 *Result
}

func newIteration(p *Problem, par []float64) *iteration {
	n := p.Dim
	v := func() []float64 { return make([]float64, n) }
	return &iteration{
		p: p, par: par, lin: newEquilibrated(n),
		x: v(), f: v(), jac: make([]float64, n*n), step: v(), trial: v(), fTrial: v(), next: v(), diff: v(),
	}
}

func (it *iteration) run(x0 []float64) *Result {
	it.res = &Result{Residual: math.NaN()}
	copy(it.x, x0)
	status := it.iterate()
	if it.evaluate() && it.linearize() {
		it.res.Residual = it.residual()
		noise, zero := it.noise()
		if zero && (status == Singular || status == Stalled) {
			status = Converged
		}
		if status == Converged {
			it.res.Error = min(max(it.res.Error, noise), worstError)
		}
	}
	it.res.Status, it.res.X = status, slices.Clone(it.x)
	if status == Converged && (it.res.Error > 1e-9 || it.res.Contraction > 0.2) {
		it.res.Warnings = append(it.res.Warnings, errMultiple)
	}
	return it.res
}

func (it *iteration) iterate() Status {
	if !it.evaluate() {
		return NonFinite
	}
	damping, last := 1.0, math.Inf(1)
	for range it.MaxIterations {
		if !it.linearize() {
			return NonFinite
		}
		if !it.correction(it.step, it.f) {
			if maxNorm(it.f) == 0 {
				return Converged
			}
			return Singular
		}
		size := it.size(it.step)
		it.res.Steps = append(it.res.Steps, size)
		if !math.IsInf(last, 1) {
			damping = it.predict(damping, last, size)
		}
		var ok bool
		damping, ok = it.damped(damping, size)
		if !ok {
			return it.ended(size)
		}
		last = size
		copy(it.x, it.trial)
		copy(it.f, it.fTrial)
		if damping == 1 && size <= it.Tol {
			return Converged
		}
	}
	return IterationLimit
}

// ended is the status of an iteration whose correction, of the given size, finds no step.
func (it *iteration) ended(size float64) Status {
	switch {
	case size <= looseTol: // rounding hides the rest
		it.res.Error = size
		return Converged
	case !finite(it.fTrial):
		return NonFinite
	}
	return Stalled
}

// predict returns the first damping to try, from the simplified correction next of the
// last step and the new one (formula 3.48 of Deuflhard).
func (it *iteration) predict(damping, last, size float64) float64 {
	for i := range it.diff {
		it.diff[i] = it.next[i] - it.step[i]
	}
	curved := it.size(it.diff) * size
	if curved == 0 {
		return 1
	}
	return max(min(1, last*it.size(it.next)/curved*damping), leastDamping)
}

// damped finds trial = x + damping step whose simplified correction next is shorter
// than the step.
func (it *iteration) damped(damping, size float64) (float64, bool) {
	for reduced := false; damping >= leastDamping; {
		for i := range it.x {
			it.trial[i] = it.x[i] + damping*it.step[i]
		}
		it.p.F(it.fTrial, it.trial, it.par)
		it.res.Evals++
		if !finite(it.fTrial) {
			damping, reduced = damping/2, true
			continue
		}
		it.correction(it.next, it.fTrial)
		for i := range it.diff {
			it.diff[i] = it.next[i] - (1-damping)*it.step[i]
		}
		contraction := it.size(it.next) / size
		if size == 0 {
			contraction = 0
		}
		fits := math.Inf(1) // damping that the curvature seen allows
		if curved := it.size(it.diff); curved > 0 {
			fits = size * damping * damping / (2 * curved)
		}
		switch {
		case contraction >= 1 && !(damping == 1 && size <= it.Tol):
			damping, reduced = max(damping/10, min(fits, damping/2)), true
			continue
		case !reduced && fits >= 4*damping && damping < 1:
			damping = min(1, fits)
			continue
		}
		if size >= tellingStep {
			it.res.Contraction = contraction
		}
		return damping, true
	}
	return damping, false
}

// evaluate stores F at x in f and reports whether it is finite.
func (it *iteration) evaluate() bool {
	it.p.F(it.f, it.x, it.par)
	it.res.Evals++
	return finite(it.f)
}

func (it *iteration) linearize() bool {
	it.p.jacX(it.jac, it.x, it.par)
	it.res.Jacobians++
	return finite(it.jac)
}

// correction stores −J⁻¹f in dst. Corrections with the last Jacobian reuse its factors.
func (it *iteration) correction(dst, f []float64) bool {
	if &dst[0] == &it.step[0] && !it.lin.factor(it.jac) {
		return false
	}
	for i, v := range f {
		dst[i] = -v
	}
	it.lin.solve(dst)
	return finite(dst)
}

// weight is the unit in which unknown i is measured.
func (it *iteration) weight(i int) float64 { return it.p.weight(i, it.x[i]) }

func (it *iteration) size(v []float64) float64 {
	var m float64
	for i := range v {
		m = max(m, math.Abs(v[i])/it.weight(i))
	}
	return m
}

func (it *iteration) residual() float64 {
	n := it.p.Dim
	var worst float64
	for i, f := range it.f {
		var size float64
		for j, a := range it.jac[i*n : i*n+n] {
			size += math.Abs(a) * it.weight(j)
		}
		if f != 0 {
			worst = max(worst, math.Abs(f)/size)
		}
	}
	return worst
}

// noise moves x by a few units in the last place, or by as many as F takes to notice. It
// returns the correction that the changes of F, at a double root mere rounding, ask
// for, and whether F is as small as they are.
func (it *iteration) noise() (size float64, zero bool) {
	seen := make([]float64, len(it.f))
	regular := it.lin.factor(it.jac)
	for ulps := epsilon; maxNorm(seen) == 0 && ulps < looseTol; ulps *= 8 {
		for _, by := range []float64{-2 * ulps, -ulps, ulps, 2 * ulps} {
			size = max(size, it.probe(seen, by, regular))
		}
		size = max(size, ulps)
	}
	zero = true
	for i, f := range it.f {
		zero = zero && math.Abs(f) <= 4*seen[i]
	}
	if !regular {
		return math.Inf(1), zero
	}
	return size, zero
}

// probe moves x by the given part of its unit, raises seen to the changes of F and
// returns the size of the correction for them.
func (it *iteration) probe(seen []float64, by float64, regular bool) float64 {
	for i := range it.x {
		it.trial[i] = it.x[i] + by*it.weight(i)
	}
	it.p.F(it.fTrial, it.trial, it.par)
	it.res.Evals++
	for i, f := range it.f {
		it.next[i] = it.fTrial[i] - f
		seen[i] = max(seen[i], math.Abs(it.next[i]))
	}
	if !regular {
		return 0
	}
	it.lin.solve(it.next)
	return it.size(it.next)
}
