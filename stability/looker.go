package stability

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// A looker finds the states that exist at moments of one system.
type looker struct {
	sys    *model.System
	set    *Settings
	scalar bool // the return map, with bounds
	proved bool // are the numbers so far
}

func newLooker(sys *model.System, at model.Moment, set *Settings) *looker {
	m, err := model.NewReturnMap(sys.Freeze(at))
	signs := err == nil && m.Signs()
	return &looker{sys: sys, set: set, proved: signs, scalar: signs && m.Dim() == 1}
}

func (l *looker) certainty() fixedpoint.Certainty {
	if l.proved {
		return fixedpoint.Proved
	}
	return fixedpoint.Searched
}

// limit brackets where holds ends. What may take trajectories, or thousands of bounds, is by
// default content with 1e-3.
func (l *looker) limit(from float64, holds func(float64) (bool, error)) (Limit, error) {
	tol := 1e-3
	if l.scalar {
		tol = 1e-4
	}
	b, err := bracket(from, l.set.tol(tol), l.set, holds)
	return Limit{b, l.certainty()}, err
}

// states is what exists at a moment.
type states struct{ healthy, collapsed bool }

// What to look for: a search is quicker without the collapsed state.
const (
	both        = false
	healthyOnly = true
)

// look finds the states at a moment, with proof as long as that succeeds: what is searched
// once makes the limit searched, and further proofs pointless.
func (l *looker) look(at model.Moment, only bool) (states, error) {
	if !l.proved {
		return l.search(at, only)
	}
	s, err := count(l.sys, at, l.set)
	if errors.Is(err, ErrUndecided) && !l.scalar {
		l.proved = false
		return l.search(at, only)
	}
	return s, err
}

// count finds the states with proof. It fails with ErrUndecided where there is none.
func count(sys *model.System, at model.Moment, stop *Settings) (states, error) {
	var s states
	frozen := sys.Freeze(at)
	m, err := model.NewReturnMap(frozen)
	if err != nil {
		return s, err
	}
	switch n := flowing(m); {
	case n == 0: // and nothing fails
		return states{healthy: true}, nil
	case n < m.Rates():
		return s, ErrUndecided
	}
	set, err := prove(m, stop)
	if err != nil {
		return s, err
	}
	if set.Certainty != fixedpoint.Proved {
		return s, cmp.Or(stop.interrupted(), ErrUndecided)
	}
	for _, e := range set.Equilibria {
		tips, err := tipping(m, frozen, e.X)
		switch {
		case err != nil:
			return s, errors.Join(ErrUndecided, err)
		case tips:
		case s.healthy || m.Success(e.X) < healthySuccess:
			s.collapsed = true
		default:
			s.healthy = true
		}
	}
	return s, nil
}

// tipping reports whether a fixed point is a tipping point and no state: the slope of a
// scalar map exceeds 1, the whole system leaves it without oscillation.
func tipping(m *model.ReturnMap, frozen *model.System, x []float64) (bool, error) {
	if m.Dim() == 1 {
		return slope(m, x) > 1, nil
	}
	e, err := polish(frozen, m.State(x))
	return err == nil && !e.Stable && imag(e.Leading) == 0, err
}

// search lets the system come to rest from a warm start, and from an overloaded one
// with empty caches. Two states are one where they are closer than apart.
func (l *looker) search(at model.Moment, only bool) (states, error) {
	const apart = 1e-3
	frozen := l.sys.Freeze(at)
	starts := beginnings(l.sys, frozen, at, l.set)
	warm, hot := &starts[2], &starts[3]
	var s states
	best, err := l.settle(frozen, warm)
	if err != nil {
		return s, err
	}
	s.healthy = best.success >= healthySuccess
	s.collapsed = !s.healthy
	if only || s.collapsed {
		return s, nil
	}
	worst, err := l.settle(frozen, hot)
	if err != nil {
		return s, err
	}
	s.collapsed = worst.success < healthySuccess || distance(frozen.Scales(), best.y, worst.y) > apart
	return s, nil
}

// A rested is where a relaxation ends.
type rested struct {
	y       []float64
	success float64 // of an admitted boot
}

func (l *looker) settle(s *model.System, b *beginning) (rested, error) {
	if b.err != nil {
		return rested{}, b.err
	}
	end, err := ode.Solve(s, b.y, 0, forever, integration(s, l.set))
	switch {
	case err != nil:
		return rested{}, err
	case end.Status == ode.Interrupted:
		return rested{}, ErrInterrupted
	}
	e, err := polish(s, end.Y)
	if err != nil || distance(scales(s), e.State, end.Y) >= 0.01 {
		return rested{}, fmt.Errorf("%w: from the %s start the system does not come to rest", ErrUndecided, b.name)
	}
	const success = 4 // column
	return rested{y: e.State, success: e.Row[success]}, nil
}
