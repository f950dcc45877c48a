package stability

import (
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

const (
	// mapError (relative) and absError (queries/s) bound the error of the return map.
	// It grows with its argument; where computed values of nearby points fall instead,
	// they do so by less than a tenth of this.
	mapError = 1e-11
	absError = 1e-9

	// boxTol is the width of isolating intervals, and wideTol of isolating boxes of several
	// coordinates, of which bounds are less sharp. Newton's method on the whole system does
	// the rest.
	boxTol, wideTol = 1e-6, 1e-5
)

// fromMap adds the fixed points of the return map.
func (r *Result) fromMap(m *model.ReturnMap, frozen *model.System, stop *Settings) error {
	set, err := roots(m, stop)
	if err != nil {
		return err
	}
	r.take(set, m, frozen)
	return nil
}

// take adds the fixed points of a return map.
func (r *Result) take(set *fixedpoint.Set, m *model.ReturnMap, frozen *model.System) {
	r.Certainty, r.Evals = set.Certainty, set.Evals
	r.Warnings = append(r.Warnings, set.Warnings...)
	for _, box := range set.Undecided {
		r.Warnings = append(r.Warnings, fmt.Errorf("stability: rates from %.6g to %.6g are undecided: two equilibria may be about to meet there", box.Lo, box.Hi))
	}
	for i := range set.Equilibria {
		x := set.Equilibria[i].X
		y, gain := m.State(x), slope(m, x)
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
}

const (
	// Shares are often 0 or 1, and a fixed point at the edge of a region is hard to
	// prove: the region is wider.
	margin = 1e-3

	// shareUnit is what shares are counted in, so that absError is small for them.
	shareUnit = 1e-3

	// shareScale and hitScale are the sizes of a share and of a hit rate, in their unit, below
	// which they count as small. Rates decide more, and next hit rates: with a large
	// scale boxes are halved along the others first.
	shareScale, hitScale = 1e5, 3e4
)

// rescale brings the boxes and equilibria of a set from the given units to 1.
func rescale(set *fixedpoint.Set, unit []float64) {
	points := [][]float64{}
	for _, e := range set.Equilibria {
		points = append(points, e.X, e.Box.Lo, e.Box.Hi)
	}
	for _, b := range set.Undecided {
		points = append(points, b.Lo, b.Hi)
	}
	for _, x := range points {
		for i, u := range unit {
			x[i] *= u
		}
	}
}

// mostBounds is the budget of evaluations of bounds of a return map of several
// coordinates, beyond which its fixed points are searched instead.
const mostBounds = 20_000

// roots finds the fixed points of the return map: all of them, with proof, where signs
// are known and the budget suffices.
func roots(m *model.ReturnMap, stop *Settings) (*fixedpoint.Set, error) {
	if !m.Signs() {
		return search(m, stop)
	}
	set, err := prove(m, stop)
	if err != nil || set.Certainty == fixedpoint.Proved || m.Dim() == 1 {
		return set, err
	}
	found, err := search(m, stop)
	if err != nil {
		return nil, err
	}
	found.Evals += set.Evals
	found.Undecided = set.Undecided
	addCrossings(m, found)
	return found, nil
}

// prove finds the fixed points by subdivision with bounds.
func prove(m *model.ReturnMap, stop *Settings) (*fixedpoint.Set, error) {
	lo, hi := m.Box()
	settings := &fixedpoint.EnumSettings{Tol: boxTol, Done: stop.done()}
	if m.Dim() > 1 {
		settings.MaxEvals, settings.Tol = mostBounds, wideTol
	}
	from, to := m.HitRates()
	region, unit := fixedpoint.Box{Lo: slices.Clone(lo), Hi: slices.Clone(hi)}, make([]float64, m.Dim())
	for i, v := range hi {
		unit[i], settings.Scale = 1, append(settings.Scale, v/1000)
		if i >= m.Rates() {
			unit[i], settings.Scale[i] = shareUnit, shareScale
			if i >= from && i < to {
				settings.Scale[i] = hitScale
			}
			region.Lo[i], region.Hi[i] = -margin/shareUnit, (1+margin)/shareUnit
		}
	}
	a, b := make([]float64, m.Dim()), make([]float64, m.Dim())
	inside := func(dst, x []float64) { // beyond its box the map goes on as at the edge
		for i, u := range unit {
			dst[i] = min(max(x[i]*u, lo[i]), hi[i])
		}
	}
	scaled := func(dst []float64) {
		for i, u := range unit {
			dst[i] /= u
		}
	}
	set, err := fixedpoint.Enumerate(&fixedpoint.Monotone{
		Dim: m.Dim(),
		Bound: func(dstLo, dstHi, x, y []float64) {
			inside(a, x)
			inside(b, y)
			m.Bounds(a, b, dstLo, dstHi)
			scaled(dstLo)
			scaled(dstHi)
		},
		Point: func(dst, x []float64) {
			inside(a, x)
			m.Map(dst, a)
			scaled(dst)
		},
		Err: mapError, ErrAbs: absError,
	}, region, settings)
	if err == nil {
		rescale(set, unit)
		sharpen(m, set)
	}
	return set, err
}

// sharpen moves the fixed points of a scalar map, where it is so steep that Newton's method did not
// end well, to where it crosses within their boxes, by bisection.
func sharpen(m *model.ReturnMap, set *fixedpoint.Set) {
	const well = 1e-9 // residual
	for i := range set.Equilibria {
		e := &set.Equilibria[i]
		if m.Dim() != 1 || e.Residual <= well {
			continue
		}
		rises := func(u float64) bool {
			var out [1]float64
			m.Map(out[:], []float64{u})
			return out[0] > u
		}
		lo, hi := max(e.Box.Lo[0], 0), e.Box.Hi[0]
		first := rises(lo)
		for mid := lo + (hi-lo)/2; first != rises(hi) && mid > lo && mid < hi; mid = lo + (hi-lo)/2 {
			if e.X[0] = mid; rises(mid) == first {
				lo = mid
			} else {
				hi = mid
			}
		}
	}
}

// search finds fixed points of the return map by deflated Newton iterations from many
// starts.
func search(m *model.ReturnMap, stop *Settings) (*fixedpoint.Set, error) {
	lo, hi := m.Box()
	box := fixedpoint.Box{Lo: lo, Hi: hi}
	scale, inside := make([]float64, m.Dim()), make([]float64, m.Dim())
	for i := range scale {
		scale[i] = 1e-6 * box.Hi[i]
	}
	return fixedpoint.Equilibria(&fixedpoint.Problem{
		Dim:   m.Dim(),
		Scale: scale,
		F: func(dst, x, _ []float64) {
			for i := range x { // the map is defined in the box
				inside[i] = min(max(x[i], box.Lo[i]), box.Hi[i])
			}
			m.Map(dst, inside)
			for i := range dst {
				dst[i] -= x[i]
			}
		},
	}, nil, box, &fixedpoint.SearchSettings{Starts: starts(m), MaxStarts: spread, Done: stop.done()})
}

const (
	decades = 6  // of the rates that starts cover
	perTen  = 2  // starts a decade
	spread  = 20 // starts over the box, besides
	follow  = 30 // iterations of the map from either end
)

// starts are points on the diagonal of the map, evenly spaced in the logarithm of the
// rates, and where the map leads from either end of it.
func starts(m *model.ReturnMap) [][]float64 {
	var out [][]float64
	at := func(way float64) []float64 {
		u := make([]float64, m.Dim())
		m.Diagonal(u, way)
		return u
	}
	for k := range decades*perTen + 1 {
		out = append(out, at(math.Pow(10, -float64(k)/perTen)))
	}
	for _, way := range []float64{0, 1} {
		u := at(way)
		for range follow {
			m.Map(u, u)
		}
		if bounded(u) {
			out = append(out, u)
		}
	}
	return out
}

// slope is the derivative of a scalar return map, by central differences where it is not known;
// NaN if the map is not scalar.
func slope(m *model.ReturnMap, u []float64) float64 {
	if m.Dim() != 1 {
		return math.NaN()
	}
	if r, ok := m.Slope(u[0]); ok {
		return r.Rate
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
