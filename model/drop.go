package model

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// expired is what becomes of arrivals at a queue that drops what is past its deadline. The
// work V found by an arrival has the mean n and the variance s = v + b n; the query is served
// if V is below the budget μτ, late or not:
//
//	p = P(V > μτ),  steady = −Cov(V, served) = n X^k e^{−X}/Γ(k + 1),
//
// of a Gamma law with k = n²/s and X = k μτ/n. That covariance keeps s near (b/θ)², θ the
// excess of the load, where without it s would grow as in a queue that nothing holds:
//
//	dv/dt = b (a + out) − 2 μ n P0 − 2 W steady.
//
// v itself may become negative, down to −b n: then the number of queries varies with their
// sizes in such a way that the time to serve them does not. So it is s that is a state here:
// when the mix changes, and b with it, what waits takes the time to serve that it took.
type expired struct {
	p, inTime   float64
	steady      float64
	dp, dSteady [3]float64 // in n, v, b
}

// varianceIn returns v of a pool in the state y, where a pool that drops holds s.
func (c *pool) varianceIn(y []float64, l *poolLayout) float64 {
	if c.drops() {
		return y[l.v] - y[l.b]*y[l.n]
	}
	return y[l.v]
}

// setVariance is the way back, n and b being in y.
func (c *pool) setVariance(y []float64, l *poolLayout, v float64) {
	if y[l.v] = v; c.drops() {
		y[l.v] += y[l.b] * y[l.n]
	}
}

// alongSpread turns slopes in n and b at one v into those at one s.
func (p *poolFlow) alongSpread(dn, dv, db float64) (n, b float64) {
	return dn - p.b*dv, db - p.n*dv
}

func (c *pool) expiry(n, v, b, mu float64, grad bool) (e expired) {
	budget, s := mu*c.tau, v+b*n
	e.inTime = 1
	switch {
	case n <= 0:
		return e
	case s <= 1e-12*n*n:
		if n > budget {
			e.p, e.inTime = 1, 0
		}
		return e
	}
	k, x := n*n/s, n*budget/s
	lg, _ := math.Lgamma(k + 1)
	density := math.Exp(k*math.Log(x) - x - lg)
	e.steady = n * density
	if !grad {
		e.p, e.inTime = c.law.late(n, s, budget)
		return e
	}
	var dMean, dSpread float64
	e.p, e.inTime, dMean, dSpread = c.law.lateGrad(n, s, budget)
	byK, byX := e.steady*(math.Log(x)-mathext.Digamma(k+1)), e.steady*(k/x-1)
	sMean := density + (2*byK*k+byX*x)/n
	sSpread := -(byK*k + byX*x) / s
	e.dp = [3]float64{dMean + dSpread*b, dSpread, dSpread * n}
	e.dSteady = [3]float64{sMean + sSpread*b, sSpread, sSpread * n}
	return e
}

// droppedLate is the probability that a query of work w is not answered in time: it is past
// its deadline when its turn comes, or its own service lasts too long. At the deadline the work
// found falls off, over a length b/θ below and b above, such that of those with little time
// left the share w θ/(b + w θ), θ = p/(1 − p), is late. With exponential work this is exact at
// saturation: a share μ/W is served and (μ/W)² in time, as in the M/M/1 queue with deadlines.
func (c *pool) droppedLate(q *poolFlow, w float64, grad bool, d *tailGrad) (p, inTime float64) {
	e := c.expiry(q.n, q.v, q.b, q.mu, grad)
	den := q.b*e.inTime + w*e.p
	late, early := w*e.p/den, q.b*e.inTime/den
	own := poolFlow{mu: q.mu}
	alone := *c
	alone.drop = false
	var long tailGrad
	service, served := alone.timeoutOf(&own, w, grad, &long)
	if grad {
		dLate := [3]float64{w * q.b / (den * den), -w * e.p * e.inTime / (den * den), e.p * q.b * e.inTime / (den * den)} // in p, b, w
		byP := served*early + served*e.inTime*dLate[0]
		*d = tailGrad{
			dn: byP * e.dp[0],
			dv: byP * e.dp[1],
			db: byP*e.dp[2] + served*e.inTime*dLate[1],
			dw: served*e.inTime*dLate[2] + e.inTime*early*long.dw,
		}
	}
	return e.p + e.inTime*(late+early*service), e.inTime * early * served
}

// restDropped is rest where queries past their deadline are dropped unserved: the share p
// of them, so that β = ρ(1 − r)(1 − p), with the second moment at rest. A longer queue drops
// more; the mean is where as much is accepted as completed.
func (c *pool) restDropped(rho, b, mu, kappa float64) (n, v, r float64) {
	if rho <= 0 {
		return 0, 0, 0
	}
	excess := func(n float64) float64 {
		if n <= 0 {
			return rho
		}
		r = c.refused(n, kappa)
		beta := 0.0
		v, beta = c.varianceOf(n, b, mu, rho*(1-r), kappa*rho*r)
		return rho*(1-r)*c.expiry(n, v, b, mu, false).inTime - beta
	}
	hi := c.limit
	for top := mu*c.tau + b; top < hi; top *= 2 { // by then nearly all are late
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
//	b β = n (1 − β) + damp v/n + ρ (1 − r) steady,  β = busy(n, v).
//
// More variance, less busy and more steady: one root.
func (c *pool) varianceOf(n, b, mu, accept, damp float64) (v, busy float64) {
	at := func(x float64) float64 {
		v = math.Exp(x) - b*n
		busy, _, _, _ = c.law.busy(n, v, b)
		return b*busy - n*(1-busy) - damp*v/n - accept*c.expiry(n, v, b, mu, false).steady
	}
	at(root(at, math.Log(1e-10*n*(n+b)), math.Log(1e6*n*(n+b)), 1e-16))
	return v, busy
}
