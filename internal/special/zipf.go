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

// zipfSum returns Σ k^−alpha over k = from…to: the first terms one by one, the
// rest by the Euler–Maclaurin formula.
func zipfSum(from, to, alpha float64) float64 {
	const direct = 64
	var sum float64
	k := from
	for ; k <= to && k < from+direct; k++ {
		sum += math.Pow(k, -alpha)
	}
	if k > to {
		return sum
	}
	// ∫ k^to + ends/2 + Σ B_2j/(2j)! (g^(2j−1)(to) − g^(2j−1)(k)).
	l := math.Log(to / k)
	area := k * l
	if u := (1 - alpha) * l; u != 0 {
		area = k * l * math.Expm1(u) / u
	}
	end := func(x, g float64) float64 {
		y := 1 / (x * x)
		a := alpha
		t := a / x
		return g * t * (-1.0/12 + y*(a+1)*(a+2)*(1.0/720-y*(a+3)*(a+4)*(1.0/30240-y*(a+5)*(a+6)/1209600)))
	}
	ga, gb := math.Pow(k, -alpha), math.Pow(to, -alpha)
	return sum + ga*area + (ga+gb)/2 + end(to, gb) - end(k, ga)
}
