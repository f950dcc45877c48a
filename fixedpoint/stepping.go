package fixedpoint

import (
	"errors"
	"fmt"
	"math"
)

// Stepping controls the steps along a curve. Lengths are arc lengths in the units of
// Scale and ScaleP of the problem. The zero value of a field stands for its default.
type Stepping struct {
	// InitialStep is tried first, MinStep is the shortest step, MaxStep the longest.
	// Defaults 0.01, 1e-9 and 0.1; besides, no step changes a parameter with a finite
	// range by more than 1/20 of that range.
	InitialStep, MinStep, MaxStep float64

	// MaxAngle bounds the angle between the tangents at the ends of a step. Default
	// 0.3 rad.
	MaxAngle float64

	// MaxSteps bounds the accepted steps in each direction. Default 2000.
	MaxSteps int

	// Tol is the length of the last Newton correction of a point. Default 1e-10.
	Tol float64

	// Domain, if not nil, says where the problem makes sense; the curve ends at the
	// edge. It must not keep or change its arguments.
	Domain func(x, p []float64) bool

	// Stop, if not nil, ends the curve at the first point where it returns true.
	Stop func(x, p []float64) bool
}

func (st Stepping) withDefaults() Stepping {
	fill := func(v *float64, d float64) {
		if *v == 0 {
			*v = d
		}
	}
	fill(&st.MaxStep, 0.1)
	fill(&st.InitialStep, min(0.01, st.MaxStep))
	fill(&st.MinStep, min(1e-9, st.InitialStep))
	fill(&st.MaxAngle, 0.3)
	fill(&st.Tol, 1e-10)
	if st.MaxSteps == 0 {
		st.MaxSteps = 2000
	}
	return st
}

// check reports the first setting that makes no sense; defaults are filled in.
func (st Stepping) check() error {
	for _, c := range []struct {
		name string
		v    float64
	}{
		{"MaxStep", st.MaxStep},
		{"InitialStep", st.InitialStep},
		{"MinStep", st.MinStep},
		{"MaxAngle", st.MaxAngle},
		{"MaxSteps", float64(st.MaxSteps)},
		{"Tol", st.Tol},
	} {
		if !(c.v > 0) || math.IsInf(c.v, 0) {
			return fmt.Errorf("fixedpoint: %s = %g, must be positive", c.name, c.v)
		}
	}
	if st.MinStep > st.InitialStep || st.InitialStep > st.MaxStep {
		return fmt.Errorf("fixedpoint: MinStep = %g, InitialStep = %g, MaxStep = %g are not in order",
			st.MinStep, st.InitialStep, st.MaxStep)
	}
	if st.MaxAngle >= math.Pi/2 {
		return fmt.Errorf("fixedpoint: MaxAngle = %g, must be below π/2", st.MaxAngle)
	}
	return nil
}

// checkRange reports an empty range of a parameter, or one without the start.
func checkRange(param int, lo, hi, start float64) error {
	if !(lo < hi) {
		return fmt.Errorf("fixedpoint: parameter %d has the empty range [%g, %g]", param, lo, hi)
	}
	if !(start >= lo && start <= hi) {
		return fmt.Errorf("fixedpoint: parameter %d starts at %g, outside [%g, %g]", param, start, lo, hi)
	}
	return nil
}

// Stop says why a curve ends.
type Stop int

const (
	// NotStarted: there is no curve in this direction.
	NotStarted Stop = iota
	// Bound: a parameter reached the end of its range; the last point is there.
	Bound
	// Closed: the curve came back to its start, which is the last point again.
	Closed
	// StepLimit: MaxSteps steps were made.
	StepLimit
	// NoConvergence: no step of MinStep or longer succeeds at the last point.
	NoConvergence
	// DomainLeft: the next point, closer than MinStep, is outside Domain.
	DomainLeft
	// UserStop: Stop returned true at the last point.
	UserStop
)

var stops = [...]struct {
	name string
	err  error
}{
	NotStarted:    {"NotStarted", nil},
	Bound:         {"Bound", nil},
	Closed:        {"Closed", nil},
	StepLimit:     {"StepLimit", errors.New("fixedpoint: step limit reached: the curve is not complete")},
	NoConvergence: {"NoConvergence", errors.New("fixedpoint: no convergence with the shortest step: the curve is not complete")},
	DomainLeft:    {"DomainLeft", nil},
	UserStop:      {"UserStop", nil},
}

// String returns the name of the reason.
func (s Stop) String() string {
	if s < 0 || int(s) >= len(stops) {
		return fmt.Sprintf("Stop(%d)", int(s))
	}
	return stops[s].name
}

// Err returns the error behind a reason that leaves the curve incomplete, else nil.
func (s Stop) Err() error {
	if s < 0 || int(s) >= len(stops) {
		return fmt.Errorf("fixedpoint: unknown stop %d", int(s))
	}
	return stops[s].err
}
