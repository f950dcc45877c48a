package calibrate

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// descend is Levenberg's and Marquardt's method (Marquardt 1963, doi:10.1137/0111030)
// with Fisher's information in the place of JᵀJ: for Gaussian noise the two are one. It
// stays in the unit cube; coordinates where hold is true, nil for none, do not move. It
// returns the best point seen, its predictions and cost, once a step gains less than tol.
func (e *evaluator) descend(u []float64, hold []bool, tol float64, most int) (best, m []float64, cost float64) {
	best = append([]float64(nil), u...)
	m = e.predict(best)
	cost = e.cost(best, m)
	if m == nil {
		return best, m, cost
	}
	damp := 1e-3
	for range most {
		j, _ := e.jacobian(best, m)
		grad, info := e.score(m, j)
		e.addPrior(best, grad, info)
		moves := movable(best, grad, hold)
		better := false
		last, moved := cost, 0.0
		for damp < 1e8 {
			step := solveDamped(grad, info, moves, damp)
			trial := append([]float64(nil), best...)
			moved = 0
			for i, s := range step {
				trial[i] = min(max(trial[i]+s, 0), 1)
				moved = max(moved, math.Abs(trial[i]-best[i]))
			}
			if moved < tol/100 {
				break
			}
			tm := e.predict(trial)
			if c := e.cost(trial, tm); c < cost {
				best, m, cost, better = trial, tm, c, true
				damp = max(damp/10, 1e-12)
				break
			}
			damp *= 8
		}
		if !better || last-cost <= tol*(1+math.Abs(cost)) && moved < math.Sqrt(tol) {
			break
		}
	}
	return best, m, cost
}

// finest is the tolerance of a search that goes on until rounding ends it.
const finest = 1e-12

// movable returns the coordinates that may move: not those held, and not those at a
// bound that the gradient points out of.
func movable(u, grad []float64, hold []bool) []int {
	var free []int
	for i := range u {
		out := u[i] <= 0 && grad[i] < 0 || u[i] >= 1 && grad[i] > 0
		if !out && (hold == nil || !hold[i]) {
			free = append(free, i)
		}
	}
	return free
}

// solveDamped solves (I + damp·diag I) step = grad in the free coordinates.
func solveDamped(grad []float64, info *mat.SymDense, free []int, damp float64) []float64 {
	step := make([]float64, len(grad))
	if len(free) == 0 {
		return step
	}
	a, b := mat.NewSymDense(len(free), nil), mat.NewVecDense(len(free), nil)
	for r, i := range free {
		b.SetVec(r, grad[i])
		for c := r; c < len(free); c++ {
			a.SetSym(r, c, info.At(i, free[c]))
		}
	}
	for r := range free {
		a.SetSym(r, r, a.At(r, r)*(1+damp)+1e-9) // what the data do not see moves little
	}
	var chol mat.Cholesky
	x := mat.NewVecDense(len(free), nil)
	if !chol.Factorize(a) || chol.SolveVecTo(x, b) != nil && math.IsNaN(x.AtVec(0)) {
		return step
	}
	for r, i := range free {
		if v := x.AtVec(r); !math.IsNaN(v) {
			step[i] = min(max(v, -0.5), 0.5)
		}
	}
	return step
}
