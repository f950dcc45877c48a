package ode

import (
	"math"
	"sort"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// A trajectory keeps the dense output of an integration: Settings.Step = trajectory.add.
type trajectory struct {
	segments []segment
}

// A segment is an Interpolant with its own memory.
type segment struct {
	t0, t1, h float64
	y0, y1    []float64
	k         [3][]float64
	m         int
}

// add appends a copy of p.
func (tr *trajectory) add(p *Interpolant) {
	p.prepare()
	n, m := p.Dim(), len(p.tb.h)
	s := segment{t0: p.T0, t1: p.T1, h: p.h, m: m}
	mem := make([]float64, 0, (2+m)*n)
	keep := func(v []float64) []float64 {
		mem = append(mem, v...)
		return mem[len(mem)-n:]
	}
	s.y0, s.y1 = keep(p.y0), keep(p.y1)
	for l := range m {
		s.k[l] = keep(p.k[l])
	}
	tr.segments = append(tr.segments, s)
}

// at is the solution at time t; at a discontinuity the state before it. A nil dst is allocated.
func (tr *trajectory) at(dst []float64, t float64) []float64 {
	i := sort.Search(len(tr.segments), func(i int) bool { return tr.segments[i].t1 >= t })
	s := &tr.segments[i]
	if dst == nil {
		dst = make([]float64, len(s.y0))
	}
	return interpolate(dst, (t-s.t0)/s.h, s.y0, s.y1, &s.k, s.m)
}

// The mean of sin² over a period by Gauss's rule with three nodes in each step, as
// a caller integrates averages, and the same solution asked for later.
func TestStepsExact(t *testing.T) {
	for _, m := range methods {
		var tr trajectory
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
			tr.add(p)
		}
		res, err := Solve(oscillator(), []float64{0, 1}, 0, 2*math.Pi, &Settings{Method: m, RTol: 1e-9, Step: step})
		if err != nil || last != 2*math.Pi || len(tr.segments) != res.Stats.Steps {
			t.Fatal(res, err, last)
		}
		numtest.Check(t, m.String()+" integral", integral, math.Pi, 1e-8, 0)
		if t0 := tr.segments[0].t0; t0 != 0 {
			t.Errorf("%v: starts at %g", m, t0)
		}
		for i := range 1001 {
			at := 2 * math.Pi * float64(i) / 1000
			numtest.CheckSlice(t, m.String(), tr.at(y, at), []float64{math.Sin(at), math.Cos(at)}, 0, 3e-8)
		}
		if got := tr.at(nil, last); got[0] != res.Y[0] || got[1] != res.Y[1] {
			t.Errorf("%v: trajectory ends at %v, solution at %v", m, got, res.Y)
		}
	}
}
