// Package stability answers what a system does when it is left alone: its equilibria
// at a moment, all of them with proof where the structure of the scenario allows one,
// which of them it stays in, and how far it is from where they come and go.
package stability

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// Settings control what this package computes. The zero value of a field stands for
// the default its comment states; nil Settings are all defaults.
type Settings struct {
	// Tol is the width at which a bracket is narrow enough: of traffic and throttles
	// relative to the value, of triggers in shares of the cache. Default 1e-4 and 1e-3.
	Tol float64

	// Done, if not nil, ends a computation early once it is closed, with what is known
	// by then and ErrInterrupted.
	Done <-chan struct{}

	// Progress, if not nil, is called with the share of a phase diagram that is drawn, as it grows.
	Progress func(share float64)
}

// ErrInterrupted reports that Settings.Done was closed.
var ErrInterrupted = errors.New("stability: interrupted")

func (s *Settings) tol(otherwise float64) float64 {
	if s == nil || s.Tol == 0 {
		return otherwise
	}
	return s.Tol
}

func (s *Settings) done() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.Done
}

// reached reports the share of a phase diagram that is drawn.
func (s *Settings) reached(share float64) {
	if s != nil && s.Progress != nil {
		s.Progress(share)
	}
}

// interrupted returns ErrInterrupted once Done is closed.
func (s *Settings) interrupted() error {
	select {
	case <-s.done():
		return ErrInterrupted
	default:
		return nil
	}
}

// An Equilibrium is a state in which the frozen system rests.
type Equilibrium struct {
	Rates    []float64  // coordinates of the return map; nil where there is none
	State    []float64  // of the whole system
	Row      []float64  // observables, as Result.Columns names them
	Variance []float64  // of the work at a shard of each pool, work units²
	Gain     float64    // loop gain: slope of the return map, NaN unless it is scalar; > 1 is unstable
	Leading  complex128 // eigenvalue with the largest real part, 1/s
	Stable   bool       // all real parts are negative, beyond rounding
	Residual float64    // of the whole system, scaled as that of [fixedpoint.Result]; ≤ 1e-10

	// Certainty is Proved where an isolating interval of the return map holds it.
	Certainty fixedpoint.Certainty

	idle []bool // components that say nothing on stability
}

// A Result is the equilibria at a moment.
type Result struct {
	Columns    []string
	Equilibria []Equilibrium // in order of the load, summed over the pools

	// Certainty is Proved where there are no others.
	Certainty fixedpoint.Certainty

	Evals    int     // evaluations of the return map
	Warnings []error // what makes the list suspect and what would mend it
}

// Equilibria finds the equilibria of the system frozen at the moment. Where every
// dependence has a known sign ([model.ReturnMap.Signs]) subdivision with bounds proves
// their number. Otherwise they are searched: by deflated Newton iterations on the
// return map, if there is one, by letting the system come to rest from a warm, a cold
// and an overloaded start, and between two stable states on the edge of their basins.
//
// Each is refined by Newton's method on the whole system with its exact Jacobian, whose
// eigenvalues decide on stability, also where retries oscillate (Hopf). What does not
// converge is left out and named in Warnings. What would last or grow for ever is bounded
// ([model.System.Freeze]). It fails where nothing can be evaluated,
// and with the partial Result when it is interrupted.
func Equilibria(sys *model.System, at model.Moment, set *Settings) (*Result, error) {
	frozen := sys.Freeze(at)
	r := &Result{Columns: frozen.Columns()}
	m, err := model.NewReturnMap(frozen)
	if err != nil {
		m = nil
	}
	if m != nil {
		switch n := flowing(m); {
		case n == 0:
			return r, r.noFlow(m, frozen)
		case n == m.Rates():
			if err := r.fromMap(m, frozen, set); err != nil {
				return nil, err
			}
		}
	}
	if r.Certainty != fixedpoint.Proved {
		err = r.explore(sys, frozen, at, set)
	} else {
		err = nil
	}
	r.sort()
	r.unmeasured(frozen, m)
	return r, err
}

// sort puts the equilibria in order of the load.
func (r *Result) sort() {
	load := func(e *Equilibrium) (sum float64) {
		for i, name := range r.Columns {
			if isLoad(name) {
				sum += e.Row[i]
			}
		}
		return sum
	}
	slices.SortStableFunc(r.Equilibria, func(a, b Equilibrium) int { return cmp.Compare(load(&a), load(&b)) })
}

func isLoad(column string) bool { return len(column) > 5 && column[:5] == "load." }

// Value returns an observable of an equilibrium by the name of its column, such as
// boot_success or load.main; NaN if there is none of that name.
func (r *Result) Value(e *Equilibrium, column string) float64 {
	if i := slices.Index(r.Columns, column); i >= 0 {
		return e.Row[i]
	}
	return math.NaN()
}

// Tipping returns the tipping point: the unstable equilibrium of the lowest load, from
// which a system goes either way; its hit rate, load and queue are the worst that the
// healthy state is just not drawn back from along the one-dimensional picture. Nil if
// there is none.
func (r *Result) Tipping() *Equilibrium {
	for i := range r.Equilibria {
		if !r.Equilibria[i].Stable {
			return &r.Equilibria[i]
		}
	}
	return nil
}

// A Verdict is what a system does at a moment.
type Verdict string

// The states of Bronson et al. (HotOS 2021) and Huang et al. (OSDI 2022): a system is
// stable below its hidden capacity; vulnerable above it, while it is healthy, and in
// a metastable failure once a trigger has tipped it; and beyond its advertised
// capacity it fails by itself.
const (
	AlwaysSafe    Verdict = "always safe"     // the healthy state is the only one: stable
	Metastable    Verdict = "metastable"      // more than one state: vulnerable, or failed
	CertainToFail Verdict = "certain to fail" // the only state is collapsed
	Restless      Verdict = "restless"        // no equilibrium is stable: it oscillates
)

// healthySuccess is the success of an admitted boot that tells a healthy state from a
// collapsed one where there is only one.
const healthySuccess = 0.5

// Verdict tells what the listed states amount to. A single state is healthy when at
// least half of the admitted boots succeed.
func (r *Result) Verdict() Verdict {
	stable, success := 0, 0.0
	for i := range r.Equilibria {
		if e := &r.Equilibria[i]; e.Stable {
			stable++
			success = r.Value(e, "boot_success")
		}
	}
	return verdict(stable, success)
}

// verdict is that of so many stable states, the last of which has that success.
func verdict(stable int, success float64) Verdict {
	switch {
	case stable == 0:
		return Restless
	case stable > 1:
		return Metastable
	case success >= healthySuccess:
		return AlwaysSafe
	}
	return CertainToFail
}
