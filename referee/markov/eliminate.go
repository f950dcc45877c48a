package markov

import (
	"errors"

	"gonum.org/v1/gonum/blas/blas64"
)

// ErrUnreachable reports that from some state the chain cannot get where the question
// wants it to: to the other states, to the target, out of the set.
var ErrUnreachable = errors.New("markov: some states cannot be left as asked")

// An elimination is the factorisation −Q = (I − F)(D − L) of a chain, or of the part of it
// inside a set, made without a subtraction: state k = n−1, n−2, … is censored, its rates
// are shared among those before it. F is strictly upper triangular, L strictly lower, D
// diagonal, and none has a negative entry. What leaves the set is killed. Whatever lies
// outside is dead: no rate leads there, and its unknowns are the right-hand sides.
type elimination struct {
	n, band int
	a       []float64 // row i: columns i−band … i+band
	d       []float64
	f, kill []float64
}

// newElimination returns storage for chains like c.
func newElimination(c *Chain) *elimination {
	e := &elimination{n: c.n, band: c.band, d: make([]float64, c.n), kill: make([]float64, c.n)}
	e.a = make([]float64, (c.n-1)*(2*c.band+1)+2*c.band+1)
	e.f = make([]float64, c.band)
	return e
}

// row returns the part of row i at columns from…to−1, all within the band.
func (e *elimination) row(i, from, to int) []float64 {
	at := 2*e.band*i + e.band
	return e.a[at+from : at+to]
}

// factor eliminates c inside the set. With everything inside, state 0 is never left and
// d[0] is 0: the factors of a singular matrix, for the stationary law.
func (e *elimination) factor(c *Chain, inside func(int) bool) error {
	clear(e.a)
	clear(e.kill)
	whole := true
	for i := range c.n {
		if !inside(i) {
			e.kill[i], whole = 1, false
			continue
		}
		r := e.row(i, i-e.band, i+e.band+1)
		for k := c.start[i]; k < c.start[i+1]; k++ {
			if j := c.to[k]; inside(j) {
				r[j-i+e.band] += c.rate[k]
			} else {
				e.kill[i] += c.rate[k]
			}
		}
	}
	for k := c.n - 1; k > 0; k-- {
		if !e.censor(k) {
			return ErrUnreachable
		}
	}
	e.d[0] = e.kill[0]
	if !whole && e.d[0] == 0 {
		return ErrUnreachable
	}
	return nil
}

// censor takes state k out of the chain of the states 0…k.
func (e *elimination) censor(k int) bool {
	from := max(0, k-e.band)
	rk := e.row(k, from, k)
	out := e.kill[k]
	for _, q := range rk {
		out += q
	}
	if e.d[k] = out; out == 0 {
		return false
	}
	any := false
	for i := from; i < k; i++ {
		at := &e.row(i, k, k+1)[0]
		*at /= out // the share of state i's rate to k, over what leaves k
		e.f[i-from] = *at
		e.kill[i] += *at * e.kill[k]
		any = any || *at != 0
	}
	if !any {
		return true
	}
	m := k - from // rows of the band lie 2 band apart by columns: a dense square
	blas64.Ger(1, blas64.Vector{N: m, Data: e.f, Inc: 1}, blas64.Vector{N: m, Data: rk, Inc: 1},
		blas64.General{Rows: m, Cols: m, Stride: 2 * e.band, Data: e.a[2*e.band*from+e.band+from:]})
	return true
}

// solve replaces b by the x of −Q x = b. For b ≥ 0 nothing is subtracted.
func (e *elimination) solve(b []float64) {
	for i := e.n - 2; i >= 0; i-- {
		to := min(e.n, i+1+e.band)
		b[i] += dot(e.row(i, i+1, to), b[i+1:to])
	}
	for i := range e.n {
		from := max(0, i-e.band)
		b[i] += dot(e.row(i, from, i), b[from:i])
		b[i] /= e.d[i]
	}
}

// solveLeft replaces c by the y of y (−Q) = c. For c ≥ 0 nothing is subtracted.
func (e *elimination) solveLeft(c []float64) {
	for i := e.n - 1; i >= 0; i-- {
		if c[i] /= e.d[i]; c[i] != 0 {
			from := max(0, i-e.band)
			axpy(c[i], e.row(i, from, i), c[from:i])
		}
	}
	e.forward(c)
}

// forward replaces y by y (I − F)⁻¹.
func (e *elimination) forward(y []float64) {
	for i := range e.n - 1 {
		if y[i] != 0 {
			to := min(e.n, i+1+e.band)
			axpy(y[i], e.row(i, i+1, to), y[i+1:to])
		}
	}
}

func dot(a, b []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(a), Data: a, Inc: 1}, blas64.Vector{N: len(b), Data: b, Inc: 1})
}

func axpy(alpha float64, x, y []float64) {
	blas64.Axpy(alpha, blas64.Vector{N: len(x), Data: x, Inc: 1}, blas64.Vector{N: len(y), Data: y, Inc: 1})
}
