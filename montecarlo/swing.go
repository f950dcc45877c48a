package montecarlo

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Swing is how far the mean of an output goes down and up with each parameter: the rows
// of a tornado.
type Swing struct {
	All Interval // the mean of all points

	// Low[j] and High[j] are the means where parameter j is in the lowest and in the
	// highest fifth of the sample.
	Low, High []Interval

	Failed   int
	Warnings []error
}

// swingShare is the share of the sample at each end.
const swingShare = 0.2

// Swings returns that of any sample of independent parameters: a row of x and a value of y
// (NaN: no answer) a point. The intervals are Wilson's where the output is 0 or 1
// throughout, and asymptotically normal otherwise.
func Swings(x *mat.Dense, y []float64, confidence float64) (*Swing, error) {
	n, dim := x.Dims()
	if n != len(y) {
		return nil, fmt.Errorf("montecarlo: %d points with %d values", n, len(y))
	}
	var kept []int
	binary := true
	for i, v := range y {
		if !math.IsNaN(v) {
			kept = append(kept, i)
			binary = binary && (v == 0 || v == 1)
		}
	}
	ends := int(swingShare * float64(len(kept)))
	const least = 10
	if ends < least {
		return nil, fmt.Errorf("montecarlo: a fifth of %d points is fewer than %d", len(kept), least)
	}
	mean := func(points []int) Interval {
		var t Tally
		sum := 0.0
		for _, i := range points {
			t.Add(y[i])
			sum += y[i]
		}
		if binary {
			return Wilson(int(sum), len(points), confidence)
		}
		return t.Mean(confidence)
	}
	out := &Swing{All: mean(kept), Failed: n - len(kept), Warnings: failedWarning(n-len(kept), n)}
	for j := range dim {
		order := slices.Clone(kept)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.At(a, j), x.At(b, j)) })
		out.Low = append(out.Low, mean(order[:ends]))
		out.High = append(out.High, mean(order[len(order)-ends:]))
	}
	return out, nil
}
