package montecarlo

import (
	"math"
	"math/big"
	"slices"
)

// Accuracy is the relative error of the quantiles of a [Tally].
const Accuracy = 0.005

// A Tally is what is kept of many values: their number, mean, variance, extremes and
// quantiles. Its size does not depend on how many values it has seen, and what it says
// does not depend on their order, to the last bit, nor on how they were split before
// a Merge: sums are exact and the rest is counts. The zero value is empty.
//
// NaN stands for a value that a run does not have, and is not counted.
type Tally struct {
	n        int
	min, max float64
	sum, sq  big.Float // exact
	inf      [2]int    // −Inf, +Inf
	zero     int
	bins     map[int]int // positive x with γ^(k−1) < x ≤ γ^k at k, negative at ^k
}

// A double has a finite binary expansion of at most 2098 bits, a square of one twice as
// many, and 2^62 of them add 62.
const exactBits = 4300

const logBase = 2 * Accuracy // log γ, γ = (1 + a)/(1 − a), to 1e-7 (Masson et al. 2019, doi:10.14778/3352063.3352135)

// Offset of the bins so that the index of the smallest positive double is positive.
const binOffset = 100_000

// Add counts a value.
func (t *Tally) Add(x float64) {
	if math.IsNaN(x) {
		return
	}
	if t.n == 0 {
		t.min, t.max = x, x
	}
	t.n++
	t.min, t.max = min(t.min, x), max(t.max, x)
	switch {
	case math.IsInf(x, -1):
		t.inf[0]++
		return
	case math.IsInf(x, 1):
		t.inf[1]++
		return
	case x == 0:
		t.zero++
		return
	}
	addExact(&t.sum, big.NewFloat(x))
	square := new(big.Float).SetPrec(106).SetFloat64(x)
	addExact(&t.sq, square.Mul(square, square))
	if t.bins == nil {
		t.bins = map[int]int{}
	}
	k := binOffset + int(math.Ceil(math.Log(math.Abs(x))/logBase))
	if x < 0 {
		k = ^k
	}
	t.bins[k]++
}

func addExact(sum, x *big.Float) {
	if sum.Prec() == 0 {
		sum.SetPrec(exactBits)
	}
	sum.Add(sum, x)
}

// Merge counts all values of o.
func (t *Tally) Merge(o *Tally) {
	if o.n == 0 {
		return
	}
	if t.n == 0 {
		t.min, t.max = o.min, o.max
	}
	t.n += o.n
	t.min, t.max = min(t.min, o.min), max(t.max, o.max)
	addExact(&t.sum, &o.sum)
	addExact(&t.sq, &o.sq)
	t.inf[0], t.inf[1], t.zero = t.inf[0]+o.inf[0], t.inf[1]+o.inf[1], t.zero+o.zero
	if t.bins == nil && len(o.bins) > 0 {
		t.bins = map[int]int{}
	}
	for k, c := range o.bins {
		t.bins[k] += c
	}
}

// N returns the number of values.
func (t *Tally) N() int { return t.n }

// Min returns the least value; NaN if there is none.
func (t *Tally) Min() float64 { return t.orNaN(t.min) }

// Max returns the largest value; NaN if there is none.
func (t *Tally) Max() float64 { return t.orNaN(t.max) }

func (t *Tally) orNaN(x float64) float64 {
	if t.n == 0 {
		return math.NaN()
	}
	return x
}

// Variance returns the sample variance; NaN with fewer than two values, or infinite ones.
func (t *Tally) Variance() float64 {
	if t.n < 2 || t.inf != [2]int{} {
		return math.NaN()
	}
	n := new(big.Float).SetPrec(exactBits).SetInt64(int64(t.n))
	square := new(big.Float).SetPrec(2*exactBits).Mul(&t.sum, &t.sum)
	rest := new(big.Float).SetPrec(2*exactBits).Mul(&t.sq, n)
	d, _ := rest.Sub(rest, square).Float64() // n Σx² − (Σx)², exact
	return d / float64(t.n) / float64(t.n-1)
}

// Mean returns the mean and its asymptotically normal interval; with fewer than two
// values, or infinite ones, the bounds are infinite and the confidence is 0.
func (t *Tally) Mean(confidence float64) Interval {
	switch {
	case t.n == 0 || t.inf[0] > 0 && t.inf[1] > 0:
		return unbounded(math.NaN())
	case t.inf[0] > 0:
		return unbounded(math.Inf(-1))
	case t.inf[1] > 0:
		return unbounded(math.Inf(1))
	}
	mean, _ := new(big.Float).SetPrec(exactBits).Quo(&t.sum, big.NewFloat(float64(t.n))).Float64()
	if t.n < 2 {
		return unbounded(mean)
	}
	return normalInterval(mean, math.Sqrt(t.Variance()/float64(t.n)), confidence)
}

func unbounded(x float64) Interval { return Interval{x, math.Inf(-1), math.Inf(1), 0} }

// Quantile returns the p quantile (0 < p < 1), the least value below which, or at which,
// a share p of the values is, and an interval between order statistics that needs no
// assumption on the law. Each is within [Accuracy] of a value. With too few values for
// a bound it is infinite, and the confidence counts it as such.
func (t *Tally) Quantile(p, confidence float64) Interval {
	if t.n == 0 {
		return unbounded(math.NaN())
	}
	lo, hi, achieved := ranks(t.n, p, confidence)
	i := Interval{0, math.Inf(-1), math.Inf(1), achieved}
	keys := make([]int, 0, len(t.bins))
	for k := range t.bins {
		keys = append(keys, k)
	}
	slices.Sort(keys) // ^k is in the order of negative values
	i.Estimate = t.rank(keys, max(1, int(math.Ceil(p*float64(t.n)*(1-1e-15)))))
	if lo >= 1 {
		i.Lo = t.rank(keys, lo)
	}
	if hi <= t.n {
		i.Hi = t.rank(keys, hi)
	}
	return i
}

// rank returns the k-th least value, counted from 1.
func (t *Tally) rank(keys []int, k int) float64 {
	if k -= t.inf[0]; k <= 0 {
		return math.Inf(-1)
	}
	zero := t.zero
	for _, key := range keys {
		if key >= 0 {
			if k -= zero; k <= 0 {
				return 0
			}
			zero = 0
		}
		if k -= t.bins[key]; k <= 0 {
			return min(max(binValue(key), t.min), t.max)
		}
	}
	if k -= zero; k <= 0 {
		return 0
	}
	return math.Inf(1)
}

func binValue(key int) float64 {
	if key < 0 {
		return -binValue(^key)
	}
	upper := math.Exp(float64(key-binOffset) * logBase)
	return upper * (1 - Accuracy) // within Accuracy of both ends of the bin, to second order
}
