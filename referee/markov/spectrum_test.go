package markov

import (
	"math"
	"testing"
)

// −(λ+μ) + 2√(λμ) cos(π/(K+1)), Morse (1955), doi:10.1287/opre.3.3.255.
func TestExactSecondEigenvalue(t *testing.T) {
	for _, c := range []struct {
		lambda, mu float64
		k          int
	}{{.2, .5, 100}, {1, 1, 50}, {3, 2, 20}, {9.5, 10, 100}, {.2, .5, 1}} {
		s, err := mm1(c.lambda, c.mu, c.k).Spectrum()
		if err != nil {
			t.Fatal(err)
		}
		at := func(j int) float64 {
			return -(c.lambda + c.mu) + 2*math.Sqrt(c.lambda*c.mu)*math.Cos(float64(j)*math.Pi/float64(c.k+1))
		}
		near(t, "λ₂", real(s.Lambda), at(1), 1e-10)
		if !s.Reversible || imag(s.Lambda) != 0 {
			t.Errorf("M/M/1/%d: reversible %v, λ₂ %v", c.k, s.Reversible, s.Lambda)
		}
		if !(s.Residual < 1e-9) {
			t.Errorf("M/M/1/%d: residual %g after the test of the iteration at 1e-11", c.k, s.Residual)
		}
	}
}

// A ring of n states with one direction has the eigenvalues e^{2πij/n} − 1.
func TestExactComplexEigenvalue(t *testing.T) {
	const n = 9
	s, err := NewChain(n, func(i int, add func(int, float64)) { add((i+1)%n, 1) }).Spectrum()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "real part", real(s.Lambda), math.Cos(2*math.Pi/n)-1, 1e-12)
	near(t, "imaginary part", math.Abs(imag(s.Lambda)), math.Sin(2*math.Pi/n), 1e-12)
	if s.Reversible {
		t.Error("a ring of one direction is called reversible")
	}
}

// In the limit of rare switching, −λ₂ is the sum of both switching rates. The rates of
// Schlögl's reaction are 1e-5 of the relaxation inside a state.
func TestExactSpectrumOfTwoStates(t *testing.T) {
	s, err := schlogl(1500).Spectrum()
	if err != nil {
		t.Fatal(err)
	}
	// 1/50307.8 + 1/178099.0, less what is faster than one relaxation: 1e-4 relative
	near(t, "λ₂", -real(s.Lambda), 1/50307.8238841+1/178099.010331, 1e-3)
}
