package calibrate

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/metastable/metastable/internal/numtest"
)

var long = flag.Bool("long", false, "run the long comparisons as well")

// line is a straight line with noise of standard deviation 0.3.
func line(n int, seed uint64) *Problem {
	r := rand.New(rand.NewPCG(seed, 4))
	var x, y []float64
	for i := range n {
		x = append(x, float64(i)-float64(n-1)/2)
		y = append(y, 2+0.5*x[i]+0.3*r.NormFloat64())
	}
	return curve([]Param{{Name: "level", Lo: -10, Hi: 10}, {Name: "slope", Lo: -5, Hi: 5}}, x, y, Noise{},
		func(x float64, p []float64) float64 { return p[0] + p[1]*x })
}

// With even priors and density 1/scale the slope of a line is distributed by Student's
// law with n − 2 degrees of freedom about its estimate (Gelman et al. 2013, section 14.2).
func TestPosteriorOfALineExact(t *testing.T) {
	const n = 12
	f, err := New(line(n, 3), &Settings{Independent: true, Starts: 2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Sample(&SampleSettings{Steps: 6000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	sxx := 0.0
	for _, x := range f.Problem.Channels[0].X {
		sxx += x * x
	}
	sd := math.Sqrt(rss(f) / (n - 2) / sxx)
	student := distuv.StudentsT{Mu: f.Values[1], Sigma: sd, Nu: n - 2}
	lo, mid, hi := p.Interval(1, 0.9)
	// Quantiles 0.05 of m effective draws: standard error √(0.05·0.95/m)/density.
	for _, q := range []struct{ at, got float64 }{{0.05, lo}, {0.5, mid}, {0.95, hi}} {
		want := student.Quantile(q.at)
		se := math.Sqrt(q.at*(1-q.at)/p.ESS) / student.Prob(want)
		numtest.Check(t, "quantile", q.got, want, 0, 3*se)
	}
	if p.RHat > 1.02 || p.ESS < 500 || p.Acceptance < 0.3 {
		t.Errorf("R-hat %g, effective size %g, acceptance %g", p.RHat, p.ESS, p.Acceptance)
	}
	t.Logf("tau %.0f, R-hat %.4f, effective size %.0f, acceptance %.2f", p.Tau, p.RHat, p.ESS, p.Acceptance)
	bands, err := p.Bands(0.9, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	b := bands[0]
	if b.InsideNoises < 0.7 {
		t.Errorf("%.0f %% of the measured values are inside their 90 %% band", 100*b.InsideNoises)
	}
	for i := range b.Lo {
		if !(b.LoMeasured[i] < b.Lo[i] && b.Lo[i] < b.Hi[i] && b.Hi[i] < b.HiMeasured[i]) {
			t.Errorf("place %d: %g < %g < %g < %g fails", i, b.LoMeasured[i], b.Lo[i], b.Hi[i], b.HiMeasured[i])
		}
	}
}

func TestShortChainsSayThatTheyAreInvariant(t *testing.T) {
	f, err := New(line(12, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Sample(&SampleSettings{Steps: 40})
	var short *ShortError
	if !errors.As(err, &short) || p == nil || len(p.Draws) == 0 || short.Need <= short.Steps {
		t.Fatalf("error %v, posterior %v", err, p)
	}
}

func TestDrawsDoNotDependOnWorkersInvariant(t *testing.T) {
	var first [][]float64
	for _, workers := range []int{1, 3} {
		f, err := New(line(12, 3), &Settings{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := f.Sample(&SampleSettings{Steps: 60, Seed: 7}) // too short, and the same
		if first == nil {
			first = p.Draws
			continue
		}
		for i := range first {
			numtest.CheckSlice(t, "draw", p.Draws[i], first[i], 0, 0)
		}
	}
}

// The rank of the truth, drawn from the prior, among draws of the posterior is uniform
// (Talts et al. 2018, arXiv:1804.06788).
func TestSimulationBasedCalibrationInvariant(t *testing.T) {
	const draws, bins = 63, 8
	runs := 80
	if *long {
		runs = 1000
	}
	r := rand.New(rand.NewPCG(8, 9))
	x := make([]float64, 15)
	for i := range x {
		x[i] = float64(i) / 4
	}
	model := func(x float64, p []float64) float64 { return p[0] * math.Exp(-p[1]*x) }
	var counts [2][bins]float64
	for run := range runs {
		truth := []float64{1 + 9*r.Float64(), 0.1 * math.Pow(30, r.Float64())}
		y := make([]float64, len(x))
		for i := range y {
			y[i] = model(x[i], truth) + 0.5*r.NormFloat64()
		}
		f, err := New(curve([]Param{{Name: "size", Lo: 1, Hi: 10}, {Name: "rate", Lo: 0.1, Hi: 3, Log: true}}, x, y, Noise{Scale: 0.5}, model),
			&Settings{Starts: 3, Independent: true, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Sample(&SampleSettings{Steps: 1200, Seed: uint64(run), Walkers: 8})
		if err != nil && !errors.As(err, new(*ShortError)) {
			t.Fatal(err)
		}
		for d := range 2 {
			rank := 0
			for k := range draws {
				if p.Draws[(k*len(p.Draws))/draws][d] < truth[d] {
					rank++
				}
			}
			counts[d][rank*bins/(draws+1)]++
		}
	}
	limit := distuv.ChiSquared{K: bins - 1}.Quantile(0.999)
	for d, c := range counts {
		chi2, want := 0.0, float64(runs)/bins
		for _, n := range c {
			chi2 += (n - want) * (n - want) / want
		}
		t.Logf("parameter %d: ranks %v, chi-squared %.1f", d, c, chi2)
		if chi2 > limit {
			t.Errorf("parameter %d: ranks %v: chi-squared %.1f, at most %.1f one time in a thousand", d, c, chi2, limit)
		}
	}
}
