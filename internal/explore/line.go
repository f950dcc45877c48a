package explore

import (
	"math"

	"github.com/metastable/metastable/model"
)

// A line finds the hit rate that the pools need.
type line struct {
	sys   *model.System
	hit   int   // column
	loads []int // columns
	y     []float64
	row   []float64
}

func newLine(sys *model.System, hit int) *line {
	l := &line{sys: sys, hit: hit, y: make([]float64, sys.MaxDim()), row: make([]float64, len(sys.Columns()))}
	for i, name := range sys.Columns() {
		if isLoad(name) {
			l.loads = append(l.loads, i)
		}
	}
	return l
}

// excess returns by how much the heaviest load exceeds the capacity with the content of the
// cache changed by f, as [model.System.Refill] means it, and all else as it is.
func (l *line) excess(t float64, y []float64, f float64) float64 {
	l.sys.Refill(l.y[:len(y)], y, f)
	l.sys.Observe(l.row, t, l.y[:len(y)])
	most := math.Inf(-1)
	for _, i := range l.loads {
		most = max(most, l.row[i])
	}
	return most - 1
}

// needed returns the hit rate at which the excess is 0. The excess falls in f; its root is
// found by the Illinois variant of false position.
func (l *line) needed(t float64, y []float64) float64 {
	const tol, most = 1e-5, 60
	a, b := -1.0, 1.0
	fa, fb := l.excess(t, y, a), l.excess(t, y, b)
	switch {
	case fa <= 0:
		return 0
	case fb >= 0:
		return 1
	}
	side := 0.0 // of the last point; the end that stays twice counts half
	for range most {
		x := (a*fb - b*fa) / (fb - fa)
		fx := l.excess(t, y, x)
		if math.Abs(fx) < tol {
			break
		}
		if fx > 0 {
			a, fa = x, fx
			if side > 0 {
				fb /= 2
			}
		} else {
			b, fb = x, fx
			if side < 0 {
				fa /= 2
			}
		}
		side = fx
	}
	return l.row[l.hit]
}

// Needed returns the tipping line of [Day] for a state of a frozen system: the hit rate, by
// its column, that carries what is asked.
func Needed(frozen *model.System, hit int, y []float64) float64 {
	return newLine(frozen, hit).needed(0, y)
}
