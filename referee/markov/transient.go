package markov

import (
	"errors"
	"fmt"
	"math"
)

// maxJumps is the most jumps of the uniformised chain that a transient is followed for.
const maxJumps = 20_000_000

// ErrTooManyJumps reports that a transient is longer than can be followed jump by jump.
var ErrTooManyJumps = errors.New("markov: time times the largest rate is too large for uniformisation")

// A Transient is the law of a chain after a while.
type Transient struct {
	Law   []float64
	Error float64 // bound on the total variation distance to the exact law, rounding apart
	Jumps int     // of the uniformised chain that were followed
}

// Transient returns the law after t seconds from the law start (which sums to 1 or less),
// by uniformisation (Jensen 1953; Stewart 1994, section 8.2) with an error below tol,
// default 1e-10. If limit is not nil, it is the law in which the chain ends, and the sum
// stops once the jump chain is that near to it: its distance to a stationary law never
// grows. Pass the stationary law, or all zeros where every state is left for good. It
// fails with [ErrTooManyJumps] if more than 20 million jumps are needed.
func (c *Chain) Transient(start []float64, t float64, limit []float64, tol float64) (*Transient, error) {
	if len(start) != c.n || limit != nil && len(limit) != c.n || !(t >= 0) {
		panic(fmt.Sprintf("markov: a transient of %g s with %d probabilities for %d states", t, len(start), c.n))
	}
	if tol == 0 {
		tol = 1e-10
	}
	top := 0.0
	for _, q := range c.out {
		top = math.Max(top, q)
	}
	mean := math.Min(top*t, 1e15) // beyond, nothing but the limit is reached
	from, weight := poisson(mean, tol/2)
	if limit == nil && from+len(weight) > maxJumps {
		return nil, ErrTooManyJumps
	}
	p, dp := append([]float64(nil), start...), make([]float64, c.n)
	out := &Transient{Law: make([]float64, c.n), Error: tol / 2}
	left := 1.0
	for k := range from + len(weight) {
		if k >= from {
			axpy(weight[k-from], p, out.Law)
			left -= weight[k-from]
		}
		if k == from+len(weight)-1 {
			break
		}
		if limit != nil && k%32 == 0 {
			if d := distance(p, limit); d <= tol/2 {
				axpy(left, limit, out.Law)
				out.Error, out.Jumps = out.Error+d*left, k
				return out, nil
			}
		}
		if k > maxJumps {
			return nil, ErrTooManyJumps
		}
		c.flow(dp, p)
		axpy(1/top, dp, p)
		for i, x := range p {
			p[i] = math.Max(x, 0) // rounding where a state is left at the top rate
		}
		out.Jumps = k + 1
	}
	return out, nil
}

// distance is the total variation distance, or the mass of p where q is zero.
func distance(p, q []float64) (sum float64) {
	for i := range p {
		sum += math.Max(p[i]-q[i], 0)
	}
	return sum
}

// poisson returns the probabilities of from, from+1, … that hold all but tol of the
// Poisson law; they are made from the mode outward, so that none underflows that counts
// (Fox & Glynn 1988, doi:10.1145/42404.42409). They are scaled to add up to 1.
func poisson(mean, tol float64) (from int, weight []float64) {
	if mean == 0 {
		return 0, []float64{1}
	}
	mode := int(mean)
	// Chernoff: P(|N−m| ≥ x) ≤ 2 exp(−x²/(2(m + x/3))).
	l := math.Log(2 / tol)
	reach := l/3 + math.Sqrt(l*l/9+2*l*mean) + 1
	from = max(0, int(mean-reach))
	weight = make([]float64, int(mean+reach)+1-from)
	weight[mode-from] = 1
	for k := mode; k > from; k-- {
		weight[k-1-from] = weight[k-from] * float64(k) / mean
	}
	for k := mode + 1; k-from < len(weight); k++ {
		weight[k-from] = weight[k-1-from] * mean / float64(k)
	}
	normalize(weight)
	return from, weight
}
