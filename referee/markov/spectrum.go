package markov

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Spectrum is the slow end of the spectrum of an irreducible chain.
type Spectrum struct {
	Lambda   complex128 // the eigenvalue nearest to 0 apart from 0 itself, 1/s; of a pair, one
	Vector   []float64  // right eigenvector (real part): the slowest observable
	Residual float64    // ‖Q⁺x − x/λ‖/‖x/λ‖ in the norm of the stationary law, Q⁺ the group inverse

	Reversible bool
	// Mixing brackets the time (s) after which the law is within 1/4 of the stationary one
	// in total variation, from the worst start: ln(2)/|Re λ| ≤ t ≤ ln(2/√min π)/|λ|
	// (Levin & Peres 2017, Markov Chains and Mixing Times, section 20). The upper
	// bound holds for reversible chains and is +Inf for others.
	Mixing [2]float64
}

// Spectrum returns the second eigenvalue of the chain, by inverse iteration in a Krylov
// space. Small eigenvalues keep their relative accuracy: the inverse is applied by an
// elimination without subtractions.
func (c *Chain) Spectrum() (*Spectrum, error) {
	e := newElimination(c)
	if err := e.factor(c, everywhere, 0); err != nil {
		return nil, err
	}
	return c.spectrum(e, e.stationary())
}

// spectrum refactors e, the factors of the whole chain, unless the likeliest state is
// its root: what is found relative to a rare state is lost to rounding in the difference.
func (c *Chain) spectrum(e *elimination, pi []float64) (*Spectrum, error) {
	s := &Spectrum{Reversible: c.reversible(pi)}
	if c.n == 1 {
		s.Lambda = complex(math.Inf(-1), 0)
		return s, nil
	}
	if mode := slices.Index(pi, slices.Max(pi)); mode != e.root {
		if err := e.factor(c, everywhere, mode); err != nil {
			return nil, err
		}
	}
	k := &krylov{
		weight: pi, selfAdjoint: s.Reversible, tol: 1e-11, most: min(c.n, 200),
		apply: func(dst, src []float64) { e.invert(dst, src, pi) },
	}
	start, rng := make([]float64, c.n), rand.New(rand.NewPCG(1, 2))
	for i := range start {
		start[i] = (rng.Float64() - .5) / math.Sqrt(math.Max(pi[i], 1e-200)) // alike everywhere in the norm
	}
	center(start, pi)
	found := k.run(start)
	s.Lambda = -1 / found.theta
	s.Vector, s.Residual = found.vector, found.residual
	if imag(found.theta) == 0 { // checked from outside: one more application
		x := make([]float64, c.n)
		k.apply(x, s.Vector)
		axpy(-real(found.theta), s.Vector, x)
		s.Residual = math.Sqrt(k.inner(x, x)/k.inner(s.Vector, s.Vector)) / math.Abs(real(found.theta))
	}
	rate, least := -real(s.Lambda), 1.0
	for _, p := range pi {
		least = math.Min(least, p)
	}
	s.Mixing = [2]float64{math.Ln2 / rate, math.Inf(1)}
	if s.Reversible {
		s.Mixing[1] = (math.Ln2 - math.Log(least)/2) / rate
	}
	return s, nil
}

// invert writes dst = −Q⁺ src for a src without a stationary mean, Q⁺ the group inverse of
// the whole chain. Both signs are solved for apart, each without a subtraction.
func (e *elimination) invert(dst, src, pi []float64) {
	minus := make([]float64, e.n)
	for i, x := range src {
		dst[i], minus[i] = math.Max(x, 0), math.Max(-x, 0)
	}
	e.solvePinned(dst)
	e.solvePinned(minus)
	axpy(-1, minus, dst)
	center(dst, pi)
}

// slowest returns the slowest observable by a few steps of inverse iteration that start
// from the number of the state: unlike a vector of a Krylov space it is smooth where the
// stationary law is nothing. It is good where one mode is far slower than the others.
func (e *elimination) slowest(pi []float64) []float64 {
	x, next := make([]float64, e.n), make([]float64, e.n)
	for i := range x {
		x[i] = float64(i) / float64(e.n)
	}
	for range 4 {
		center(x, pi)
		e.invert(next, x, pi)
		most := math.Max(slices.Max(next), -slices.Min(next))
		for i, y := range next {
			x[i] = y / most
		}
	}
	return x
}

// center removes the stationary mean.
func center(x, pi []float64) {
	mean := dot(x, pi)
	for i := range x {
		x[i] -= mean
	}
}
