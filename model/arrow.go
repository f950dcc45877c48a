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
	core  []float64 // dense core matrix, row-major, then its inverse
	pivot []int
	rhs   []float64 // of the core
	sol   []float64 // of the core
}

type classArrow struct {
	fill, rate []float64             // per bin: fill, and everything that leaves plus the fill (1/s)
	inv        []float64             // per bin: 1/(shift + rate)
	u, uy      [driveKinds][]float64 // per drive: ∂ẋ/∂drive and ∂ẏ/∂drive
	missW      []float64             // weights of the coalesced misses
	hot, miss  functional            // of the right-hand sides: the hit rate's and the misses' core variables
}

// A functional is linear in the content of a class.
type functional struct{ x, rest []float64 }

type chainArrow struct {
	dwell   []float64    // d_j + θ
	out, in []float64    // 1/s: what leaves stage j, and what arrives from j − 1
	self    float64      // what the last stage feeds itself
	u       [3][]float64 // ∂ż/∂(F, sent, θ)
	pull    float64      // Σ z/D²
	inv     []float64
	carry   []float64 // in·inv
	due     []float64 // what one more in the right-hand side of each stage adds to Y
}

func newArrow(l *layout) arrow {
	n := l.core.size
	size := n*n + 2*n + 9*l.nz
	for _, b := range l.class {
		size += 4*b.bins + (2*driveKinds+4)*b.bins*b.k
	}
	mem := make([]float64, size)
	take := func(n int) []float64 {
		part := mem[:n:n]
		mem = mem[n:]
		return part
	}
	a := arrow{core: take(n * n), pivot: make([]int, n), rhs: take(n), sol: take(n), class: make([]classArrow, len(l.class))}
	for q, b := range l.class {
		c := &a.class[q]
		nx := b.bins * b.k
		c.fill, c.rate, c.inv, c.missW = take(b.bins), take(b.bins), take(b.bins), take(b.bins)
		for d := range driveKinds {
			c.u[d], c.uy[d] = take(nx), take(nx)
		}
		for _, f := range []*functional{&c.hot, &c.miss} {
			f.x, f.rest = take(nx), take(nx)
		}
	}
	z := &a.z
	z.dwell, z.out, z.in = take(l.nz), take(l.nz), take(l.nz)
	z.inv, z.carry, z.due = take(l.nz), take(l.nz), take(l.nz)
	for k := range z.u {
		z.u[k] = take(l.nz)
	}
	return a
}

var errSingular = errors.New("model: the Jacobian is singular at this state")

// invert replaces the n×n row-major matrix a by its inverse, by Gauss–Jordan with
// partial pivoting: a core is asked once a stage, and a product waits for less than a
// substitution does.
func invert(a []float64, pivot []int, n int) error {
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
		rk, rp := a[k*n:k*n+n], a[p*n:p*n+n]
		d := 1 / rp[k]
		rp[k] = 1
		for j, v := range rp {
			rp[j], rk[j] = rk[j], v*d
		}
		for i := range n {
			ri := a[i*n : i*n+n]
			f := ri[k]
			if i == k || f == 0 {
				continue
			}
			ri[k] = 0
			axpy(ri, -f, rk)
		}
	}
	for k := n - 1; k >= 0; k-- { // rows exchanged of a are columns of its inverse
		if p := pivot[k]; p != k {
			for i := range n {
				a[i*n+k], a[i*n+p] = a[i*n+p], a[i*n+k]
			}
		}
	}
	return nil
}

// mulVec stores A x in dst, A row-major.
func mulVec(dst, a, x []float64) {
	n := len(x)
	for i := range dst {
		dst[i] = dot(a[i*n:i*n+n], x)
	}
}

// dot is Σ g x over x, in two sums so that additions overlap. A gradient has one
// entry more, that of time.
func dot(g, x []float64) float64 {
	g = g[:len(x)]
	var even, odd float64
	j := 1
	for ; j < len(x); j += 2 {
		even += g[j-1] * x[j-1]
		odd += g[j] * x[j]
	}
	if j == len(x) {
		even += g[j-1] * x[j-1]
	}
	return even + odd
}
