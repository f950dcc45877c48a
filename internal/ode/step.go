package ode

import (
	"math"
	"slices"
)

// A stepper tries single steps and keeps everything they need. Its vectors have
// length n and are replaced only when the dimension grows.
type stepper struct {
	p    Problem
	both EvalLinearizer // nil: p is none
	tb   *tableau

	algebraic []int     // components without derivative
	held      []float64 // their right-hand sides

	rtol float64
	atol []float64

	n    int
	f0   []float64   // f(t, y)
	dfdt []float64   // ∂f/∂t at (t, y)
	y    []float64   // state at the start of the step
	y1   []float64   // state at its end
	arg  []float64   // argument of a stage
	u    [][]float64 // stages

	timed bool        // ∂f/∂t is not zero
	terms [][]float64 // ∂f/∂t and the stages
	ch    []float64   // γ_i h and c_ij/h of one stage
	stats *Stats
}

// resize gives every vector length n. Contents are lost, except those of y.
func (s *stepper) resize(n int) {
	s.n = n
	for _, v := range []*[]float64{&s.f0, &s.dfdt, &s.y1, &s.arg, &s.atol} {
		*v = grow(*v, n)
	}
	for i := range s.u {
		s.u[i] = grow(s.u[i], n)
	}
	s.terms = append(append(s.terms[:0], s.dfdt), s.u...)
}

func grow(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	return v[:n]
}

// linearize evaluates what depends on the start (t, y) of a step alone.
func (s *stepper) linearize(t float64) {
	if s.both != nil {
		s.both.EvalLinearize(s.f0, s.dfdt, t, s.y)
	} else {
		s.p.Eval(s.f0, t, s.y)
		s.p.Linearize(s.dfdt, t, s.y)
	}
	s.timed = slices.ContainsFunc(s.dfdt, func(v float64) bool { return v != 0 })
	s.stats.Evals++
	s.stats.Jacobians++
}

// try computes y1, the solution at t + h, and returns the norm of its error
// estimate: not a number when anything on the way is not finite. The error is
// that of a singular matrix.
func (s *stepper) try(t, h float64) (float64, error) {
	tb := s.tb
	s.stats.Factorizations++
	if err := s.p.Factor(1 / (h * tb.gamma)); err != nil {
		return 0, err
	}
	for i, ui := range s.u {
		if !s.stage(ui, t, h, i) {
			return math.NaN(), nil
		}
		s.p.Solve(ui)
		s.stats.Solves++
	}
	return s.finish(), nil
}

// stage stores the right-hand side of the equation for stage i in rhs. It returns
// false, without asking f, when the argument of the stage is not finite.
func (s *stepper) stage(rhs []float64, t, h float64, i int) bool {
	tb := s.tb
	gh, terms := tb.gammas[i]*h, s.terms[:i+1]
	s.ch[0] = gh
	hinv := 1 / h
	for j, c := range tb.c[i] {
		s.ch[j+1] = c * hinv
	}
	ch := s.ch[:i+1]
	if gh == 0 || !s.timed {
		ch, terms = ch[1:], terms[1:]
	}
	switch {
	case i == 0:
		lincomb(rhs, s.f0, ch, terms)
		return true
	case tb.a[i] == nil:
		lincomb(s.arg, s.arg, one[:], s.u[i-1:i])
	default:
		lincomb(s.arg, s.y, tb.a[i], s.u[:i])
	}
	if !finite(s.arg) {
		return false
	}
	s.p.Eval(rhs, t+tb.alpha[i]*h, s.arg)
	s.stats.Evals++
	for j, k := range s.algebraic {
		s.held[j] = rhs[k] + gh*s.dfdt[k] // M is zero there: the sum does not count
	}
	lincomb(rhs, rhs, ch, terms)
	for j, k := range s.algebraic {
		rhs[k] = s.held[j]
	}
	return true
}

var one = [1]float64{1}

// finish stores y1 and returns the norm of the error estimate.
func (s *stepper) finish() float64 {
	est := s.u[len(s.u)-1][:s.n]
	arg, y, y1, atol := s.arg[:len(est)], s.y[:len(est)], s.y1[:len(est)], s.atol[:len(est)]
	var sq float64
	for k := range est {
		v := arg[k] + est[k]
		y1[k] = v
		e := est[k] / (atol[k] + s.rtol*max(math.Abs(y[k]), math.Abs(v)))
		sq += e*e + 0*v // the product is not a number when v is not finite
	}
	return math.Sqrt(sq / float64(s.n))
}

// norm returns the root mean square of v weighed at y.
func (s *stepper) norm(v, y []float64) float64 {
	var sq float64
	for k := range v {
		e := v[k] / (s.atol[k] + s.rtol*math.Abs(y[k]))
		sq += e * e
	}
	return math.Sqrt(sq / float64(s.n))
}
