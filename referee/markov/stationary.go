package markov

import "math"

// Stationary returns the stationary law of an irreducible chain, to nearly full relative
// accuracy in every component. It fails with [ErrUnreachable] if state 0 cannot be
// reached from every state.
func (c *Chain) Stationary() ([]float64, error) {
	e := newElimination(c)
	if err := e.factor(c, everywhere, 0); err != nil {
		return nil, err
	}
	return e.stationary(), nil
}

// stationary reads the law off the factors of the whole chain with the root at 0.
func (e *elimination) stationary() []float64 {
	p := make([]float64, e.n)
	p[0] = 1
	const big = 1e200
	for i := range e.n { // as solveLeft ends, from the root
		if p[i] > big { // state 0 is rarer than a float can say beside the others
			for j := range min(e.n, i+e.band) {
				p[j] /= big
			}
		}
		if to := min(e.n, i+1+e.band); i+1 < e.n {
			axpy(p[i], e.row(i, i+1, to), p[i+1:to])
		}
	}
	normalize(p)
	return p
}

// normalize divides p ≥ 0 by its sum and returns the sum.
func normalize(p []float64) float64 {
	most := 0.0
	for _, x := range p {
		most = math.Max(most, x)
	}
	sum := 0.0
	for i := range p {
		p[i] /= most // the sum cannot overflow
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return sum * most
}

// HittingTimes returns, for every start, mean (s) and second moment (s²) of the time until
// the chain is in the target; 0 for starts inside it. It fails with [ErrUnreachable]
// if the target is not reached from everywhere.
func (c *Chain) HittingTimes(target func(state int) bool) (mean, second []float64, err error) {
	e := newElimination(c)
	if err := e.factor(c, only(func(i int) bool { return !target(i) }), 0); err != nil {
		return nil, nil, err
	}
	mean, second = e.hitting(target)
	return mean, second, nil
}

// hitting reads both moments off the factors outside the target: −Q m₁ = 1, −Q m₂ = 2 m₁.
func (e *elimination) hitting(target func(int) bool) (mean, second []float64) {
	mean, second = make([]float64, e.n), make([]float64, e.n)
	for i := range mean {
		if !target(i) {
			mean[i] = 1
		}
	}
	e.solve(mean)
	for i, m := range mean {
		second[i] = 2 * m
	}
	e.solve(second)
	return mean, second
}

// Committor returns, for every start, the probability that the chain is in b before it is
// in a, two sets without a common state. It fails with [ErrUnreachable] if neither is
// reached from somewhere.
func (c *Chain) Committor(a, b func(state int) bool) ([]float64, error) {
	return newElimination(c).committor(c, a, b)
}

func (e *elimination) committor(c *Chain, a, b func(int) bool) ([]float64, error) {
	if err := e.factor(c, only(func(i int) bool { return !a(i) && !b(i) }), 0); err != nil {
		return nil, err
	}
	q := make([]float64, c.n)
	for i := range c.n {
		switch {
		case b(i):
			q[i] = 1
		case !a(i):
			for k := c.start[i]; k < c.start[i+1]; k++ {
				if b(c.to[k]) {
					q[i] += c.rate[k]
				}
			}
		}
	}
	e.solve(q)
	return q, nil
}
