// Package stability answers what a system does when it is left alone: its equilibria
// at a moment, all of them with proof where the structure of the scenario allows one,
// and which of them it stays in.
package stability

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// An Equilibrium is a state in which the frozen system rests.
type Equilibrium struct {
	Rates    []float64 // queries/s per shard of each class, the coordinates of the return map
	State    []float64 // of the whole system; +Inf where something grows for ever
	Row      []float64 // observables, as model.System.Columns names them
	Variance []float64 // of the work at a shard of each pool, work units²
	Gain     float64   // loop gain: slope of the return map, NaN unless it is scalar; > 1 is unstable
	Leading  float64   // largest real part of the eigenvalues, 1/s
	Stable   bool
	Residual float64 // largest residual of the equations, relative to the component
}

// A Result is the equilibria at a moment, in order of the first rate.
type Result struct {
	Columns    []string
	Equilibria []Equilibrium
	Certainty  fixedpoint.Certainty // Proved: there are no others
	Evals      int                  // evaluations of the return map
	Warnings   []error
}

const (
	mapError  = 1e-11 // relative error of the return map, measured against nearby points
	absError  = 1e-9  // queries/s: what the root of the inner equation leaves of tiny failures
	boxTol    = 1e-9
	residual  = 1e-10
	polishing = 8 // Newton steps on the whole system, at most
)

// Equilibria finds the equilibria of the system frozen at the moment, by subdivision
// with bounds where every dependence has a known sign ([model.ReturnMap.Signs]), which
// proves their number, and by a search otherwise. Each is refined by Newton's method on
// the whole system with its exact Jacobian, whose eigenvalues decide on stability. It
// fails where the system has no return map.
func Equilibria(sys *model.System, at model.Moment) (*Result, error) {
	frozen := sys.Freeze(at)
	m, err := model.NewReturnMap(frozen)
	if err != nil {
		return nil, err
	}
	set, err := roots(m)
	if err != nil {
		return nil, err
	}
	r := &Result{Columns: frozen.Columns(), Certainty: set.Certainty, Evals: set.Evals, Warnings: set.Warnings}
	for _, box := range set.Undecided {
		r.Certainty = fixedpoint.Searched
		r.Warnings = append(r.Warnings, fmt.Errorf("stability: rates from %.6g to %.6g are undecided: two equilibria may be about to meet there", box.Lo, box.Hi))
	}
	for i := range set.Equilibria {
		e, err := complete(m, frozen, set.Equilibria[i].X)
		if err != nil {
			return nil, err
		}
		r.Equilibria = append(r.Equilibria, *e)
	}
	if r.Certainty == fixedpoint.Searched && len(r.Equilibria)%2 == 0 {
		r.Warnings = append(r.Warnings, fmt.Errorf("stability: %d equilibria were found; their number is odd, so at least one was missed", len(r.Equilibria)))
	}
	return r, nil
}

// roots finds the fixed points of the return map.
func roots(m *model.ReturnMap) (*fixedpoint.Set, error) {
	lo, hi := m.Box()
	box := fixedpoint.Box{Lo: lo, Hi: hi}
	scale := make([]float64, m.Dim())
	for i := range scale {
		scale[i] = 1e-3 * hi[i]
	}
	if m.Signs() {
		return fixedpoint.Enumerate(&fixedpoint.Monotone{
			Dim:   m.Dim(),
			Bound: func(dstLo, dstHi, lo, hi []float64) { m.Bounds(lo, hi, dstLo, dstHi) },
			Err:   mapError, ErrAbs: absError,
		}, box, &fixedpoint.EnumSettings{Tol: boxTol})
	}
	return fixedpoint.Equilibria(&fixedpoint.Problem{
		Dim:   m.Dim(),
		Scale: scale,
		F: func(dst, x, _ []float64) {
			m.Map(dst, x)
			for i := range dst {
				dst[i] -= x[i]
			}
		},
	}, nil, box, nil)
}

// complete refines one fixed point and looks at the whole system there.
func complete(m *model.ReturnMap, s *model.System, rates []float64) (*Equilibrium, error) {
	e := &Equilibrium{Rates: rates, State: m.State(rates), Gain: math.NaN(), Leading: math.NaN()}
	if m.Dim() == 1 {
		e.Gain = slope(m, rates[0])
	}
	for _, v := range e.State {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, fmt.Errorf("stability: at rates %.6g something grows for ever: a queue without a limit, or clients that a retry budget holds back", rates)
		}
	}
	n := s.Dim()
	f, dt := make([]float64, n), make([]float64, n)
	for range polishing {
		s.EvalLinearize(f, dt, 0, e.State)
		if e.Residual = relative(f, e.State); e.Residual <= residual*1e-2 {
			break
		}
		if err := s.Factor(0); err != nil {
			break
		}
		s.Solve(f)
		for i, d := range f {
			e.State[i] += d
		}
	}
	s.EvalLinearize(f, dt, 0, e.State)
	if e.Residual = relative(f, e.State); e.Residual > residual {
		return nil, fmt.Errorf("stability: the equilibrium near rates %.6g did not converge: residual %.2g", rates, e.Residual)
	}
	jac := make([]float64, n*n)
	s.Jacobian(jac)
	for i := range n { // in units of each component
		for j := range n {
			jac[i*n+j] *= size(e.State[j]) / size(e.State[i])
		}
	}
	spectrum, err := fixedpoint.Stability(jac, n, s.Mass())
	if err != nil {
		return nil, err
	}
	e.Leading = spectrum.Leading()
	e.Stable = spectrum.Unstable == 0 && spectrum.Undecided == 0
	e.Row = make([]float64, len(s.Columns()))
	s.Observe(e.Row, 0, e.State)
	e.Variance = s.Variances(e.State)
	return e, nil
}

// size is the size against which a component counts.
func size(v float64) float64 { return math.Abs(v) + 1e-6 }

func relative(f, y []float64) float64 {
	worst := 0.0
	for i, v := range f {
		worst = max(worst, math.Abs(v)/(1+math.Abs(y[i])))
	}
	return worst
}

// slope is the derivative of a scalar return map by central differences.
func slope(m *model.ReturnMap, u float64) float64 {
	h := 1e-5 * (math.Abs(u) + 1e-3)
	var up, down [1]float64
	m.Map(up[:], []float64{u + h})
	m.Map(down[:], []float64{u - h})
	return (up[0] - down[0]) / (2 * h)
}
