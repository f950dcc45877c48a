package model

import (
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/ode"
)

// The M/M/1/400 pulse: μ = 100/s, λ = 70/s, 130/s for 5 s from t = 5. The figures are
// those of an independent implementation of this closure (docs, "The queue of one
// shard" and "Queue law"), to a unit of the last printed digit; the exact master equation, printed
// beside them there, differs by up to 5 % on the way up.
func TestPulseGolden(t *testing.T) {
	s := compiled(t, `
name: pulse
duration: 20s
traffic: {boots: 70/s, session_length: 1s}
classes: {q: {per_boot: 1, cached: false, visit_cost: 1}}
pools: {p: {capacity: 100/s, queue_limit: 400, timeout: 0.5s}}
timeline: [{at: 5s, traffic: 1.8571428571428572, over: 5s}]
`, nil)
	want := []struct {
		t, n, v, p       float64
		unitN, unitV, up float64 // of the last printed digit
	}{
		{4.9, 2.333, 7.8, 0, 0.001, 0.1, 0},
		{5.5, 18.75, 106.2, 0.0176, 0.01, 0.1, 0.0001},
		{6, 33.76, 220.7, 0.161, 0.01, 0.1, 0.001},
		{7, 63.76, 451, 0.722, 0.01, 1, 0.001},
		{12, 93.76, 1481, 0.891, 0.01, 1, 0.001},
		{14, 35.1, 1709, 0.249, 0.1, 1, 0.001},
		{20, 2.333, 7.8, 0, 0.001, 0.1, 0},
	}
	var times []float64
	for _, w := range want {
		times = append(times, w.t)
	}
	i := 0
	integrated(t, s, ode.Settings{RTol: 1e-9}, times, func(at float64, y []float64) {
		w, pool := want[i], s.lay.pool[0]
		i++
		numtest.Check(t, "n", y[pool.n], w.n, 0, w.unitN)
		numtest.Check(t, "v", y[pool.v], w.v, 0, w.unitV)
		if w.p > 0 {
			numtest.Check(t, "P(time-out)", observed(s, at, y)["timeout.p"], w.p, 0, w.up)
		}
	})
}
