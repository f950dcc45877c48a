package model

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

func TestLawDerivativesExact(t *testing.T) {
	for _, l := range []queueLaw{panjer{}, diffusion{}} {
		for _, n := range []float64{0.3, 2, 50, 3000} {
			for _, c2 := range []float64{1e-5, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 1 - 5e-6, 1.001, 1.3, 3} {
				const b = 1.7
				v := c2 * n * (n + b)
				_, dn, dv, db := l.busy(n, v, b)
				check := func(what string, got float64, f func(h float64) float64, x float64) {
					t.Helper()
					h := 1e-6 * x
					want := (f(h) - f(-h)) / (2 * h)
					if !numtest.Close(got*x, want*x, 5e-8, 5e-8) {
						t.Errorf("%T %s at n = %g, c² = %g: %g, by differences %g", l, what, n, c2, got, want)
					}
				}
				check("dbusy/dn", dn, func(h float64) float64 { p, _, _, _ := l.busy(n+h, v, b); return p }, n)
				check("dbusy/dv", dv, func(h float64) float64 { p, _, _, _ := l.busy(n, v+h, b); return p }, v)
				check("dbusy/db", db, func(h float64) float64 { p, _, _, _ := l.busy(n, v, b+h); return p }, b)
				for _, th := range []float64{0.1, 0.7, 0.999, 1, 1.001, 2, 8} {
					m, s := 3.0, c2*9
					p, early, dm, ds := l.lateGrad(m, s, th*m)
					if q, rest := l.late(m, s, th*m); math.Abs(p-q)+math.Abs(early-rest)+math.Abs(p+early-1) > 1e-14 {
						t.Errorf("%T late %g, with gradient %g", l, q, p)
					}
					check("dp/dmean", dm, func(h float64) float64 { p, _ := l.late(m+h, s, th*m); return p }, m)
					check("dp/dspread", ds, func(h float64) float64 { p, _ := l.late(m, s+h, th*m); return p }, s)
				}
			}
		}
	}
}

// Both laws are smooth where their formulas change: at c² = 1, where the expansion
// about it ends, and at the border of the continued fraction.
func TestDiffusionInvariantSmooth(t *testing.T) {
	far := newCut(farCut)
	for _, c := range []struct {
		at, gap, value, slope float64
	}{
		{1, 1e-7, 2e-7, 1e-6}, // the second derivative jumps here
		{1 - nearOne, 1e-8, 2e-8, 1e-4},
		{far.v / (far.d * far.d), 1e-9, 1e-8, 1e-7},
	} {
		var l diffusion
		for _, th := range []float64{0.3, 1, 4} {
			p0, _, _, d0 := l.lateGrad(1, c.at-c.gap, th)
			p1, _, _, d1 := l.lateGrad(1, c.at+c.gap, th)
			if math.Abs(p1-p0) > c.value || math.Abs(d1-d0) > c.slope {
				t.Errorf("late at c² = %g, θ = %g: %g → %g, slope %g → %g", c.at, th, p0, p1, d0, d1)
			}
		}
		h0, s0 := edge(c.at - c.gap)
		h1, s1 := edge(c.at + c.gap)
		if math.Abs(h1-h0) > c.value || math.Abs(s1-s0) > c.slope {
			t.Errorf("edge at c² = %g: %g → %g, slope %g → %g", c.at, h0, h1, s0, s1)
		}
	}
}
