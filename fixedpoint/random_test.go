package fixedpoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomProblem is a network of n units, x' = −x + W tanh(x) + p b, with weights that make folds
// and Hopf points common.
func randomProblem(rng *rand.Rand, n int) *Problem {
	w, b := make([]float64, n*n), make([]float64, n)
	for i := range w {
		w[i] = 2.5 * rng.NormFloat64()
	}
	for i := range b {
		b[i] = rng.NormFloat64()
		w[i*n+i] += 1.5
	}
	return &Problem{
		Dim: n, Params: 2,
		F: func(dst, x, p []float64) {
			for i := range n {
				dst[i] = -x[i] + p[0]*b[i]
				for j := range n {
					dst[i] += p[1] * w[i*n+j] * math.Tanh(x[j])
				}
			}
		},
		JacX: func(dst, x, p []float64) {
			for i := range n {
				for j := range n {
					c := 1 / math.Cosh(x[j])
					dst[i*n+j] = p[1] * w[i*n+j] * c * c
				}
				dst[i*n+i]--
			}
		},
		JacP: func(dst, x, _ []float64) {
			for i := range n {
				dst[2*i], dst[2*i+1] = b[i], 0
				for j := range n {
					dst[2*i+1] += w[i*n+j] * math.Tanh(x[j])
				}
			}
		},
	}
}

// Branches and curves of random networks pass the checkers, and steps a quarter as long find the same
// special points.
func TestInvariantRandomNetworks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	count := map[Kind]int{}
	for k := range 32 {
		n := 1 + k%4
		prob := randomProblem(rng, n)
		// |x| is large where |p| is: one equilibrium there
		set := &ContinueSettings{Min: -20, Max: 20, Stepping: Stepping{MaxStep: 0.4}}
		p := []float64{20, 1}
		found, err := Equilibria(prob, p, Box{slices.Repeat([]float64{-80}, n), slices.Repeat([]float64{80}, n)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found.Equilibria {
			br := follow(t, prob, e.X, p, set)
			set := *set
			set.MaxStep = 0.1
			set.MaxSteps = 10000
			fine := follow(t, prob, e.X, p, &set)
			// Neutral saddles come in clusters where tanh saturates: eigenvalues near −1.
			for _, b := range []*Branch{br, fine} {
				b.Special = slices.DeleteFunc(b.Special, func(s Special) bool { return s.Kind == NeutralSaddle })
			}
			sameSpecials(t, "network", br, fine, 1, 1)
			for _, sp := range br.Special {
				count[sp.Kind]++
				cs := &CurveSettings{Min: [2]float64{-20, 0.2}, Max: [2]float64{20, 2}}
				switch sp.Kind {
				case Fold:
					foldsFrom(t, prob, sp.Refined.X, sp.Refined.P, cs)
				case Hopf:
					hopfsFrom(t, prob, sp.Refined.X, sp.Refined.P, sp.Omega2, cs)
				}
			}
		}
	}
	if count[Fold] < 20 || count[Hopf] < 5 {
		t.Errorf("too few special points to tell: %v", count)
	}
}
