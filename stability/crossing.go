package stability

import (
	"math"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// addCrossings adds what lies in undecided boxes where the map is too steep for bounds and for
// Newton's method: as the first rate goes through the box and all other coordinates follow the
// map, it comes back smaller at one end and larger at the other. The whole system has the last word.
func addCrossings(m *model.ReturnMap, set *fixedpoint.Set) {
	lo, hi := m.Box()
	for _, box := range set.Undecided {
		x := make([]float64, m.Dim())
		for i := range x {
			x[i] = min(max((box.Lo[i]+box.Hi[i])/2, lo[i]), hi[i])
		}
		a, b := max(box.Lo[0], lo[0]), min(box.Hi[0], hi[0])
		first := rises(m, x, a)
		if rises(m, x, b) == first {
			continue
		}
		for mid := a + (b-a)/2; mid > a && mid < b; mid = a + (b-a)/2 {
			if rises(m, x, mid) == first {
				a = mid
			} else {
				b = mid
			}
		}
		set.Equilibria = append(set.Equilibria, fixedpoint.Equilibrium{X: x})
	}
}

// rises brings the other coordinates of x to where the map leads them at a first rate, each time halfway
// since they may overshoot, and reports whether a larger rate comes back.
func rises(m *model.ReturnMap, x []float64, rate float64) bool {
	const (
		most = 100   // steps: halving alone exhausts rounding by then
		step = 1e-15 // of a share that is rounding
	)
	img := make([]float64, len(x))
	x[0] = rate
	for range most {
		m.Map(img, x)
		moved := 0.0
		for i := 1; i < len(x); i++ {
			next := x[i] + (img[i]-x[i])/2
			moved = max(moved, math.Abs(next-x[i])/max(1, math.Abs(x[i])))
			x[i] = next
		}
		if moved <= step {
			break
		}
	}
	return img[0] > rate
}
