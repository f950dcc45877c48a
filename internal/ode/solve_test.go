package ode

import (
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

func robertson() *Dense {
	f := func(dst []float64, _ float64, y []float64) {
		a, b, c := 0.04*y[0], 1e4*y[1]*y[2], 3e7*y[1]*y[1]
		dst[0], dst[1], dst[2] = b-a, a-b-c, c
	}
	jac := func(dst []float64, _ float64, y []float64) {
		copy(dst, []float64{
			-0.04, 1e4 * y[2], 1e4 * y[1],
			0.04, -1e4*y[2] - 6e7*y[1], -1e4 * y[1],
			0, 6e7 * y[1], 0,
		})
	}
	return NewDense(3, f, jac, Autonomous)
}

func TestRobertson(t *testing.T) {
	for _, m := range []Method{Rodas5P, Rodas4P2} {
		for _, rtol := range []float64{1e-6, 1e-8} {
			var got []float64
			res, err := Solve(robertson(), []float64{1, 0, 0}, 0, 4e5, &Settings{Method: m, RTol: rtol, ATols: []float64{1e-9, 1e-13, 1e-9},
				Output: []float64{40}, Record: func(_ float64, y []float64) { got = append(got, y...) }})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v %+v", res.Status, res.Stats)
			numtest.CheckSlice(t, "y(40)", got, []float64{0.715827068719, 9.18553476456e-6, 0.284163745746}, 1e-5, 0)
			numtest.CheckSlice(t, "y(4e5)", res.Y, []float64{0.00493827452098, 1.98499408796e-8, 0.995061705629}, 1e-4, 0)
		}
	}
}
