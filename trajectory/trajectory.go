// Package trajectory runs a scenario: it integrates a compiled model.System over its
// timeline and samples what the system does as a table.
package trajectory

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// A Result is one run as a table of observables.
type Result struct {
	// Columns names the observables; see [model.System.Columns]. Column 0 is the
	// time in seconds since the start.
	Columns []string

	// Rows holds the observables at the times of Settings, in order, as far as the
	// run got. At the instant of a timeline entry the row shows the state just
	// before and the forcing just after.
	Rows [][]float64

	// Detail is there if Settings asks for it.
	Detail *Detail

	// Status says why the run stopped: ode.Complete, or early, with the rows so far.
	Status ode.Status

	// T is the time reached, in seconds.
	T float64

	// Stats counts the work.
	Stats ode.Stats

	// Warnings say what makes the rows suspect and what would mend it.
	Warnings []error

	// Settings are those used, with every default filled in.
	Settings Settings
}

// Detail is a run as a figure wants it: dense where the observables move fast, and
// with both sides of each jump.
type Detail struct {
	// Rows holds the observables in order of time. A time given twice is a jump: the
	// row before it and the row after it.
	Rows [][]float64

	// Throttle[i] is the limit on admitted boot attempts in Rows[i], 1/s; +Inf while
	// there is none.
	Throttle []float64
}

// Run integrates the system from its initial state to the end of its timeline. Nil
// settings are the defaults. A run that stops early has a Status that says why.
//
// It fails, with no rows, when the settings make no sense or the initial state is
// not found. It uses the system's scratch space: one run at a time per System.
func Run(sys *model.System, s *Settings) (*Result, error) {
	y, err := sys.Start()
	if err != nil {
		return nil, fmt.Errorf("trajectory: no initial state: %w", err)
	}
	sys.Reset()
	defer sys.Reset()
	return RunFrom(sys, y, 0, sys.Span(), s)
}

// RunFrom is Run from the state y at the time from to the time to (s), as the system
// stands: as [model.System.Control] returns it. Rows without Times are at from, from +
// Every, and so on.
func RunFrom(sys *model.System, y []float64, from, to float64, s *Settings) (*Result, error) {
	set, err := s.withDefaults(from, to)
	if err != nil {
		return nil, err
	}
	r := &Result{Columns: sys.Columns(), Settings: set}
	if set.Detail {
		r.Detail = &Detail{}
	}
	rec := newRecorder(sys, r, from, to)
	sol, err := ode.Solve(sys, y, from, to, rec.settings())
	if err != nil {
		return nil, fmt.Errorf("trajectory: %w", err)
	}
	r.Status, r.T, r.Stats = sol.Status, sol.T, sol.Stats
	r.Warnings = append(append(sol.Warnings, r.suspects()...), rec.unmeasured()...)
	return r, nil
}

// suspects returns a warning for the first value in the rows that is not finite.
func (r *Result) suspects() []error {
	for _, row := range r.Rows {
		for i, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return []error{fmt.Errorf("trajectory: %s is %g at %g s, and perhaps elsewhere; a smaller tolerance may mend it", r.Columns[i], v, row[0])}
			}
		}
	}
	return nil
}
