package stability

import (
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/model"
)

// unmeasured warns of each pool whose measured service curve ends below what a state of rest
// or empty caches ask. m is nil where there is no return map.
func (r *Result) unmeasured(frozen *model.System, m *model.ReturnMap) {
	ends := frozen.CurveEnds(0)
	if len(ends) == 0 {
		return
	}
	var cold []float64
	if m != nil {
		cold = m.ColdLoad()
	}
	pools := frozen.Pools()
	for _, end := range ends {
		asks, most := "empty caches ask", 0.0
		if cold != nil {
			most = cold[slices.Index(pools, end.Pool)] * end.Capacity
		}
		for i := range r.Equilibria {
			load := r.Value(&r.Equilibria[i], "load."+end.Pool) * end.Capacity
			if load > most && !alike(load, most) {
				asks, most = "a state of rest asks", load
			}
		}
		if most > end.Load && !alike(most, end.Load) {
			r.Warnings = append(r.Warnings, fmt.Errorf("stability: %w", end.Exceeded(asks, most)))
		}
	}
}

// alike tells loads apart that differ by more than rounding.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
