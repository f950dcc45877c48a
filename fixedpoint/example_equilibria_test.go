package fixedpoint_test

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/fixedpoint"
)

// The load that comes back to a server of 10/s when clients send 5/s, wait 1 s and retry
// up to three times; the queue is M/M/1.
func ExampleEnumerate() {
	s, err := fixedpoint.Enumerate(&fixedpoint.Monotone{
		Dim:  1,
		Sign: [][]int8{{1}}, // more load, more time-outs, more load
		Map: func(dst, x []float64) {
			p := math.Exp(min(x[0]-10, 0))
			dst[0] = 5 * (1 + p + p*p + p*p*p)
		},
	}, fixedpoint.Box{Lo: []float64{0}, Hi: []float64{40}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Certainty)
	for _, e := range s.Equilibria {
		fmt.Printf("%.4f/s\n", e.X[0])
	}
	// Output:
	// proved
	// 5.0351/s
	// 9.2951/s
	// 20.0000/s
}

// Both equilibria of x' = 1 − x², with their eigenvalues.
func ExampleEquilibria() {
	s, err := fixedpoint.Equilibria(&fixedpoint.Problem{
		Dim:  1,
		F:    func(dst, x, _ []float64) { dst[0] = 1 - x[0]*x[0] },
		JacX: func(dst, x, _ []float64) { dst[0] = -2 * x[0] },
	}, nil, fixedpoint.Box{Lo: []float64{-3}, Hi: []float64{3}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range s.Equilibria {
		fmt.Printf("%+.3f %s, %+.3f\n", e.X[0], e.Spectrum.Verdict(), e.Spectrum.Leading())
	}
	// Output:
	// -1.000 unstable, +2.000
	// +1.000 stable, -2.000
}
