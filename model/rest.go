package model

import "math"

// rest returns the mean and the variance of the work at a shard whose queue is at
// rest under the offered load rho (share of the capacity) with the mean residual
// query b, the probability r that a query is refused and the exponent kappa of the
// soft limit. Without a limit and with rho ≥ 1 there is no rest: n and v are +Inf.
//
// At rest the accepted work is the completed, busy(n, v) = β = ρ(1 − r), and the second
// moment stands still, b β = n (1 − β) + κ ρ r v/n.
func (c *pool) rest(rho, b, mu float64) (n, v, r, kappa float64) {
	kappa = c.exponent(b)
	limited := !math.IsInf(c.limit, 1)
	switch {
	case rho <= 0:
		return 0, 0, 0, kappa
	case c.ps:
		n, v, r = c.restShared(rho, b, mu, kappa)
		return n, v, r, kappa
	case rho >= 1 && !limited:
		return math.Inf(1), math.Inf(1), 0, kappa
	case rho >= 1:
		n, v, r = c.restFull(rho, b, kappa)
		return n, v, r, kappa
	}
	n = b * rho / (1 - rho) // refusals only shorten the queue
	if !limited || c.refused(n, kappa) < 1e-18*(1-rho) {
		return n, n * (n + b), c.refused(n, kappa), kappa
	}
	n = root(func(n float64) float64 {
		r := c.refused(n, kappa)
		beta := rho * (1 - r)
		if n <= 0 {
			return b
		}
		return b*beta - n*(1-beta) - kappa*rho*r*varianceAt(c.law, n, b, beta)/n
	}, 0, min(n, c.limit), 1e-16)
	r = c.refused(n, kappa)
	return n, varianceAt(c.law, n, b, rho*(1-r)), r, kappa
}

// restFull is rest in overload, where shards are hardly ever idle: the idle
// probability q = 1 − β gives r, n and v in turn, and the law gives q back.
func (c *pool) restFull(rho, b, kappa float64) (n, v, r float64) {
	at := func(q float64) {
		r = (rho - 1 + q) / rho
		n = c.limit * math.Pow(r, 1/kappa)
		v = n * (b*(1-q) - n*q) / (kappa * rho * r)
	}
	at(0)
	at(root(func(q float64) float64 {
		if at(q); v <= 0 || n == 0 {
			return -q
		}
		busy, _, _, _ := c.law.busy(n, v, b)
		return 1 - busy - q
	}, 0, 1, 1e-17))
	return n, v, r
}

// varianceAt returns the variance at which a shard with mean n is busy with
// probability beta: Newton's method on its logarithm, kept in a bracket.
func varianceAt(l queueLaw, n, b, beta float64) float64 {
	if beta <= 0 {
		return 0
	}
	lo, hi := math.Log(1e-12*n*b), math.Log(1e12*n*(n+b))
	x := math.Log(n * (n + b))
	for range 200 {
		v := math.Exp(x)
		p, _, dv, _ := l.busy(n, v, b)
		if p > beta { // more variance, more idle time
			lo = x
		} else {
			hi = x
		}
		next := x - (p-beta)/(dv*v)
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-x) <= 1e-15*(1+math.Abs(x)) || hi-lo <= 1e-15*(1+math.Abs(x)) {
			return math.Exp(next)
		}
		x = next
	}
	return math.Exp(x)
}

// restShared is rest under processor sharing: accepted work equals completed work.
func (c *pool) restShared(rho, b, mu, kappa float64) (n, v, r float64) {
	hi := c.limit
	switch {
	case math.IsInf(c.tau, 1) && rho < 1:
		hi = min(hi, b*rho/(1-rho)*(1+1e-12))
	case math.IsInf(c.tau, 1) && math.IsInf(hi, 1):
		return math.Inf(1), math.Inf(1), 0
	case !math.IsInf(c.tau, 1):
		hi = min(hi, 2*(rho*mu*c.tau+10*b)) // all are killed by then
	}
	n = root(func(n float64) float64 { return rho*(1-c.refused(n, kappa)) - c.share(n, b, mu).done/mu }, 0, hi, 1e-16)
	r = c.refused(n, kappa)
	at := c.share(n, b, mu)
	return n, b * (rho*mu*(1-r)*c.ca + at.done) / (2*at.slope + 2*kappa*rho*mu*r/n), r
}
