package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A Direction is an eigenvector of Fisher's information in the space of the free
// parameters, each measured in widths of its bounds.
type Direction struct {
	Eigenvalue float64   // of the information; the sum of squared z-values over the width
	SD         float64   // standard deviation along it, in widths; +Inf: not seen at all
	Weights    []float64 // of each parameter of the problem; fixed ones have 0
	Flat       bool      // the data say no more about it than the bounds do
}

// An Identification says what the data tell near the best point.
type Identification struct {
	Directions []Direction // sloppiest first
	SD         []float64   // of each parameter, in its unit, or of its logarithm if Log; +Inf where not known
	Words      []string    // what the data cannot tell; empty: everything is told
}

// flatSD is where a direction is called flat: the standard deviation of an even law over
// the bounds is 1/√12 of their width.
const flatSD = 0.289

// Identify returns the spectrum of Fisher's information at the best point, without
// priors, and names what the data cannot tell. It looks at derivatives there: where a
// system tips for one value and not for the next, [Fit.Profile] sees an end of what looks
// flat.
func (f *Fit) Identify() *Identification {
	j, _ := f.e.jacobian(f.u, f.predicted())
	_, info := f.e.score(f.predicted(), j)
	k := len(f.e.free)
	id := &Identification{SD: make([]float64, len(f.Problem.Params))}
	if k == 0 {
		return id
	}
	var eig mat.EigenSym
	if !eig.Factorize(info, true) {
		id.Words = []string{"the information is not finite: no derivative at the best point"}
		return id
	}
	var vec mat.Dense
	eig.VectorsTo(&vec)
	values := eig.Values(nil)
	noise := 1e-12 * math.Max(values[k-1], 0) // what rounding and differences leave of zero
	variance := make([]float64, k)
	for d, v := range values {
		dir := Direction{Eigenvalue: v, SD: math.Inf(1), Weights: make([]float64, len(f.Problem.Params))}
		if v > noise {
			dir.SD = 1 / math.Sqrt(v)
		}
		dir.Flat = dir.SD > flatSD
		for a, i := range f.e.free {
			w := vec.At(a, d)
			dir.Weights[i] = w
			if w*w > 1e-12 || !math.IsInf(dir.SD, 1) {
				variance[a] += w * w * dir.SD * dir.SD
			}
		}
		id.Directions = append(id.Directions, dir)
		if dir.Flat {
			id.Words = append(id.Words, f.words(dir))
		}
	}
	for a, i := range f.e.free {
		p := &f.Problem.Params[i]
		width := p.Hi - p.Lo
		if p.Log {
			width = math.Log(p.Hi / p.Lo)
		}
		id.SD[i] = width * math.Sqrt(variance[a])
	}
	return id
}

func (f *Fit) predicted() []float64 { return slices.Concat(f.Predicted...) }

// words says what a flat direction means.
func (f *Fit) words(d Direction) string {
	const matters = 0.2 // of a unit vector
	var names []string
	var in []int
	for i, w := range d.Weights {
		if math.Abs(w) > matters {
			names, in = append(names, f.Problem.Params[i].Name), append(in, i)
		}
	}
	switch {
	case len(in) == 1:
		return fmt.Sprintf("flat: the data say no more of %s than its bounds do", names[0])
	case len(in) == 2:
		return fmt.Sprintf("flat: the data cannot tell %s from %s%s", names[0], names[1], f.combined(d, in[0], in[1]))
	}
	last := len(names) - 1
	return fmt.Sprintf("flat: the data cannot tell %s and %s from one another", strings.Join(names[:last], ", "), names[last])
}

// combined says which combination of two parameters is told all the same.
func (f *Fit) combined(d Direction, a, b int) string {
	p, q := &f.Problem.Params[a], &f.Problem.Params[b]
	if !p.Log || !q.Log {
		return ""
	}
	// Along the direction the logarithms move as these: p^dq / q^dp does not change.
	dp, dq := d.Weights[a]*math.Log(p.Hi/p.Lo), d.Weights[b]*math.Log(q.Hi/q.Lo)
	const same = 0.1
	switch ratio := dq / dp; {
	case math.Abs(ratio-1) < same:
		return ", only their ratio"
	case math.Abs(ratio+1) < same:
		return ", only their product"
	}
	return ""
}
