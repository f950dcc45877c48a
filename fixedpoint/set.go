package fixedpoint

import (
	"fmt"
	"math"
	"slices"
)

// A Box is the product of the intervals [Lo_i, Hi_i].
type Box struct{ Lo, Hi []float64 }

// check reports what makes the box of dimension n unusable.
func (b Box) check(n int) error {
	if len(b.Lo) != n || len(b.Hi) != n {
		return fmt.Errorf("fixedpoint: box with %d lower and %d upper bounds, want %d", len(b.Lo), len(b.Hi), n)
	}
	for i := range n {
		if !(b.Lo[i] < b.Hi[i]) || math.IsInf(b.Lo[i], 0) || math.IsInf(b.Hi[i], 0) {
			return fmt.Errorf("fixedpoint: unknown %d: [%g, %g] is not an interval", i, b.Lo[i], b.Hi[i])
		}
	}
	return nil
}

// Contains reports whether x lies in the box.
func (b Box) Contains(x []float64) bool {
	for i, v := range x {
		if !(v >= b.Lo[i] && v <= b.Hi[i]) {
			return false
		}
	}
	return true
}

// Width returns the longest edge.
func (b Box) Width() float64 {
	var w float64
	for i := range b.Lo {
		w = max(w, b.Hi[i]-b.Lo[i])
	}
	return w
}

func (b Box) clone() Box {
	n := len(b.Lo)
	both := append(append(make([]float64, 0, 2*n), b.Lo...), b.Hi...)
	return Box{both[:n:n], both[n:]}
}

// meets reports whether the boxes have a point in common.
func (b Box) meets(c Box) bool {
	for i := range b.Lo {
		if b.Hi[i] < c.Lo[i] || c.Hi[i] < b.Lo[i] {
			return false
		}
	}
	return true
}

// join grows b to the smallest box that holds c too.
func (b Box) join(c Box) {
	for i := range b.Lo {
		b.Lo[i], b.Hi[i] = min(b.Lo[i], c.Lo[i]), max(b.Hi[i], c.Hi[i])
	}
}

// Certainty says what a list of equilibria is worth.
type Certainty int

const (
	// Searched: there may be equilibria that are not listed.
	Searched Certainty = iota
	// Proved: every equilibrium in the region lies in the box of a listed one, and
	// each of these boxes holds one.
	Proved
)

// String returns "searched" or "proved".
func (c Certainty) String() string {
	switch c {
	case Searched:
		return "searched"
	case Proved:
		return "proved"
	}
	return fmt.Sprintf("Certainty(%d)", int(c))
}

// An Equilibrium is one of a set.
type Equilibrium struct {
	X []float64

	// Error estimates the distance from the true equilibrium in units of max(Scale, |x|); see
	// [Result]. With a Box it is half its width.
	Error float64

	// Residual is scaled as that of [Result].
	Residual float64

	// Spectrum is the linearization there; nil for an equilibrium of a [Monotone] map.
	Spectrum *Spectrum

	// Box holds an equilibrium by proof; nil if there is none.
	Box *Box

	// Unique: the Box holds no second equilibrium. Otherwise several may hide in it,
	// closer to each other than its width.
	Unique bool

	// Warnings are those of the iteration that found it.
	Warnings []error
}

// A Set is the equilibria in a region.
type Set struct {
	Certainty Certainty

	// Equilibria in increasing order of the first unknown, then of the next.
	Equilibria []Equilibrium

	// Undecided are boxes that may hold further equilibria: clusters at folds, and what a
	// budget left over. Every equilibrium of the region lies in one of them or in the box of a
	// listed one. A search leaves them empty: it decides nothing.
	Undecided []Box

	// Evals counts evaluations of F or of the map, without those for differences.
	Evals int

	// Warnings say what makes the answer suspect and what would mend it.
	Warnings []error
}

// sort orders the equilibria by their unknowns; those equal to eight digits count as equal.
func (s *Set) sort() {
	slices.SortFunc(s.Equilibria, func(a, b Equilibrium) int {
		for i, x := range a.X {
			y := b.X[i]
			if math.Abs(x-y) <= 1e-8*max(math.Abs(x), math.Abs(y)) {
				continue
			}
			if x < y {
				return -1
			}
			return 1
		}
		return 0
	})
}
