package fixedpoint

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// Rows and columns scaled by factors up to 10^±9 leave the relative accuracy alone.
func TestInvariantSolveAcrossScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 8, 20} {
		a, x, b := make([]float64, n*n), make([]float64, n), make([]float64, n)
		row, col := make([]float64, n), make([]float64, n)
		for i := range n {
			row[i], col[i] = math.Pow(10, 18*rng.Float64()-9), math.Pow(10, 18*rng.Float64()-9)
		}
		for i := range n {
			x[i] = rng.NormFloat64() / col[i]
			for j := range n {
				a[i*n+j] = rng.NormFloat64()
				if i == j {
					a[i*n+j] += 2 * float64(n) // well conditioned before the scaling
				}
				a[i*n+j] *= row[i] * col[j]
			}
		}
		for i := range n {
			b[i] = dot(a[i*n:i*n+n], x)
		}
		m := newEquilibrated(n)
		if !m.factor(a) {
			t.Fatalf("n = %d: reported singular", n)
		}
		m.solve(b)
		numtest.CheckSlice(t, "x", b, x, 1e-12, 0)
	}
}

func TestExactSingularMatrices(t *testing.T) {
	for _, a := range [][]float64{
		{1, 2, 2, 4}, {1, 0, 0, 0}, {0, 0, 0, 0}, {math.NaN(), 0, 0, 1}, {1, 0, 0, math.Inf(1)},
	} {
		if newEquilibrated(2).factor(a) {
			t.Errorf("%v was factorized", a)
		}
	}
}
