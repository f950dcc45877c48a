package ode

import "math"

// A stepper tries single steps and keeps everything they need. Its vectors have
// length n and are replaced only when the dimension grows.
type stepper struct {
	p    Problem
	mass []float64 // nil: the identity
	tb   *tableau

	rtol float64
	atol []float64

	n    int
	f0   []float64   // f(t, y)
	dfdt []float64   // ∂f/∂t at (t, y)
	y    []float64   // state at the start of the step
	y1   []float64   // state at its end
	arg  []float64   // argument of a stage
	sum  []float64   // Σ_j (c_ij/h) u_j
	u    [][]float64 // stages

	ch    []float64 // c_ij/h of one stage
	stats *Stats
}

// resize gives every vector length n. Contents are lost, except those of y.
func (s *stepper) resize(n int) {
	s.n = n
	for _, v := range []*[]float64{&s.f0, &s.dfdt, &s.y1, &s.arg, &s.sum, &s.atol} {
		*v = grow(*v, n)
	}
	for i := range s.u {
		s.u[i] = grow(s.u[i], n)
	}
}

func grow(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	return v[:n]
}

// linearize evaluates what depends on the start (t, y) of a step alone.
func (s *stepper) linearize(t float64) {
	s.p.Eval(s.f0, t, s.y)
	s.p.Linearize(s.dfdt, t, s.y)
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
	arg := s.y
	for i, ui := range s.u {
		if i > 0 {
			s.combine(i, 1/h)
			arg = s.arg
			s.p.Eval(ui, t+tb.alpha[i]*h, arg)
			s.stats.Evals++
		} else {
			copy(ui, s.f0)
		}
		s.addTo(ui, i > 0, tb.gammas[i]*h)
		s.p.Solve(ui)
	}
	s.stats.Solves += len(s.u)
	return s.finish(), nil
}

// combine stores the argument of stage i and the sum of its c_ij u_j/h.
func (s *stepper) combine(i int, hinv float64) {
	a, c := s.tb.a[i], s.tb.c[i]
	arg, sum, y := s.arg[:s.n], s.sum[:s.n], s.y[:s.n]
	u := s.u[:i]
	if a == nil {
		last := u[i-1][:s.n]
		for k := range arg {
			arg[k] += last[k]
		}
	} else {
		copy(arg, y)
		for j, uj := range u {
			aj := a[j]
			uj = uj[:len(arg)]
			for k := range arg {
				arg[k] += aj * uj[k]
			}
		}
	}
	clear(sum)
	for j, uj := range u {
		cj := c[j] * hinv
		uj = uj[:len(sum)]
		for k := range sum {
			sum[k] += cj * uj[k]
		}
	}
}

// addTo completes the right-hand side f of a stage.
func (s *stepper) addTo(f []float64, sums bool, gh float64) {
	f = f[:s.n]
	if sums {
		sum := s.sum[:len(f)]
		if s.mass == nil {
			for k := range f {
				f[k] += sum[k]
			}
		} else {
			mass := s.mass[:len(f)]
			for k := range f {
				f[k] += mass[k] * sum[k]
			}
		}
	}
	if gh == 0 {
		return
	}
	dfdt := s.dfdt[:len(f)]
	for k := range f {
		f[k] += gh * dfdt[k]
	}
}

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

// norm returns the root mean square of v weighed at y; algebraic components, whose
// derivatives f does not give, do not count.
func (s *stepper) norm(v, y []float64) float64 {
	var sq float64
	for k := range v {
		if s.mass != nil && s.mass[k] == 0 {
			continue
		}
		e := v[k] / (s.atol[k] + s.rtol*math.Abs(y[k]))
		sq += e * e
	}
	return math.Sqrt(sq / float64(s.n))
}
