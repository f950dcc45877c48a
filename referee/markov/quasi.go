package markov

import "math"

// A QuasiLaw is the law in which a chain stays as long as it has not left a set
// (quasi-stationary law, Darroch & Seneta 1967, doi:10.2307/3212311): started from it,
// the time to leave is exponential.
type QuasiLaw struct {
	Law      []float64 // of the state; sums to 1; 0 outside the set
	Rate     float64   // of leaving, 1/s
	Residual float64   // ‖ν (−Q)⁻¹ − ν/Rate‖₁ Rate
}

// QuasiStationary returns the quasi-stationary law of a set. It fails with
// [ErrUnreachable] if from some state of the set there is no way out.
func (c *Chain) QuasiStationary(inside func(state int) bool) (*QuasiLaw, error) {
	e := newElimination(c)
	if err := e.factor(c, only(inside), 0); err != nil {
		return nil, err
	}
	return e.quasi(only(inside), 0), nil
}

// quasi uses the factors of the parts, of which it looks at one.
func (e *elimination) quasi(part func(int) int, own int) *QuasiLaw {
	nu, next := make([]float64, e.n), make([]float64, e.n)
	for i := range nu {
		if part(i) == own {
			nu[i] = 1
		}
	}
	normalize(nu)
	const good = 1e-13
	for range 8 { // enough where leaving is far slower than what happens inside
		if e.inverse(nu, next) < good {
			break
		}
	}
	q := &QuasiLaw{Law: nu}
	if e.inverse(nu, next) > good {
		weight := make([]float64, e.n)
		for i, x := range nu {
			if x > 0 {
				weight[i] = 1 / math.Max(x, 1e-200)
			}
		}
		k := &krylov{weight: weight, tol: 1e-12, most: min(e.n, 150), apply: func(dst, src []float64) {
			copy(dst, src)
			e.solveLeft(dst)
		}}
		for i, x := range k.run(nu).vector {
			next[i] = math.Abs(x)
		}
		normalize(next)
		q.Law = next
	}
	image := make([]float64, e.n)
	copy(image, q.Law)
	e.solveLeft(image)
	theta := normalize(image)
	for i := range image {
		q.Residual += math.Abs(image[i] - q.Law[i])
	}
	q.Law, q.Rate = image, 1/theta
	return q
}

// inverse replaces nu by nu (−Q)⁻¹, normalised, and returns how far that is in ‖·‖₁.
func (e *elimination) inverse(nu, next []float64) (change float64) {
	copy(next, nu)
	e.solveLeft(next)
	normalize(next)
	for i := range nu {
		change += math.Abs(nu[i] - next[i])
	}
	copy(nu, next)
	return change
}
