package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/ode"
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
			_, served := p.timeoutOf(&poolFlow{n: n, v: v, b: 1, mu: 1}, 1, false, nil)
			dropped, intime := deadlines(c.lambda, c.tau)
			if d := math.Abs(e.p/dropped - 1); d > c.dropped {
				t.Errorf("dropped %.6g, exact %.6g: off by %.2g", e.p, dropped, d)
			}
			if d := math.Abs(served/intime - 1); d > c.intime {
				t.Errorf("in time %.6g, exact %.6g: off by %.2g", served, intime, d)
			}
		})
	}
}

// When the mix of a queue in overload changes at once, as by a throttle, what waits takes
// the time to serve that it took: the variance of that does not jump, and the run goes on.
// So it is where the option itself changes on the way.
func TestDrop_mixChanges(t *testing.T) {
	const file = `
name: mix
duration: 1h
traffic: {boots: 300/s, session_length: 1s}
classes: {q: {per_boot: 1, cached: false, visit_cost: 8}}
pools: {p: {capacity: 1k/s, timeout: 1s, queue_limit: 5k, drop_expired: true, background: 100/s}}
timeline: [{at: 30m, throttle: 0/s}, {at: 40m, throttle: 60/s}, {at: 50m, change: {pools.p.drop_expired: false}}, {at: 55m, change: {pools.p.drop_expired: true}}]
initial: {hit_rate: 0, in_system: 500}
`
	s := compiled(t, file, nil)
	var last float64
	y := integrated(t, s, ode.Settings{}, []float64{1799, 3000, 3300, 3600}, func(at float64, y []float64) {
		switch v := s.Variances(y)[0]; at {
		case 1799:
			if o := observed(s, at, y); o["load.p"] < 2 || v >= 0 {
				t.Errorf("load %g, variance %g: nothing is shown", o["load.p"], v)
			}
		default:
			if last > 0 {
				numtest.Check(t, "variance at rest", v, last, 0.05, 0)
			}
			last = v
		}
	})
	if !s.Inside(y) {
		t.Error("the run ends outside")
	}
}
