package ode_test

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/internal/ode"
)

// A ball thrown upwards at 20 m/s: its heights at some times, its highest point, and
// where it comes down.
func ExampleSolve() {
	ball := ode.NewDense(2, func(dst []float64, _ float64, y []float64) {
		dst[0], dst[1] = y[1], -9.81
	}, nil, ode.Autonomous)
	res, err := ode.Solve(ball, []float64{0, 20}, 0, 10, &ode.Settings{
		Output: []float64{0.5, 1},
		Record: func(t float64, y []float64) { fmt.Printf("%.2f s: %.3f m\n", t, y[0]) },
		Events: []ode.Event{
			{Value: func(_ float64, y []float64) float64 { return y[1] }},
			{Value: func(_ float64, y []float64) float64 { return y[0] }, Direction: -1, Terminal: true},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	top := res.Events[0]
	fmt.Printf("highest after %.4f s: %.4f m\n", top.T, top.Y[0])
	fmt.Printf("%v after %.4f s at %.3f m/s\n", res.Status, res.T, math.Abs(res.Y[1]))
	// Output:
	// 0.50 s: 8.774 m
	// 1.00 s: 15.095 m
	// highest after 2.0387 s: 20.3874 m
	// EventTerminated after 4.0775 s at 20.000 m/s
}
