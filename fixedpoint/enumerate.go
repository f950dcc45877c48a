package fixedpoint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// EnumSettings control [Enumerate]. The zero value of a field stands for the default its
// comment states; nil settings are all defaults.
type EnumSettings struct {
	// Tol is the width of isolating boxes, in units of max(Scale, |x|), that is aimed at: at an
	// equilibrium where G has the slope s they come out a few times as wide as Tol/|1 − s|.
	// Default 1e-9.
	Tol float64

	// Scale holds sizes below which unknowns count as small. Default: 1/1000 of the
	// region's width.
	Scale []float64

	// MaxEvals bounds the evaluations of the map for dividing the region; proofs for what is left
	// take at most about as many again. Default 20,000 n² for n unknowns.
	MaxEvals int

	// Done, if not nil, ends the division once it is closed: what is left is Undecided.
	Done <-chan struct{}
}

func (s *EnumSettings) withDefaults(region Box) EnumSettings {
	var d EnumSettings
	if s != nil {
		d = *s
	}
	n := len(region.Lo)
	if d.Tol == 0 {
		d.Tol = 1e-9
	}
	if d.MaxEvals == 0 {
		d.MaxEvals = 20_000 * n * n
	}
	if d.Scale == nil {
		d.Scale = make([]float64, n)
		for i := range n {
			d.Scale[i] = (region.Hi[i] - region.Lo[i]) / 1000
		}
	}
	return d
}

func (s *EnumSettings) check(n int) error {
	if !(s.Tol > 0 && s.Tol < 1) {
		return fmt.Errorf("fixedpoint: Tol %g outside (0, 1)", s.Tol)
	}
	if s.MaxEvals < 0 {
		return fmt.Errorf("fixedpoint: MaxEvals %d is negative", s.MaxEvals)
	}
	if len(s.Scale) != n {
		return fmt.Errorf("fixedpoint: Scale has length %d, want %d", len(s.Scale), n)
	}
	for i, v := range s.Scale {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("fixedpoint: Scale[%d] %g is not a positive number", i, v)
		}
	}
	return nil
}

// Enumerate finds all fixed points of m (or zeros, as it says) in the region, with proof.
//
// A box that its image misses holds none; a box shrinks to its intersection with its
// image; what is left is halved, down to Tol. Boxes left over that touch are one cluster. It
// holds a fixed point if its image lies within it (Brouwer), if the residual changes sign, or by
// the theorem of Poincaré and Miranda for the residual times an approximate inverse
// Jacobian; with bounds of the slopes also by the interval Newton operator of Krawczyk, which
// proves uniqueness too: Neumaier, Interval Methods for Systems of Equations (1990).
//
// A cluster without such a proof, as at a fold, where two fixed points may be or
// none, is reported as Undecided with its extent, and so is what exceeds the budget. The
// result is Proved if nothing is undecided, Searched otherwise. An equilibrium on the boundary of the
// region may stay undecided: choose another. It fails on input that makes no sense.
func Enumerate(m *Monotone, region Box, settings *EnumSettings) (*Set, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if err := region.check(m.Dim); err != nil {
		return nil, err
	}
	s := settings.withDefaults(region)
	if err := s.check(m.Dim); err != nil {
		return nil, err
	}
	n := m.Dim
	e := &enumeration{
		EnumSettings: s, enclosure: newEnclosure(m), region: region.clone(), set: &Set{Certainty: Proved},
		lo: make([]float64, n), hi: make([]float64, n), injective: m.injective(),
	}
	e.resolve([]cell{{Box: region.clone()}}, s.MaxEvals)
	e.conclude()
	e.set.sort()
	e.mergeUndecided()
	e.set.Evals = e.evals
	if len(e.set.Undecided) > 0 {
		e.set.Certainty = Searched
		widest := slices.MaxFunc(e.set.Undecided, func(a, b Box) int { return cmp.Compare(a.Width(), b.Width()) })
		e.set.Warnings = append(e.set.Warnings, fmt.Errorf(
			"%d boxes up to %.3g wide are undecided after %d evaluations: a fold is near, or more are needed",
			len(e.set.Undecided), widest.Width(), e.evals))
	}
	return e.set, nil
}

// A cell is a box that may hold fixed points.
type cell struct {
	Box
	exists bool // one lies in it
	unique bool // and no second
	open   bool // left over by the budget
}

// An enumeration is the state of one call of Enumerate.
type enumeration struct {
	EnumSettings
	*enclosure
	region    Box
	set       *Set
	injective bool
	left      []cell // cells that are neither excluded nor halved any more
	pending   []cluster
	done      []Box // hulls of clusters that are concluded
	lo, hi    []float64
	limit     int // of the evaluations, for proofs
}

// unit is what Tol refers to for unknown i of b.
func (e *enumeration) unit(b Box, i int) float64 {
	return max(e.Scale[i], math.Abs(b.Lo[i]), math.Abs(b.Hi[i]))
}

// size returns the longest edge of b in its unit, and which it is.
func (e *enumeration) size(b Box) (size float64, longest int) {
	for i := range b.Lo {
		if w := (b.Hi[i] - b.Lo[i]) / e.unit(b, i); w > size {
			size, longest = w, i
		}
	}
	return size, longest
}

// closed reports whether a channel is; one that is nil never is.
func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// leastBudget is not worth dividing.
const leastBudget = 64

// resolve halves the cells level by level with half of the budget; then each cluster of
// what is left gets an even share of the rest, small ones first, so that a fold, where cells
// abound, takes nothing from the others.
func (e *enumeration) resolve(cells []cell, budget int) {
	if budget < leastBudget || budget < 2*len(cells) || closed(e.Done) {
		for i := range cells {
			cells[i].open = true
		}
		e.left = append(e.left, cells...)
		return
	}
	end := e.evals + budget
	for half := e.evals + budget/2; len(cells) > 0 && e.evals < half && !closed(e.Done); {
		c := cells[0]
		cells = cells[1:]
		cells = e.refine(c, cells)
	}
	if len(cells) == 0 {
		return
	}
	groups := e.groups(cells)
	slices.SortStableFunc(groups, func(a, b []cell) int { return cmp.Compare(len(a), len(b)) })
	for k, c := range groups {
		e.resolve(c, (end-e.evals)/(len(groups)-k))
	}
}

const (
	// slowly is a shrinkage per image after which halving is cheaper; with a fixed point
	// proved in the cell, which halving would forget, patience pays.
	slowly, slowlyProved = 0.7, 0.97
)

// refine shrinks a cell as far as its image does it fast, and adds what is still
// to be looked at to dst: nothing, or parts. A cell that is small enough is kept in left.
func (e *enumeration) refine(c cell, dst []cell) []cell {
	size, _ := e.size(c.Box)
	for size > e.Tol {
		before := size
		if !e.shrink(&c) {
			return dst
		}
		size, _ = e.size(c.Box)
		if limit := slowly; size > limit*before && !(c.exists && size <= slowlyProved*before) {
			break
		}
	}
	if size > e.Tol && !c.unique && !e.krawczyk(&c) {
		return dst
	}
	size, longest := e.size(c.Box)
	if size <= e.Tol || c.unique {
		e.left = append(e.left, c)
		return dst
	}
	if e.Dim == 1 && e.Slope == nil {
		return e.cut(c, dst)
	}
	mid := c.Lo[longest] + (c.Hi[longest]-c.Lo[longest])/2
	return e.cutAt(dst, c, longest, mid)
}

// cutAt adds the parts of a cell at values of unknown i, in ascending order, to dst. What none
// of them parts, such as neighbouring floats, is left as it is.
func (e *enumeration) cutAt(dst []cell, c cell, i int, at ...float64) []cell {
	whole := true
	for _, v := range at {
		if v > c.Lo[i] && v < c.Hi[i] {
			part := cell{Box: c.clone()}
			part.Hi[i], c.Lo[i], whole = v, v, false
			dst = append(dst, part)
		}
	}
	if whole {
		e.left = append(e.left, c)
		return dst
	}
	return append(dst, cell{Box: c.Box})
}

const (
	narrow   = 16  // part of a cell around where its image crosses it
	straight = 0.5 // relative to its place: the width of an image that may be taken for a straight line
	wide     = 4   // quotient of ends above which a cell is halved in the logarithm
)

// cut halves a cell of one unknown whose slopes are not known, or in the logarithm where its ends differ by a factor. Where the
// image reaches beyond both ends, a fixed point is likely where the line between its ends
// crosses the cell: a narrow one is cut out there.
func (e *enumeration) cut(c cell, dst []cell) []cell {
	lo, hi := c.Lo[0], c.Hi[0]
	under, over := lo-e.lo[0], e.hi[0]-hi
	if !e.Zeros && under > 0 && over > 0 && e.hi[0]-e.lo[0] < straight*e.unit(c.Box, 0) {
		at, half := lo+(hi-lo)*under/(under+over), (hi-lo)/(2*narrow)
		if at-half > lo || at+half < hi {
			return e.cutAt(dst, c, 0, at-half, at+half)
		}
	}
	mid := lo + (hi-lo)/2
	if least := max(lo, e.Scale[0]); lo >= 0 && hi > wide*least {
		mid = math.Sqrt(least) * math.Sqrt(hi)
	}
	return e.cutAt(dst, c, 0, mid)
}

// shrink intersects the cell with its image; it reports false if nothing is left.
func (e *enumeration) shrink(c *cell) bool {
	e.image(e.lo, e.hi, c.Box)
	if e.Zeros {
		for i := range e.lo {
			if e.lo[i] > 0 || e.hi[i] < 0 {
				return false
			}
		}
		return true
	}
	within := true
	for i := range e.lo {
		within = within && e.lo[i] >= c.Lo[i] && e.hi[i] <= c.Hi[i]
		c.Lo[i], c.Hi[i] = max(c.Lo[i], e.lo[i]), min(c.Hi[i], e.hi[i])
		if c.Lo[i] > c.Hi[i] {
			return false
		}
	}
	c.exists = c.exists || within
	return true
}

// groups gathers cells that touch or are no further apart than Tol.
func (e *enumeration) groups(cells []cell) [][]cell {
	parent, order := make([]int, len(cells)), make([]int, len(cells))
	for i := range parent {
		parent[i], order[i] = i, i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	t := newTree(cells, order)
	for i := range cells {
		a := cells[i].Box
		t.visit(func(b Box) bool { return e.near(a, b) }, func(k int) {
			if k > i {
				parent[root(k)] = root(i)
			}
		})
	}
	var groups [][]cell
	index := make(map[int]int)
	for i, c := range cells {
		k, ok := index[root(i)]
		if !ok {
			k = len(groups)
			index[root(i)] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], c)
	}
	return groups
}

// near reports whether the gap between the boxes is at most Tol in every unknown.
func (e *enumeration) near(a, b Box) bool {
	for i := range a.Lo {
		gap := e.Tol * e.unit(a, i)
		if a.Hi[i]+gap < b.Lo[i] || b.Hi[i]+gap < a.Lo[i] {
			return false
		}
	}
	return true
}
