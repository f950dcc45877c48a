package ode

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// The mean of sin² over a period by Gauss's rule with three nodes in each step, as
// a caller integrates averages, and the same solution asked for later.
func TestStepsAndTrajectoryExact(t *testing.T) {
	for _, m := range methods {
		var tr Trajectory
		integral, last := 0.0, 0.0
		y := make([]float64, 2)
		step := func(p *Interpolant) {
			if p.T0 != last {
				t.Errorf("%v: step from %g, the one before ends at %g", m, p.T0, last)
			}
			last = p.T1
			h := p.T1 - p.T0
			for _, g := range [3][2]float64{{0.5, 8. / 18}, {0.5 - math.Sqrt(0.15), 5. / 18}, {0.5 + math.Sqrt(0.15), 5. / 18}} {
				p.At(y, p.T0+g[0]*h)
				integral += g[1] * h * y[0] * y[0]
			}
			tr.Add(p)
		}
		res, err := Solve(oscillator(), []float64{0, 1}, 0, 2*math.Pi, &Settings{Method: m, RTol: 1e-9, Step: step})
		if err != nil || last != 2*math.Pi || tr.Len() != res.Stats.Steps {
			t.Fatal(res, err, last)
		}
		numtest.Check(t, m.String()+" integral", integral, math.Pi, 1e-8, 0)
		if t0, t1 := tr.Span(); t0 != 0 || t1 != last {
			t.Errorf("%v: span %g to %g", m, t0, t1)
		}
		for i := range 1001 {
			at := 2 * math.Pi * float64(i) / 1000
			numtest.CheckSlice(t, m.String(), tr.At(y, at), []float64{math.Sin(at), math.Cos(at)}, 0, 3e-8)
		}
		if got := tr.At(nil, last); got[0] != res.Y[0] || got[1] != res.Y[1] {
			t.Errorf("%v: trajectory ends at %v, solution at %v", m, got, res.Y)
		}
	}
}

func TestTrajectoryOutside(t *testing.T) {
	var tr Trajectory
	if _, err := Solve(oscillator(), []float64{0, 1}, 1, 2, &Settings{Step: tr.Add}); err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{0.999, 2.001, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic at %g", at)
				}
			}()
			tr.At(nil, at)
		}()
	}
}
