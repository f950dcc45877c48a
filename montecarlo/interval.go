package montecarlo

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Interval is an estimate and the bounds that belong to it.
type Interval struct {
	Estimate, Lo, Hi float64

	// Confidence is what the interval achieves, which is not quite what was asked for:
	// each constructor says how it is found. 0 with infinite or trivial bounds: there
	// are too few samples for any.
	Confidence float64
}

// Half returns half the width.
func (i Interval) Half() float64 { return (i.Hi - i.Lo) / 2 }

// Wilson returns the score interval (Wilson 1927, doi:10.1080/01621459.1927.10502953) of
// a probability after hits in n independent trials. Its coverage is near the confidence
// on average over the truth. Confidence is that of the binomial law at the estimate.
// With n = 0 it is [0, 1] with confidence 0 about an estimate NaN.
func Wilson(hits, n int, confidence float64) Interval {
	if n == 0 {
		return Interval{Estimate: math.NaN(), Hi: 1}
	}
	z, m := quantile(confidence), float64(n)
	p := float64(hits) / m
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	i := Interval{Estimate: p, Lo: max(0, mid-half), Hi: min(1, mid+half)}
	if hits == 0 {
		i.Lo = 0 // not what rounding leaves
	}
	if hits == n {
		i.Hi = 1
	}
	spread := z * math.Sqrt(m*p*(1-p)) // the interval holds p as long as |k − np| ≤ spread
	i.Confidence = binomial(m*p+spread, m, p) - binomial(math.Ceil(m*p-spread)-1, m, p)
	return i
}

// ClopperPearson returns the exact interval (Clopper and Pearson 1934,
// doi:10.1093/biomet/26.4.404) of a probability after hits in n independent trials: its
// coverage is at least the confidence whatever the truth. Confidence is that of the
// binomial law at the estimate. With n = 0 it is that of [Wilson].
func ClopperPearson(hits, n int, confidence float64) Interval {
	if n == 0 {
		return Wilson(0, 0, confidence)
	}
	k, m, tail := float64(hits), float64(n), (1-confidence)/2
	i := Interval{Estimate: k / m, Hi: 1}
	if hits > 0 {
		i.Lo = mathext.InvRegIncBeta(k, m-k+1, tail)
	}
	if hits < n {
		i.Hi = mathext.InvRegIncBeta(k+1, m-k, 1-tail)
	}
	// The interval of j hits holds p unless P(X ≥ j) or P(X ≤ j) is below the tail.
	p := i.Estimate
	first := search(n, func(j int) bool { return binomial(float64(j), m, p) >= tail })
	last := search(n, func(j int) bool { return 1-binomial(float64(j), m, p) < tail })
	i.Confidence = binomial(float64(last), m, p) - binomial(float64(first-1), m, p)
	return i
}

// search returns the least j in [0, n] with is(j), which is monotone; n if there is none.
func search(n int, is func(int) bool) int {
	lo, hi := 0, n
	for lo < hi {
		if mid := lo + (hi-lo)/2; is(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// binomial returns P(X ≤ k) for n trials of probability p.
func binomial(k, n, p float64) float64 {
	switch k = math.Floor(k); {
	case k < 0:
		return 0
	case k >= n || p == 0:
		return 1
	case p == 1:
		return 0
	}
	return mathext.RegIncBeta(n-k, k+1, 1-p)
}

// quantile returns the number of standard deviations about the mean of a normal law that
// hold a probability.
func quantile(confidence float64) float64 { return distuv.UnitNormal.Quantile((1 + confidence) / 2) }

// normalInterval returns the interval of a mean, asymptotically normal, with a standard
// error.
func normalInterval(mean, se, confidence float64) Interval {
	h := quantile(confidence) * se
	return Interval{mean, mean - h, mean + h, confidence}
}

// ranks returns the order statistics, counted from 1, between which the p quantile of n
// independent samples lies and with what probability: the narrowest pair, about the
// middle, of at least the confidence. 0 or n + 1 stands for no bound.
func ranks(n int, p, confidence float64) (lo, hi int, achieved float64) {
	m, tail := float64(n), (1-confidence)/2
	lo = search(n, func(j int) bool { return binomial(float64(j), m, p) > tail })
	hi = 1 + search(n, func(j int) bool { return binomial(float64(j), m, p) >= 1-tail })
	return lo, hi, binomial(float64(hi-1), m, p) - binomial(float64(lo-1), m, p)
}
