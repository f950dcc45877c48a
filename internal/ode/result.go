package ode

import (
	"errors"
	"fmt"
)

// Status says why an integration stopped.
type Status int

const (
	// NotTerminated is the status of an integration that has not ended.
	NotTerminated Status = iota
	// Complete: the end of the interval is reached.
	Complete
	// EventTerminated: a terminal event happened.
	EventTerminated
	// Interrupted: Settings.Done was closed.
	Interrupted
	// StepLimit: MaxSteps steps were tried.
	StepLimit
	// StepTooSmall: the error test fails with the smallest step.
	StepTooSmall
	// NonFinite: with the smallest step, f or the solution is still not finite.
	NonFinite
	// OutsideDomain: with the smallest step, the solution still leaves the domain
	// of the problem.
	OutsideDomain
	// Singular: with the smallest step, M/(hγ) − J is still singular.
	Singular
	// Inconsistent: the algebraic equations could not be solved after a
	// discontinuity.
	Inconsistent
)

var statuses = [...]struct {
	name string
	err  error
}{
	NotTerminated:   {"NotTerminated", nil},
	Complete:        {"Complete", nil},
	EventTerminated: {"EventTerminated", nil},
	Interrupted:     {"Interrupted", errors.New("ode: interrupted")},
	StepLimit:       {"StepLimit", errors.New("ode: step limit reached")},
	StepTooSmall:    {"StepTooSmall", errors.New("ode: error test fails with the smallest step")},
	NonFinite:       {"NonFinite", errors.New("ode: right-hand side or solution not finite")},
	OutsideDomain:   {"OutsideDomain", errors.New("ode: solution leaves the domain of the problem")},
	Singular:        {"Singular", errors.New("ode: singular iteration matrix")},
	Inconsistent:    {"Inconsistent", errors.New("ode: no consistent state after a discontinuity")},
}

// String returns the name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statuses) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statuses[s].name
}

// Early reports whether the integration ended before the end of the interval.
func (s Status) Early() bool { return s != Complete }

// Err returns the error behind a status that is a failure; nil for Complete and
// EventTerminated.
func (s Status) Err() error {
	if s < 0 || int(s) >= len(statuses) {
		return fmt.Errorf("ode: unknown status %d", int(s))
	}
	return statuses[s].err
}

// Stats counts the work of an integration.
type Stats struct {
	Steps          int // accepted
	Rejected       int
	Evals          int // of f
	Jacobians      int
	Factorizations int
	Solves         int
	Events         int // occurrences
}

// Result is the outcome of an integration.
type Result struct {
	Status Status

	// T and Y are the last time reached and the state there, after everything
	// that happens at that instant. They are finite whatever the status.
	T float64
	Y []float64

	// Events are the occurrences of the events, in order of time.
	Events []Occurrence

	Stats Stats

	// Warnings say what makes the answer suspect and what would mend it.
	Warnings []error
}
