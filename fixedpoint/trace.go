package fixedpoint

import (
	"math"
	"slices"
)

// A bound keeps unknown i within [lo, hi].
type bound struct {
	i      int
	lo, hi float64
}

// A walk follows a curve by pseudo-arclength continuation (Keller 1977): predictor along
// the tangent, Newton's method within the plane normal to it.
type walk struct {
	*tracer
	Stepping
	bounds []bound
	s      *scaled
}

// both follows the curve from start in both directions. front is the direction of its
// tangent. The nodes run from the back to the front, with arc lengths from 0.
func (w *walk) both(start *node) (nodes []*node, back, front Stop) {
	forward, front := w.run(start, 1)
	if front == Closed {
		return forward, Closed, Closed
	}
	backward, back := w.run(start, -1)
	slices.Reverse(backward)
	nodes = append(backward, forward[1:]...)
	offset := nodes[0].s
	for _, nd := range nodes {
		nd.s -= offset
	}
	return nodes, back, front
}

// run follows the curve from start, against its tangent if sign is −1. The first node is start.
func (w *walk) run(start *node, sign float64) ([]*node, Stop) {
	nodes := []*node{start}
	if w.atBound(start, sign) {
		return nodes, Bound
	}
	h := w.InitialStep
	for {
		if len(nodes) > w.MaxSteps {
			return nodes, StepLimit
		}
		from := nodes[len(nodes)-1]
		next, reason, factor := w.step(from, sign, h)
		if next == nil {
			w.s.work.Rejected++
			if h /= 2; h < w.MinStep {
				return nodes, reason
			}
			continue
		}
		if len(nodes) > 2 && w.closes(start, from, next) {
			last := *start
			last.s = from.s + sign*distance(from.y, start.y)
			return append(nodes, &last), Closed
		}
		w.s.work.Steps++
		if end := w.cross(from, next); end != nil {
			return append(nodes, end), Bound
		}
		nodes = append(nodes, next)
		if w.Stop != nil {
			if w.s.set(next.y); w.Stop(w.s.x, w.s.p) {
				return nodes, UserStop
			}
		}
		h = min(h*factor, w.MaxStep)
	}
}

// step makes one step of length h; nil and a reason if it must be shorter. factor is that of the
// next step.
func (w *walk) step(from *node, sign, h float64) (next *node, reason Stop, factor float64) {
	for _, b := range w.bounds {
		if most := (b.hi - b.lo) / 20; h*math.Abs(from.t[b.i]) > most {
			h = most / math.Abs(from.t[b.i])
		}
	}
	y := slices.Clone(from.y)
	axpy(y, sign*h, from.t)
	if w.outside(y) {
		return nil, DomainLeft, 0
	}
	copy(w.anchor, y)
	w.use(from)
	iters, ok := w.correct(y, from.t, w.anchor)
	if !ok {
		return nil, NoConvergence, 0
	}
	if w.outside(y) {
		return nil, DomainLeft, 0
	}
	length := distance(from.y, y)
	if h/length < math.Cos(w.MaxAngle) { // the chord is far from the tangent
		return nil, NoConvergence, 0
	}
	next = w.at(y, from, from.s+sign*length)
	if next == nil {
		return nil, NoConvergence, 0
	}
	angle := math.Acos(min(1, dot(from.t, next.t)))
	if angle > w.MaxAngle {
		return nil, NoConvergence, 0
	}
	factor = min(2, w.MaxAngle/2/max(angle, 1e-9))
	if iters > 4 {
		factor = min(factor, 0.7)
	}
	return next, 0, max(factor, 0.5)
}

func (w *walk) outside(y []float64) bool {
	if w.Domain == nil {
		return false
	}
	w.s.set(y)
	return !w.Domain(w.s.x, w.s.p)
}

// atBound reports whether start lies on a bound that the direction leaves.
func (w *walk) atBound(start *node, sign float64) bool {
	for _, b := range w.bounds {
		v, d := start.y[b.i], sign*start.t[b.i]
		if v <= b.lo && d < 0 || v >= b.hi && d > 0 {
			return true
		}
	}
	return false
}

// cross returns the node where the step first meets a bound, nil if it meets none.
func (w *walk) cross(a, b *node) *node {
	var first *node
	for _, bd := range w.bounds {
		for _, at := range [2]float64{bd.lo, bd.hi} {
			if inside := b.y[bd.i] > at; b.y[bd.i] != at && inside == (at == bd.lo) {
				continue
			}
			nd := w.meet(a, b, bd.i, at)
			if first == nil || math.Abs(nd.s-a.s) < math.Abs(first.s-a.s) {
				first = nd
			}
		}
	}
	return first
}

// meet returns the node between a and b where unknown i has the value at.
func (w *walk) meet(a, b *node, i int, at float64) *node {
	if b.y[i] == at {
		return b
	}
	lo, hi := a, b
	for range 60 {
		theta := (at - lo.y[i]) / (hi.y[i] - lo.y[i])
		nd := w.between(lo, hi, min(max(theta, 0.01), 0.99))
		if nd == nil {
			break
		}
		if (nd.y[i] < at) == (lo.y[i] < at) {
			lo = nd
		} else {
			hi = nd
		}
		if math.Abs(nd.y[i]-at) <= 1e-6*distance(a.y, b.y) {
			break
		}
	}
	// onto the bound itself
	y, e := slices.Clone(lo.y), make([]float64, w.n)
	e[i] = 1
	anchor := slices.Clone(y)
	anchor[i] = at
	w.use(lo)
	if _, ok := w.correct(y, e, anchor); ok && distance(y, lo.y) <= distance(a.y, b.y) {
		y[i] = at
		if nd := w.at(y, lo, lo.s+math.Copysign(distance(y, lo.y), b.s-a.s)); nd != nil {
			return nd
		}
	}
	return lo
}

// closes reports whether start lies on the curve between from and next.
func (w *walk) closes(start, from, next *node) bool {
	h := distance(from.y, next.y)
	if distance(start.y, from.y) > 1.5*h || distance(start.y, next.y) > 1.5*h || dot(from.t, start.t) < math.Cos(w.MaxAngle) {
		return false
	}
	before := dot(start.t, from.y) - dot(start.t, start.y)
	after := dot(start.t, next.y) - dot(start.t, start.y)
	if before*after > 0 {
		return false
	}
	// the point within the plane through the start
	y, f := make([]float64, w.n), before/(before-after)
	for i := range y {
		y[i] = from.y[i] + f*(next.y[i]-from.y[i])
	}
	w.use(from)
	_, ok := w.correct(y, start.t, start.y)
	return ok && distance(y, start.y) <= 1e3*w.tol*max(1, norm2(y))
}
