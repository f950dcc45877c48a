package calibrate_test

import (
	"fmt"
	"log"
	"math"

	"github.com/metastable/metastable/calibrate"
)

// A cache cools down: how fast is told, its size and the share that is cached are not told
// apart.
func ExampleNew() {
	t := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	hits := []float64{602, 489, 407, 327, 272, 220, 183, 147, 122, 99}
	fit, err := calibrate.New(&calibrate.Problem{
		Params: []calibrate.Param{
			{Name: "size", Lo: 10, Hi: 100000, Log: true},
			{Name: "share", Lo: 0.01, Hi: 100, Log: true},
			{Name: "cooling", Lo: 0.01, Hi: 1, Log: true},
		},
		Channels: []calibrate.Channel{{Name: "hits", X: t, Y: hits, Noise: calibrate.Noise{Kind: calibrate.Relative}}},
		New: func() calibrate.Predictor {
			return func(dst, p []float64) error {
				for i, t := range t {
					dst[i] = p[0] * p[1] * math.Exp(-p[2]*t)
				}
				return nil
			}
		},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range fit.Identify().Words {
		fmt.Println(line)
	}
	interval, err := fit.Profile("cooling", 0.9)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.3f to %.3f\n", interval.Name, interval.Lo, interval.Hi)
	// Output:
	// flat: the data cannot tell size from share, only their product
	// cooling: 0.198 to 0.202
}
