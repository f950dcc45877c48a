package model_test

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/scenariotest"
)

const pulse = `
name: pulse
duration: 25s
traffic: {boots: 70/s, session_length: 1s}
classes: {c: {per_boot: 1, cached: false, route: keyed, visit_cost: 1}}
pools: {p: {capacity: 100/s, queue_limit: 400, timeout: 0.5s}}
timeline: [{at: 5s, traffic: 1.857142857142857, over: 5s}]
`

// M/M/1/400 with μ = 100/s, λ = 70/s, 130/s from 5 s to 10 s, 70/s, τ = 0.5 s. exact is
// its master equation (work counted in customers). The diffusion law is closer to it
// than the Panjer law while the queue grows; both miss the bimodal drain at 14 s.
func TestPulseAgainstMasterEquation(t *testing.T) {
	type moments struct{ n, v, late float64 }
	nan := math.NaN() // not computed
	rows := []struct {
		t         float64
		exact     moments
		tolPanjer moments // relative
		tolDiff   moments
	}{
		{4.9, moments{2.333, nan, nan}, moments{2e-4, 0, 0}, moments{2e-4, 0, 0}},
		{5.5, moments{19.30, 93.6, 0.0080}, moments{0.03, 0.14, 1.3}, moments{0.006, 0.016, 0.45}},
		{6, moments{34.46, 200.8, 0.172}, moments{0.021, 0.1, 0.07}, moments{0.004, 0.016, 0.03}},
		{7, moments{64.50, 427, 0.750}, moments{0.012, 0.06, 0.04}, moments{0.0025, 0.011, 0.012}},
		{12, moments{94.59, 1439, 0.877}, moments{0.0095, 0.031, 0.018}, moments{0.001, 0.008, 0.006}},
		{14, moments{39.9, 1199, 0.363}, moments{0.13, 0.45, 0.33}, moments{0.1, 0.36, 0.31}},
	}
	var times []float64
	for _, r := range rows {
		times = append(times, r.t)
	}
	for _, law := range []string{"panjer", "diffusion"} {
		s := scenariotest.Compile(t, scenariotest.Parse(t, pulse, "pools.p.queue_law", law))
		y, err := s.Start()
		if err != nil {
			t.Fatal(err)
		}
		row := make([]float64, len(s.Columns()))
		i := 0
		res, err := ode.Solve(s, y, 0, s.Span(), &ode.Settings{RTol: 1e-8, Output: times, Record: func(at float64, y []float64) {
			s.Observe(row, at, y)
			r := rows[i]
			i++
			tol := r.tolPanjer
			if law == "diffusion" {
				tol = r.tolDiff
			}
			got := moments{row[11], y[1], row[12]}
			for _, c := range []struct {
				what           string
				got, want, tol float64
			}{{"n", got.n, r.exact.n, tol.n}, {"v", got.v, r.exact.v, tol.v}, {"late", got.late, r.exact.late, tol.late}} {
				if !math.IsNaN(c.want) && math.Abs(c.got-c.want) > c.tol*c.want {
					t.Errorf("%s at %g s: %s = %.5g, exact %.5g: off by %.3g, allowed %.3g", law, at, c.what, c.got, c.want, math.Abs(c.got/c.want-1), c.tol)
				}
			}
		}})
		if err != nil || res.Status.Err() != nil {
			t.Fatal(err, res.Status)
		}
	}
}
