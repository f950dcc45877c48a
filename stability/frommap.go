package stability

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

const (
	// mapError (relative) and absError (queries/s) bound the error of the return map.
	// It grows with its argument; where computed values of nearby points fall instead,
	// they do so by less than a tenth of this.
	mapError = 1e-11
	absError = 1e-9

	// boxTol is the width of isolating intervals. Newton's method on the whole system
	// does the rest.
	boxTol = 1e-7
)

// fromMap adds the fixed points of the return map.
func (r *Result) fromMap(m *model.ReturnMap, frozen *model.System) error {
	set, err := roots(m)
	if err != nil {
		return err
	}
	r.Certainty, r.Evals = set.Certainty, set.Evals
	r.Warnings = append(r.Warnings, set.Warnings...)
	for _, box := range set.Undecided {
		r.Warnings = append(r.Warnings, fmt.Errorf("stability: rates from %.6g to %.6g are undecided: two equilibria may be about to meet there", box.Lo, box.Hi))
	}
	for i := range set.Equilibria {
		x := set.Equilibria[i].X
		y, gain := m.State(x), slope(m, x)
		if !bounded(y) {
			r.Runaway = r.Runaway || !(gain > 1)
			continue
		}
		e, err := polish(frozen, y)
		if err != nil {
			r.Certainty = fixedpoint.Searched
			r.Warnings = append(r.Warnings, fmt.Errorf("stability: the fixed point at rates %.6g: %w", x, err))
			continue
		}
		e.Rates, e.Gain = x, gain
		if set.Equilibria[i].Box != nil {
			e.Certainty = fixedpoint.Proved
		}
		r.add(e, frozen)
	}
	return nil
}

// roots finds the fixed points of the return map: all of them, with proof, where signs
// are known.
func roots(m *model.ReturnMap) (*fixedpoint.Set, error) {
	lo, hi := m.Box()
	box := fixedpoint.Box{Lo: lo, Hi: hi}
	if m.Signs() {
		return fixedpoint.Enumerate(&fixedpoint.Monotone{
			Dim:   m.Dim(),
			Bound: func(dstLo, dstHi, lo, hi []float64) { m.Bounds(lo, hi, dstLo, dstHi) },
			Err:   mapError, ErrAbs: absError,
		}, box, &fixedpoint.EnumSettings{Tol: boxTol})
	}
	scale, inside := make([]float64, m.Dim()), make([]float64, m.Dim())
	for i := range scale {
		scale[i] = 1e-6 * hi[i]
	}
	return fixedpoint.Equilibria(&fixedpoint.Problem{
		Dim:   m.Dim(),
		Scale: scale,
		F: func(dst, x, _ []float64) {
			for i := range x { // the map is defined in the box
				inside[i] = min(max(x[i], lo[i]), hi[i])
			}
			m.Map(dst, inside)
			for i := range dst {
				dst[i] -= x[i]
			}
		},
	}, nil, box, &fixedpoint.SearchSettings{Starts: starts(m, hi), MaxStarts: spread})
}

const (
	decades = 6  // of the rates that starts cover
	perTen  = 2  // starts a decade
	spread  = 20 // starts over the box, besides
	follow  = 30 // iterations of the map from either end
)

// starts are points on a diagonal, evenly spaced in the logarithm of the rates, and
// where the map leads from no load and full caches, and from full load and empty ones.
// Hit rates are the coordinates that reach 1.
func starts(m *model.ReturnMap, hi []float64) [][]float64 {
	var out [][]float64
	at := func(load float64) []float64 {
		u := make([]float64, len(hi))
		for i := range u {
			if u[i] = load * hi[i]; hi[i] == 1 {
				u[i] = 1 - load
			}
		}
		return u
	}
	for k := range decades*perTen + 1 {
		out = append(out, at(math.Pow(10, -float64(k)/perTen)))
	}
	for _, load := range []float64{0, 1} {
		u := at(load)
		for range follow {
			m.Map(u, u)
		}
		if bounded(u) {
			out = append(out, u)
		}
	}
	return out
}

// slope is the derivative of a scalar return map by central differences; NaN if it is
// not scalar.
func slope(m *model.ReturnMap, u []float64) float64 {
	if m.Dim() != 1 {
		return math.NaN()
	}
	h := 1e-5 * (math.Abs(u[0]) + 1e-3)
	var up, down [1]float64
	m.Map(up[:], []float64{u[0] + h})
	m.Map(down[:], []float64{u[0] - h})
	return (up[0] - down[0]) / (2 * h)
}

func bounded(y []float64) bool {
	for _, v := range y {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return false
		}
	}
	return true
}
