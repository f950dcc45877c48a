package fixedpoint

import (
	"errors"
	"math"
)

// A curve is given by N − 1 equations in N unknowns.
type curve interface {
	// size returns the number N of unknowns.
	size() int
	// residual stores the N − 1 equations at y in dst.
	residual(dst, y []float64)
	// jacobian stores their derivatives in dst, (N−1) × N.
	jacobian(dst, y []float64)
	// use makes the borders of nd those of the equations that follow.
	use(nd *node)
	// finish computes borders, eigenvalues and test functions of nd, continuous with
	// those of prev, if not nil.
	finish(nd, prev *node)
}

// A node is a point on a curve.
type node struct {
	y, t  []float64 // the point and the unit tangent
	s     float64   // arc length
	det   float64   // of the equations bordered by the tangent
	eig   []complex128
	aux   []float64 // borders
	tests []float64 // test functions
}

// A tracer solves the bordered systems of one curve.
type tracer struct {
	curve
	n     int // unknowns
	lu    *square
	delta []float64
	tol   float64

	normal, anchor []float64 // scratch of between
}

func newTracer(c curve, tol float64) *tracer {
	n := c.size()
	return &tracer{curve: c, n: n, lu: newSquare(n), delta: make([]float64, n), tol: tol, normal: make([]float64, n), anchor: make([]float64, n)}
}

// maxNewton bounds the iterations of a corrector: quadratic convergence needs half.
const maxNewton = 10

// correct moves y onto the curve within the plane normal·(y − anchor) = 0 by Newton's
// method and returns the number of iterations; ok is false without convergence.
func (t *tracer) correct(y, normal, anchor []float64) (iters int, ok bool) {
	last := math.Inf(1)
	for iters = 1; iters <= maxNewton; iters++ {
		t.jacobian(t.lu.a, y)
		copy(t.lu.row(t.n-1), normal)
		t.residual(t.delta, y)
		t.delta[t.n-1] = dot(normal, y) - dot(normal, anchor)
		if !t.lu.factor() {
			return iters, false
		}
		t.lu.solve(t.delta)
		axpy(y, -1, t.delta)
		size := norm2(t.delta)
		if size <= t.tol*max(1, norm2(y)) {
			return iters, true
		}
		if !(size <= 2*last) { // also not a number
			return iters, false
		}
		last = size
	}
	return iters, false
}

// tangent stores the unit tangent at y with ref·dst > 0 in dst and returns the determinant
// of the equations bordered by it; ok is false where there is no unique tangent.
func (t *tracer) tangent(dst, y, ref []float64) (det float64, ok bool) {
	t.jacobian(t.lu.a, y)
	copy(t.lu.row(t.n-1), ref)
	if !t.lu.factor() {
		return 0, false
	}
	clear(t.delta)
	t.delta[t.n-1] = 1
	t.lu.solve(t.delta)
	copy(dst, t.delta)
	size := norm2(dst)
	if !(size > 0) || math.IsInf(size, 0) {
		return 0, false
	}
	normalise(dst)
	// det[A; tᵀ] = det[A; refᵀ] (t·t)/(ref·t) for the null vector t of A
	return t.lu.det() * size, true
}

var errSingular = errors.New("fixedpoint: no unique tangent at the start: it is a branch point or worse")

// firstTangent returns a unit tangent at y, of no particular orientation.
func (t *tracer) firstTangent(y []float64) ([]float64, error) {
	dst, ref, best := make([]float64, t.n), make([]float64, t.n), make([]float64, t.n)
	var bestDet float64
	for k := range ref { // the unit vector that makes the best border
		clear(ref)
		ref[k] = 1
		if _, ok := t.tangent(dst, y, ref); !ok {
			continue
		}
		if d := math.Abs(t.lu.det()); d > bestDet {
			bestDet = d
			copy(best, dst)
		}
	}
	if bestDet == 0 {
		return nil, errSingular
	}
	if _, ok := t.tangent(dst, y, best); !ok {
		return nil, errSingular
	}
	return dst, nil
}

// onto moves y onto the curve by Newton's method, normal to the curve.
func (t *tracer) onto(y []float64) bool {
	for range 2 * maxNewton {
		normal, err := t.firstTangent(y)
		if err != nil {
			return false
		}
		t.jacobian(t.lu.a, y)
		copy(t.lu.row(t.n-1), normal)
		t.residual(t.delta, y)
		t.delta[t.n-1] = 0
		if !t.lu.factor() {
			return false
		}
		t.lu.solve(t.delta)
		axpy(y, -1, t.delta)
		if size := norm2(t.delta); size <= t.tol*max(1, norm2(y)) {
			return true
		} else if !(size < 1e3*max(1, norm2(y))) {
			return false
		}
	}
	return false
}

// at makes y, a point on the curve, a node that continues from prev; nil if it has no tangent.
func (t *tracer) at(y []float64, prev *node, s float64) *node {
	nd := &node{y: y, t: make([]float64, t.n), s: s}
	var ok bool
	if nd.det, ok = t.tangent(nd.t, y, prev.t); !ok {
		return nil
	}
	t.finish(nd, prev)
	return nd
}

// hermite stores the cubic Hermite interpolation of position, and its direction, at the
// fraction θ from a to b.
func hermite(y, direction []float64, a, b *node, theta float64) {
	h := math.Copysign(distance(a.y, b.y), b.s-a.s) // b may lie against the tangents
	u := 1 - theta
	c0, c1 := u*u*(1+2*theta), theta*theta*(1+2*u)
	d0, d1 := h*theta*u*u, -h*theta*theta*u
	s0, s1 := h*u*(1-3*theta), h*theta*(3*theta-2)
	for i := range y {
		y[i] = c0*a.y[i] + c1*b.y[i] + d0*a.t[i] + d1*b.t[i]
		direction[i] = 6*theta*u*(b.y[i]-a.y[i]) + s0*a.t[i] + s1*b.t[i]
	}
	normalise(direction)
}

// between returns the node on the curve at the fraction θ in (0, 1) of the arc from a to
// b; nil if the corrector fails.
func (t *tracer) between(a, b *node, theta float64) *node {
	y := make([]float64, t.n)
	hermite(y, t.normal, a, b, theta)
	copy(t.anchor, y)
	t.use(a)
	if _, ok := t.correct(y, t.normal, t.anchor); !ok || distance(y, t.anchor) > distance(a.y, b.y)/2 {
		return nil
	}
	return t.at(y, a, a.s+theta*(b.s-a.s))
}
