package model

import (
	"fmt"
	"math"
	"testing"
)

// The M/M/1 queue that drops what is past its deadline τ when its turn comes, by its law of the
// work in system (Barrer 1957, doi:10.1287/opre.5.5.650; here in units of a service): f(v) ∝
// λ e^{(λ−1)v} below τ and λ e^{(λ−1)τ} e^{−(v−τ)} above, with 1 for an empty queue.
func deadlines(lambda, tau float64) (dropped, intime float64) {
	e := math.Exp((lambda - 1) * tau)
	all := 1 + lambda*(e-1)/(lambda-1) + lambda*e
	return lambda * e / all, (e - 1) / (lambda - 1) / all
}

// Beyond saturation the share served and the share in time are near the exact ones; the
// tolerances are what the closure's Gamma law leaves.
func TestDropExactDeadlines(t *testing.T) {
	for _, c := range []struct {
		lambda, tau     float64
		dropped, intime float64 // tolerances, relative
	}{
		{1.2, 50, 0.001, 0.001},
		{2, 50, 1e-6, 1e-6},
		{4, 50, 1e-6, 1e-6},
		{1.5, 10, 0.01, 0.01},
		{1.05, 50, 0.1, 0.01},
	} {
		t.Run(fmt.Sprintf("load %g, time-out %g", c.lambda, c.tau), func(t *testing.T) {
			p := pool{mu: 1, tau: c.tau, limit: math.Inf(1), ca: 1, cs: 1, drop: true, law: panjer{}}
			n, v, _ := p.restDropped(c.lambda, 1, 1, 0)
			e := p.expiry(n, v, 1, 1, false)
			late := p.timeoutOf(&poolFlow{n: n, v: v, b: 1, mu: 1}, 1, false, nil)
			dropped, intime := deadlines(c.lambda, c.tau)
			if d := math.Abs(e.p/dropped - 1); d > c.dropped {
				t.Errorf("dropped %.6g, exact %.6g: off by %.2g", e.p, dropped, d)
			}
			if d := math.Abs((1-late)/intime - 1); d > c.intime {
				t.Errorf("in time %.6g, exact %.6g: off by %.2g", 1-late, intime, d)
			}
		})
	}
}
