package markov

import (
	"errors"

	"gonum.org/v1/gonum/blas/blas64"
)

// ErrUnreachable reports that from some state the chain cannot get where the question
// wants it to: to the other states, to the target, out of the set.
var ErrUnreachable = errors.New("markov: some states cannot be left as asked")

// An elimination is the factorisation of −Q of a chain, or of the part of it inside a
// set, made without a subtraction: one state after another is censored and its rates are
// shared among those left, first the states n−1, n−2, … above the root, then those from 0
// upward, until the root alone is left. Of states i and k, k censored first, a holds at
// (i, k) the share of i's rate to k over what leaves k, and at (k, i) the rate from k to i
// when k was censored; nothing is negative. What leaves the set is killed, and so is what
// passes between two parts of it. Whatever lies outside is dead: no rate leads there, and
// its unknowns are the right-hand sides.
type elimination struct {
	n, band, root int
	a             []float64 // row i: columns i−band … i+band
	d             []float64 // total rate out of each state when it was censored
	share, kill   []float64
}

// newElimination returns storage for chains like c.
func newElimination(c *Chain) *elimination {
	e := &elimination{n: c.n, band: c.band, d: make([]float64, c.n), kill: make([]float64, c.n)}
	e.a = make([]float64, (c.n-1)*(2*c.band+1)+2*c.band+1)
	e.share = make([]float64, c.band)
	return e
}

// row returns the part of row i at columns from…to−1, all within the band.
func (e *elimination) row(i, from, to int) []float64 {
	at := 2*e.band*i + e.band
	return e.a[at+from : at+to]
}

// outside is the part of a state that is in no part.
const outside = -1

// factor eliminates c inside the parts toward the root. With everything in one part, the
// root is never left and d[root] is 0: the factors of a singular matrix.
func (e *elimination) factor(c *Chain, part func(int) int, root int) error {
	clear(e.a)
	clear(e.kill)
	e.root = root
	whole := true
	for i := range c.n {
		own := part(i)
		whole = whole && own == part(0)
		if own == outside {
			e.kill[i], whole = 1, false
			continue
		}
		r := e.row(i, i-e.band, i+e.band+1)
		for k := c.start[i]; k < c.start[i+1]; k++ {
			if j := c.to[k]; part(j) == own {
				r[j-i+e.band] += c.rate[k]
			} else {
				e.kill[i] += c.rate[k]
			}
		}
	}
	reached := true
	for k := c.n - 1; k > root; k-- {
		reached = e.censor(k, max(0, k-e.band), k) && reached
	}
	for k := range root {
		reached = e.censor(k, k+1, min(k+e.band, root)+1) && reached
	}
	e.d[root] = e.kill[root]
	if !reached || !whole && e.d[root] == 0 {
		return ErrUnreachable
	}
	return nil
}

// censor takes state k out of the chain; of the states left, its rates reach from…to−1.
func (e *elimination) censor(k, from, to int) bool {
	rk := e.row(k, from, to)
	out := e.kill[k]
	for _, q := range rk {
		out += q
	}
	if e.d[k] = out; out == 0 {
		return false
	}
	any := false
	for i := from; i < to; i++ {
		at := &e.row(i, k, k+1)[0]
		*at /= out
		e.share[i-from] = *at
		e.kill[i] += *at * e.kill[k]
		any = any || *at != 0
	}
	if !any {
		return true
	}
	m := to - from // rows of the band lie 2 band apart by columns: a dense square
	blas64.Ger(1, blas64.Vector{N: m, Data: e.share, Inc: 1}, blas64.Vector{N: m, Data: rk, Inc: 1},
		blas64.General{Rows: m, Cols: m, Stride: 2 * e.band, Data: e.a[2*e.band*from+e.band+from:]})
	return true
}

// solve replaces b by the x of −Q x = b. For b ≥ 0 nothing is subtracted.
func (e *elimination) solve(b []float64) {
	e.fold(b)
	b[e.root] /= e.d[e.root]
	e.unfold(b)
}

// solvePinned solves −Q x = b of the whole chain with x = 0 at the root, whose equation is
// left out.
func (e *elimination) solvePinned(b []float64) {
	e.fold(b)
	b[e.root] = 0
	e.unfold(b)
}

// fold adds to each state's right-hand side its share of those censored before it.
func (e *elimination) fold(b []float64) {
	for i := e.n - 2; i >= 0; i-- {
		from, to := max(i, e.root)+1, min(e.n, i+1+e.band)
		if from < to {
			b[i] += dot(e.row(i, from, to), b[from:to])
		}
	}
	for i := 1; i <= e.root; i++ {
		from := max(0, i-e.band)
		b[i] += dot(e.row(i, from, i), b[from:i])
	}
}

// unfold finds the unknowns from the root's on.
func (e *elimination) unfold(b []float64) {
	for i := e.root - 1; i >= 0; i-- {
		to := min(i+e.band, e.root) + 1
		b[i] = (b[i] + dot(e.row(i, i+1, to), b[i+1:to])) / e.d[i]
	}
	for i := e.root + 1; i < e.n; i++ {
		from := max(0, i-e.band)
		b[i] = (b[i] + dot(e.row(i, from, i), b[from:i])) / e.d[i]
	}
}

// solveLeft replaces c by the y of y (−Q) = c, with the root at 0. For c ≥ 0 nothing is
// subtracted.
func (e *elimination) solveLeft(c []float64) {
	for i := e.n - 1; i >= 0; i-- {
		if c[i] /= e.d[i]; c[i] != 0 {
			from := max(0, i-e.band)
			axpy(c[i], e.row(i, from, i), c[from:i])
		}
	}
	for i := range e.n - 1 {
		if c[i] != 0 {
			to := min(e.n, i+1+e.band)
			axpy(c[i], e.row(i, i+1, to), c[i+1:to])
		}
	}
}

func dot(a, b []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(a), Data: a, Inc: 1}, blas64.Vector{N: len(b), Data: b, Inc: 1})
}

func axpy(alpha float64, x, y []float64) {
	blas64.Axpy(alpha, blas64.Vector{N: len(x), Data: x, Inc: 1}, blas64.Vector{N: len(y), Data: y, Inc: 1})
}
