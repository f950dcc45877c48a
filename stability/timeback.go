package stability

import (
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// TimeBack returns how long (s) it takes from the loss of all cached content, in the
// healthy state of r at the moment, until the goodput (boots admitted times their success)
// is back at 90 % of what it was, for good: one trajectory. It is 0 if the goodput stays
// above, and +Inf if it does not come back. A system that is always safe may take
// hours. It fails with ErrNoHealthy, and with ErrNoOutcome or ErrInterrupted where the
// trajectory does not tell.
func TimeBack(sys *model.System, at model.Moment, r *Result, set *Settings) (float64, error) {
	healthy := slices.IndexFunc(r.Equilibria, func(e Equilibrium) bool { return e.Stable && e.Row[model.ColSuccess] >= healthySuccess })
	if healthy < 0 {
		return math.NaN(), ErrNoHealthy
	}
	frozen := sys.Freeze(at)
	e, y, row := &r.Equilibria[healthy], slices.Clone(r.Equilibria[healthy].State), make([]float64, len(r.Columns))
	clear(y[:contents(frozen)])
	if err := frozen.Consistent(0, y); err != nil {
		return math.NaN(), fmt.Errorf("stability: the flush: %w", err)
	}
	served := func(row []float64) float64 { return row[model.ColAdmitted] * row[model.ColSuccess] }
	goodput := func(t float64, y []float64) float64 {
		frozen.Observe(row, t, y)
		return served(row) - trajectory.OutageShare*served(e.Row)
	}
	down := goodput(0, y) < 0
	s := integration(frozen, set)
	s.Events = []ode.Event{{Value: goodput}}
	end, err := ode.Solve(frozen, y, 0, forever, s)
	switch {
	case err != nil:
		return math.NaN(), err
	case end.Status == ode.Interrupted:
		return math.NaN(), ErrInterrupted
	}
	back := 0.0
	for _, o := range end.Events {
		if down = o.Direction < 0; !down {
			back = o.T
		}
	}
	switch {
	case end.Status != ode.Complete:
		return math.NaN(), fmt.Errorf("%w: %v after %.3g s", ErrNoOutcome, end.Status, end.T)
	case down:
		return math.Inf(1), nil
	}
	return back, nil
}
