package markov

import (
	"fmt"
	"math"
)

// A Chain is a continuous-time Markov chain on the states 0…n−1.
type Chain struct {
	n     int
	band  int       // no rate leads further than this
	start []int     // row i holds the entries start[i]…start[i+1]−1
	to    []int     // where they lead
	rate  []float64 // 1/s
	out   []float64 // total rate out of each state, 1/s
}

// NewChain returns the chain with n states whose rates (1/s) row lists: for state i it
// calls add(j, rate) for every way out. A rate of 0 and a way from a state to itself are
// left out. NewChain panics if n < 1, if j is no state, or if a rate is negative or not
// finite.
func NewChain(n int, row func(i int, add func(j int, rate float64))) *Chain {
	if n < 1 {
		panic(fmt.Sprintf("markov: %d states", n))
	}
	c := &Chain{n: n, start: make([]int, n+1), out: make([]float64, n)}
	for i := range n {
		row(i, func(j int, rate float64) {
			if j < 0 || j >= n || !(rate >= 0) || math.IsInf(rate, 1) {
				panic(fmt.Sprintf("markov: rate %g from state %d to %d of %d", rate, i, j, n))
			}
			if rate == 0 || i == j {
				return
			}
			c.to, c.rate = append(c.to, j), append(c.rate, rate)
			c.out[i] += rate
			c.band = max(c.band, i-j, j-i)
		})
		c.start[i+1] = len(c.to)
	}
	return c
}

// reversible reports whether detailed balance holds for the stationary law pi, up to
// rounding.
func (c *Chain) reversible(pi []float64) bool {
	back := func(i, j int) (sum float64) {
		for k := c.start[j]; k < c.start[j+1]; k++ {
			if c.to[k] == i {
				sum += c.rate[k]
			}
		}
		return sum
	}
	for i := range c.n {
		for k := c.start[i]; k < c.start[i+1]; k++ {
			there, again := pi[i]*back(c.to[k], i), pi[c.to[k]]*back(i, c.to[k])
			if math.Abs(there-again) > 1e-10*math.Max(there, again) {
				return false
			}
		}
	}
	return true
}

// everywhere puts all states into one part.
func everywhere(int) int { return 0 }

// only puts a set into one part and leaves the rest outside.
func only(inside func(int) bool) func(int) int {
	return func(i int) int {
		if inside(i) {
			return 0
		}
		return outside
	}
}
