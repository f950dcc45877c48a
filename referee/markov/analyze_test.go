package markov

import (
	"errors"
	"math"
	"testing"
)

// Switching times of Schlögl's reaction between the modes 85 and 570, as in
// TestExactSchloglSwitching; from the laws to the cores, not from mode to mode: to 1 %, the
// relaxation time (0.1 s of 5e4 s) and the chance to turn back beyond the core's edge.
func TestExactAnalyzeSchlogl(t *testing.T) {
	r, err := Analyze(schlogl(1500), nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "fall", r.Fall.Mean, 50307.8238841, .01)
	near(t, "recover", r.Recover.Mean, 178099.010331, .01)
	// Rare events are exponential: standard deviation, tail and mean agree.
	near(t, "SD", r.Fall.SD, r.Fall.Mean, 1e-3)
	near(t, "tail", 1/r.Fall.Rate, r.Fall.Mean, 1e-3)
	near(t, "P(T > mean)", r.Fall.Longer(r.Fall.Mean), math.Exp(-1), 1e-3)
	// The stationary law is divided like the times.
	low := 0.0
	for i, p := range r.Stationary {
		if !r.Failing[i] {
			low += p
		}
	}
	near(t, "mass", low, r.Fall.Mean/(r.Fall.Mean+r.Recover.Mean), 1e-3)
	if !r.Metastable || len(r.Warnings) > 0 || !(r.Residual < 1e-9) {
		t.Errorf("metastable %v, residual %g, warnings %v", r.Metastable, r.Residual, r.Warnings)
	}
	given, err := Analyze(schlogl(1500), &Settings{Healthy: at(85), Failed: at(570)})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "85 to 570", given.Fall.Mean, 50307.8238841, 1e-4) // started from the law around 85
}

func TestInvariantOneStateIsSaid(t *testing.T) {
	r, err := Analyze(mm1(.7, 1, 40), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Metastable || len(r.Warnings) != 1 || !errors.Is(r.Warnings[0], ErrOneState) {
		t.Errorf("M/M/1/40: metastable %v, warnings %v, separation %g", r.Metastable, r.Warnings, r.Separation)
	}
}

// retries is a queue (100 places) with an orbit (60 places) of clients whose wait was too
// long: 6161 states with a healthy and a failed state.
func retries() *Chain {
	const k, m = 100, 60
	return NewChain((k+1)*(m+1), func(i int, add func(int, float64)) {
		n, o := i/(m+1), i%(m+1)
		late := 1 / (1 + math.Exp(float64(40-n)/4))
		arrive := func(rate float64, from int) {
			next := n
			if n < k {
				next++
			}
			add(next*(m+1)+min(from+1, m), rate*late)
			add(next*(m+1)+from, rate*(1-late))
		}
		arrive(6, o)
		if o > 0 {
			arrive(.3*float64(o), o-1)
			add(i-1, .05*float64(o))
		}
		if n > 0 {
			add(i-m-1, 10)
		}
	})
}

func TestInvariantAnalyzeRetries(t *testing.T) {
	r, err := Analyze(retries(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Metastable || len(r.Warnings) > 0 || !(r.Residual < 1e-9) {
		t.Errorf("metastable %v, residual %g, warnings %v", r.Metastable, r.Residual, r.Warnings)
	}
	sum := 0.0
	for i, q := range r.Committor {
		if q < 0 || q > 1+1e-12 {
			t.Fatalf("committor %g in state %d", q, i)
		}
		sum += r.Stationary[i]
	}
	near(t, "sum", sum, 1, 1e-12)
	// λ₂ is the sum of both rates, up to one relaxation in a life.
	near(t, "λ₂", -real(r.Spectrum.Lambda), 1/r.Fall.Mean+1/r.Recover.Mean, 10/r.Separation)
}

func BenchmarkAnalyze6000(b *testing.B) {
	c := retries()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Analyze(c, nil); err != nil {
			b.Fatal(err)
		}
	}
}
