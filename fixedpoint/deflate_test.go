package fixedpoint

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// checkAgainst fails the test unless the set is the known one and passes checkSet.
func checkAgainst(t *testing.T, p *Problem, e numtest.Equilibrium, known numtest.EquilibriumSet, s *Set) {
	t.Helper()
	if err := checkSet(p, known.P, Box{e.Lo, e.Hi}, s); err != nil {
		t.Errorf("%s: %v", e.Name, err)
	}
	if len(s.Equilibria) != len(known.X) {
		t.Errorf("%s, p = %v: %d equilibria, want %d", e.Name, known.P, len(s.Equilibria), len(known.X))
		return
	}
	for k, want := range known.X {
		for i, v := range s.Equilibria[k].X {
			// twice the reference's tolerance, and the error that the result states
			tol := 2*known.Tol*max(1, math.Abs(want[i])) + 2*(s.Equilibria[k].Error+1e-15)*p.weight(i, v)
			numtest.Check(t, e.Name, v, want[i], 0, tol)
		}
	}
}

func TestExactSearchFindsAll(t *testing.T) {
	for _, e := range withKnownEquilibria() {
		for _, known := range e.Sets {
			p := problemOf(e)
			s, err := Equilibria(p, known.P, Box{e.Lo, e.Hi}, nil)
			if err != nil || s.Certainty != Searched {
				t.Fatalf("%s: %v", e.Name, err)
			}
			checkAgainst(t, p, e, known, s)
			if testing.Verbose() {
				t.Logf("%s: %d evaluations, %v", e.Name, s.Evals, s.Warnings)
			}
		}
	}
}

// The upper solution of the problem of Bratu is far from the lower one, and
// the difference from the continuous problem is of order h².
func TestConvergenceBratuBothSolutions(t *testing.T) {
	var last float64
	for _, n := range []int{31, 63} {
		e := numtest.Bratu(n)
		p := problemOf(e)
		s, err := Equilibria(p, []float64{1}, Box{e.Lo, e.Hi}, &SearchSettings{
			Starts: [][]float64{e.Lo, e.Sets[0].X[1]}, MaxStarts: 1,
		})
		if err != nil || len(s.Equilibria) != 2 {
			t.Fatalf("n = %d: %d solutions, %v", n, len(s.Equilibria), err)
		}
		checkAgainst(t, p, e, e.Sets[0], s)
		off := math.Abs(s.Equilibria[1].X[n/2] - e.Sets[0].X[1][n/2])
		if last > 0 && !numtest.Close(last/off, 4, 0.1, 0) {
			t.Errorf("error falls by %g when h is halved, want 4", last/off)
		}
		last = off
		if lower, upper := s.Equilibria[0].Spectrum, s.Equilibria[1].Spectrum; lower.Verdict() != Stable || upper.Unstable != 1 {
			t.Errorf("n = %d: lower %s, upper with %d unstable directions", n, lower.Verdict(), upper.Unstable)
		}
	}
}

// Roots of sin(π x²) at √k, k = 0 … 25: more and more crowded, the first double.
func TestExactSearchCrowded(t *testing.T) {
	p := &Problem{Dim: 1, F: func(dst, x, _ []float64) { dst[0] = math.Sin(math.Pi * x[0] * x[0]) }}
	s, err := Equilibria(p, nil, Box{[]float64{0.5}, []float64{5.05}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Equilibria) != 25 {
		t.Fatalf("%d roots, want 25", len(s.Equilibria))
	}
	for k, e := range s.Equilibria {
		numtest.Check(t, "root", e.X[0], math.Sqrt(float64(k+1)), 1e-13, 0)
	}
}

// Ten decades: starts that are even in the logarithm find roots near the lower end.
func TestExactSearchLog(t *testing.T) {
	roots := []float64{1e-7, 1e-4, 3, 200}
	p := &Problem{
		Dim: 1, Scale: []float64{1e-7},
		F: func(dst, x, _ []float64) {
			dst[0] = 1
			for _, r := range roots {
				dst[0] *= (x[0] - r) / (x[0] + r)
			}
		},
	}
	s, err := Equilibria(p, nil, Box{[]float64{1e-8}, []float64{1e3}}, &SearchSettings{Log: true})
	if err != nil || len(s.Equilibria) != len(roots) {
		t.Fatalf("%+v, %v", s, err)
	}
	for k, e := range s.Equilibria {
		numtest.Check(t, "root", e.X[0], roots[k], 1e-12, 0)
	}
}

func TestInvariantSearchScales(t *testing.T) {
	for _, e := range []numtest.Equilibrium{numtest.CSTR(), numtest.Cessi(), numtest.FIFORetries(10, 1, 3), numtest.Toggle()} {
		box, par := Box{e.Lo, e.Hi}, e.Sets[0].P
		base, _ := Equilibria(problemOf(e), par, box, nil)
		fast, err := Equilibria(problemOf(e.Scaled(1e6)), par, box, nil)
		if err != nil || len(fast.Equilibria) != len(base.Equilibria) {
			t.Fatalf("%s × 1e6: %d equilibria, %v", e.Name, len(fast.Equilibria), err)
		}
		for k, a := range base.Equilibria {
			b := fast.Equilibria[k]
			numtest.CheckSlice(t, e.Name, b.X, a.X, 1e-12, 1e-12)
			numtest.Check(t, e.Name+" eigenvalue", b.Spectrum.Leading(), 1e6*a.Spectrum.Leading(), 1e-10, 0)
			if a.Spectrum.Verdict() != b.Spectrum.Verdict() {
				t.Errorf("%s: %s becomes %s with the unit of time", e.Name, a.Spectrum.Verdict(), b.Spectrum.Verdict())
			}
		}
	}
}

// A request for the impossible is an error, a box without equilibria an empty set.
func TestExactSearchRefuses(t *testing.T) {
	p := &Problem{Dim: 1, F: func(dst, x, _ []float64) { dst[0] = x[0] - 5 }}
	unit := Box{[]float64{0}, []float64{1}}
	for name, c := range map[string]struct {
		box Box
		par []float64
		s   SearchSettings
	}{
		"empty box":    {Box{[]float64{1}, []float64{1}}, nil, SearchSettings{}},
		"infinite box": {Box{[]float64{1}, []float64{math.Inf(1)}}, nil, SearchSettings{}},
		"dimension":    {Box{[]float64{1, 1}, []float64{2, 2}}, nil, SearchSettings{}},
		"parameters":   {unit, []float64{1}, SearchSettings{}},
		"log":          {unit, nil, SearchSettings{Log: true}},
		"starts":       {unit, nil, SearchSettings{Starts: [][]float64{{1, 2}}}},
		"merge":        {unit, nil, SearchSettings{Merge: 2}},
		"newton":       {unit, nil, SearchSettings{Newton: &Settings{Tol: 3}}},
	} {
		if _, err := Equilibria(p, c.par, c.box, &c.s); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if s, err := Equilibria(p, nil, unit, nil); err != nil || len(s.Equilibria) != 0 {
		t.Errorf("%+v, %v, want an empty set", s, err)
	}
}

// checkEquilibrium must notice what it is there for.
func TestInvariantCheckNotices(t *testing.T) {
	e := numtest.CSTR()
	p, par := problemOf(e), e.Sets[0].P
	good := func() *Equilibrium {
		s, err := Equilibria(p, par, Box{e.Lo, e.Hi}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return &s.Equilibria[1]
	}
	if err := checkEquilibrium(p, par, good()); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Equilibrium){
		"residual":   func(e *Equilibrium) { e.X[0] += 1e-8 },
		"NaN":        func(e *Equilibrium) { e.X[0] = math.NaN() },
		"box":        func(e *Equilibrium) { e.Box = &Box{[]float64{0, 0}, []float64{1, 1}} },
		"eigenvalue": func(e *Equilibrium) { e.Spectrum.Eigenvalues[0] += 1e-6 },
		"one less":   func(e *Equilibrium) { e.Spectrum.Eigenvalues = e.Spectrum.Eigenvalues[:1] },
	} {
		bad := good()
		spoil(bad)
		if checkEquilibrium(p, par, bad) == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}
