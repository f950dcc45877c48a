package fixedpoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

func TestExactEnumerateProves(t *testing.T) {
	for _, c := range certifiedMaps() {
		p, known, region := problemOf(c.e), c.e.Sets[c.set], Box{c.e.Lo, c.e.Hi}
		s, err := Enumerate(c.m, region, nil)
		if err != nil || s.Certainty != Proved {
			t.Errorf("%s: %v, %v, undecided %v", c.e.Name, s.Certainty, err, s.Undecided)
			continue
		}
		checkAgainst(t, p, c.e, known, s)
		for k, e := range s.Equilibria {
			if e.Unique != c.unique {
				t.Errorf("%s: %v unique %v, want %v", c.e.Name, e.X, e.Unique, c.unique)
			}
			if k < len(known.X) && !e.Box.Contains(known.X[k]) {
				t.Errorf("%s: box %v does not hold %v", c.e.Name, e.Box, known.X[k])
			}
			if e.Error > 1e-7 {
				t.Errorf("%s: box %v is wide", c.e.Name, e.Box)
			}
			if e.Residual > 1e-12 {
				t.Errorf("%s: residual %g", c.e.Name, e.Residual)
			}
		}
		t.Logf("%s: %d evaluations", c.e.Name, s.Evals)
	}
}

// The time-out probabilities at (10, 1, 3), λ = 4.7185869 are p = 0.0052125377 and
// 0.53985462, and 1 in the collapsed state L = 4λ. λ is rounded to 1e-8 of itself, which moves
// ln p by 5e-8.
func TestExactTimeoutProbabilities(t *testing.T) {
	e := numtest.FIFORetries(10, 1, 3)
	s, err := Enumerate(fifo(e, e.Sets[0].P), Box{e.Lo, e.Hi}, nil)
	if err != nil || s.Certainty != Proved || len(s.Equilibria) != 3 {
		t.Fatalf("%+v, %v", s, err)
	}
	for k, want := range []float64{0.0052125377, 0.53985462} {
		numtest.Check(t, "p", math.Exp(s.Equilibria[k].X[0]-10), want, 6e-8, 0)
	}
	numtest.Check(t, "collapsed load", s.Equilibria[2].X[0], 4*4.7185869, 1e-14, 0)
}

// Below the fold there are two equilibria about √(2δ·10/0.6) apart, above none of them; both
// are proved 1e-6 from it. At the fold they cannot be told apart: a box says where.
func TestExactEnumerateAroundFold(t *testing.T) {
	for _, e := range []numtest.Equilibrium{numtest.FIFORetries(10, 5, 5), numtest.FIFORetries(10, 1, 3), numtest.FIFORetries(300, 1, 1)} {
		var fold numtest.SpecialPoint
		for _, s := range e.Points {
			if s.Kind == numtest.Fold {
				fold = s
			}
		}
		for _, c := range []struct {
			shift float64
			count int
		}{{-1e-6, 3}, {1e-6, 1}} {
			par := []float64{fold.P[0] * (1 + c.shift), fold.P[1], fold.P[2]}
			s, err := Enumerate(fifo(e, par), Box{e.Lo, e.Hi}, nil)
			if err != nil || s.Certainty != Proved || len(s.Equilibria) != c.count {
				t.Errorf("%s, λ_SN(1 %+g): %d equilibria %v, want %d; undecided %v, %v",
					e.Name, c.shift, len(s.Equilibria), s.Certainty, c.count, s.Undecided, err)
				continue
			}
			if err := checkSet(problemOf(e), par, Box{e.Lo, e.Hi}, s); err != nil {
				t.Error(err)
			}
			t.Logf("%s, λ_SN(1 %+g): %d evaluations", e.Name, c.shift, s.Evals)
		}
		s, err := Enumerate(fifo(e, fold.P), Box{e.Lo, e.Hi}, nil)
		if err != nil || s.Certainty != Searched || len(s.Undecided) != 1 || len(s.Equilibria) != 1 || len(s.Warnings) == 0 {
			t.Errorf("%s at the fold: %+v, %v", e.Name, s, err)
			continue
		}
		if b := s.Undecided[0]; !b.Contains(fold.X) || b.Width() > 1e-2*fold.X[0] {
			t.Errorf("%s at the fold: undecided %v, want a short interval around %v", e.Name, b, fold.X)
		}
	}
}

// Whatever the budget and the error of the map, no equilibrium is lost: each is in a listed or
// in an undecided box, and Proved is claimed for the right number only.
func TestInvariantNoEquilibriumIsLost(t *testing.T) {
	for _, c := range certifiedMaps() {
		known, region := c.e.Sets[c.set], Box{c.e.Lo, c.e.Hi}
		for _, budget := range []int{1, 70, 150, 300, 1000, 3000} {
			for _, errAbs := range []float64{0, 1e-9, 1e-6, 1e-3} {
				m := *c.m
				m.ErrAbs += errAbs
				s, err := Enumerate(&m, region, &EnumSettings{MaxEvals: budget})
				if err != nil {
					t.Fatal(err)
				}
				boxes := s.Undecided
				for _, e := range s.Equilibria {
					boxes = append(boxes, *e.Box)
				}
				for _, x := range known.X {
					held := 0
					for _, b := range boxes {
						if b.Contains(x) {
							held++
						}
					}
					if held == 0 {
						t.Errorf("%s, budget %d, error %g: %v is lost", c.e.Name, budget, errAbs, x)
					}
				}
				if s.Certainty == Proved && len(s.Equilibria) != len(known.X) {
					t.Errorf("%s, budget %d, error %g: %d proved, there are %d",
						c.e.Name, budget, errAbs, len(s.Equilibria), len(known.X))
				}
				if len(s.Equilibria) > len(known.X) {
					t.Errorf("%s, budget %d, error %g: %d listed, there are %d",
						c.e.Name, budget, errAbs, len(s.Equilibria), len(known.X))
				}
			}
		}
	}
}

// Rates times 10⁶, or time in other units: the loads move with them.
func TestInvariantEnumerateScales(t *testing.T) {
	base := numtest.FIFORetries(10, 1, 3)
	want, _ := Enumerate(fifo(base, base.Sets[0].P), Box{base.Lo, base.Hi}, nil)
	for _, rate := range []float64{1e6, 1e-3} {
		fast := numtest.FIFORetries(10*rate, 1/rate, 3)
		par := []float64{4.7185869 * rate, 10 * rate, 1 / rate}
		s, err := Enumerate(fifo(fast, par), Box{fast.Lo, fast.Hi}, nil)
		if err != nil || s.Certainty != Proved || len(s.Equilibria) != 3 {
			t.Fatalf("× %g: %+v, %v", rate, s, err)
		}
		for k, e := range s.Equilibria {
			numtest.Check(t, "load", e.X[0], rate*want.Equilibria[k].X[0], 1e-10, 0)
		}
	}
}

// Steep sigmoids of random position: as many equilibria as a fine grid shows changes of sign.
func TestInvariantEnumerateSigmoids(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 200 {
		a, b, k, base := rng.Float64(), 0.2+0.6*rng.Float64(), 4+30*rng.Float64(), 0.1*rng.Float64()
		g := func(x float64) float64 { return base + a*(0.2*x+0.8/(1+math.Exp(-k*(x-b)))) }
		m := &Monotone{Dim: 1, Sign: [][]int8{{1}}, Map: func(dst, x []float64) { dst[0] = g(x[0]) }}
		s, err := Enumerate(m, Box{[]float64{-0.5}, []float64{2}}, nil)
		if err != nil || s.Certainty != Proved {
			t.Errorf("a %g, b %g, k %g: %v, %v, %v", a, b, k, s.Certainty, s.Undecided, err)
			continue
		}
		changes := 0
		const n = 20_000
		for i := range n {
			x0, x1 := -0.5+2.5*float64(i)/n, -0.5+2.5*float64(i+1)/n
			if (g(x0) > x0) != (g(x1) > x1) {
				changes++
			}
		}
		if len(s.Equilibria) != changes {
			t.Errorf("a %g, b %g, k %g: %d proved, %d on the grid", a, b, k, len(s.Equilibria), changes)
		}
	}
}

// network is x_i = 1/(1 + exp(−Σ_j w_ij x_j − bias_i)) with weights of either sign up to 10, its
// steepest part near the middle of the unit cube.
func network(rng *rand.Rand, n int) *Monotone {
	w, bias, sign := make([]float64, n*n), make([]float64, n), make([][]int8, n)
	for i := range n {
		sign[i] = make([]int8, n)
		for j := range n {
			v := 10 * (2*rng.Float64() - 1)
			w[i*n+j], sign[i][j] = v, int8(math.Copysign(1, v))
			bias[i] -= v / 2
		}
		bias[i] *= 0.8 + 0.4*rng.Float64()
	}
	return &Monotone{Dim: n, Sign: sign, Map: func(dst, x []float64) {
		for i := range n {
			dst[i] = 1 / (1 + math.Exp(-bias[i]-dot(w[i*n:i*n+n], x)))
		}
	}}
}

// Random networks of two and three unknowns: what a search finds is in the boxes, and no more.
func TestInvariantEnumerateNetworks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct{ n, networks int }{{2, 30}, {3, 12}} {
		lo, hi := slices.Repeat([]float64{-0.1}, c.n), slices.Repeat([]float64{1.1}, c.n)
		region, several := Box{lo, hi}, 0
		for range c.networks {
			m := network(rng, c.n)
			s, err := Enumerate(m, region, nil)
			if err != nil || s.Certainty != Proved {
				t.Errorf("n = %d: %v, %v, %v", c.n, s.Certainty, s.Undecided, err)
				continue
			}
			p := &Problem{Dim: c.n, F: newEnclosure(m).residual}
			if err := checkSet(p, nil, region, s); err != nil {
				t.Error(err)
			}
			found, err := Equilibria(p, nil, region, nil)
			if err != nil || len(found.Equilibria) != len(s.Equilibria) {
				t.Errorf("n = %d: %d proved, %d found, %v", c.n, len(s.Equilibria), len(found.Equilibria), err)
				continue
			}
			if len(s.Equilibria)%2 == 0 { // index theorem: the unit cube is mapped into itself
				t.Errorf("n = %d: %d equilibria, want an odd number", c.n, len(s.Equilibria))
			}
			if len(s.Equilibria) > 1 {
				several++
			}
			for k, e := range found.Equilibria {
				numtest.CheckSlice(t, "equilibrium", s.Equilibria[k].X, e.X, 1e-11, 1e-11)
			}
		}
		if several == 0 {
			t.Errorf("n = %d: no network with several equilibria, the test shows little", c.n)
		}
	}
}

// With negative cycles only, one fixed point at most: a decreasing map, a negative feedback
// loop of three; not with two repressors, which together activate.
func TestExactInjectiveSigns(t *testing.T) {
	for _, c := range []struct {
		sign [][]int8
		want bool
	}{
		{[][]int8{{-1}}, true},
		{[][]int8{{0}}, true},
		{[][]int8{{1}}, false},
		{[][]int8{{0, -1}, {-1, 0}}, false},
		{[][]int8{{0, 1}, {-1, 0}}, true},
		{[][]int8{{-1, 1}, {0, -1}}, true},
		{[][]int8{{0, 0, -1}, {1, 0, 0}, {0, 1, 0}}, true},
		{[][]int8{{0, 1, -1}, {1, 0, 0}, {0, 1, 0}}, false},
	} {
		m := &Monotone{Dim: len(c.sign), Sign: c.sign}
		if m.injective() != c.want {
			t.Errorf("%v: %v, want %v", c.sign, !c.want, c.want)
		}
	}
}

// x = e^{−x}, as a fixed point, whose sign makes it the only one, and as a zero: the omega
// constant, OEIS A030178.
func TestExactEnumerateDecreasing(t *testing.T) {
	for _, m := range []*Monotone{
		{Map: func(dst, x []float64) { dst[0] = math.Exp(-x[0]) }},
		{Map: func(dst, x []float64) { dst[0] = math.Exp(-x[0]) - x[0] }, Zeros: true, ErrAbs: 1e-14, Err: 1e-15},
	} {
		m.Dim, m.Sign = 1, [][]int8{{-1}}
		s, err := Enumerate(m, Box{[]float64{-3}, []float64{50}}, nil)
		if err != nil || s.Certainty != Proved || len(s.Equilibria) != 1 || s.Equilibria[0].Unique == m.Zeros {
			t.Errorf("%+v, %v", s, err)
			continue
		}
		numtest.Check(t, "Ω", s.Equilibria[0].X[0], 0.567143290409783873, 1e-14, 0)
	}
}

func TestExactEnumerateRefuses(t *testing.T) {
	one := func(dst, x []float64) { dst[0] = x[0] }
	plus := [][]int8{{1}}
	region := Box{[]float64{0}, []float64{1}}
	for name, c := range map[string]struct {
		m      Monotone
		region Box
		s      EnumSettings
	}{
		"no dimension": {Monotone{Map: one, Sign: plus}, region, EnumSettings{}},
		"nothing":      {Monotone{Dim: 1}, region, EnumSettings{}},
		"two ways": {Monotone{
			Dim: 1, Map: one, Sign: plus, Mixed: func(_, _, _ []float64) {},
		}, region, EnumSettings{}},
		"no signs":    {Monotone{Dim: 1, Map: one}, region, EnumSettings{}},
		"short signs": {Monotone{Dim: 1, Map: one, Sign: [][]int8{{}}}, region, EnumSettings{}},
		"sign":        {Monotone{Dim: 1, Map: one, Sign: [][]int8{{2}}}, region, EnumSettings{}},
		"Err":         {Monotone{Dim: 1, Map: one, Sign: plus, Err: -1}, region, EnumSettings{}},
		"ErrAbs":      {Monotone{Dim: 1, Map: one, Sign: plus, ErrAbs: math.NaN()}, region, EnumSettings{}},
		"region":      {Monotone{Dim: 1, Map: one, Sign: plus}, Box{[]float64{1}, []float64{0}}, EnumSettings{}},
		"Tol":         {Monotone{Dim: 1, Map: one, Sign: plus}, region, EnumSettings{Tol: -1}},
		"MaxEvals":    {Monotone{Dim: 1, Map: one, Sign: plus}, region, EnumSettings{MaxEvals: -1}},
		"Scale":       {Monotone{Dim: 1, Map: one, Sign: plus}, region, EnumSettings{Scale: []float64{0}}},
	} {
		if _, err := Enumerate(&c.m, c.region, &c.s); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A map that is not a number somewhere proves nothing there, and hides nothing.
func TestInvariantNaNIsUndecided(t *testing.T) {
	s, err := Enumerate(&Monotone{
		Dim: 1, Sign: [][]int8{{1}}, Map: func(dst, x []float64) { dst[0] = math.Sqrt(x[0]) },
	}, Box{[]float64{-1}, []float64{4}}, nil)
	if err != nil || s.Certainty != Searched || len(s.Undecided) == 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	if b := s.Undecided[0]; !b.Contains([]float64{-0.5}) {
		t.Errorf("undecided %v, want all of [-1, 0)", s.Undecided)
	}
}
