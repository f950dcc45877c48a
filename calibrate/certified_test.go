package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// curve makes a problem of y = f(x; p).
func curve(params []Param, x, y []float64, noise Noise, f func(x float64, p []float64) float64) *Problem {
	return &Problem{
		Params:   params,
		Channels: []Channel{{Name: "y", X: x, Y: y, Noise: noise}},
		New: func() Predictor {
			return func(dst, p []float64) error {
				for i, x := range x {
					dst[i] = f(x, p)
				}
				return nil
			}
		},
	}
}

// Misra1a of the NIST statistical reference datasets (StRD, nonlinear regression, lower
// difficulty): dental research, monomolecular adsorption.
var (
	misraX = []float64{77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0}
	misraY = []float64{10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78}
)

func misra() *Problem {
	return curve([]Param{{Name: "b1", Lo: 10, Hi: 1000, Log: true}, {Name: "b2", Lo: 1e-5, Hi: 1e-2, Log: true}},
		misraX, misraY, Noise{}, func(x float64, p []float64) float64 { return p[0] * -math.Expm1(-p[1]*x) })
}

func rss(f *Fit) float64 {
	s := 0.0
	for c, m := range f.Predicted {
		for i, y := range f.Problem.Channels[c].Y {
			s += (y - m[i]) * (y - m[i])
		}
	}
	return s
}

func TestMisra1aExact(t *testing.T) {
	for _, starts := range [][]float64{{500, 1e-4}, {250, 5e-4}} { // NIST's two
		f, err := New(misra(), &Settings{Start: starts, Starts: 1, Independent: true})
		if err != nil {
			t.Fatal(err)
		}
		// The certified values; the sum of squares is flat where the parameters are found,
		// so that half its digits are theirs.
		numtest.Check(t, "b1", f.Values[0], 238.94212918, 2e-7, 0)
		numtest.Check(t, "b2", f.Values[1], 5.5015643181e-4, 2e-7, 0)
		numtest.Check(t, "residual sum of squares", rss(f), 0.12455138894, 1e-9, 0)
	}
}

// CMA-ES comes from a corner to where the descent takes over.
func TestCMAESThenDescentMisra1aExact(t *testing.T) {
	e, err := newEvaluator(misra(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		u, _, _ := e.descend(e.evolve([]float64{0.99, 0.01}, 1500, seed), nil, finest, 60)
		numtest.Check(t, "b1", e.values(nil, u)[0], 238.94212918, 2e-7, 0)
	}
}

// The frequency of a sine has a local minimum at about every period of the record: one
// local search ends in one of them, CMA-ES passes them.
func TestCMAESPassesLocalMinimaInvariant(t *testing.T) {
	var x, y []float64
	for i := range 80 {
		x = append(x, float64(i)/8)
		y = append(y, math.Sin(7*x[i]))
	}
	p := curve([]Param{{Name: "frequency", Lo: 0.5, Hi: 20}, {Name: "size", Lo: 0.2, Hi: 2}}, x, y, Noise{Scale: 0.2},
		func(x float64, p []float64) float64 { return p[1] * math.Sin(p[0]*x) })
	local, err := New(p, &Settings{Starts: 1, Start: []float64{12, 1}})
	if err != nil {
		t.Fatal(err)
	}
	global, err := New(p, &Settings{Starts: 1, Start: []float64{12, 1}, Global: 600})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(local.Values[0]-7) < 1 {
		t.Errorf("the local search finds %g: the test tests nothing", local.Values[0])
	}
	numtest.Check(t, "frequency", global.Values[0], 7, 1e-6, 0)
	if global.Cost > global.Waterfall[0].Cost || len(global.Waterfall) != 2 {
		t.Errorf("cost %g is not the best of the waterfall %v", global.Cost, global.Waterfall)
	}
}

// x' = a x + e has ρ_k = a^k, so the integrated time is (1 + a)/(1 − a) = 19 for a = 0.9.
func TestAutocorrelationTimeExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 400_000
	x := make([]float64, n)
	for i := 1; i < n; i++ {
		x[i] = 0.9*x[i-1] + r.NormFloat64()
	}
	// Standard error 19 √(2 (2·5·19 + 1)/n) = 0.59 with a window of 5 times (Sokal 1997).
	numtest.Check(t, "time", AutocorrelationTime(x), 19, 0, 3*0.59)
	constant := make([]float64, 10)
	numtest.Check(t, "constant", AutocorrelationTime(constant), 1, 0, 0)
}

// What has no answer costs +Inf, never NaN, and the rest of the cube is searched.
func TestNoAnswerPoisonsNothingInvariant(t *testing.T) {
	p := misra()
	good := p.New
	p.New = func() Predictor {
		f := good()
		return func(dst, v []float64) error {
			if err := f(dst, v); err != nil {
				return err
			}
			if v[0] > 300 || v[1] < 3e-4 {
				dst[3] = math.NaN()
			}
			return nil
		}
	}
	f, err := New(p, &Settings{Starts: 12, Global: 300})
	if err != nil {
		t.Fatal(err)
	}
	numtest.Check(t, "b1", f.Values[0], 238.94212918, 2e-7, 0)
	if last := f.Waterfall[len(f.Waterfall)-1]; !math.IsInf(last.Cost, 1) {
		t.Errorf("no start was without answer: the test tests nothing: %+v", last)
	}
	for _, s := range f.Waterfall {
		if math.IsNaN(s.Cost) {
			t.Errorf("%+v", s)
		}
	}
}

func TestStartsAndFixedParametersInvariant(t *testing.T) {
	p := misra()
	if _, err := New(p, &Settings{Start: []float64{5, 1e-4}}); err == nil {
		t.Error("a start outside the bounds is taken")
	}
	p.Params[0] = Param{Name: "b1", Lo: 250, Hi: 250}
	f, err := New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	// b1 held: the normal equation of b2 alone, solved by bisection of its derivative.
	lo, hi := 1e-4, 1e-3
	for range 80 {
		b, g := (lo+hi)/2, 0.0
		for i, x := range misraX {
			g += (misraY[i] + 250*math.Expm1(-b*x)) * 250 * x * math.Exp(-b*x)
		}
		if g > 0 {
			lo = b
		} else {
			hi = b
		}
	}
	numtest.Check(t, "b1", f.Values[0], 250, 0, 0)
	numtest.Check(t, "b2", f.Values[1], lo, 1e-8, 0)
	if _, err := f.Profile("b1", 0.9); err == nil {
		t.Error("a fixed parameter has a profile")
	}
	for name, bad := range map[string]func(p *Problem){
		"bounds upside down": func(p *Problem) { p.Params[1].Lo, p.Params[1].Hi = 1, 0 },
		"infinite bounds":    func(p *Problem) { p.Params[1] = Param{Name: "b2", Lo: 0, Hi: math.Inf(1)} },
		"log from 0":         func(p *Problem) { p.Params[1].Lo = 0 },
		"name twice":         func(p *Problem) { p.Params[1].Name = "b1" },
		"NaN measured":       func(p *Problem) { p.Channels[0].Y = append([]float64{math.NaN()}, misraY[1:]...) },
		"nothing measured":   func(p *Problem) { p.Channels = nil },
	} {
		p := misra()
		bad(p)
		if _, err := New(p, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
