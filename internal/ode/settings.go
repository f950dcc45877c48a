package ode

import (
	"fmt"
	"math"
)

// Settings control an integration. The zero value of a field stands for the
// default its comment states; nil Settings are all defaults.
type Settings struct {
	// Method is the integration method. Default Rodas5P.
	Method Method

	// RTol and ATol bound the error estimate of a step: its root mean square
	// over the components, each weighed by 1/(ATol + RTol |y_i|), is at most 1.
	// Defaults 1e-6 and RTol/1000.
	RTol, ATol float64

	// ATols[i], where present, takes the place of ATol for component i.
	ATols []float64

	// InitialStep is tried first. Default: from the size of y, its first and its
	// second derivative.
	InitialStep float64

	// MinStep is the smallest step a rejection may lead to; one that needs a
	// smaller one ends the integration. Default: 16 units in the last place of t.
	MinStep float64

	// MaxStep is the largest step. Default: no bound.
	MaxStep float64

	// MaxSteps bounds the steps tried. Default 1,000,000.
	MaxSteps int

	// Done, if not nil, ends the integration once it is closed, before the next step.
	Done <-chan struct{}

	// Output holds strictly increasing times in [t0, t1] at which Record is
	// called. They come from the dense output and do not change the steps. At the
	// time of a discontinuity there is one record: the state before any
	// [Scheduled.Jump] with the parameters after every [Scheduled.Enter].
	Output []float64

	// Record receives the state at the times Output. It must not keep or change y.
	Record func(t float64, y []float64)

	// Step, if not nil, is called with the dense output of each accepted step, in
	// order. It must not keep the interpolant.
	Step func(*Interpolant)

	// Events are the state events to look for.
	Events []Event
}

const (
	defaultRTol     = 1e-6
	defaultMaxSteps = 1_000_000

	// minRTol is where rounding in the stages starts to dominate the estimate.
	minRTol = 1e-13
)

// withDefaults returns a copy of s with every default filled in.
func (s *Settings) withDefaults() Settings {
	var d Settings
	if s != nil {
		d = *s
	}
	if d.RTol == 0 {
		d.RTol = defaultRTol
	}
	if d.ATol == 0 {
		d.ATol = d.RTol / 1000
	}
	if d.MaxStep == 0 {
		d.MaxStep = math.Inf(1)
	}
	if d.MaxSteps == 0 {
		d.MaxSteps = defaultMaxSteps
	}
	return d
}

// check reports the first setting that makes no sense.
func (s *Settings) check(t0, t1 float64) error {
	if s.Method.tableau() == nil {
		return fmt.Errorf("ode: unknown method %v", s.Method)
	}
	if !(s.RTol >= minRTol && s.RTol < 1) {
		return fmt.Errorf("ode: RTol %g outside [%g, 1)", s.RTol, minRTol)
	}
	if s.MaxSteps < 0 {
		return fmt.Errorf("ode: MaxSteps %d is negative", s.MaxSteps)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"ATol", s.ATol}, {"InitialStep", s.InitialStep}, {"MinStep", s.MinStep}, {"MaxStep", s.MaxStep}} {
		if !(v.value >= 0) {
			return fmt.Errorf("ode: %s %g is not a positive number", v.name, v.value)
		}
	}
	for i, v := range s.ATols {
		if !(v > 0) {
			return fmt.Errorf("ode: ATols[%d] %g is not a positive number", i, v)
		}
	}
	for i, t := range s.Output {
		if !(t >= t0 && t <= t1) {
			return fmt.Errorf("ode: Output[%d] = %g outside [%g, %g]", i, t, t0, t1)
		}
		if i > 0 && t <= s.Output[i-1] {
			return fmt.Errorf("ode: Output[%d] = %g does not exceed the time before it, %g", i, t, s.Output[i-1])
		}
	}
	if len(s.Output) > 0 && s.Record == nil {
		return fmt.Errorf("ode: Output without Record")
	}
	for i, e := range s.Events {
		if e.Value == nil {
			return fmt.Errorf("ode: Events[%d] has no Value", i)
		}
	}
	return nil
}
