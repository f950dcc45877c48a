package montecarlo

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// A Design is a way to choose points in the unit cube.
type Design int

// The designs.
const (
	Random         Design = iota // independent and uniform
	LatinHypercube               // one point in each of n slices of each axis
	ScrambledSobol               // see [Sobol.Scramble]; best when n is a power of two
	Halton                       // randomised (Owen 2017, arXiv:1706.02808)
)

var designNames = []string{"random", "lhs", "sobol", "halton"}

// String returns random, lhs, sobol or halton.
func (d Design) String() string {
	if d < 0 || int(d) >= len(designNames) {
		return fmt.Sprintf("Design(%d)", int(d))
	}
	return designNames[d]
}

// ParseDesign returns the design of a name that String returns.
func ParseDesign(name string) (Design, error) {
	i := slices.Index(designNames, name)
	if i < 0 {
		return 0, fmt.Errorf("montecarlo: no design is called %q (there are: %q)", name, designNames)
	}
	return Design(i), nil
}

// Sample returns n points of dim coordinates in [0, 1), a point a row. Every design has
// the same points for the same arguments; [LatinHypercube] has others for other n.
func Sample(d Design, n, dim int, seed uint64) (*mat.Dense, error) {
	if n < 1 || dim < 1 {
		return nil, fmt.Errorf("montecarlo: a design of %d points in dimension %d", n, dim)
	}
	batch := mat.NewDense(n, dim, nil)
	cube, src := distmv.NewUnitUniform(dim, nil), source(seed, 0)
	switch d {
	case Random:
		r := Stream(seed, 0)
		for i, x := 0, batch.RawMatrix().Data; i < len(x); i++ {
			x[i] = r.Float64()
		}
	case LatinHypercube:
		samplemv.LatinHypercube{Q: cube, Src: src}.Sample(batch)
	case ScrambledSobol:
		s, err := NewSobol(dim)
		if err != nil {
			return nil, err
		}
		s = s.Scramble(seed)
		for i := range n {
			s.At(batch.RawRowView(i), uint32(i))
		}
	case Halton:
		if dim > 1000 {
			return nil, fmt.Errorf("montecarlo: a Halton sequence of dimension %d, want at most 1000", dim)
		}
		samplemv.Halton{Kind: samplemv.Owen, Q: cube, Src: src}.Sample(batch)
	default:
		return nil, fmt.Errorf("montecarlo: no design %v", d)
	}
	return batch, nil
}
