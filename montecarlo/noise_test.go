package montecarlo

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// afterFlush is noise of a tenth on the traffic of a system that a flush of 12 % has
// brought near its tipping point.
func afterFlush(t testing.TB) *Noise {
	return &Noise{
		Scenario: scenariotest.Parse(t, flushed, "timeline.0.flush", "12%"),
		At:       model.Moment{Time: 600, Traffic: -1, Throttle: -1},
		SD:       0.1, Time: 40, Step: 20, Span: 200,
	}
}

// Splitting agrees with plain walks where these see enough; four standard errors of both
// together.
func TestNoiseSplit_convergence(t *testing.T) {
	const walks = 800
	n := afterFlush(t)
	r, err := n.Split(&RareSettings{N: 100, Repeats: 6, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	hits, warnings, err := n.Plain(nil, walks, 2)
	if err != nil || len(warnings) > 0 || len(r.Warnings) > 0 {
		t.Fatal(err, warnings, r.Warnings)
	}
	p := float64(hits) / walks
	se := math.Hypot(r.SE, math.Sqrt(p*(1-p)/walks))
	t.Logf("splitting %.4f ± %.4f with %d steps, plain %.4f from %d", r.P.Estimate, r.SE, r.Runs, p, hits)
	if hits < 20 || math.Abs(r.P.Estimate-p) > 4*se {
		t.Errorf("splitting %v ± %g, plain %d of %d", r.P, r.SE, hits, walks)
	}
}

// Without noise to speak of the walk is the trajectory, and stays up; and the process has
// the mean, the deviation and the correlation of its law. With 4,000 steps of
// correlation ρ the standard error of the mean is √((1+ρ)/(1−ρ)/4000) deviations, and
// that of the deviation about √((1+ρ²)/(1−ρ²)/8000); the bound is four of each.
func TestNoiseLaw_exact(t *testing.T) {
	const steps, sd, rho = 4000, 1e-3, 0.6
	n := afterFlush(t)
	n.SD, n.Step, n.Time, n.Span = sd, 2, -2/math.Log(rho), 2*steps
	n.At.Time = 0
	w, err := n.prepare()
	if err != nil {
		t.Fatal(err)
	}
	walk, r := w.walk(), Stream(3, 0)
	s, xs := walk.Start(r), []float64(nil)
	for {
		xs = append(xs, s.x/sd)
		next, ok := walk.Step(s, r)
		if !ok {
			break
		}
		s = next
	}
	mean, dev := stat.MeanStdDev(xs, nil)
	corr := stat.Correlation(xs[1:], xs[:len(xs)-1], nil)
	if len(xs) != steps+1 || s.level > 0.1 {
		t.Errorf("%d steps, level %g at the end", len(xs)-1, s.level)
	}
	if math.Abs(mean) > 4*math.Sqrt((1+rho)/(1-rho)/steps) || math.Abs(dev-1) > 4*math.Sqrt((1+rho*rho)/(1-rho*rho)/(2*steps)) || math.Abs(corr-rho) > 4*math.Sqrt((1-rho*rho)/steps) {
		t.Errorf("mean %g, deviation %g, correlation %g; want 0, 1, %g", mean, dev, corr, rho)
	}
}

// The default is the noise of Poisson arrivals; what makes no sense is said.
func TestNoiseDefaults_exact(t *testing.T) {
	n := Noise{Scenario: scenariotest.Parse(t, flushed), At: model.Moment{Traffic: -1, Throttle: -1}}
	d, err := n.Defaults()
	if want := math.Sqrt(1. / (2 * 1000 * 60)); err != nil || math.Abs(d.SD/want-1) > 1e-12 || d.Step != 15 || d.Span != 3600 {
		t.Errorf("%+v, %v; want a deviation of %g", d, err, want)
	}
	for _, spoil := range []func(n *Noise){
		func(n *Noise) { n.SD = -1 },
		func(n *Noise) { n.Time = -1 },
		func(n *Noise) { n.Span = 1 },
		func(n *Noise) { n.At.Traffic = 0 },
		func(n *Noise) { n.Scenario, n.At.Time = scenariotest.Parse(t, flushed, "timeline.0.flush", "90%"), 900 }, // down already
	} {
		bad := n
		spoil(&bad)
		if _, err := bad.Defaults(); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The same bytes for any number of workers.
func TestNoiseWorkers_invariant(t *testing.T) {
	n := afterFlush(t)
	n.Span = 40
	var first *Rare
	for _, workers := range []int{1, 2, 7} {
		p := &Pool{Workers: workers}
		r, err := n.Split(&RareSettings{N: 100, Repeats: 3, Pool: p})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
		}
		if r.P != first.P || r.Runs != first.Runs {
			t.Errorf("with %d workers: %v, with one %v", workers, r.P, first.P)
		}
	}
}
