package special

import "math"

// ZipfBins cuts the ranks 1…n of a Zipf law with weights k^−alpha at the
// ranks round(n^(i/bins)) and returns the share of the keys and the share of
// the accesses of each bin, most popular first. Each sums to 1. Cuts that
// coincide are merged, so small n gives fewer bins.
func ZipfBins(n, alpha float64, bins int) (phi, pi []float64) {
	n = math.Max(1, math.Round(n))
	var keys, access float64
	for i, lo := 1, 0.0; i <= bins; i++ {
		hi := math.Round(math.Pow(n, float64(i)/float64(bins)))
		if i == bins {
			hi = n
		}
		if hi <= lo {
			continue
		}
		s := zipfSum(lo+1, hi, alpha)
		phi, pi = append(phi, hi-lo), append(pi, s)
		keys, access = keys+hi-lo, access+s
		lo = hi
	}
	for i := range phi {
		phi[i] /= keys
		pi[i] /= access
	}
	return phi, pi
}

// zipfDirect is how many terms zipfSum adds one by one: enough for the formula
// to reach 1e−15 of the rest for α ≤ 10.
const zipfDirect = 64

// zipfSum returns Σ k^−alpha over the whole k = from…to: the first terms one by
// one, the rest by the Euler–Maclaurin formula (DLMF 2.10.1).
func zipfSum(from, to, alpha float64) float64 {
	var sum float64
	k := from
	for ; k <= to && k < from+zipfDirect; k++ {
		sum += math.Pow(k, -alpha)
	}
	if k > to {
		return sum
	}
	first, last := math.Pow(k, -alpha), math.Pow(to, -alpha)
	// ∫ x^−α dx from k to `to`, smooth through α = 1.
	l := math.Log(to / k)
	area := first * k * l
	if u := (1 - alpha) * l; u != 0 {
		area *= math.Expm1(u) / u
	}
	return sum + area + (first+last)/2 + zipfEnd(k, alpha)*first - zipfEnd(to, alpha)*last
}

// zipfEnd returns −Σ B_2j/(2j)! g^(2j−1)(x)/g(x) of g = x^−α, to j = 4.
func zipfEnd(x, alpha float64) float64 {
	y := 1 / (x * x)
	c := 1.0/30240 - y*(alpha+5)*(alpha+6)/1209600
	c = 1.0/720 - y*(alpha+3)*(alpha+4)*c
	c = 1.0/12 - y*(alpha+1)*(alpha+2)*c
	return alpha / x * c
}
