package fixedpoint

import (
	"errors"
	"fmt"
)

// Status says why a Newton iteration stopped.
type Status int

const (
	// NotTerminated is the status of an iteration that has not ended.
	NotTerminated Status = iota
	// Converged: the last correction is below the tolerance, or rounding hides what is
	// left; a warning says so then.
	Converged
	// Singular: the Jacobian is singular at a point that is no equilibrium.
	Singular
	// Stalled: no damped step comes nearer to an equilibrium.
	Stalled
	// NonFinite: F or its Jacobian is not finite, however short the step.
	NonFinite
	// IterationLimit: MaxIterations were made.
	IterationLimit
)

var statuses = [...]struct {
	name string
	err  error
}{
	NotTerminated:  {"NotTerminated", nil},
	Converged:      {"Converged", nil},
	Singular:       {"Singular", errors.New("fixedpoint: singular Jacobian")},
	Stalled:        {"Stalled", errors.New("fixedpoint: no step comes nearer to an equilibrium")},
	NonFinite:      {"NonFinite", errors.New("fixedpoint: F or its Jacobian is not finite")},
	IterationLimit: {"IterationLimit", errors.New("fixedpoint: iteration limit reached")},
}

// String returns the name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statuses) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statuses[s].name
}

// Early reports whether the iteration ended without an equilibrium.
func (s Status) Early() bool { return s != Converged }

// Err returns the error behind a status that is a failure; nil for Converged.
func (s Status) Err() error {
	if s < 0 || int(s) >= len(statuses) {
		return fmt.Errorf("fixedpoint: unknown status %d", int(s))
	}
	return statuses[s].err
}
