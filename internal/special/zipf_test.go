package special

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestExactZipfBins compares with sums of the weights one by one, smallest
// first.
func TestExactZipfBins(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 97, 1000, 54321, 300000} {
		for _, alpha := range []float64{0, 0.3, 0.8, 1 - 1e-9, 1, 1.0001, 1.5, 2, 4, 10} {
			for _, bins := range []int{1, 5, 24} {
				phi, pi := ZipfBins(float64(n), alpha, bins)
				hi := n
				var total float64
				sums := make([]float64, len(pi))
				for b := len(phi) - 1; b >= 0; b-- {
					lo := hi - int(math.Round(phi[b]*float64(n)))
					sums[b] = zipfOneByOne(lo+1, hi, alpha)
					total += sums[b]
					hi = lo
				}
				if hi != 0 {
					t.Fatalf("n = %d, %d bins: the shares of the keys leave %d", n, bins, hi)
				}
				for b := range pi {
					if want := sums[b] / total; !(relErr(pi[b], want) < 2e-14) {
						t.Errorf("n = %d, α = %v, bin %d of %d: share %v, want %v", n, alpha, b, bins, pi[b], want)
					}
				}
			}
		}
	}
}

// zipfOneByOne sums k^−alpha from the smallest term, with compensation.
func zipfOneByOne(from, to int, alpha float64) float64 {
	var sum, lost float64
	for k := to; k >= from; k-- {
		x := math.Pow(float64(k), -alpha) - lost
		next := sum + x
		lost = (next - sum) - x
		sum = next
	}
	return sum
}

// TestExactZeta: Σ k^−2 and Σ k^−4 from 1 to 1e15 are π²/6 − 1/n and π⁴/90, and
// the harmonic number is ln n + γ + 1/(2n).
func TestExactZeta(t *testing.T) {
	const n = 1e15
	for _, c := range []struct{ alpha, want float64 }{
		{0, n},
		{1, math.Log(n) + eulerGamma + 0.5/n},
		{2, math.Pi*math.Pi/6 - 1/n},
		{4, math.Pow(math.Pi, 4) / 90},
	} {
		if got := zipfSum(1, n, c.alpha); !(relErr(got, c.want) < 1e-14) {
			t.Errorf("α = %v: %v, want %v", c.alpha, got, c.want)
		}
	}
}

// TestExactZipfCuts: ranks 1, 10, 100, 1000 of 10^3 keys in 3 bins.
func TestExactZipfCuts(t *testing.T) {
	phi, pi := ZipfBins(1000, 0, 3)
	want := []float64{0.01, 0.09, 0.9}
	for i := range want {
		if math.Abs(phi[i]-want[i]) > 1e-15 || math.Abs(pi[i]-want[i]) > 1e-15 {
			t.Errorf("bin %d: φ = %v, π = %v, want both %v", i, phi[i], pi[i], want[i])
		}
	}
}

func TestInvariantZipfBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := math.Round(math.Exp(rapid.Float64Range(0, math.Log(1e15)).Draw(t, "log n")))
		alpha := rapid.Float64Range(0, 10).Draw(t, "alpha")
		bins := rapid.IntRange(1, 200).Draw(t, "bins")
		phi, pi := ZipfBins(n, alpha, bins)
		if len(phi) != len(pi) || len(phi) == 0 || len(phi) > bins || float64(len(phi)) > n {
			t.Fatalf("%d and %d bins", len(phi), len(pi))
		}
		var keys, access float64
		for i := range phi {
			if !(phi[i] > 0) || !(pi[i] > 0) {
				t.Fatalf("bin %d: φ = %v, π = %v", i, phi[i], pi[i])
			}
			// Popularity per key falls from bin to bin.
			if i > 0 && pi[i]/phi[i] > pi[i-1]/phi[i-1]*(1+1e-13) {
				t.Fatalf("bin %d is more popular than bin %d", i, i-1)
			}
			keys += phi[i]
			access += pi[i]
		}
		if math.Abs(keys-1) > 1e-14 || math.Abs(access-1) > 1e-14 {
			t.Fatalf("sums %v, %v", keys, access)
		}
	})
}
