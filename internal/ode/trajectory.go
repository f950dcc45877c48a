package ode

import (
	"fmt"
	"sort"
)

// A Trajectory keeps the dense output of an integration. The zero value is empty;
// fill it with Settings.Step = trajectory.Add.
type Trajectory struct {
	segments []segment
}

// A segment is an Interpolant with its own memory.
type segment struct {
	t0, t1, h float64
	y0, y1    []float64
	k         [3][]float64
	m         int
}

// Add appends a copy of p. Steps must be added in order of time.
func (tr *Trajectory) Add(p *Interpolant) {
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

// Len returns the number of steps.
func (tr *Trajectory) Len() int { return len(tr.segments) }

// Span returns the first and the last time. It panics on an empty trajectory.
func (tr *Trajectory) Span() (t0, t1 float64) {
	return tr.segments[0].t0, tr.segments[len(tr.segments)-1].t1
}

// At stores the solution at time t in dst and returns it; a nil dst is allocated.
// At the time of a discontinuity after the start it is the state before it, and the
// length of dst must be the dimension there. It panics if t is outside the span.
func (tr *Trajectory) At(dst []float64, t float64) []float64 {
	i := sort.Search(len(tr.segments), func(i int) bool { return tr.segments[i].t1 >= t })
	if i == len(tr.segments) || !(t >= tr.segments[i].t0) {
		panic(fmt.Sprintf("ode: time %g outside the trajectory", t))
	}
	s := &tr.segments[i]
	if dst == nil {
		dst = make([]float64, len(s.y0))
	}
	return interpolate(dst, (t-s.t0)/s.h, s.y0, s.y1, &s.k, s.m)
}
