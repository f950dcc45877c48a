package stability

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// An evolver is the family as ordinary differential equations: the closure components, which
// are what they have to be at once, are solved for, in F by the contraction that
// [model.System.Consistent] is and in the Jacobian by their Schur complement. Coordinates
// are those of [Family.wholeProblem].
type evolver struct {
	f         *Family
	size      []float64
	evolves   []int // components
	follows   []int
	y, dt     []float64
	dst, full []float64
}

func newEvolver(f *Family) *evolver {
	sys := f.kept[0].sys
	n := sys.Dim()
	e := &evolver{f: f, size: sizes(sys), y: blank(sys)[:n], dt: make([]float64, n), dst: make([]float64, n), full: make([]float64, n*n)}
	for i, m := range sys.Mass() {
		if m == 0 {
			e.follows = append(e.follows, i)
		} else {
			e.evolves = append(e.evolves, i)
		}
	}
	return e
}

// coordinates returns those of a state of the whole system.
func (e *evolver) coordinates(y []float64) []float64 {
	copy(e.y, y)
	var x []float64
	for _, i := range e.evolves {
		x = append(x, math.Asinh(y[i]/e.size[i]))
	}
	return x
}

// at moves to the coordinates x, and returns the system there; nil where there is none.
func (e *evolver) at(x, par []float64) *model.System {
	m, err := e.f.member(par)
	if err != nil {
		return nil
	}
	for k, i := range e.evolves {
		e.y[i] = e.size[i] * math.Sinh(x[k])
	}
	if m.sys.Consistent(0, e.y) != nil {
		return nil
	}
	e.f.evals++
	return m.sys
}

func (e *evolver) problem() *fixedpoint.Problem {
	p := &fixedpoint.Problem{Dim: len(e.evolves), Params: len(e.f.Axes)}
	for _, a := range e.f.Axes {
		p.ScaleP = append(p.ScaleP, a.Hi-a.Lo)
	}
	p.F = func(dst, x, par []float64) {
		sys := e.at(x, par)
		if sys == nil {
			fill(dst, math.NaN())
			return
		}
		sys.Eval(e.dst, 0, e.y)
		for k, i := range e.evolves {
			dst[k] = e.dst[i] / (e.size[i] * math.Cosh(x[k]))
		}
	}
	p.JacX = func(dst, x, par []float64) {
		sys := e.at(x, par)
		if sys == nil {
			fill(dst, math.NaN())
			return
		}
		sys.EvalLinearize(e.dst, e.dt, 0, e.y)
		sys.Jacobian(e.full)
		e.reduce(dst)
		for k, i := range e.evolves {
			rate := e.size[i] * math.Cosh(x[k])
			for l, j := range e.evolves {
				dst[k*len(x)+l] *= e.size[j] * math.Cosh(x[l]) / rate
			}
			dst[k*len(x)+k] -= e.dst[i] / rate * math.Tanh(x[k])
		}
	}
	return p
}

// reduce stores the Jacobian of the evolving components in dst.
func (e *evolver) reduce(dst []float64) {
	n, d, a := len(e.y), len(e.evolves), len(e.follows)
	pick := func(rows, cols []int) *mat.Dense {
		out := mat.NewDense(len(rows), len(cols), nil)
		for k, i := range rows {
			for l, j := range cols {
				out.Set(k, l, e.full[i*n+j])
			}
		}
		return out
	}
	out := mat.NewDense(d, d, dst)
	out.Copy(pick(e.evolves, e.evolves))
	if a == 0 {
		return
	}
	var follow, back mat.Dense
	if err := follow.Solve(pick(e.follows, e.follows), pick(e.follows, e.evolves)); err != nil {
		fill(dst, math.NaN())
		return
	}
	back.Mul(pick(e.evolves, e.follows), &follow)
	out.Sub(out, &back)
}
