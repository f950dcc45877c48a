package stability

import (
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

const (
	forever   = 1e10 // s: the length of a relaxation, a hundred lifetimes of what never expires; steps grow as it comes to rest
	overload  = 10   // times the capacity: what the rush before the overloaded start asks for
	rush      = 3600 // s that it lasts
	mostSteps = 4000 // ten times what most relaxations take
)

// explore adds the equilibria that the frozen system comes to from several starts, and those on the edges between the stable ones.
func (r *Result) explore(sys, frozen *model.System, at model.Moment, set *Settings) error {
	for _, start := range beginnings(sys, frozen, at, set) {
		if err := set.interrupted(); err != nil {
			return err
		}
		if start.err != nil {
			r.Warnings = append(r.Warnings, fmt.Errorf("stability: no %s start: %w", start.name, start.err))
			continue
		}
		end, err := ode.Solve(frozen, start.y, 0, forever, integration(frozen, set))
		if err != nil {
			r.Warnings = append(r.Warnings, fmt.Errorf("stability: from the %s start: %w", start.name, err))
			continue
		}
		if end.Status == ode.Interrupted {
			return ErrInterrupted
		}
		e, err := polish(frozen, end.Y)
		switch {
		case err == nil && distance(scales(frozen), e.State, end.Y) < 0.01:
			r.add(e, frozen)
		default:
			r.Warnings = append(r.Warnings, fmt.Errorf("stability: from the %s start the system does not come to rest: it may oscillate", start.name))
		}
	}
	return r.edges(sys, frozen, at, set)
}

// integration are the settings of a relaxation.
func integration(s *model.System, set *Settings) *ode.Settings {
	const rtol = 1e-6
	tols := s.Scales()
	for i := range tols {
		tols[i] *= rtol / 10
	}
	return &ode.Settings{RTol: rtol, ATol: rtol / 10, ATols: tols, MaxSteps: mostSteps, Done: set.done()}
}

// A beginning is a state to relax from, or why there is none.
type beginning struct {
	name string
	y    []float64
	err  error
}

// beginnings are the state that the scenario starts from, the same with empty caches
// (cold) and with full ones (warm), and the queues and clients that an hour of ten times
// the traffic that full caches and the pools carry leaves without a throttle, with empty
// caches (overloaded).
func beginnings(sys, frozen *model.System, at model.Moment, set *Settings) []beginning {
	base := beginning{name: "usual"}
	if base.y, base.err = frozen.Clone().Start(); base.err != nil {
		base.y = blank(frozen)
	}
	cold := beginning{name: "cold", y: slices.Clone(base.y)}
	warm := beginning{name: "warm", y: slices.Clone(base.y)}
	n := contents(frozen)
	clear(cold.y[:n])
	for i := range warm.y[:n] {
		warm.y[i] = 1
	}
	normalize(frozen, warm.y)
	for _, b := range []*beginning{&cold, &warm} {
		b.err = frozen.Consistent(0, b.y)
	}
	rushed := at
	rushed.Traffic, rushed.Throttle = overload*max(share(sys, at), 1)/leastLoad(frozen, warm.y), math.Inf(1)
	hot := beginning{name: "overloaded"}
	if hot.err = cold.err; hot.err == nil {
		hot.y, hot.err = crowd(sys.Freeze(rushed), cold.y, set)
	}
	if hot.err == nil {
		clear(hot.y[:n])
		hot.err = frozen.Consistent(0, hot.y)
	}
	return []beginning{base, cold, warm, hot}
}

// blank is a state in which nothing happens, with algebraic components from which what they
// have to be is found.
func blank(s *model.System) []float64 {
	y := s.NewState()
	for i, m := range s.Mass() {
		if m == 0 {
			y[i] = 1
		}
	}
	return y
}

// leastLoad returns the load of the pool that has least to do, of those that have anything to
// do, at most 1.
func leastLoad(s *model.System, y []float64) float64 {
	const idle = 1e-2
	row, least := make([]float64, len(s.Columns())), 1.0
	s.Observe(row, 0, y)
	for i, name := range s.Columns() {
		if isLoad(name) && row[i] > idle {
			least = min(least, row[i])
		}
	}
	return least
}

// crowd returns the state in which an hour of the traffic leaves an empty system.
func crowd(s *model.System, y []float64, set *Settings) ([]float64, error) {
	end, err := ode.Solve(s, y, 0, rush, integration(s, set))
	if err != nil {
		return nil, err
	}
	return end.Y, end.Status.Err()
}

// share returns the traffic of the moment as a share of the full rate.
func share(sys *model.System, at model.Moment) float64 {
	if at.Traffic >= 0 {
		return at.Traffic
	}
	full := at
	full.Traffic = 1
	if all := sys.Freeze(full).Boots(); all > 0 {
		return sys.Freeze(at).Boots() / all
	}
	return 0
}

// contents returns the number of components of the state that hold content of the
// cache. They come first: before the waiting clients, the queues and the sessions,
// which answer when a component is set.
func contents(s *model.System) int {
	y, row := make([]float64, s.Dim()), make([]float64, len(s.Columns()))
	for i := range y {
		y[i] = 1
		s.Observe(row, 0, y)
		queue := false
		for _, v := range s.Variances(y) {
			queue = queue || v != 0
		}
		switch {
		case row[model.ColWaiting] == 1 || row[model.ColSessions] == 1:
			return i
		case queue:
			return i - 1 // the mean comes before the variance
		}
		y[i] = 0
	}
	return 0
}

// normalize scales the content of a state in which a bin may hold more than it can.
func normalize(s *model.System, y []float64) {
	row := make([]float64, len(s.Columns()))
	s.Observe(row, 0, y)
	most := 1.0
	for i, name := range s.Columns() {
		if len(name) > 9 && name[:9] == "hit_rate." {
			most = max(most, row[i])
		}
	}
	for i := range contents(s) {
		y[i] /= most
	}
}
