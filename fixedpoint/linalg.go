package fixedpoint

import "math"

// An equilibrated matrix is scaled by powers of two, first its rows, then its columns,
// to largest entries in [½, 1) before it is factorized, so that pivots do not depend on
// the units of unknowns and equations.
type equilibrated struct {
	q        *square
	row, col []float64
}

func newEquilibrated(n int) *equilibrated {
	return &equilibrated{q: newSquare(n), row: make([]float64, n), col: make([]float64, n)}
}

// factor factorizes a, row-major, which it does not change, and reports whether the
// factors can be used.
func (e *equilibrated) factor(a []float64) bool {
	n := e.q.n
	if !finite(a) {
		return false
	}
	copy(e.q.a, a)
	for i := range n {
		row := e.q.row(i)
		e.row[i] = inversePower(maxNorm(row))
		for j := range row {
			row[j] *= e.row[i]
		}
	}
	for j := range n {
		var m float64
		for i := range n {
			m = max(m, math.Abs(e.q.a[i*n+j]))
		}
		e.col[j] = inversePower(m)
		for i := range n {
			e.q.a[i*n+j] *= e.col[j]
		}
	}
	return e.q.factor()
}

// solve overwrites b with A⁻¹ b.
func (e *equilibrated) solve(b []float64) {
	for i := range b {
		b[i] *= e.row[i]
	}
	e.q.solve(b)
	for i := range b {
		b[i] *= e.col[i]
	}
}

// inversePower returns 2^−k with x 2^−k in [½, 1); 1 for zero.
func inversePower(x float64) float64 {
	if x == 0 {
		return 1
	}
	_, k := math.Frexp(x)
	return math.Ldexp(1, min(max(-k, -1022), 1022))
}

// finite reports whether every element of v is finite.
func finite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// inverse returns the inverse of a, n×n row-major; nil if it is singular.
func inverse(a []float64, n int) []float64 {
	lin := newEquilibrated(n)
	if !lin.factor(a) {
		return nil
	}
	inv, column := make([]float64, n*n), make([]float64, n)
	for j := range n {
		clear(column)
		column[j] = 1
		lin.solve(column)
		for i, v := range column {
			inv[i*n+j] = v
		}
	}
	if !finite(inv) {
		return nil
	}
	return inv
}
