package model

import "math"

// rest returns the mean and the variance of the work at a shard whose queue is at
// rest under the offered load rho (share of the capacity) with the mean residual
// query b and the exponent kappa of the soft limit, and the probability r that a query is
// refused. Without a limit and with rho ≥ 1 there is no rest: n and v are +Inf.
//
// At rest the accepted work is the completed, busy(n, v) = β = ρ(1 − r), and the second
// moment stands still, b β = n (1 − β) + κ ρ r v/n.
func (c *pool) rest(rho, b, mu, kappa float64) (n, v, r float64) {
	limited := !math.IsInf(c.limit, 1)
	switch {
	case rho <= 0:
		return 0, 0, 0
	case c.ps:
		return c.restShared(rho, b, mu, kappa)
	case rho >= 1 && !limited:
		return math.Inf(1), math.Inf(1), 0
	case rho >= 1:
		return c.restFull(rho, b, kappa)
	}
	n = b * rho / (1 - rho) // refusals only shorten the queue
	r = c.refused(n, kappa)
	switch {
	case !limited || r < 1e-18*(1-rho):
		return n, n * (n + b), r
	case kappa*r*n > b: // they decide how long it gets
		return c.restFull(rho, b, kappa)
	}
	return c.restLimited(rho, b, kappa, n)
}

// lastStep is the relative size of a Newton step after which the next would be
// rounding: the iterations of this file converge quadratically.
const lastStep = 1e-9

// restLimited is rest below capacity with few refusals: Newton's method on the second
// moment, bracketed by an empty queue and by most, the queue without refusals, with
// the variance that the first moment asks for at each n.
func (c *pool) restLimited(rho, b, kappa, most float64) (n, v, r float64) {
	lo, hi := 0.0, most
	n, v = hi, hi*(hi+b)
	for range 200 {
		r = c.refused(n, kappa)
		beta := rho * (1 - r)
		var dn, dv float64
		v, dn, dv = varianceAt(c.law, n, b, beta, v)
		gone := kappa * rho * r / n
		excess := b*beta - n*(1-beta) - gone*v // falls as n grows
		if excess > 0 {
			lo = n
		} else {
			hi = n
		}
		dbeta := -gone // of β along n; then the variance follows by dv/dn = (β′ − ∂P/∂n)/(∂P/∂v)
		slope := (b+n)*dbeta - (1 - beta) - gone*((kappa-1)*v/n+(dbeta-dn)/dv)
		next := n - excess/slope
		if math.Abs(next-n) <= lastStep*n || hi-lo <= 1e-15*hi {
			n = next
			break
		}
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		n = next
	}
	r = c.refused(n, kappa)
	v, _, _ = varianceAt(c.law, n, b, rho*(1-r), v)
	return n, v, r
}

// restFull is rest near capacity and beyond, where shards are hardly ever idle: the mean n gives
// r, the idle probability q = 1 − ρ(1 − r) and v in turn, and the law gives q back. Newton's method
// on ln q − ln P0, which is nearly linear in n, kept in a bracket.
func (c *pool) restFull(rho, b, kappa float64) (n, v, r float64) {
	const certain = 1e-12 // of q: below it rounding of r decides, not n
	var q float64
	set := func(mean, refused, idle float64) {
		n, r, q = mean, refused, idle
		v = n * (b*(1-q) - n*q) / (kappa * rho * r)
	}
	at := func(mean float64) {
		r := c.refused(mean, kappa)
		set(mean, r, max(0, 1-rho*(1-r)))
	}
	fromIdle := func(q float64) {
		r := (rho - 1 + q) / rho
		set(c.limit*math.Pow(r, 1/kappa), r, q)
	}
	lo, hi := 0.0, c.limit
	at(min(hi, c.limit*math.Pow(b/(kappa*c.limit), 1/(kappa+1)))) // refusals begin to decide
	if q == 0 {
		fromIdle(0)
		lo = n
		busy, _, _, _ := c.law.busy(n, v, b)
		if fromIdle(1 - busy); q < certain {
			busy, _, _, _ = c.law.busy(n, v, b)
			fromIdle(1 - busy)
			return n, v, r
		}
	}
	for range 200 {
		if v <= 0 {
			hi = n
			at(lo + (hi-lo)/2)
			continue
		}
		busy, dn, dv, _ := c.law.busy(n, v, b)
		idle := 1 - busy
		if idle < q {
			hi = n
		} else {
			lo = n
		}
		slopeV := v*(1-kappa)/n - (b + n) - n*q/(kappa*rho*r)
		bend := kappa * rho * r / (n * q) // of ln q
		step := math.Log(q/idle) / (bend + (dn+dv*slopeV)/idle)
		next := n - step
		if math.Abs(step)*max(bend, 1/n) <= lastStep {
			at(next)
			break
		}
		if !(next > lo && next < hi) {
			if hi-lo <= 1e-15*hi {
				break
			}
			next = lo + (hi-lo)/2
		}
		at(next)
	}
	return n, v, r
}

// varianceAt returns the variance at which a shard with mean n is busy with probability
// beta, and the derivatives of that probability: Newton's method, kept in a bracket, on
// the logarithms of the variance, from a guess on, and of the idle probability.
func varianceAt(l queueLaw, n, b, beta, guess float64) (v, dn, dv float64) {
	lo, hi := math.Log(1e-12*n*b), math.Log(1e12*n*(n+b))
	x := math.Log(guess)
	if beta <= 0 || !(x > lo && x < hi) {
		x = math.Log(n * (n + b))
	}
	for range 200 {
		v = math.Exp(x)
		var p float64
		p, dn, dv, _ = l.busy(n, v, b)
		if beta <= 0 {
			return 0, dn, dv
		}
		if p > beta { // more variance, more idle time
			lo = x
		} else {
			hi = x
		}
		next := x + math.Log1p((beta-p)/(1-beta))*(1-p)/(dv*v)
		if math.Abs(next-x) <= lastStep || hi-lo <= 1e-15*(1+math.Abs(x)) {
			x = next
			break
		}
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		x = next
	}
	return math.Exp(x), dn, dv
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
