package model

import (
	"errors"
	"math"
)

// arrow is the Jacobian in the form its structure has: every bin touches itself and
// the few drives of its class, every backoff stage its predecessor and three drives,
// and the drives depend on the core variables alone. Solving costs O(bins) and one
// small dense system.
type arrow struct {
	shift float64
	class []classArrow
	z     chainArrow
	core  []float64 // dense core matrix, row-major, then its LU factors
	pivot []int
	rhs   []float64
}

type classArrow struct {
	fill, rate []float64   // per bin: fill, and everything that leaves plus the fill (1/s)
	inv        []float64   // per bin: 1/(shift + rate)
	u, uy      [][]float64 // per drive: ∂ẋ/∂drive and ∂ẏ/∂drive
	t, ty      [][]float64 // the same, solved
	missW      []float64   // weights of the coalesced misses
}

type chainArrow struct {
	dwell   []float64    // d_j + θ
	out, in []float64    // 1/s: what leaves stage j, and what arrives from j − 1
	self    float64      // what the last stage feeds itself
	u, t    [3][]float64 // ∂ż/∂(F, sent, θ) and the same, solved
	pull    float64      // Σ z/D²
	inv     []float64
}

func newArrow(l *layout) arrow {
	n := l.core.size
	a := arrow{core: make([]float64, n*n), pivot: make([]int, n), rhs: make([]float64, n), class: make([]classArrow, len(l.class))}
	for q, b := range l.class {
		c := &a.class[q]
		nx := b.bins * b.k
		c.fill, c.rate, c.inv = make([]float64, b.bins), make([]float64, b.bins), make([]float64, b.bins)
		c.missW = make([]float64, b.bins)
		for range driveKinds {
			c.u, c.uy = append(c.u, make([]float64, nx)), append(c.uy, make([]float64, nx))
			c.t, c.ty = append(c.t, make([]float64, nx)), append(c.ty, make([]float64, nx))
		}
	}
	z := &a.z
	z.dwell, z.out, z.in = make([]float64, l.nz), make([]float64, l.nz), make([]float64, l.nz)
	z.inv = make([]float64, l.nz)
	for k := range z.u {
		z.u[k], z.t[k] = make([]float64, l.nz), make([]float64, l.nz)
	}
	return a
}

var errSingular = errors.New("model: the Jacobian is singular at this state")

// luFactor replaces the n×n row-major matrix a by its LU factors with partial
// pivoting.
func luFactor(a []float64, pivot []int, n int) error {
	for k := range n {
		p, best := k, math.Abs(a[k*n+k])
		for i := k + 1; i < n; i++ {
			if v := math.Abs(a[i*n+k]); v > best {
				p, best = i, v
			}
		}
		pivot[k] = p
		if best == 0 || math.IsNaN(best) || math.IsInf(best, 0) {
			return errSingular
		}
		rk := a[k*n : k*n+n]
		if p != k {
			rp := a[p*n : p*n+n]
			for j := range rk {
				rk[j], rp[j] = rp[j], rk[j]
			}
		}
		d := 1 / rk[k]
		rk[k] = d // the factors keep the reciprocal
		for i := k + 1; i < n; i++ {
			ri := a[i*n : i*n+n]
			f := ri[k] * d
			ri[k] = f
			if f == 0 {
				continue
			}
			for j := k + 1; j < n; j++ {
				ri[j] -= f * rk[j]
			}
		}
	}
	return nil
}

// luSolve overwrites b with the solution for factors from luFactor.
func luSolve(a []float64, pivot []int, n int, b []float64) {
	b = b[:n]
	for k := range n {
		if p := pivot[k]; p != k {
			b[k], b[p] = b[p], b[k]
		}
	}
	for i := 1; i < n; i++ {
		row := a[i*n : i*n+i]
		v := b[i]
		for j, f := range row {
			v -= f * b[j]
		}
		b[i] = v
	}
	for i := n - 1; i >= 0; i-- {
		row := a[i*n : i*n+n]
		v := b[i]
		for j := i + 1; j < n; j++ {
			v -= row[j] * b[j]
		}
		b[i] = v * row[i]
	}
}
