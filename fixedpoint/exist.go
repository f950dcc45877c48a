package fixedpoint

import (
	"math"
	"slices"
)

// A cluster is cells that touch; tries counts how often it was halved further.
type cluster struct {
	cells []cell
	tries int
}

const (
	// Cells near an equilibrium where the slope of G is near 1 may be left over apart from
	// those that hold it: a cluster that proves nothing is halved some more.
	mostTries  = 3
	finer      = 1. / 16
	retryEvals = 2000
)

// conclude lists the equilibria in the cells left over, and the clusters that stay
// undecided.
func (e *enumeration) conclude() {
	e.add(e.left, 0)
	e.limit = e.evals + e.MaxEvals
	for tol := e.Tol; len(e.pending) > 0; e.Tol = tol {
		c := e.pending[len(e.pending)-1]
		e.pending = e.pending[:len(e.pending)-1]
		hull, open := hullOf(c.cells)
		if open && !hull.exists {
			e.undecided(hull.Box)
			continue
		}
		x, ok := e.polish(hull.Box)
		if ok && !open && (!hull.exists || !hull.unique && e.Slope != nil) {
			exists, unique := e.proves(hull.Box, x)
			hull.exists, hull.unique = hull.exists || exists, hull.unique || unique
		}
		switch {
		case hull.exists:
			e.list(x, hull)
			e.done = append(e.done, hull.Box)
		case c.tries < mostTries && e.evals < e.limit:
			e.Tol *= math.Pow(finer, float64(c.tries+1))
			e.left = nil
			e.resolve(c.cells, min(retryEvals*e.Dim, e.limit-e.evals))
			e.add(e.left, c.tries+1)
		default:
			e.undecided(hull.Box)
		}
	}
}

func (e *enumeration) undecided(hull Box) {
	e.set.Undecided = append(e.set.Undecided, hull)
	e.done = append(e.done, hull)
}

// add puts the clusters of the cells on the pending list.
func (e *enumeration) add(cells []cell, tries int) {
	for _, g := range e.groups(cells) {
		e.pending = append(e.pending, cluster{g, tries})
	}
}

// hullOf returns the smallest box that holds the cells, with what is known of it, and
// whether the budget left a cell over.
func hullOf(cells []cell) (hull cell, open bool) {
	hull = cell{Box: cells[0].clone()}
	if len(cells) == 1 {
		hull.exists, hull.unique = cells[0].exists, cells[0].unique
	}
	for _, c := range cells {
		hull.join(c.Box)
		open = open || c.open
	}
	return hull, open
}

// list adds the equilibrium x in hull to the set.
func (e *enumeration) list(x []float64, hull cell) {
	half := 0.0
	for i := range x {
		half = max(half, (hull.Hi[i]-hull.Lo[i])/2/e.unit(hull.Box, i))
	}
	e.set.Equilibria = append(e.set.Equilibria, Equilibrium{
		X: x, Error: half, Residual: e.relativeResidual(x), Box: &hull.Box, Unique: hull.unique || e.injective,
	})
}

// mergeUndecided joins undecided boxes, in order of the first unknown, that are no
// further apart than scatter times their widths: at a fold the gaps between them were excluded by
// luck. A box that would meet that of an equilibrium stays apart.
func (e *enumeration) mergeUndecided() {
	const scatter = 8
	near := func(a, b Box) bool {
		for i := range a.Lo {
			gap := scatter * max(a.Hi[i]-a.Lo[i], b.Hi[i]-b.Lo[i])
			if a.Hi[i]+gap < b.Lo[i] || b.Hi[i]+gap < a.Lo[i] {
				return false
			}
		}
		return true
	}
	boxes := e.set.Undecided
	slices.SortFunc(boxes, func(a, b Box) int { return slices.Compare(a.Lo, b.Lo) })
	for merged := true; merged; {
		merged = false
		var kept []Box
	next:
		for _, b := range boxes {
			for _, a := range kept {
				joint := a.clone()
				joint.join(b)
				if near(a, b) && !slices.ContainsFunc(e.set.Equilibria, func(q Equilibrium) bool { return q.Box.meets(joint) }) {
					a.join(b)
					merged = true
					continue next
				}
			}
			kept = append(kept, b)
		}
		boxes = kept
	}
	e.set.Undecided = boxes
}

// proves reports whether hull holds a fixed point, and no second one. x is near it. All
// others within the region are outside of hull's surroundings or in hull, so the proof may
// use a somewhat larger box.
func (e *enumeration) proves(hull Box, x []float64) (exists, unique bool) {
	wide := hull.clone()
	for i := range x {
		// x is in the middle: its image under an inverse Jacobian reaches each face
		// halfway from there
		r := 1.5*max(hull.Hi[i]-x[i], x[i]-hull.Lo[i]) + e.Tol*e.unit(hull, i)
		wide.Lo[i], wide.Hi[i] = max(x[i]-r, e.region.Lo[i]), min(x[i]+r, e.region.Hi[i])
	}
	if e.crowded(wide) {
		wide = hull.clone()
	}
	if c := (cell{Box: wide.clone()}); e.krawczyk(&c) && c.unique {
		return true, true
	}
	if c := (cell{Box: wide.clone()}); e.shrink(&c) && c.exists {
		return true, false
	}
	if e.Dim == 1 {
		return e.changesSign(wide), false
	}
	return e.miranda(wide, x), false
}

// crowded reports whether b meets another cluster.
func (e *enumeration) crowded(b Box) bool {
	for _, c := range e.pending {
		for _, cell := range c.cells {
			if cell.meets(b) {
				return true
			}
		}
	}
	return slices.ContainsFunc(e.done, b.meets)
}

// changesSign reports whether the scalar residual has opposite signs at the ends of b.
func (e *enumeration) changesSign(b Box) bool {
	sign := func(at []float64) int {
		e.residualOver(e.lo, e.hi, Box{at, at})
		switch {
		case e.lo[0] > 0:
			return 1
		case e.hi[0] < 0:
			return -1
		}
		return 0
	}
	return sign(b.Lo)*sign(b.Hi) < 0
}

// mirandaEvals, times the dimension, bounds the evaluations on all faces of one box.
const mirandaEvals = 20_000

// miranda applies the theorem of Poincaré and Miranda to H = Y·residual on b, with Y
// an inverse of the Jacobian at x by differences: it has a zero in b if H_i is negative on
// the lower and positive on the upper face of each unknown i. Faces are divided until
// that is seen, across the unknown that their bounds depend on most.
func (e *enumeration) miranda(b Box, x []float64) bool {
	n := e.Dim
	jac := make([]float64, n*n)
	e.problem().jacX(jac, x, nil)
	y := inverse(jac, n)
	if y == nil {
		return false
	}
	last := min(e.evals+mirandaEvals*n, e.limit)
	weights := make([]float64, n)
	for i := range n {
		row := y[i*n : (i+1)*n]
		clear(weights)
		for k, w := range row {
			for j := range n {
				weights[j] += math.Abs(w * jac[k*n+j])
			}
		}
		for _, sign := range []float64{-1, 1} {
			face := b.clone()
			if sign < 0 {
				face.Hi[i] = face.Lo[i]
			} else {
				face.Lo[i] = face.Hi[i]
			}
			if !e.positiveOn(face, row, sign, weights, last) {
				return false
			}
		}
	}
	return true
}

// positiveOn reports whether sign·(y·residual) > 0 all over the face, as far as last
// evaluations show.
func (e *enumeration) positiveOn(face Box, y []float64, sign float64, weights []float64, last int) bool {
	parts := []Box{face}
	for len(parts) > 0 {
		if e.evals > last {
			return false
		}
		f := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		if e.positive(f, y, sign) {
			continue
		}
		k := 0
		for j, w := range weights {
			if w*(f.Hi[j]-f.Lo[j]) > weights[k]*(f.Hi[k]-f.Lo[k]) {
				k = j
			}
		}
		mid := f.Lo[k] + (f.Hi[k]-f.Lo[k])/2
		if !(mid > f.Lo[k] && mid < f.Hi[k]) {
			return false
		}
		g := f.clone()
		f.Hi[k], g.Lo[k] = mid, mid
		parts = append(parts, f, g)
	}
	return true
}

// positive reports whether sign·(y·residual) > 0 all over f.
func (e *enumeration) positive(f Box, y []float64, sign float64) bool {
	e.residualOver(e.lo, e.hi, f)
	var low, magnitude float64
	for k, w := range y {
		w *= sign
		term := min(w*e.lo[k], w*e.hi[k])
		low += term
		magnitude += math.Abs(term)
	}
	return low > 4*float64(len(y))*epsilon*magnitude // its own rounding
}

// krawczyk intersects the cell with the interval Newton operator
//
//	K = x − Y f(x) + (I − Y J)(B − x),
//
// f the residual, J its Jacobian over B, x the middle and Y an inverse of the middle of J. It
// reports false if nothing is left. K within B proves a unique zero. Without bounds of
// the slopes it does nothing.
func (e *enumeration) krawczyk(c *cell) bool {
	n := e.Dim
	for e.slopes(c.Box) {
		x, radius := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = c.Lo[i] + (c.Hi[i]-c.Lo[i])/2
			radius[i] = math.Nextafter(max(c.Hi[i]-x[i], x[i]-c.Lo[i]), math.Inf(1))
		}
		middle, spread := make([]float64, n*n), make([]float64, n*n)
		for k := range middle {
			middle[k] = e.jLo[k]/2 + e.jHi[k]/2
			spread[k] = math.Nextafter(max(e.jHi[k]-middle[k], middle[k]-e.jLo[k]), math.Inf(1))
		}
		y := inverse(middle, n)
		if y == nil {
			return true
		}
		e.residualOver(e.lo, e.hi, Box{x, x})
		within, before := true, slices.Clone(c.Hi)
		for i := range n {
			before[i] -= c.Lo[i]
			center, reach := e.operator(i, x, y, middle, spread, radius)
			lo, hi := math.Nextafter(center-reach, math.Inf(-1)), math.Nextafter(center+reach, math.Inf(1))
			within = within && lo > c.Lo[i] && hi < c.Hi[i]
			c.Lo[i], c.Hi[i] = max(c.Lo[i], lo), min(c.Hi[i], hi)
			if c.Lo[i] > c.Hi[i] {
				return false
			}
		}
		if within {
			c.exists, c.unique = true, true
		}
		size, _ := e.size(c.Box)
		shrunk := false
		for i, w := range before {
			shrunk = shrunk || c.Hi[i]-c.Lo[i] < w/2
		}
		if size <= e.Tol || !shrunk {
			return true
		}
	}
	return true
}

// operator returns the middle of row i of K and its radius, rounding included; bounds of
// the residual at x are in lo and hi.
func (e *enumeration) operator(i int, x, y, middle, spread, radius []float64) (center, reach float64) {
	n := e.Dim
	center = x[i]
	var magnitude float64
	for k := range n {
		w := y[i*n+k]
		f := e.lo[k]/2 + e.hi[k]/2
		center -= w * f
		reach += math.Abs(w) * (e.hi[k] - e.lo[k])
		magnitude += math.Abs(w) * math.Abs(f)
	}
	for j := range n {
		var a, terms, s float64 // row i of Y times column j of J
		for k := range n {
			w := y[i*n+k]
			a += w * middle[k*n+j]
			terms += math.Abs(w * middle[k*n+j])
			s += math.Abs(w) * spread[k*n+j]
		}
		if i == j {
			a--
			terms++
		}
		reach += (math.Abs(a) + s + 4*float64(n)*epsilon*terms) * radius[j]
	}
	return center, reach*(1+16*float64(n)*epsilon) + 4*float64(n+1)*epsilon*(magnitude+math.Abs(x[i])) // own rounding
}
