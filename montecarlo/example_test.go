package montecarlo_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/metastable/metastable/montecarlo"
)

// A queue with ρ = ½: the probability that it grows from 1 to 20 before it is empty is
// 1/(2^20 − 1) = 9.54e-7. Plain Monte Carlo would need some hundred million walks.
func ExampleSplit() {
	queue := montecarlo.Walk[int]{
		Start: func(*rand.Rand) int { return 1 },
		Step: func(n int, r *rand.Rand) (int, bool) {
			if r.IntN(3) == 0 {
				return n + 1, true
			}
			return n - 1, n > 1
		},
		Level:  func(n int) float64 { return float64(n) },
		Target: 20,
	}
	r, err := montecarlo.Split(func() *montecarlo.Walk[int] { return &queue }, &montecarlo.RareSettings{N: 4000, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1e between %.1e and %.1e\n", r.P.Estimate, r.P.Lo, r.P.Hi)
	// Output: 9.6e-07 between 9.2e-07 and 1.0e-06
}

// 41 collapses in 1,000 runs.
func ExampleWilson() {
	i := montecarlo.Wilson(41, 1000, 0.95)
	fmt.Printf("%.1f %% (%.1f to %.1f)\n", 100*i.Estimate, 100*i.Lo, 100*i.Hi)
	// Output: 4.1 % (3.0 to 5.5)
}
