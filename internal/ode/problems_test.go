package ode

import (
	"fmt"

	"github.com/metastable/metastable/internal/numtest"
)

// fromIVP makes a problem of a reference one.
func fromIVP(p numtest.IVP) Problem {
	dfdt := p.Dfdt
	if dfdt == nil {
		dfdt = Autonomous
	}
	if p.Mass != nil {
		return NewDAE(p.Mass, p.F, p.Jacobian, dfdt)
	}
	return NewDense(len(p.Y0), p.F, p.Jacobian, dfdt)
}

// tolerances are settings with the absolute tolerances that go with rtol.
func tolerances(p numtest.IVP, m Method, rtol float64) *Settings {
	s := &Settings{Method: m, RTol: rtol}
	for _, a := range p.ATol {
		s.ATols = append(s.ATols, a*rtol)
	}
	return s
}

// scalar is y' = f(t, y) in one component, with differences.
func scalar(f func(t, y float64) float64) *Dense {
	return NewDense(1, func(dst []float64, t float64, y []float64) { dst[0] = f(t, y[0]) }, nil, nil)
}

// oscillator is y” = −y as a system: from (0, 1) it is (sin t, cos t).
func oscillator() *Dense {
	return NewDense(2,
		func(dst []float64, _ float64, y []float64) { dst[0], dst[1] = y[1], -y[0] },
		func(dst []float64, _ float64, _ []float64) { dst[0], dst[1], dst[2], dst[3] = 0, 1, -1, 0 },
		Autonomous)
}

// scheduled adds discontinuities to a problem. Its log holds what happens.
type scheduled struct {
	*Dense
	times []float64
	enter func(k int)
	jump  func(k int, y []float64)
	log   []string
}

func (s *scheduled) Breaks() []float64 { return s.times }

func (s *scheduled) Enter(k int, t float64, y []float64) []float64 {
	s.note("enter", k, t, y)
	if s.enter != nil {
		s.enter(k)
	}
	return y
}

func (s *scheduled) Jump(k int, t float64, y []float64) {
	s.note("jump", k, t, y)
	if s.jump != nil {
		s.jump(k, y)
	}
}

func (s *scheduled) note(what string, k int, t float64, y []float64) {
	s.log = append(s.log, fmt.Sprintf("%s %d at %g: %.6g", what, k, t, y))
}
