package model

import (
	"math"

	"github.com/metastable/metastable/internal/special"
)

// The bins of a class are moved by a few scalars, its drives. An ordinary class has
// one: the rate of its reads that fill, Φ = Ã o, where Ã is its rate of requests,
// attempts included, and o the probability that a read succeeds.
const (
	driveFill   = iota // Φ (1/s)
	driveFlight        // reads of the class during one that fills: late answers and coalesced fetches land after a sojourn
	driveSpoil         // Ψ = Ã min(R, τ)(1 − o): reads under way that will delete a fill
	driveDelete        // Δ = Ã validate (1 − o) (1/s): failed validations delete
	driveAccess        // Ã (1/s), for eviction
	driveAge           // requests of the class in one characteristic time, for eviction
	driveKinds
)

func (c *class) driveList(evicts bool) []int {
	if !c.cached {
		return nil
	}
	d := []int{driveFill}
	if c.late || c.coalesce {
		d = append(d, driveFlight)
	}
	if c.del {
		d = append(d, driveSpoil, driveDelete)
	}
	if evicts {
		d = append(d, driveAccess, driveAge)
	}
	return d
}

// core evaluates everything that couples the state's parts, in the order of cause
// and effect: hit rates, success of reads, success of boots, retries, load, queues.
// With grad it also carries the gradients along. Gradients are built from zero: an
// intermediate that stays constant keeps a zero gradient.
func (s *System) core(t float64, y []float64, grad bool) {
	w := &s.work
	if grad {
		clear(w.mem)
	}
	if s.mem != nil && !s.settling {
		s.expire(t)
	}
	w.served, w.comes = s.now.served(t)
	for q := range w.class {
		s.hitRate(q, y)
	}
	for i := range w.pool {
		s.enterPool(i, t, y, grad)
	}
	for q := range w.class {
		s.readSuccess(q, grad)
	}
	s.bootFlow(t, y, grad)
	s.offeredLoad(t, y, grad)
	for i := range w.pool {
		s.queue(i, grad)
	}
	for q := range w.class {
		s.classDrives(q, grad)
	}
	if s.lay.lru >= 0 {
		s.evict(y[s.lay.lru], grad)
	}
}

// hitRate gathers a class's content into its hit probability and shape.
func (s *System) hitRate(q int, y []float64) {
	c, k, l := &s.now.par.class[q], &s.work.class[q], &s.lay.class[q]
	if !c.cached {
		k.sh.at(0, c)
		return
	}
	if k.age = c.age; c.fixed && !s.settling {
		k.age = 0
	}
	k.hot = s.weigh(c.pi, y[l.at:l.at+l.bins*l.k], l.k)
	k.sh.at(s.work.served*k.hot, c)
}

// served is the share of the content that is present and need not be validated, and its rate of
// change (1/s).
func (p *piece) served(t float64) (share, slope float64) {
	away, rate := p.absent.at(t - p.t0)
	if away >= 1 {
		return 0, 0
	}
	return (1 - away) * (1 - p.validate), -rate * (1 - p.validate)
}

// addHit adds a times the gradient of a class's hit probability to g.
func (s *System) addHit(g []float64, q int, a float64) {
	if ix := &s.lay.core; ix.h[q] >= 0 {
		g[ix.h[q]] += a * s.work.served
		g[ix.size] += a * s.work.comes * s.work.class[q].hot
	}
}

// enterPool reads a pool's state and the refusals that follow from it.
func (s *System) enterPool(i int, t float64, y []float64, grad bool) {
	c, p, l := &s.now.par.pool[i], &s.work.pool[i], &s.lay.pool[i]
	p.mu, p.bg = s.server(i, t)
	p.b, p.share = y[l.b], min(max(y[l.share], 0), 1)
	p.r, p.kappa = 0, 0
	if c.curve != nil {
		p.wait, _ = c.curve.latency.at(p.b)
		return
	}
	p.n, p.v = y[l.n], c.varianceIn(y, l)
	p.wait = (p.n + 1) / p.mu
	if math.IsInf(c.limit, 1) {
		return
	}
	p.kappa = c.exponent(p.b)
	p.r = c.refused(p.n, p.kappa)
	if grad {
		s.refusalSlope(i)
	}
}

// refusalSlope stores the gradient of the refusals of a pool.
func (s *System) refusalSlope(i int) {
	c, p, ix := &s.now.par.pool[i], &s.work.pool[i], &s.lay.core
	if !(p.n > 0 && p.n < c.limit) || math.IsInf(c.limit, 1) {
		return
	}
	p.gR[ix.n[i]] = p.kappa * p.r / p.n
	if p.kappa > leastOrder && p.kappa < mostOrder { // dκ/db = −κ/b
		p.gR[ix.b[i]] = -p.r * math.Log(p.n/c.limit) * p.kappa / p.b
	}
}

// server returns the capacity of a shard of pool i and its background load (work
// units/s) at time t.
func (s *System) server(i int, t float64) (mu, background float64) {
	c, pc := &s.now.par.pool[i], s.now
	background = c.bg
	if c.follows {
		background *= pc.mult + pc.multRate*(t-pc.t0)
	}
	return c.mu * pc.kappa[i], background
}

// The exponent of the soft queue limit K in units of the mean residual query b is
// 0.45 K/b, within these bounds.
const leastOrder, mostOrder = 4, 32

func (c *pool) exponent(b float64) float64 {
	return min(mostOrder, max(leastOrder, 0.45*c.limit/b))
}

// refused is the probability (n/K)^κ that a shard with work n refuses a query.
func (c *pool) refused(n, kappa float64) float64 {
	rel := n / c.limit
	switch {
	case rel >= 1:
		return 1
	case rel <= 0:
		return 0
	case kappa == mostOrder:
		rel *= rel
		rel *= rel
		rel *= rel
		rel *= rel
		return rel * rel
	}
	return math.Pow(rel, kappa)
}

// Correlations of the failures of shards that receive the same query, as shares of
// their common work variance: fitted to simulations over 4 to 256 shards.
const (
	corrTimeout     = 0.9
	corrRefuse      = 0.75
	corrRefuseSlope = 0.45
)

// lateTogether is the correlation of time-outs over the common share, and its derivative in
// their probability p. Under processor sharing a query is late by its own work as well as by
// the queue, which fluctuates the less the more are late: 0.44 (1 − p)², fitted to simulations
// of 8 shards at loads from 0.9 to 2.4, where reads succeed with that within 5 % for p from
// 0.1 to 0.6.
func (c *pool) lateTogether(p float64) (weight, slope float64) {
	if !c.ps {
		return corrTimeout, 0
	}
	const most = 0.44
	return most * (1 - p) * (1 - p), -2 * most * (1 - p)
}

// readSuccess computes the probability that one read of a class succeeds, and what
// its requests make of it.
func (s *System) readSuccess(q int, grad bool) {
	c, k := &s.now.par.class[q], &s.work.class[q]
	pc, p := &s.now.par.pool[c.pool], &s.work.pool[c.pool]
	ix := &s.lay.core
	in, ib, is := ix.n[c.pool], ix.b[c.pool], ix.share[c.pool]

	var tail tailGrad
	inTime := 1.0 // 1 − k.p
	if pc.curve != nil {
		k.p, tail.db = pc.curve.timeout.at(p.b)
		inTime = 1 - k.p
	} else {
		k.p, inTime = pc.timeoutOf(p, k.sh.w, grad, &tail)
		if grad && pc.drops() {
			tail.dn, tail.db = p.alongSpread(tail.dn, tail.dv, tail.db)
		}
	}

	// Refusals first, then time-outs.
	rr := (corrRefuse - corrRefuseSlope*p.r) * p.share
	together, slope := pc.lateTogether(k.p)
	rt := together * p.share
	var gt, gtc float64
	var rf, rrr, rv, tf, trr, tv float64
	if grad {
		k.gr, k.grc, rf, rrr, rv = c.askedGrad(p.r, 1-p.r, rr, k.sh.v)
		gt, gtc, tf, trr, tv = c.askedGrad(k.p, inTime, rt, k.sh.v)
		tf += trr * slope * p.share
	} else {
		k.gr, k.grc = c.asked(p.r, 1-p.r, rr, k.sh.v)
		gt, gtc = c.asked(k.p, inTime, rt, k.sh.v)
	}
	k.o = k.gr * gt
	k.oc = k.grc + k.gr*gtc

	f1 := k.sh.miss * k.oc
	s1 := (1 - k.sh.miss) + k.sh.miss*k.o
	k.f, k.mult = f1, 1
	df, dm := 1.0, 0.0 // derivatives of f and the attempts with respect to f1
	for range c.attempts - 1 {
		dm = dm*f1 + k.mult // Horner from the top: mult ← 1 + f1·mult
		k.mult = 1 + f1*k.mult
		df = df*f1 + k.f
		k.f *= f1
	}
	k.s = max(s1*k.mult, 0)
	k.lone = 1
	if !grad {
		return
	}

	// k.gGr: through r, the share, and the number of shards asked.
	dr := rf - corrRefuseSlope*p.share*rrr
	axpy(k.gGr, dr, p.gR)
	k.gGr[is] += (corrRefuse - corrRefuseSlope*p.r) * rrr
	s.addHit(k.gGr, q, rv*k.sh.dv)
	// k.gO = gt dGr + gr dGt
	axpy(k.gO, gt, k.gGr)
	g := k.gr
	if in >= 0 {
		k.gO[in] += g * tf * tail.dn
		k.gO[ix.v[c.pool]] += g * tf * tail.dv
	}
	k.gO[ib] += g * tf * tail.db
	k.gO[is] += g * together * trr
	s.addHit(k.gO, q, g*(tf*tail.dw*k.sh.dw+tv*k.sh.dv))
	// df1 = oc dP − P do; f and the attempts follow it.
	axpy(k.gMult, -k.sh.miss, k.gO)
	s.addHit(k.gMult, q, k.oc*k.sh.dmiss)
	axpy(k.gF, df, k.gMult)
	for i := range k.gMult {
		k.gMult[i] *= dm
	}
}

// asked is the success of a read that asks v shards of which each fails with
// probability f = 1 − up; certainties cost nothing.
func (c *class) asked(f, up, r, v float64) (ok, fail float64) {
	if f*v < negligible {
		return 1, f * v
	}
	if c.table != nil {
		return c.table.Scatter(f, up, r)
	}
	return special.Scatter(f, up, r, v)
}

// askedGrad is asked and its derivatives; that by a fixed v is given as 0.
func (c *class) askedGrad(f, up, r, v float64) (ok, fail, df, dr, dv float64) {
	if f*v < negligible {
		return 1, f * v, -v, 0, -f
	}
	if c.table != nil {
		ok, fail, df, dr = c.table.ScatterGrad(f, up, r)
		return ok, fail, df, dr, 0
	}
	return special.ScatterGrad(f, up, r, v)
}

// negligible is the probability below which the failures of many shards are added
// up: far below what [rare] tells apart, and what a trajectory resolves.
const negligible = 1e-13
