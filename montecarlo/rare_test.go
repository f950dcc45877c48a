package montecarlo

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Events with a known probability.
var events = []struct {
	name  string
	dim   int
	f     Function
	truth float64
}{
	// Φ(−5), in closed form.
	{"hyperplane in 10 dimensions", 10, plain(func(u []float64) float64 { return 5 - sumOf(u)/math.Sqrt(float64(len(u))) }), 2.8665157188e-7},
	// Φ(−√2) = P(N(4, 1) < N(2, 1)).
	{"R−S", 2, plain(func(u []float64) float64 { return 4 + u[0] - (2 + u[1]) }), .078649603525},
	// By quadrature over the rotated coordinates.
	{"parabola", 2, plain(func(u []float64) float64 {
		return 2.5 - (u[0]+u[1])/math.Sqrt2 + 0.1*(u[0]-u[1])*(u[0]-u[1])
	}), 4.2073055113e-3},
}

// The truth of the parabola again, by the trapezoidal rule: with v = (u0 + u1)/√2 and
// w = (u0 − u1)/√2 the event is v > 2.5 + 0.2 w².
func TestParabola_exact(t *testing.T) {
	const h = 0.01
	sum := 0.0
	for k := -1000; k <= 1000; k++ {
		w := h * float64(k)
		sum += h * distuv.UnitNormal.Prob(w) * distuv.UnitNormal.Survival(2.5+0.2*w*w)
	}
	if math.Abs(sum/events[2].truth-1) > 1e-9 { // the rule is exact to rounding; the number has 11 digits
		t.Errorf("%.12g, want %.12g", sum, events[2].truth)
	}
}

// Within four standard errors, with the standard error itself of a sensible size.
func TestRare_convergence(t *testing.T) {
	for _, e := range events {
		for _, m := range []struct {
			name string
			run  func(Function, int, *RareSettings) (*Rare, error)
			most float64 // relative standard error
		}{
			// √(7·9/1000·(1 + 3)/10) for seven levels, chains that are worth a quarter of
			// their length and ten repetitions (Au and Beck 2001, equation 36), doubled as
			// ten repetitions give it to 25 % or so.
			{"subset", Subset, 0.32},
			{"importance", Importance, 0.05},
		} {
			r, err := m.run(e.f, e.dim, &RareSettings{Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %s: %.4g ± %.2g with %d runs, as %.3g plain ones, size %.0f", e.name, m.name, r.P.Estimate, r.SE, r.Runs, r.Plain, r.Size)
			if math.Abs(r.P.Estimate-e.truth) > 4*r.SE || r.SE > m.most*e.truth || len(r.Warnings) > 0 {
				t.Errorf("%s, %s: %v ± %g, truth %g; %v", e.name, m.name, r.P, r.SE, e.truth, r.Warnings)
			}
		}
	}
}

// mm1 is the embedded chain of M/M/1 with ρ = ½: up with probability 1/3. From 1 to 20
// before 0 (gambler's ruin): (2 − 1)/(2^20 − 1).
func mm1() *Walk[int] {
	return &Walk[int]{
		Start: func(*rand.Rand) int { return 1 },
		Step: func(x int, r *rand.Rand) (int, bool) {
			if r.IntN(3) == 0 {
				return x + 1, true
			}
			return x - 1, x > 1
		},
		Level: func(x int) float64 { return float64(x) }, Target: 20,
	}
}

func TestSplit_convergence(t *testing.T) {
	const truth = 9.5367522590e-7
	r, err := Split(mm1, &RareSettings{Seed: 4, Repeats: 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.4g ± %.2g with %d steps, as %.3g plain walks", r.P.Estimate, r.SE, r.Runs, r.Plain)
	if math.Abs(r.P.Estimate-truth) > 4*r.SE || r.SE > 0.1*truth {
		t.Errorf("%v ± %g, truth %g", r.P, r.SE, truth)
	}
}

// A diffusion: dx = −dt + dW from 0, killed at −1, to 3. In continuous time the
// probability is (1 − e^−2)/(e^6 − e^−2) (scale function e^2x). Steps of h see the ends late, as if they lay 0.5826 √h further out (Broadie,
// Glasserman and Kou 1997, doi:10.1111/1467-9965.00035).
func TestSplitDiffusion_convergence(t *testing.T) {
	const h, up, down = 0.01, 3.0, -1.0
	late := 0.5826 * math.Sqrt(h)
	a, b := down-late, up+late
	truth := (1 - math.Exp(2*a)) / (math.Exp(2*b) - math.Exp(2*a))
	r, err := Split(func() *Walk[float64] {
		return &Walk[float64]{
			Start: func(*rand.Rand) float64 { return 0 },
			Step: func(x float64, r *rand.Rand) (float64, bool) {
				x += -h + math.Sqrt(h)*r.NormFloat64()
				return x, x > down
			},
			Level: func(x float64) float64 { return x }, Target: up,
		}
	}, &RareSettings{Seed: 5, N: 300})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.4g ± %.2g, in theory %.4g", r.P.Estimate, r.SE, truth)
	// The correction is good to order h: 2 % here.
	if math.Abs(r.P.Estimate-truth) > 4*r.SE+0.02*truth || r.SE > 0.1*truth {
		t.Errorf("%v ± %g, in theory %g", r.P, r.SE, truth)
	}
}

// 95 % intervals over 2,000 repetitions. Importance: R−S, 1,000 samples. Split: M/M/1
// from 1 to 4, 1/15, ten repetitions of 100 walks; unbiased, so only the skewness of ten
// repetitions disturbs Student's law. Plain sampling is in TestCoverage_convergence. The
// standard error is 0.5 %.
func TestRareCoverage_convergence(t *testing.T) {
	t.Parallel()
	const repetitions = 2000
	short := func() *Walk[int] {
		w := mm1()
		w.Target = 4
		return w
	}
	for name, c := range map[string]struct {
		truth float64
		run   func(seed uint64) (*Rare, error)
	}{
		"importance": {events[1].truth, func(seed uint64) (*Rare, error) {
			return Importance(events[1].f, 2, &RareSettings{N: 100, Seed: seed, Pool: &Pool{Workers: 1}})
		}},
		"split": {1. / 15, func(seed uint64) (*Rare, error) {
			return Split(short, &RareSettings{N: 100, Seed: seed, Pool: &Pool{Workers: 1}})
		}},
	} {
		held, mean := 0, 0.0
		for seed := range uint64(repetitions) {
			r, err := c.run(seed)
			if err != nil {
				t.Fatal(err)
			}
			mean += r.P.Estimate / repetitions
			if r.P.Lo <= c.truth && c.truth <= r.P.Hi {
				held++
			}
		}
		t.Logf("%s: %.1f %% of intervals hold the truth; mean over truth %.4f", name, 100*float64(held)/repetitions, mean/c.truth)
		if held < 93*repetitions/100 || held > 97*repetitions/100 {
			t.Errorf("%s: %d of %d intervals hold the truth", name, held, repetitions)
		}
	}
}

// Subset simulation leans upward by a few percent at this N, as its authors say, since
// levels and chains share samples; the intervals of 100 repetitions still hold, with a
// standard error of 2.2 %.
func TestSubsetCoverage_convergence(t *testing.T) {
	t.Parallel()
	const repetitions = 100
	held, mean, truth := 0, 0.0, events[2].truth
	for seed := range uint64(repetitions) {
		r, err := Subset(events[2].f, 2, &RareSettings{N: 500, Seed: seed, Pool: &Pool{Workers: 1}})
		if err != nil {
			t.Fatal(err)
		}
		mean += r.P.Estimate / repetitions
		if r.P.Lo <= truth && truth <= r.P.Hi {
			held++
		}
	}
	t.Logf("%d of %d intervals hold the truth; mean over truth %.3f", held, repetitions, mean/truth)
	if held < 88*repetitions/100 || mean/truth < 0.97 || mean/truth > 1.1 {
		t.Errorf("%d of %d intervals hold the truth; mean over truth %.3f", held, repetitions, mean/truth)
	}
}

// What cannot be estimated is said.
func TestRareImpossible_invariant(t *testing.T) {
	never := plain(func([]float64) float64 { return 1 })
	failing := plain(func([]float64) float64 { return math.NaN() })
	for name, f := range map[string]Function{"never": never, "no answer": failing} {
		for _, method := range []func(Function, int, *RareSettings) (*Rare, error){Subset, Importance} {
			r, err := method(f, 2, nil)
			if err != nil || r.P.Estimate != 0 || len(r.Warnings) == 0 {
				t.Errorf("%s: %v, %v", name, r, err)
			}
			if (name == "no answer") != (r.Failed > 0) {
				t.Errorf("%s: %d of %d failed", name, r.Failed, r.Runs)
			}
		}
	}
	for _, s := range []RareSettings{{N: 3}, {Repeats: 1}, {Levels: -1}, {Confidence: 1}} {
		if _, err := Subset(never, 2, &s); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// The same bytes for any number of workers.
func TestRareWorkers_invariant(t *testing.T) {
	for name, run := range map[string]func(p *Pool) (*Rare, error){
		"subset":     func(p *Pool) (*Rare, error) { return Subset(events[2].f, 2, &RareSettings{Pool: p}) },
		"importance": func(p *Pool) (*Rare, error) { return Importance(events[2].f, 2, &RareSettings{Pool: p}) },
		"split":      func(p *Pool) (*Rare, error) { return Split(mm1, &RareSettings{N: 100, Pool: p}) },
	} {
		var first *Rare
		for _, workers := range []int{1, 2, 7} {
			r, err := run(&Pool{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r
			}
			if r.P != first.P || r.Runs != first.Runs {
				t.Errorf("%s with %d workers: %v, with one %v", name, workers, r, first)
			}
		}
	}
}
