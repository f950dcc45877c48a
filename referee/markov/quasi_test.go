package markov

import (
	"math"
	"testing"
)

// Uniform killing does not change a symmetric walk between absorbing ends: the law is a
// sine, the rate 2(1 − cos(π/(K+1))).
func TestExactQuasiStationary(t *testing.T) {
	const k = 40
	walk := NewChain(k+2, func(i int, add func(int, float64)) {
		if i > 0 {
			add(i-1, 1)
		}
		if i <= k {
			add(i+1, 1)
		}
	})
	q, err := walk.QuasiStationary(func(i int) bool { return i > 0 && i <= k })
	if err != nil {
		t.Fatal(err)
	}
	near(t, "rate", q.Rate, 2*(1-math.Cos(math.Pi/(k+1))), 1e-12)
	sum := 0.0
	for i := 1; i <= k; i++ {
		sum += math.Sin(float64(i) * math.Pi / (k + 1))
	}
	for _, i := range []int{1, 20, 40} {
		near(t, "law", q.Law[i], math.Sin(float64(i)*math.Pi/(k+1))/sum, 1e-9)
	}
	if !(q.Residual < 1e-10) {
		t.Errorf("residual %g", q.Residual)
	}
}

// Both switching rates of Schlögl's reaction: leaving the side for good takes twice as long
// as reaching its edge, the committor of which is ½.
func TestExactQuasiStationaryOfTwoStates(t *testing.T) {
	c := schlogl(1500)
	q, err := c.Committor(at(85), at(570))
	if err != nil {
		t.Fatal(err)
	}
	low, err := c.QuasiStationary(func(i int) bool { return q[i] < .5 })
	if err != nil {
		t.Fatal(err)
	}
	// To 5 %: the states next to the edge are not exactly at ½, each by a few per cent.
	near(t, "leaving", 2/low.Rate, 50307.8238841, .05)
	if !(low.Residual < 1e-12) {
		t.Errorf("residual %g", low.Residual)
	}
}

// Two states: p(t) = ⅔(1 − e^{−3t}).
func TestExactTransient(t *testing.T) {
	c := NewChain(2, func(i int, add func(int, float64)) { add(1-i, 2-float64(i)) })
	for _, s := range []float64{0, .01, 1, 100, 1e4} {
		got, err := c.Transient([]float64{1, 0}, s, 1e-11)
		if err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(got.Law[1] - 2./3*-math.Expm1(-3*s)); d > got.Error+1e-14 || got.Error > 1e-11 {
			t.Errorf("t = %g: off by %g, bound %g", s, d, got.Error)
		}
	}
	if got, _ := c.Transient([]float64{1, 0}, 1e4, 1e-9); got.Jumps > 100 {
		t.Errorf("the steady state is not seen in %d jumps", got.Jumps)
	}
}

// Started empty, M/M/1/30 conserves mass and its mean satisfies dn/dt = λ(1−p_K) − μ(1−p_0),
// tested by a difference quotient: error h² times the third derivative.
func TestInvariantTransient(t *testing.T) {
	c := mm1(3, 2, 30)
	law := func(s float64) []float64 {
		start := make([]float64, 31)
		start[0] = 1
		got, err := c.Transient(start, s, 1e-13)
		if err != nil {
			t.Fatal(err)
		}
		return got.Law
	}
	mean := func(p []float64) (n float64) {
		for i := range p {
			n += float64(i) * p[i]
		}
		return n
	}
	const h = 1e-3
	p := law(5)
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	near(t, "mass", sum, 1, 1e-12)
	near(t, "growth", (mean(law(5+h))-mean(law(5-h)))/(2*h), 3*(1-p[30])-2*(1-p[0]), 1e-6)
}
