package fixedpoint

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// problemOf makes a Problem of one with known answers.
func problemOf(e numtest.Equilibrium) *Problem {
	return &Problem{Dim: e.Dim, Params: len(e.Params), F: e.F, JacX: e.JacX, JacP: e.JacP}
}

// withKnownEquilibria are all problems whose equilibria are known.
func withKnownEquilibria() []numtest.Equilibrium {
	return []numtest.Equilibrium{
		numtest.CuspProblem(), numtest.Budworm(), numtest.Cessi(), numtest.FIFORetries(10, 1, 3),
		numtest.CSTR(), numtest.PredatorPrey(), numtest.Toggle(), numtest.TakensBogdanov(),
		numtest.TsodyksMarkram(), numtest.Lorenz(), numtest.Cubic(3),
	}
}

func TestExactNewtonFromNearby(t *testing.T) {
	for _, e := range withKnownEquilibria() {
		for _, differences := range []bool{false, true} {
			p := problemOf(e)
			if differences {
				p.JacX = nil
			}
			for _, set := range e.Sets {
				for _, want := range set.X {
					x0 := slices.Clone(want)
					for i := range x0 {
						x0[i] += 1e-3
					}
					r, err := Newton(p, x0, set.P, nil)
					if err != nil || r.Status != Converged || len(r.Warnings) > 0 {
						t.Errorf("%s, differences %v: status %v, error %v, warnings %v",
							e.Name, differences, r.Status, err, r.Warnings)
						continue
					}
					// Rounding of F, over the smallest eigenvalue: at most 10 here.
					numtest.CheckSlice(t, e.Name, r.X, want, 1e-13, 1e-13)
					if r.Residual > 1e-14 {
						t.Errorf("%s: residual %g", e.Name, r.Residual)
					}
				}
			}
		}
	}
}

// Once the step is short, each is at most a constant times the square of the last.
func TestConvergenceQuadratic(t *testing.T) {
	for _, c := range []struct {
		e     numtest.Equilibrium
		x0    []float64
		limit float64 // of the ratio to the square: for Cessi |F_yy/(2F_y)| = 15.87/(2·2.32) = 3.4
	}{
		{numtest.Cessi(), []float64{0.15}, 4},
		{numtest.CSTR(), []float64{0.75, 3.5}, 30},
		{numtest.Toggle(), []float64{3, 0.5}, 10},
		{numtest.TsodyksMarkram(), []float64{7, 0.5, 0.8}, 30},
	} {
		r, err := Newton(problemOf(c.e), c.x0, c.e.Sets[0].P, nil)
		if err != nil || r.Status != Converged {
			t.Fatalf("%s: %v %v", c.e.Name, r.Status, err)
		}
		squares := 0
		for k := 1; k < len(r.Steps); k++ {
			before, after := r.Steps[k-1], r.Steps[k]
			if before > 0.05 || after < 1e-14 {
				continue // not near yet, or rounding
			}
			squares++
			if after > c.limit*before*before {
				t.Errorf("%s: correction %g follows %g", c.e.Name, after, before)
			}
		}
		if squares < 2 {
			t.Errorf("%s: %d quadratic steps seen in %v", c.e.Name, squares, r.Steps)
		}
	}
}

// arctan x from far away: without damping the iteration diverges beyond |x| = 1.39.
func TestInvariantNewtonGlobal(t *testing.T) {
	p := &Problem{
		Dim:  1,
		F:    func(dst, x, _ []float64) { dst[0] = math.Atan(x[0]) },
		JacX: func(dst, x, _ []float64) { dst[0] = 1 / (1 + x[0]*x[0]) },
	}
	for _, x0 := range []float64{1.5, 10, -1e3} {
		r, err := Newton(p, []float64{x0}, nil, nil)
		if err != nil || r.Status != Converged || math.Abs(r.X[0]) > 1e-12 {
			t.Errorf("from %g: %v at %v, %v", x0, r.Status, r.X, err)
		}
	}
}

// A double root is found to about half of the digits, and the result says so; also
// from the root itself.
func TestInvariantNewtonAtFold(t *testing.T) {
	for _, e := range []numtest.Equilibrium{numtest.CuspProblem(), numtest.Budworm(), numtest.CSTR(), numtest.Cessi()} {
		for _, s := range e.Points {
			if s.Kind != numtest.Fold {
				continue
			}
			for _, away := range []float64{0, 1e-9, 1e-2} {
				x0 := slices.Clone(s.X)
				x0[0] += away
				r, err := Newton(problemOf(e), x0, s.P, nil)
				if err != nil || r.Status != Converged {
					t.Errorf("%s from fold + %g: %v %v", e.Name, away, r.Status, err)
					continue
				}
				numtest.CheckSlice(t, e.Name, r.X, s.X, 0, 2e-7)
				if len(r.Warnings) == 0 {
					t.Errorf("%s from fold + %g: no warning, error %g, contraction %g",
						e.Name, away, r.Error, r.Contraction)
				}
			}
		}
	}
}

// Other units of time change nothing; other units of x move the root with them.
func TestInvariantNewtonScales(t *testing.T) {
	for _, e := range withKnownEquilibria() {
		set := e.Sets[0]
		root := set.X[len(set.X)-1]
		x0 := slices.Clone(root)
		for i := range x0 {
			x0[i] = 0.9*x0[i] + 0.05
		}
		base, _ := Newton(problemOf(e), x0, set.P, nil)
		fast, _ := Newton(problemOf(e.Scaled(1e6)), x0, set.P, nil)
		if base.Status != Converged || fast.Status != Converged {
			t.Fatalf("%s: %v, %v", e.Name, base.Status, fast.Status)
		}
		numtest.CheckSlice(t, e.Name+" rates × 1e6", fast.X, base.X, 1e-12, 1e-12)

		const size = 1e-6 // z = 1e6 x
		small, z0 := problemOf(e.Stretched(size)), make([]float64, e.Dim)
		small.Scale = make([]float64, e.Dim)
		for i := range z0 {
			z0[i], small.Scale[i] = x0[i]/size, 1/size
		}
		moved, _ := Newton(small, z0, set.P, nil)
		for i := range z0 {
			z0[i] = moved.X[i] * size
		}
		numtest.CheckSlice(t, e.Name+" stretched", z0, base.X, 1e-12, 1e-12)
	}
}

func TestExactNewtonStatus(t *testing.T) {
	square := func(c float64) *Problem {
		return &Problem{
			Dim:  1,
			F:    func(dst, x, _ []float64) { dst[0] = x[0]*x[0] + c },
			JacX: func(dst, x, _ []float64) { dst[0] = 2 * x[0] },
		}
	}
	undefined := &Problem{Dim: 1, F: func(dst, x, _ []float64) { dst[0] = math.Log(x[0]) }}
	for _, c := range []struct {
		name string
		p    *Problem
		x0   float64
		s    *Settings
		want []Status
	}{
		{"stationary point", square(1), 0, nil, []Status{Singular}},
		{"no root", square(1), 0.7, nil, []Status{Stalled, IterationLimit, Singular}},
		{"outside the domain", undefined, -1, nil, []Status{NonFinite}},
		{"few iterations", square(-2), 100, &Settings{MaxIterations: 2}, []Status{IterationLimit}},
		{"root", square(-2), 100, nil, []Status{Converged}},
	} {
		r, err := Newton(c.p, []float64{c.x0}, nil, c.s)
		if err != nil || !slices.Contains(c.want, r.Status) {
			t.Errorf("%s: %v, %v; want %v", c.name, r.Status, err, c.want)
		}
		if (r.Status.Err() == nil) != (r.Status == Converged) || r.Status.Early() != (r.Status != Converged) || !finite(r.X) {
			t.Errorf("%s: %v has Err %v, Early %v, X %v", c.name, r.Status, r.Status.Err(), r.Status.Early(), r.X)
		}
	}
}

func TestExactNewtonRefuses(t *testing.T) {
	f := func(dst, x, _ []float64) { copy(dst, x) }
	for name, c := range map[string]struct {
		p   Problem
		x0  []float64
		par []float64
		s   Settings
	}{
		"no dimension":     {Problem{F: f}, nil, nil, Settings{}},
		"no F":             {Problem{Dim: 1}, []float64{1}, nil, Settings{}},
		"no start":         {Problem{Dim: 1, F: f}, nil, nil, Settings{}},
		"short start":      {Problem{Dim: 2, F: f}, []float64{1}, nil, Settings{}},
		"NaN start":        {Problem{Dim: 1, F: f}, []float64{math.NaN()}, nil, Settings{}},
		"parameters":       {Problem{Dim: 1, F: f}, []float64{1}, []float64{1}, Settings{}},
		"scale":            {Problem{Dim: 1, F: f, Scale: []float64{0}}, []float64{1}, nil, Settings{}},
		"mass":             {Problem{Dim: 1, F: f, Mass: []float64{2}}, []float64{1}, nil, Settings{}},
		"tolerance":        {Problem{Dim: 1, F: f}, []float64{1}, nil, Settings{Tol: -1}},
		"iteration number": {Problem{Dim: 1, F: f}, []float64{1}, nil, Settings{MaxIterations: -1}},
	} {
		if _, err := Newton(&c.p, c.x0, c.par, &c.s); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
