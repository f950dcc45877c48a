package model

import "math"

// restDropped is rest where queries of mean work w past their deadline are dropped
// unserved: the share p of them, so that β = ρ(1 − r)(1 − p), with the same second
// moment. A longer queue drops more; the mean is where as much is accepted as completed.
func (c *pool) restDropped(rho, b, mu, kappa, w float64) (n, v, r float64) {
	if rho <= 0 {
		return 0, 0, 0
	}
	p := poolFlow{mu: mu, b: b}
	excess := func(n float64) float64 {
		if n <= 0 {
			return rho
		}
		r = c.refused(n, kappa)
		beta := 0.0
		v, beta = c.varianceOf(n, b, kappa*rho*r)
		p.n, p.v = n, v
		return rho*(1-r)*(1-c.timeoutOf(&p, w, false, nil)) - beta
	}
	hi := c.limit
	for top := mu*c.tau + w; top < hi; top *= 2 { // by then nearly all are late
		if excess(top) <= 0 {
			hi = top
		}
	}
	n = root(excess, 0, hi, 1e-16)
	excess(n)
	return n, v, r
}

// varianceOf returns the variance at which the second moment of a queue with mean n
// stands still, and the share of the time it is busy then:
//
//	b β = n (1 − β) + damp v/n,  β = busy(n, v).
//
// More variance, less busy: one root.
func (c *pool) varianceOf(n, b, damp float64) (v, busy float64) {
	x := root(func(x float64) float64 {
		v = math.Exp(x)
		busy, _, _, _ = c.law.busy(n, v, b)
		return b*busy - n*(1-busy) - damp*v/n
	}, math.Log(1e-12*n*b), math.Log(1e6*n*(n+b)), 1e-16)
	v = math.Exp(x)
	busy, _, _, _ = c.law.busy(n, v, b)
	return v, busy
}
