package markov

import (
	"errors"
	"fmt"
	"math"
	"slices"
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
// default 1e-9. Probabilities too small to count are left out and counted as errors. The sum
// ends early in a steady state, be it for good or for long: how far a law moves by one
// jump never grows, so that what is left of the way bounds what is left of the change. It
// fails with [ErrTooManyJumps] if 20 million jumps do not suffice.
func (c *Chain) Transient(start []float64, t, tol float64) (*Transient, error) {
	if len(start) != c.n || !(t >= 0) {
		panic(fmt.Sprintf("markov: a transient of %g s with %d probabilities for %d states", t, len(start), c.n))
	}
	if tol == 0 {
		tol = 1e-9
	}
	top := slices.Max(c.out)
	mean := math.Min(top*t, 1e15) // beyond, nothing but a steady state is reached
	from, weight := poisson(mean, tol/4)
	end := from + len(weight) - 1
	w := newWalk(c, start, top, tol/16/float64(min(end, maxJumps)+1)) // less than what ends the sum
	out := &Transient{Law: make([]float64, c.n), Error: tol / 4}
	left := 1.0
	for k := 0; ; k++ {
		if k >= from {
			w.add(out.Law, weight[k-from])
			left -= weight[k-from]
		}
		if out.Jumps = k; k == end {
			break
		}
		moved := w.jump()
		if rest := moved * float64(end-k); rest <= tol/2 {
			w.add(out.Law, math.Max(left, 0))
			out.Error += rest
			break
		}
		if k == maxJumps {
			return nil, ErrTooManyJumps
		}
	}
	out.Error += w.lost
	return out, nil
}

// A walk is the law of a uniformised chain, kept where it is not negligible.
type walk struct {
	c       *Chain
	top     float64 // jumps per second
	p, dp   []float64
	support []int // the states where p or dp may be positive
	in      []bool
	cut     float64 // what a jump may lose
	lost    float64
}

func newWalk(c *Chain, start []float64, top, cut float64) *walk {
	w := &walk{c: c, top: top, p: slices.Clone(start), dp: make([]float64, c.n), in: make([]bool, c.n), cut: cut}
	for i, x := range start {
		if x > 0 {
			w.support, w.in[i] = append(w.support, i), true
		}
	}
	return w
}

// add adds a multiple of the law to dst.
func (w *walk) add(dst []float64, weight float64) {
	for _, i := range w.support {
		dst[i] += weight * w.p[i]
	}
}

// jump makes one jump and returns how far the law moved in ‖·‖₁.
func (w *walk) jump() (moved float64) {
	c, spare := w.c, w.cut
	kept := w.support[:0]
	for _, i := range w.support { // the rarest go, as long as what they hold may be lost
		if x := w.p[i]; x <= spare/16 {
			spare -= x
			w.lost += x
			w.p[i], w.in[i] = 0, false
			continue
		}
		kept = append(kept, i)
	}
	w.support = kept
	for _, i := range w.support[:len(kept):len(kept)] {
		x := w.p[i] / w.top
		w.dp[i] -= x * c.out[i]
		for k := c.start[i]; k < c.start[i+1]; k++ {
			j := c.to[k]
			w.dp[j] += x * c.rate[k]
			if !w.in[j] {
				w.support, w.in[j] = append(w.support, j), true
			}
		}
	}
	for _, i := range w.support {
		moved += math.Abs(w.dp[i])
		w.p[i] = math.Max(w.p[i]+w.dp[i], 0) // rounding where a state is left at the top rate
		w.dp[i] = 0
	}
	return moved
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
