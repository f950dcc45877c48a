package model

import (
	"math"

	"github.com/metastable/metastable/internal/special"
)

// tailGrad is the gradient of a time-out probability.
type tailGrad struct {
	dn, dv, db, dw float64
}

// timeoutOf returns the probability that a query of nominal work w waits longer than
// the time-out at one shard, and that it does not, each to its own rounding.
//
// First come first served: the sojourn has mean (n + w)/μ and variance
// (v + b n + c_s² w²)/μ², and the queue's law gives it its shape. Of queries dropped past
// their deadline see droppedLate. Processor sharing: the query times
// out when its work, Gamma with mean w, exceeds what its share of the server gives it.
func (c *pool) timeoutOf(p *poolFlow, w float64, grad bool, d *tailGrad) (late, inTime float64) {
	if math.IsInf(c.tau, 1) {
		return 0, 1
	}
	if c.ps {
		return c.shareOut(p, w, grad, d)
	}
	if c.drop {
		return c.droppedLate(p, w, grad, d)
	}
	mean, spread := p.n+w, p.v+p.b*p.n+c.cs*w*w
	budget := p.mu * c.tau
	if mean <= 0 || spread <= tiny {
		if mean <= budget {
			return 0, 1
		}
		return 1, 0
	}
	if !grad {
		return c.law.late(mean, spread, budget)
	}
	late, inTime, dMean, dSpread := c.law.lateGrad(mean, spread, budget)
	*d = tailGrad{
		dn: dMean + dSpread*p.b,
		dv: dSpread,
		db: dSpread * p.n,
		dw: dMean + dSpread*2*c.cs*w,
	}
	return late, inTime
}

// psShape is the Gamma shape of one query's work under processor sharing.
func (c *pool) psShape() float64 { return 1 / max(c.cs, 1e-4) }

func (c *pool) shareOut(p *poolFlow, w float64, grad bool, d *tailGrad) (late, inTime float64) {
	if w <= 0 {
		return 0, 1
	}
	k, u := c.psShape(), 1+max(p.n, 0)/p.b
	x := k * p.mu * c.tau / (w * u)
	if !grad {
		return special.GammaQ(k, x)
	}
	late, inTime, _, dx := special.GammaQGrad(k, x)
	*d = tailGrad{
		dn: -dx * x / (u * p.b),
		db: dx * x * p.n / (u * p.b * p.b),
		dw: -dx * x / w,
	}
	return late, inTime
}

// queue computes the drift of a pool's moments and what its closure variables have
// to be.
func (s *System) queue(i int, grad bool) {
	c, p, ix := &s.now.par.pool[i], &s.work.pool[i], &s.lay.core
	s.mix(i, grad)
	if c.curve != nil {
		return
	}
	in, iv, ib := ix.n[i], ix.v[i], ix.b[i]

	// Accepted work.
	accept := 1 - p.r
	a := p.load * accept
	if grad {
		clear(p.gDn)
		axpy(p.gDn, accept, p.gLoad)
		axpy(p.gDn, -p.load, p.gR)
	}
	var past expired
	offered := a // to those in time
	if c.drops() {
		past = c.expiry(p.n, p.v, p.b, p.mu, grad)
		a *= past.inTime
		if grad {
			for _, d := range []*[3]float64{&past.dp, &past.dSteady} {
				d[0], d[2] = p.alongSpread(d[0], d[1], d[2])
			}
			axpy(p.gDv, -2*past.steady, p.gDn)
			for k, j := range [3]int{in, iv, ib} {
				p.gDv[j] -= 2 * offered * past.dSteady[k]
			}
			for j := range p.gDn {
				p.gDn[j] *= past.inTime
			}
			for k, j := range [3]int{in, iv, ib} {
				p.gDn[j] -= offered * past.dp[k]
			}
		}
	}

	if c.ps {
		s.psDrift(i, a, grad)
	} else {
		busy, bn, bv, bb := c.law.busy(p.n, p.v, p.b)
		if grad && c.drops() {
			bn, bb = p.alongSpread(bn, bv, bb)
		}
		out, damp := p.mu*busy, 2*p.mu*p.n
		p.dn = a - out
		p.dv = p.b*(a+out) - damp*(1-busy) - 2*offered*past.steady
		if grad {
			axpy(p.gDv, p.b, p.gDn)
			g := p.b*p.mu + damp
			p.gDv[in] += g*bn - 2*p.mu*(1-busy)
			p.gDv[iv] += g * bv
			p.gDv[ib] += g*bb + a + out
			p.gDn[in] -= p.mu * bn
			p.gDn[iv] -= p.mu * bv
			p.gDn[ib] -= p.mu * bb
		}
	}
	s.damp(i, grad)
	if c.drops() { // the spread v + b n is the state
		p.dv += p.b * p.dn
		if grad {
			axpy(p.gDv, p.b, p.gDn)
			p.gDv[ib] += p.dn
		}
	}
}

// damp is the linear-noise damping of the state-dependent acceptance: 2 κ W r v/n.
func (s *System) damp(i int, grad bool) {
	c, p, ix := &s.now.par.pool[i], &s.work.pool[i], &s.lay.core
	in, iv, ib := ix.n[i], ix.v[i], ix.b[i]
	if p.r == 0 {
		return
	}
	h := 2 * p.kappa * p.load * p.r / p.n
	p.dv -= h * p.v
	if grad {
		axpy(p.gDv, -2*p.kappa*p.r*p.v/p.n, p.gLoad)
		axpy(p.gDv, -2*p.kappa*p.load*p.v/p.n, p.gR)
		p.gDv[iv] -= h
		p.gDv[in] += h * p.v / p.n
		if c.drops() {
			dn, db := p.alongSpread(0, -h, 0)
			p.gDv[in] += dn
			p.gDv[ib] += db
		}
		if p.kappa < mostOrder && p.kappa > leastOrder {
			p.gDv[ib] += h * p.v / p.b // κ ∝ 1/b
		}
	}
}

// mix computes the closure variables of a pool from the mix of its queries: b, the
// mean residual query (first come first served) or the mean nominal query in system, Σ λ w²/Σ λ w,
// where large ones stay longer (processor sharing), or the load (measured curve); and the
// common share.
func (s *System) mix(i int, grad bool) {
	c, p := &s.now.par.pool[i], &s.work.pool[i]
	top, bottom, gTop, gBottom := p.second, 2*p.load, p.gSecond, p.gLoad
	empty := (c.cs + c.ca) / 2 // what single point reads would bring
	half := 0.5
	if c.ps { // the mean of what is met in system
		top, bottom, gTop = p.raw, (1+c.cs)*p.load, p.gRaw
		empty, half = 1, 1/(1+c.cs)
	}
	switch {
	case c.curve != nil:
		p.bNew = p.load
		if grad {
			axpy(p.gB, 1, p.gLoad)
		}
	case bottom > 0 && top > 0:
		p.bNew = top / bottom
		if grad && bottom > 1e-100 { // below, rounding is all that is left of a slope
			axpy(p.gB, 1/bottom, gTop)
			axpy(p.gB, -p.bNew/(half*bottom), gBottom)
		}
	default:
		p.bNew = empty
	}
	p.shareNew = 0
	switch {
	case c.corr >= 0:
		p.shareNew = c.corr
	case p.raw > 0:
		p.shareNew = p.common / p.raw
		if grad && p.raw > 1e-100 {
			axpy(p.gShare, 1/p.raw, p.gCommon)
			axpy(p.gShare, -p.shareNew/p.raw, p.gRaw)
		}
	}
}

// psDrift is the drift under processor sharing in units of the query b, the
// caller's kill freeing the server: with u = 1 + n/b, c = μτ/(b u) the work a query
// gets before its time-out, E = E[min(w, c)] and q = P(w > c), w Gamma with mean 1,
//
//	D = μ (n/b)/(u E),  D′ = (μ/b) (E + (n/b) q c)/(u² E²).
func (s *System) psDrift(i int, a float64, grad bool) {
	c, p, ix := &s.now.par.pool[i], &s.work.pool[i], &s.lay.core
	at := c.share(p.n, p.b, p.mu)
	n1, u, x, e, q, dq := at.n1, at.u, at.x, at.e, at.q, at.dq
	num, den, done, slope := at.num, at.den, at.done, at.slope
	p.dn = a - done
	p.dv = p.b*(a*c.ca+done) - 2*slope*p.v
	if !grad {
		return
	}
	in, iv, ib := ix.n[i], ix.v[i], ix.b[i]
	// Partial derivatives of num/den in n1 and in c, then c's own.
	dN := q*x/den - 2*num/(den*u)
	dC := (q+n1*(q+x*dq))/den - 2*num*q/(den*e)
	total := dN - dC*x/u // along n1: dc/dn1 = −c/u
	slopeN := p.mu / p.b * total / p.b
	slopeB := -slope/p.b + p.mu/p.b*(-total*n1/p.b-dC*x/p.b)
	// D depends on b through n1 and c: dD/db = −D′ n/b − (∂D/∂c) c/b.
	doneB := -slope*n1 + done/e*q*x/p.b
	axpy(p.gDv, p.b*c.ca, p.gDn)
	p.gDv[in] += p.b*slope - 2*slopeN*p.v
	p.gDv[iv] -= 2 * slope
	p.gDv[ib] += a*c.ca + done + p.b*doneB - 2*slopeB*p.v
	p.gDn[in] -= slope
	p.gDn[ib] -= doneB
}

// psPoint is a processor-sharing shard with work n: n1 = n/b, u = 1 + n1, the work x a
// query gets before its time-out, e = E[min(w, x)], q = P(w > x) and its derivative,
// the completed work D = done and D′ = slope = (μ/b) num/den.
type psPoint struct {
	n1, u, x, e, q, dq, num, den, done, slope float64
}

func (c *pool) share(n, b, mu float64) psPoint {
	k := c.psShape()
	d := psPoint{n1: max(n, 0) / b, e: 1}
	d.u = 1 + d.n1
	if !math.IsInf(c.tau, 1) {
		d.x = mu * c.tau / (b * d.u)
		var dx float64
		d.q, _, _, dx = special.GammaQGrad(k, k*d.x)
		d.dq = dx * k
		_, within := special.GammaQ(k+1, k*d.x)
		d.e = within + d.x*d.q
	}
	d.done = mu * d.n1 / (d.u * d.e)
	d.num, d.den = d.e+d.n1*d.q*d.x, d.u*d.u*d.e*d.e
	d.slope = mu / b * d.num / d.den
	return d
}
