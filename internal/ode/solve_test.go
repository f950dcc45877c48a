package ode

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/metastable/metastable/internal/numtest"
)

var references = []numtest.IVP{
	numtest.Robertson(40), numtest.Robertson(4e5), numtest.RobertsonDAE(4e5),
	numtest.VanDerPol(), numtest.HIRES(), numtest.Oregonator(),
}

// The error at the end stays within ten tolerances and follows the tolerance: the
// slope of log error against log tolerance, 1 with a local error control, is taken
// over six decades. At 1e-12 the references themselves are at their last digits.
func TestReferencesConvergence(t *testing.T) {
	rtols := []float64{1e-4, 1e-6, 1e-8, 1e-10}
	for _, m := range methods {
		for _, ivp := range references {
			var e []float64
			for _, rtol := range rtols {
				res, err := Solve(fromIVP(ivp), ivp.Y0, ivp.T0, ivp.T1, tolerances(ivp, m, rtol))
				if err != nil {
					t.Fatal(err)
				}
				if res.Status != Complete || res.T != ivp.T1 {
					t.Errorf("%v, %s: %v at %g", m, ivp.Name, res.Status, res.T)
				}
				e = append(e, ivp.Error(res.Y))
				if err := e[len(e)-1]; err > 10*rtol {
					t.Errorf("%v, %s at %g: error %.2e", m, ivp.Name, rtol, err)
				}
			}
			if slope := math.Log10(e[0]/e[3]) / 6; slope < 0.8 || slope > 1.3 {
				t.Errorf("%v, %s: slope %.2f, errors %.2e", m, ivp.Name, slope, e)
			}
		}
	}
}

// Values of the reaction at two times of one run, to the digits known.
func TestRobertsonExact(t *testing.T) {
	at40, end := numtest.Robertson(40), numtest.Robertson(4e5)
	s := tolerances(end, Rodas5P, 1e-11)
	s.Output = []float64{40}
	s.Record = func(_ float64, y []float64) { numtest.CheckSlice(t, "y(40)", y, at40.Want, 1e-8, 0) }
	res, err := Solve(fromIVP(end), end.Y0, 0, 4e5, s)
	if err != nil {
		t.Fatal(err)
	}
	numtest.CheckSlice(t, "y(4e5)", res.Y, end.Want, 1e-8, 0)
}

// Differences in place of both derivatives change the steps a little and the answer
// within the tolerance.
func TestDifferencesInvariant(t *testing.T) {
	for _, ivp := range references {
		s := tolerances(ivp, Rodas5P, 1e-7)
		want, err := Solve(fromIVP(ivp), ivp.Y0, ivp.T0, ivp.T1, s)
		if err != nil {
			t.Fatal(err)
		}
		ivp.Jacobian = nil
		got, err := Solve(fromIVP(ivp), ivp.Y0, ivp.T0, ivp.T1, s)
		if err != nil {
			t.Fatal(err)
		}
		if e := ivp.Error(got.Y); e > 1e-6 {
			t.Errorf("%s: error %.2e", ivp.Name, e)
		}
		if a, b := got.Stats.Steps, want.Stats.Steps; a > b+b/5+5 {
			t.Errorf("%s: %d steps with differences, %d without", ivp.Name, a, b)
		}
	}
}

// x' = x² + εt comes from −∞ on its attracting branch and blows up where the Airy
// function Ai(−ε^{1/3} t) has its first zero, ε^{1/3} t = 2.33810741045977 (DLMF
// table 9.9.1).
func TestRampedFoldExact(t *testing.T) {
	const zero = 2.33810741045977
	for _, eps := range []float64{1e-4, 0.1, 30} {
		scale := math.Cbrt(eps)
		want := zero / scale
		t0 := -20 / scale // the branch is attracting: what is left of x0 is e^{−119}
		x0 := -math.Sqrt(-eps * t0)

		// Stop at a large x; from there x' = x² leaves a time 1/x.
		p := scalar(func(t, x float64) float64 { return x*x + eps*t })
		large := 1e5 * scale
		res, err := Solve(p, []float64{x0}, t0, 2*want, &Settings{RTol: 1e-11, ATol: 1e-12 * scale, Events: []Event{
			{Value: func(_ float64, y []float64) float64 { return y[0] - large }, Terminal: true},
		}})
		if err != nil || res.Status != EventTerminated {
			t.Fatal(res, err)
		}
		numtest.Check(t, "blow-up", res.T+1/res.Y[0], want, 1e-8, 0)

		// x = tan φ is regular there.
		p = scalar(func(t, a float64) float64 { s, c := math.Sincos(a); return s*s + eps*t*c*c })
		res, err = Solve(p, []float64{math.Atan(x0)}, t0, 2*want, &Settings{RTol: 1e-11, Events: []Event{
			{Value: func(_ float64, y []float64) float64 { return y[0] - math.Pi/2 }, Terminal: true},
		}})
		if err != nil || res.Status != EventTerminated {
			t.Fatal(res, err)
		}
		numtest.Check(t, "blow-up in angle", res.T, want, 1e-8, 0)
	}
}

// x' = x² + R0 − R2 t² tips iff R0 > √R2: on the border x = √R2 t leads from the
// attracting branch to the repelling one.
func TestSafeOvershootExact(t *testing.T) {
	const t0 = 12
	for _, r2 := range []float64{0.04, 1, 25} {
		for _, off := range []float64{-1e-2, -1e-6, 1e-6, 1e-2} {
			r0 := math.Sqrt(r2) * (1 + off)
			span := t0 / math.Pow(r2, 0.25)
			p := scalar(func(t, x float64) float64 { return x*x + r0 - r2*t*t })
			x0 := -math.Sqrt(r2*span*span - r0)
			res, err := Solve(p, []float64{x0}, -span, span, &Settings{RTol: 1e-10, Events: []Event{
				{Value: func(_ float64, y []float64) float64 { return y[0] - 1e3 }, Terminal: true},
			}})
			if err != nil || res.Status.Err() != nil {
				t.Fatal(res, err)
			}
			if tips := res.Status == EventTerminated; tips != (off > 0) {
				t.Errorf("R2 = %g, R0 = √R2 (1 %+g): tips %v", r2, off, tips)
			}
		}
	}
}

// y' = Ay has the solution e^{tA} y0 (gonum's Padé approximant).
func TestLinearInvariant(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(rt, "n")
		a := rapid.SliceOfN(rapid.Float64Range(-2, 2), n*n, n*n).Draw(rt, "A")
		y0 := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(rt, "y0")
		t1 := rapid.Float64Range(1e-9, 1).Draw(rt, "t1")
		m := rapid.SampledFrom(methods).Draw(rt, "method")
		p := NewDense(n,
			func(dst []float64, _ float64, y []float64) {
				for i := range dst {
					dst[i] = 0
					for j, v := range y {
						dst[i] += a[i*n+j] * v
					}
				}
			},
			func(dst []float64, _ float64, _ []float64) { copy(dst, a) }, Autonomous)
		res, err := Solve(p, y0, 0, t1, &Settings{Method: m, RTol: 1e-9, ATol: 1e-11})
		if err != nil || res.Status != Complete {
			rt.Fatal(res, err)
		}
		var ta, e mat.Dense
		ta.Scale(t1, mat.NewDense(n, n, a))
		e.Exp(&ta)
		var want mat.VecDense
		want.MulVec(&e, mat.NewVecDense(n, y0))
		// ‖A‖ <= 16: an error grows by at most e^16 on the way, in practice far less.
		scale := mat.Norm(&e, math.Inf(1))
		for i, got := range res.Y {
			if !numtest.Close(got, want.AtVec(i), 1e-7, 1e-8*scale) {
				rt.Errorf("y[%d] = %g, want %g", i, got, want.AtVec(i))
			}
		}
	})
}

func TestBadInput(t *testing.T) {
	p := oscillator()
	ok := []float64{0, 1}
	record := func(float64, []float64) {}
	for _, c := range []struct {
		name   string
		y0     []float64
		t0, t1 float64
		s      *Settings
	}{
		{"backwards", ok, 1, 0, nil},
		{"endless", ok, 0, math.Inf(1), nil},
		{"not a time", ok, math.NaN(), 1, nil},
		{"short y0", []float64{1}, 0, 1, nil},
		{"y0 not finite", []float64{1, math.NaN()}, 0, 1, nil},
		{"method", ok, 0, 1, &Settings{Method: -1}},
		{"rtol", ok, 0, 1, &Settings{RTol: 1e-15}},
		{"rtol not a number", ok, 0, 1, &Settings{RTol: math.NaN()}},
		{"atol", ok, 0, 1, &Settings{ATol: -1}},
		{"atols", ok, 0, 1, &Settings{ATols: []float64{1e-6, 0}}},
		{"step", ok, 0, 1, &Settings{MaxStep: -1}},
		{"steps", ok, 0, 1, &Settings{MaxSteps: -1}},
		{"output before", ok, 0, 1, &Settings{Output: []float64{-1}, Record: record}},
		{"output after", ok, 0, 1, &Settings{Output: []float64{2}, Record: record}},
		{"output order", ok, 0, 1, &Settings{Output: []float64{0.5, 0.5}, Record: record}},
		{"no record", ok, 0, 1, &Settings{Output: []float64{0.5}}},
		{"no value", ok, 0, 1, &Settings{Events: []Event{{}}}},
	} {
		if res, err := Solve(p, c.y0, c.t0, c.t1, c.s); err == nil || res != nil {
			t.Errorf("%s: result %v, error %v", c.name, res, err)
		}
	}
}

func TestEmptyInterval(t *testing.T) {
	n := 0
	res, err := Solve(oscillator(), []float64{0, 1}, 3, 3, &Settings{Output: []float64{3}, Record: func(float64, []float64) { n++ }})
	if err != nil || res.Status != Complete || res.T != 3 || res.Y[1] != 1 || n != 1 {
		t.Errorf("%+v, %v, %d records", res, err, n)
	}
}

// Whatever goes wrong on the way, the result says why and is finite.
func TestFailures(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		p    Problem
		s    *Settings
		want Status
		t    float64 // where it ends
	}{
		{"blow-up", scalar(func(_, y float64) float64 { return y * y }), nil, StepTooSmall, 1},
		{"f ends", scalar(func(t, _ float64) float64 { return math.Sqrt(0.5 - t) }), nil, NonFinite, 0.5},
		{"f is not a number", scalar(func(t, _ float64) float64 {
			if t > 0.25 {
				return nan
			}
			return 1
		}), nil, NonFinite, 0.25},
		{"f is infinite", scalar(func(t, _ float64) float64 {
			if t > 0.25 {
				return math.Inf(-1)
			}
			return 1
		}), nil, NonFinite, 0.25},
		{"smallest step", scalar(func(_, y float64) float64 { return -y * y * y * 1e6 }), &Settings{MinStep: 0.1, InitialStep: 0.2}, StepTooSmall, 0},
		{"few steps", oscillator(), &Settings{MaxSteps: 3, InitialStep: 0.125, MaxStep: 0.125}, StepLimit, 0.375},
		{"domain", bounded{scalar(func(_, _ float64) float64 { return -4 }), 0}, nil, OutsideDomain, 0.25},
		{"singular", singular{oscillator()}, nil, Singular, 0},
	} {
		y0 := []float64{1, 1}[:c.p.Dim()]
		res, err := Solve(c.p, y0, 0, 2, c.s)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if res.Status != c.want || res.Status.Err() == nil || !res.Status.Early() {
			t.Errorf("%s: status %v (%v), want %v", c.name, res.Status, res.Status.Err(), c.want)
		}
		numtest.Check(t, c.name+": T", res.T, c.t, 1e-6, 0)
		for i, v := range res.Y {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: y[%d] = %g", c.name, i, v)
			}
		}
	}
}

// bounded is a problem for y >= min only.
type bounded struct {
	*Dense
	min float64
}

func (b bounded) Inside(y []float64) bool {
	for _, v := range y {
		if v < b.min {
			return false
		}
	}
	return true
}

type singular struct{ *Dense }

func (singular) Factor(float64) error { return errSingular }

func TestInterrupted(t *testing.T) {
	done := make(chan struct{})
	steps := 0
	res, err := Solve(oscillator(), []float64{0, 1}, 0, 1e9, &Settings{Done: done, Step: func(*Interpolant) {
		if steps++; steps == 7 {
			close(done)
		}
	}})
	if err != nil || res.Status != Interrupted || res.Stats.Steps != 7 || res.Status.Err() == nil {
		t.Error(res, err)
	}
}

// f jumps back and forth a hundred times and does not say so.
func TestRejectionWarning(t *testing.T) {
	p := NewDense(1, func(dst []float64, t float64, _ []float64) {
		dst[0] = math.Copysign(1, math.Sin(math.Pi*t))
	}, func(dst []float64, _ float64, _ []float64) { dst[0] = 0 }, Autonomous)
	res, err := Solve(p, []float64{1}, 0, 100, &Settings{RTol: 1e-4})
	if err != nil || len(res.Warnings) != 1 {
		t.Error(res, err)
	}
	if res, err = Solve(oscillator(), []float64{0, 1}, 0, 100, nil); err != nil || res.Warnings != nil {
		t.Error(res, err)
	}
}

// With a loose tolerance the reaction takes a step into the negative, where it
// explodes. As a problem with a domain it does not, and is as accurate as asked.
func TestDomainInvariant(t *testing.T) {
	ivp := numtest.Robertson(4e5)
	ivp.ATol = []float64{1, 1, 1}
	s := tolerances(ivp, Rodas5P, 1e-3)
	least := math.Inf(1)
	s.Step = func(p *Interpolant) { least = min(least, slices.Min(p.At(nil, p.T1))) }
	if res, err := Solve(fromIVP(ivp), ivp.Y0, 0, ivp.T1, s); err != nil || least >= 0 {
		t.Fatalf("the test tests nothing: %v, %v, smallest component %g", res, err, least)
	}
	const slack = 1e-9
	least = math.Inf(1)
	res, err := Solve(bounded{fromIVP(ivp).(*Dense), -slack}, ivp.Y0, 0, ivp.T1, s)
	if err != nil || res.Status != Complete {
		t.Fatal(res, err)
	}
	if least < -slack {
		t.Errorf("smallest component %g", least)
	}
	if e := ivp.Error(res.Y); e > 1e-3 {
		t.Errorf("error %.2e", e)
	}
}
