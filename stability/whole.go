package stability

import (
	"math"
	"slices"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// wholeProblem completes the problem with the equations of the whole system and their exact
// Jacobian. Queues and clients range over decades: the coordinates are x = asinh(y/size),
// which are linear below the size of a component and logarithmic above it, and the equations
// those of x'.
func (f *Family) wholeProblem(p *fixedpoint.Problem) {
	sys := f.kept[0].sys
	size := sizes(sys)
	n := sys.Dim()
	p.Dim, p.Mass = n, sys.Mass()
	y, dt, rate := make([]float64, n), make([]float64, n), make([]float64, n)
	unroll := func(x []float64) {
		for i, v := range x {
			y[i], rate[i] = size[i]*math.Sinh(v), size[i]*math.Cosh(v)
		}
	}
	p.F = func(dst, x, par []float64) {
		m, err := f.member(par)
		if err != nil {
			fill(dst, math.NaN())
			return
		}
		f.evals++
		unroll(x)
		m.sys.Eval(dst, 0, y)
		for i := range dst {
			dst[i] /= rate[i]
		}
	}
	p.JacX = func(dst, x, par []float64) {
		m, err := f.member(par)
		if err != nil {
			fill(dst, math.NaN())
			return
		}
		f.evals++
		unroll(x)
		m.sys.Linearize(dt, 0, y)
		m.sys.Jacobian(dst)
		m.sys.Eval(dt, 0, y)
		for i := range n {
			for j := range n {
				dst[i*n+j] *= rate[j] / rate[i]
			}
			dst[i*n+i] -= dt[i] / rate[i] * math.Tanh(x[i])
		}
	}
}

func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

// sizes are typical sizes of the components of the state.
func sizes(s *model.System) []float64 { return slices.Clone(s.Scales()[:s.Dim()]) }

// toCoordinates returns the state in the coordinates of wholeProblem, and fromCoordinates the state
// at coordinates.
func toCoordinates(s *model.System, y []float64) []float64 {
	x := sizes(s)
	for i, v := range x {
		x[i] = math.Asinh(y[i] / v)
	}
	return x
}

func fromCoordinates(s *model.System, x []float64) []float64 {
	y := sizes(s)
	for i, v := range x {
		y[i] *= math.Sinh(v)
	}
	return y
}
