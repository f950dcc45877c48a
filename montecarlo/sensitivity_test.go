package montecarlo

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func plain(f func(x []float64) float64) Function {
	return func() func([]float64) float64 { return f }
}

// ishigami is that of a = 7, b = 0.1, on (−π, π)³.
var ishigami = plain(func(u []float64) float64 {
	x := [3]float64{}
	for j := range x {
		x[j] = math.Pi * (2*u[j] - 1)
	}
	s := math.Sin(x[1])
	return math.Sin(x[0]) + 7*s*s + 0.1*math.Pow(x[2], 4)*math.Sin(x[0])
})

// Its indices in closed form (Ishigami and Homma 1990; Saltelli et al., Global
// Sensitivity Analysis, 2008, section 4.6).
var (
	ishigamiFirst = []float64{.313905191148, .442411144790, 0}
	ishigamiTotal = []float64{.557588855210, .442411144790, .243683664062}
)

func TestSobolIndices_convergence(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int{256, 2048, 16384} {
		r, err := SobolIndices(ishigami, 3, &SensitivitySettings{N: n, Seed: 1, Resamples: 100})
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for j := range 3 {
			worst = max(worst, math.Abs(r.First[j].Estimate-ishigamiFirst[j]), math.Abs(r.Total[j].Estimate-ishigamiTotal[j]))
			for _, c := range []struct {
				i     Interval
				truth float64
			}{{r.First[j], ishigamiFirst[j]}, {r.Total[j], ishigamiTotal[j]}} {
				// Twice the width: 21 intervals of 95 % cannot all be asked to hold.
				if math.Abs(c.i.Estimate-c.truth) > 2*c.i.Half() {
					t.Errorf("%d rows, parameter %d: %v, truth %g", n, j, c.i, c.truth)
				}
			}
		}
		if math.Abs(r.Dummy.Estimate) > 2*r.Dummy.Half() || r.Runs != 5*n || r.Failed != 0 {
			t.Errorf("%d rows: dummy %v, %d runs", n, r.Dummy, r.Runs)
		}
		t.Logf("%d rows: largest error %.2g", n, worst)
		if worst > last/3 { // eight times the rows: √8 = 2.8 for random points, 8 at best for a net
			t.Errorf("%d rows: largest error %g after %g", n, worst, last)
		}
		last = worst
		at := r.Curve[len(r.Curve)-1]
		if len(r.Curve) != min(7, int(math.Log2(float64(n)))-3) || at.N != n || at.Total[2] != r.Total[2].Estimate {
			t.Errorf("%d rows: convergence curve of %d entries ends with %v", n, len(r.Curve), at)
		}
	}
}

// The bootstrap's 95 % intervals against the truth over seeds. They take no credit for
// the evenness of the points, so they hold more often than 95 %, never less: with 100
// seeds a standard error is 2.2 %.
func TestSobolIndicesCoverage_convergence(t *testing.T) {
	held, all := 0, 0
	for seed := range uint64(100) {
		r, err := SobolIndices(ishigami, 3, &SensitivitySettings{N: 256, Seed: seed, Resamples: 200})
		if err != nil {
			t.Fatal(err)
		}
		for j := range 3 {
			for _, c := range []struct {
				i     Interval
				truth float64
			}{{r.First[j], ishigamiFirst[j]}, {r.Total[j], ishigamiTotal[j]}} {
				all++
				if c.i.Lo <= c.truth && c.truth <= c.i.Hi {
					held++
				}
			}
		}
	}
	t.Logf("%d of %d intervals hold the truth", held, all)
	if share := float64(held) / float64(all); share < 0.92 {
		t.Errorf("%d of %d intervals hold the truth", held, all)
	}
}

// An additive function has equal indices, a product of centred factors no first order.
func TestSobolIndices_exact(t *testing.T) {
	linear := plain(func(x []float64) float64 { return 3*x[0] + 4*x[1] })
	r, err := SobolIndices(linear, 2, &SensitivitySettings{N: 4096})
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{9. / 25, 16. / 25} {
		// A smooth function on a net of 4096 points: the error is near n^−3/2 = 4e-6 times the variance of squares.
		if math.Abs(r.First[j].Estimate-want) > 1e-4 || math.Abs(r.Total[j].Estimate-want) > 1e-4 {
			t.Errorf("parameter %d: %v and %v, want %g", j, r.First[j], r.Total[j], want)
		}
	}
}

func TestSensitivityConstant_exact(t *testing.T) {
	constant := plain(func([]float64) float64 { return 0.1 })
	sobol, err := SobolIndices(constant, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	morris, err := Morris(constant, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := Sample(Random, 200, 2, 1)
	y, _, _ := constant.Values(nil, x)
	pawn, err := PAWN(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{sobol.First[0].Estimate, sobol.Total[1].Estimate, morris.MuStar[0].Estimate, pawn.Median[0].Estimate} {
		if !math.IsNaN(v) {
			t.Errorf("an index of a constant is %g", v)
		}
	}
	for _, w := range [][]error{sobol.Warnings, morris.Warnings, pawn.Warnings} {
		if len(w) != 1 || w[0] != errConstant {
			t.Errorf("warnings %v", w)
		}
	}
}

// A twentieth of the points has no answer: counted, warned of, left out.
func TestSensitivityFailures_invariant(t *testing.T) {
	f := plain(func(x []float64) float64 {
		if x[0] > 0.95 {
			return math.NaN()
		}
		return x[0] + x[1]
	})
	sobol, err := SobolIndices(f, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	morris, err := Morris(f, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sobol.Failed == 0 || len(sobol.Warnings) == 0 || math.IsNaN(sobol.Total[0].Estimate) {
		t.Errorf("%d failed, %v, %v", sobol.Failed, sobol.Warnings, sobol.Total)
	}
	if morris.Failed == 0 || len(morris.Warnings) == 0 {
		t.Errorf("%d failed, %v", morris.Failed, morris.Warnings)
	}
}

// A linear function has the same effect everywhere; of x0·x1 the effect on x0 is x1,
// whose mean over the levels 0, 1/3, 2/3, 1 is 1/2 and variance 5/36.
func TestMorris_exact(t *testing.T) {
	f := plain(func(x []float64) float64 { return 2*x[2] - 3*x[3] + x[0]*x[1] })
	r, err := Morris(f, 4, &SensitivitySettings{N: 2000, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []struct{ mu, star, sigma float64 }{{.5, .5, math.Sqrt(5. / 36)}, {.5, .5, math.Sqrt(5. / 36)}, {2, 2, 0}, {-3, 3, 0}} {
		tol := 1e-12 + 4*want.sigma/math.Sqrt(2000) // four standard errors
		if math.Abs(r.Mu[j]-want.mu) > tol || math.Abs(r.MuStar[j].Estimate-want.star) > tol || math.Abs(r.Sigma[j]-want.sigma) > tol {
			t.Errorf("parameter %d: μ %g, μ* %v, σ %g, want %v", j, r.Mu[j], r.MuStar[j], r.Sigma[j], want)
		}
	}
	if r.Runs != 2000*5 {
		t.Errorf("%d runs", r.Runs)
	}
}

// y = x0: in slice k of 10 the distribution function goes from 0 to 1 within the slice,
// so it is max(k − 1, 10 − k)/10 away from that of all: median 0.7, largest 0.9. A net
// of 4096 points is within 10/4096 of it.
func TestPAWN_exact(t *testing.T) {
	const n = 4096
	x, _ := Sample(ScrambledSobol, n, 2, 1)
	y := make([]float64, n)
	for i := range y {
		y[i] = x.At(i, 0)
	}
	r, err := PAWN(x, y, &SensitivitySettings{Resamples: 100})
	if err != nil {
		t.Fatal(err)
	}
	if m, M := r.Median[0].Estimate, r.Max[0].Estimate; math.Abs(m-.7) > 10./n || math.Abs(M-.9) > 10./n {
		t.Errorf("median %g and maximum %g, want .7 and .9", m, M)
	}
	// Of 410 points the distance of nothing is about 0.87/√410 = 0.043 (Kolmogorov's law).
	if d, none := r.Dummy.Estimate, r.Median[1].Estimate; d > 0.065 || none > 0.065 || d < 0.025 {
		t.Errorf("dummy %g, a parameter that does not matter %g", d, none)
	}
	if _, err := PAWN(mat.NewDense(5, 1, nil), make([]float64, 5), nil); err == nil {
		t.Error("five points in ten slices are accepted")
	}
}

// The same bytes for any number of workers.
func TestSensitivityWorkers_invariant(t *testing.T) {
	var first *Indices
	for _, workers := range []int{1, 2, 7} {
		r, err := SobolIndices(ishigami, 3, &SensitivitySettings{N: 128, Pool: &Pool{Workers: workers}})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
		}
		for j := range 3 {
			if r.First[j] != first.First[j] || r.Total[j] != first.Total[j] {
				t.Errorf("%d workers: %v and %v", workers, r, first)
			}
		}
	}
}
