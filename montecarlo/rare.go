package montecarlo

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// RareSettings control [Subset], [Split] and [Importance]. The zero value of a field
// stands for the default its comment states; nil settings are all defaults.
type RareSettings struct {
	// N is the number of samples of one level, or of particles. Default 1000.
	N int

	// Repeats is the number of independent repetitions of Subset and Split, at least 3;
	// the interval is that of their mean. Default 10.
	Repeats int

	// Levels is the most levels of one repetition, each about a factor ten in
	// probability (Subset, Importance). Default 30.
	Levels int

	// Confidence of the interval. Default 0.95.
	Confidence float64

	// Seed of all randomness.
	Seed uint64

	// Pool runs repetitions, or samples, side by side.
	Pool *Pool
}

// A Rare is the estimate of a small probability.
type Rare struct {
	// P is the probability. The bounds come from Student's law over repetitions, or the
	// normal one over samples; Confidence is what was asked for and holds
	// asymptotically.
	P Interval

	// SE is the standard error of the estimate.
	SE float64

	// Plain is the number of plain Monte Carlo runs with the same standard error; Size
	// is the effective number of samples in the event, (Σw)²/Σw², for importance
	// sampling, and that of successes in Plain runs otherwise.
	Plain, Size float64

	Runs     int // evaluations, or steps of the process
	Failed   int // evaluations without an answer; they count as not in the event
	Seed     uint64
	Warnings []error
}

func (s *RareSettings) withDefaults() (RareSettings, error) {
	var d RareSettings
	if s != nil {
		d = *s
	}
	for _, f := range []struct {
		x        *int
		name     string
		v, least int
	}{{&d.N, "N", 1000, 100}, {&d.Repeats, "Repeats", 10, 3}, {&d.Levels, "Levels", 30, 1}} {
		if *f.x == 0 {
			*f.x = f.v
		}
		if *f.x < f.least {
			return d, fmt.Errorf("montecarlo: %s %d, want at least %d", f.name, *f.x, f.least)
		}
	}
	return d, confidenceDefault(&d.Confidence)
}

// repeated is the outcome of one repetition.
type repeated struct {
	p            float64
	runs, failed int
	warning      error
}

// repeat runs independent repetitions and puts them together.
func repeat(set *RareSettings, once func(repetition int) repeated) (*Rare, error) {
	var ps []float64
	out := &Rare{Seed: set.Seed}
	err := Fold(set.Pool, 0, set.Repeats, func() struct{} { return struct{}{} }, func(_ struct{}, i int) (repeated, error) {
		return once(i), nil
	}, func(_ int, r repeated) {
		ps = append(ps, r.p)
		out.Runs += r.runs
		out.Failed += r.failed
		if r.warning != nil && len(out.Warnings) == 0 {
			out.Warnings = append(out.Warnings, r.warning)
		}
	})
	if err != nil {
		return nil, err
	}
	n := float64(set.Repeats)
	mean, sd := stat.MeanStdDev(ps, nil)
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+set.Confidence)/2) * sd / math.Sqrt(n)
	out.P, out.SE = Interval{mean, max(0, mean-half), mean + half, set.Confidence}, sd/math.Sqrt(n)
	out.finish()
	return out, nil
}

// finish derives the sizes and the warnings from P and SE.
func (r *Rare) finish() {
	p := r.P.Estimate
	if r.SE > 0 {
		r.Plain = p * (1 - p) / (r.SE * r.SE)
	}
	if r.Size == 0 {
		r.Size = p * r.Plain
	}
	if r.Failed > 0 {
		r.Warnings = append(r.Warnings, fmt.Errorf("montecarlo: %d of %d runs have no answer and count as outside the event", r.Failed, r.Runs))
	}
	switch {
	case p == 0:
		r.Warnings = append(r.Warnings, fmt.Errorf("montecarlo: the event was never reached in %d runs: 0 is no estimate", r.Runs))
	case r.SE > 0.5*p:
		r.Warnings = append(r.Warnings, fmt.Errorf("montecarlo: a relative standard error of %.0f %%: %.0f times the runs would give 10 %%", 100*r.SE/p, math.Ceil(100*r.SE*r.SE/(p*p))))
	}
}
