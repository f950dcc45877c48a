package calibrate

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// A straight line through points with Gaussian noise has intervals in closed form:
// estimate ± t s/√Sxx with t of n − 2 degrees of freedom (Student).
func TestProfileOfALineExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var x, y []float64
	for i := range 12 {
		x = append(x, float64(i)-5.5)
		y = append(y, 2+0.5*x[i]+0.3*r.NormFloat64())
	}
	f, err := New(curve([]Param{{Name: "level", Lo: -10, Hi: 10}, {Name: "slope", Lo: -5, Hi: 5}}, x, y, Noise{},
		func(x float64, p []float64) float64 { return p[0] + p[1]*x }), &Settings{Independent: true, Starts: 2})
	if err != nil {
		t.Fatal(err)
	}
	sxx, sxy, mean := 0.0, 0.0, 0.0
	for i := range x {
		sxx += x[i] * x[i]
		sxy += x[i] * y[i]
		mean += y[i] / 12
	}
	numtest.Check(t, "slope", f.Values[1], sxy/sxx, 1e-7, 0)
	numtest.Check(t, "level", f.Values[0], mean, 1e-7, 0)
	const t90 = 1.812461122811676 // Student's quantile 0.95 for 10 degrees of freedom
	half := t90 * math.Sqrt(rss(f)/10/sxx)
	p, err := f.Profile("slope", 0.9)
	if err != nil {
		t.Fatal(err)
	}
	numtest.Check(t, "low end", p.Lo, sxy/sxx-half, 0, 0.02*half) // located to 2 % of the cost, which is square
	numtest.Check(t, "high end", p.Hi, sxy/sxx+half, 0, 0.02*half)
	id := f.Identify()
	// The most likely variance divides by n, not by n − 2.
	numtest.Check(t, "standard deviation of the slope", id.SD[1], math.Sqrt(rss(f)/12/sxx), 1e-6, 0)
	if len(id.Words) != 0 {
		t.Errorf("a line is told, but: %q", id.Words)
	}
}

func decay(params []Param, y []float64, f func(x float64, p []float64) float64) *Problem {
	x := make([]float64, len(y))
	for i := range x {
		x[i] = float64(i) / 4
	}
	return curve(params, x, y, Noise{}, f)
}

// Two numbers that the model only multiplies, or divides, are told as one.
func TestFlatPairIsNamedExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	y := make([]float64, 40)
	for i := range y {
		y[i] = 6*math.Exp(-float64(i)/10) + 0.1*r.NormFloat64()
	}
	params := []Param{{Name: "shards", Lo: 0.5, Hi: 20, Log: true}, {Name: "cost", Lo: 0.03, Hi: 30, Log: true}, {Name: "rate", Lo: 0.01, Hi: 10, Log: true}}
	for _, c := range []struct {
		f    func(x float64, p []float64) float64
		want string
	}{
		{func(x float64, p []float64) float64 { return p[0] * p[1] * math.Exp(-p[2]*x) }, "flat: the data cannot tell shards from cost, only their product"},
		{func(x float64, p []float64) float64 { return p[0] / p[1] * math.Exp(-p[2]*x) }, "flat: the data cannot tell shards from cost, only their ratio"},
		{func(x float64, p []float64) float64 { return 6 * p[0] / p[0] * math.Exp(-p[2]*x) }, "flat: the data say no more of shards than its bounds do"},
	} {
		f, err := New(decay(params, y, c.f), nil)
		if err != nil {
			t.Fatal(err)
		}
		id := f.Identify()
		if len(id.Words) == 0 || !strings.Contains(strings.Join(id.Words, "\n"), c.want) {
			t.Errorf("words %q, want %q", id.Words, c.want)
		}
		p, err := f.Profile("shards", 0.9)
		if err != nil && !errors.Is(err, ErrBetter) {
			t.Fatal(err)
		}
		if !p.Flat() {
			t.Errorf("the profile of shards is not flat: %v", p)
		}
		if p, err = f.Profile("rate", 0.9); err != nil || p.Flat() || !(p.Lo < 0.4 && 0.4 < p.Hi) {
			t.Errorf("rate: %v, %v", p, err)
		}
	}
}

func TestPerfectDataHaveFiniteIntervalsInvariant(t *testing.T) {
	y := make([]float64, 20)
	for i := range y {
		y[i] = 6 * math.Exp(-float64(i)/10)
	}
	f, err := New(decay([]Param{{Name: "a", Lo: 1, Hi: 20}, {Name: "rate", Lo: 0.01, Hi: 10, Log: true}}, y,
		func(x float64, p []float64) float64 { return p[0] * math.Exp(-p[1]*x) }), nil)
	if err != nil {
		t.Fatal(err)
	}
	numtest.Check(t, "a", f.Values[0], 6, 1e-6, 0)
	for _, name := range []string{"a", "rate"} {
		p, err := f.Profile(name, 0.9)
		if err != nil && !errors.Is(err, ErrBetter) {
			t.Fatal(err)
		}
		if !(p.Lo < p.Hi) || p.OpenLo || p.OpenHi || p.Hi-p.Lo > 1e-4*p.Hi {
			t.Errorf("%v", p)
		}
	}
	if len(f.Warnings) == 0 {
		t.Error("no warning that the fit is perfect")
	}
}

// A run that tips for values above 2.03 and not below: the interval of the line, 2 ± 0.1 or so,
// ends there at once, and on the other side where it does without.
func TestJumpIsSeenExact(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	var x, y []float64
	for i := range 30 {
		x = append(x, float64(i)/10)
		y = append(y, 2*x[i]+0.5*r.NormFloat64())
	}
	const edge = 2.03
	for _, c := range []struct {
		tips bool
		f    func(x float64, p []float64) float64
	}{
		{false, func(x float64, p []float64) float64 { return p[0] * x }},
		{true, func(x float64, p []float64) float64 {
			if p[0] > edge {
				return 50
			}
			return p[0] * x
		}},
	} {
		f, err := New(curve([]Param{{Name: "slope", Lo: 0, Hi: 5}}, x, y, Noise{Scale: 0.5}, c.f), &Settings{Independent: true, Start: []float64{1.9}, Starts: 1})
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Profile("slope", 0.9)
		if err != nil {
			t.Fatal(err)
		}
		if p.JumpLo || p.JumpHi != c.tips {
			t.Errorf("jumps %v, %v: want none at the lower end and %v at the upper: %v", p.JumpLo, p.JumpHi, c.tips, p)
		}
		if c.tips {
			numtest.Check(t, "upper end", p.Hi, edge, 0, 1e-3)
		} else if p.Hi < edge {
			t.Errorf("the interval ends at %g without a jump: the test tests nothing", p.Hi)
		}
	}
}
