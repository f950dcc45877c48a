package fixedpoint_test

import (
	"fmt"

	"github.com/metastable/metastable/fixedpoint"
)

// Between its folds the cusp has three equilibria, beyond them one.
func ExampleContinue() {
	prob := &fixedpoint.Problem{Dim: 1, Params: 2, F: func(dst, x, p []float64) {
		dst[0] = p[0] + p[1]*x[0] - x[0]*x[0]*x[0]
	}}
	br, err := fixedpoint.Continue(prob, []float64{-1.3}, []float64{-1, 1}, 0,
		&fixedpoint.ContinueSettings{Min: -1, Max: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range br.Special {
		fmt.Printf("%v at %.6f\n", s.Kind, s.Refined.P[0])
	}
	fold := br.Special[0].Refined
	cv, err := fixedpoint.FoldCurve(prob, fold.X, fold.P, [2]int{0, 1},
		&fixedpoint.CurveSettings{Min: [2]float64{-1, -1}, Max: [2]float64{1, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range cv.Special {
		fmt.Printf("%v near %.3f\n", s.Kind, max(s.Refined.P[1], 0))
	}
	// Output:
	// fold at 0.384900
	// fold at -0.384900
	// cusp near 0.000
}
