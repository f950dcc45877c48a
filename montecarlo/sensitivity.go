package montecarlo

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// SensitivitySettings control [Morris], [SobolIndices] and [PAWN]. The zero value of a
// field stands for the default its comment states; nil settings are all defaults.
type SensitivitySettings struct {
	// N is the number of points of the base sample: trajectories of Morris (default 20),
	// rows of SobolIndices (default 1024; best a power of two).
	N int

	// Slices is the number of slices of each parameter in PAWN. Default 10.
	Slices int

	// Resamples is the number of bootstrap samples behind the intervals. Default 400.
	Resamples int

	// Confidence of the intervals. Default 0.95.
	Confidence float64

	// Seed of the sample and the bootstrap.
	Seed uint64

	// Pool runs the function.
	Pool *Pool
}

func (s *SensitivitySettings) withDefaults(n int) (SensitivitySettings, error) {
	var d SensitivitySettings
	if s != nil {
		d = *s
	}
	for _, f := range []struct {
		x        *int
		name     string
		v, least int
	}{{&d.N, "N", n, 2}, {&d.Slices, "Slices", 10, 2}, {&d.Resamples, "Resamples", 400, 100}} {
		if *f.x == 0 {
			*f.x = f.v
		}
		if *f.x < f.least {
			return d, fmt.Errorf("montecarlo: %s %d, want at least %d", f.name, *f.x, f.least)
		}
	}
	return d, confidenceDefault(&d.Confidence)
}

func confidenceDefault(c *float64) error {
	if *c == 0 {
		*c = 0.95
	}
	if !(*c > 0 && *c < 1) {
		return fmt.Errorf("montecarlo: confidence %g outside (0, 1)", *c)
	}
	return nil
}

// errConstant is the warning of every index of an output that does not vary.
var errConstant = errors.New("montecarlo: the output is constant: its sensitivity is undefined")

// bootstrap returns the intervals of many estimates, those of all n rows first: the
// percentiles of their values over resampled rows (Efron and Tibshirani 1993, chapter
// 13). estimate stores them for the rows it is given.
func bootstrap(n, estimates int, set *SensitivitySettings, estimate func(dst []float64, rows []int)) []Interval {
	rows, got := make([]int, n), make([]float64, estimates)
	for i := range rows {
		rows[i] = i
	}
	estimate(got, rows)
	out, seen := make([]Interval, estimates), make([][]float64, estimates)
	for k, x := range got {
		out[k] = Interval{Estimate: x, Confidence: set.Confidence}
	}
	r := Stream(set.Seed, 1<<63) // not that of a run
	for range set.Resamples {
		for i := range rows {
			rows[i] = r.IntN(n)
		}
		estimate(got, rows)
		for k, x := range got {
			seen[k] = append(seen[k], x)
		}
	}
	for k := range out {
		out[k].Lo, out[k].Hi = percentiles(seen[k], set.Confidence)
	}
	return out
}

// percentiles returns the bounds that leave out the same share of x on both sides; NaN
// when x has one.
func percentiles(x []float64, confidence float64) (lo, hi float64) {
	slices.Sort(x) // NaN first
	if math.IsNaN(x[0]) {
		return math.NaN(), math.NaN()
	}
	out := int((1 - confidence) / 2 * float64(len(x)))
	return x[out], x[len(x)-1-out]
}

// undefined returns n intervals of NaN.
func undefined(n int) []Interval {
	nan := math.NaN()
	return slices.Repeat([]Interval{{nan, nan, nan, 0}}, n)
}

// failedWarning says how many of n points had no answer; nil for none.
func failedWarning(failed, n int) []error {
	if failed == 0 {
		return nil
	}
	return []error{fmt.Errorf("montecarlo: %d of %d points have no answer; the indices are those of the rest", failed, n)}
}
