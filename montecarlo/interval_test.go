package montecarlo

import (
	"math"
	"testing"
)

// 95 % intervals of Newcombe 1998, doi:10.1002/(SICI)1097-0258(19980430)17:8<857, table I,
// methods 3 (Wilson) and 5 (Clopper–Pearson), to the four decimals printed.
func TestProportion_exact(t *testing.T) {
	for _, c := range []struct {
		hits, n        int
		wilson, pearso [2]float64
	}{
		{81, 263, [2]float64{.2553, .3662}, [2]float64{.2527, .3676}},
		{15, 148, [2]float64{.0624, .1605}, [2]float64{.0578, .1617}},
		{0, 20, [2]float64{0, .1611}, [2]float64{0, .1684}},
		{1, 29, [2]float64{.0061, .1718}, [2]float64{.0009, .1776}},
	} {
		w, p := Wilson(c.hits, c.n, 0.95), ClopperPearson(c.hits, c.n, 0.95)
		for i, d := range []float64{w.Lo - c.wilson[0], w.Hi - c.wilson[1], p.Lo - c.pearso[0], p.Hi - c.pearso[1]} {
			if math.Abs(d) > 0.5001e-4 {
				t.Errorf("%d of %d: bound %d is off by %g: %v %v", c.hits, c.n, i, d, w, p)
			}
		}
	}
}

// Confidence against the sum over all outcomes whose interval holds the estimate.
func TestProportionConfidence_exact(t *testing.T) {
	for _, of := range []func(int, int, float64) Interval{Wilson, ClopperPearson} {
		for _, n := range []int{1, 7, 40} {
			for hits := 0; hits <= n; hits++ {
				i := of(hits, n, 0.9)
				sum := 0.0
				for k := 0; k <= n; k++ {
					if j := of(k, n, 0.9); j.Lo <= i.Estimate+1e-12 && i.Estimate <= j.Hi+1e-12 {
						sum += pmf(k, n, i.Estimate)
					}
				}
				if math.Abs(sum-i.Confidence) > 1e-12 {
					t.Errorf("%d of %d: confidence %.15g, by summation %.15g", hits, n, i.Confidence, sum)
				}
			}
		}
	}
	if i := Wilson(0, 0, 0.95); !math.IsNaN(i.Estimate) || i.Lo != 0 || i.Hi != 1 || i.Confidence != 0 {
		t.Errorf("no trials: %v", i)
	}
}

func pmf(k, n int, p float64) float64 {
	return binomial(float64(k), float64(n), p) - binomial(float64(k-1), float64(n), p)
}

// 95 % intervals cover the truth in 93 to 97 % of 2,000 repetitions. With the truth
// .078649603525, P(N(4, 1) < N(2, 1)), and 400 draws, the binomial law itself gives
// Wilson 96.0 %; a standard error of 2,000 repetitions is 0.5 %.
func TestCoverage_convergence(t *testing.T) {
	const truth, draws, repetitions = .078649603525, 400, 2000
	covered, mean := 0, 0
	for rep := range uint64(repetitions) {
		r, hits := Stream(11, rep), 0
		var tally Tally
		for range draws {
			margin := r.NormFloat64() + 4 - (r.NormFloat64() + 2)
			if margin < 0 {
				hits++
			}
			tally.Add(margin)
		}
		if i := Wilson(hits, draws, 0.95); i.Lo <= truth && truth <= i.Hi {
			covered++
		}
		if i := tally.Mean(0.95); i.Lo <= 2 && 2 <= i.Hi {
			mean++
		}
	}
	t.Logf("of %d intervals Wilson's cover %.1f %%, those of the mean %.1f %%", repetitions, 100*float64(covered)/repetitions, 100*float64(mean)/repetitions)
	for _, n := range []int{covered, mean} {
		if n < 93*repetitions/100 || n > 97*repetitions/100 {
			t.Errorf("%d of %d intervals cover the truth", n, repetitions)
		}
	}
}

// The median of 10 samples lies between the 2nd and the 9th with probability
// 1 − 22/1024 (David and Nagaraja, Order Statistics, 2003, section 7.1).
func TestRanks_exact(t *testing.T) {
	lo, hi, c := ranks(10, 0.5, 0.95)
	if want := 1 - 22.0/1024; lo != 2 || hi != 9 || math.Abs(c-want) > 1e-14 {
		t.Errorf("ranks %d to %d with %g, want 2 to 9 with %g", lo, hi, c, want)
	}
	// Five samples bound it on no side at 95 %: P(all above) = 1/32.
	if lo, hi, c := ranks(5, 0.5, 0.95); lo != 0 || hi != 6 || c != 1 {
		t.Errorf("five samples: %d to %d with %g", lo, hi, c)
	}
}
