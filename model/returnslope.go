package model

import "math"

// A slope is the derivatives of a quantity of the return map by its seeds.
type slope [numSeeds]float64

// Seeds: the coordinate of a scalar map, the traffic (as [Moment] counts it), the
// throttle, and the share of the attempts that fails, which the others determine.
const (
	seedRate = iota
	seedTraffic
	seedThrottle
	seedFail
	numSeeds
)

// times returns a·x.
func (s slope) times(a float64) slope {
	for i := range s {
		s[i] *= a
	}
	return s
}

// plus returns a·x + b·y.
func plus(a float64, x slope, b float64, y slope) (s slope) {
	for i := range s {
		s[i] = a*x[i] + b*y[i]
	}
	return s
}

// classSlope is the derivatives of what a class meets at its pool; those by the failing share
// are zero.
type classSlope struct {
	fills, flight slope // probability that a miss fills the cache, time that it takes
	oc, mult      slope // a read fails, attempts
	f             slope // a request fails after all attempts, at a given hit rate
}

// A ReturnSlope is what a scalar return map gives back (work units/s) and its derivatives by the
// coordinate, by the traffic (share of its full rate) and by the throttle (boots/s).
type ReturnSlope struct{ Value, Rate, Traffic, Throttle float64 }

// Slope returns the image of the coordinate u of a scalar map and its exact derivatives by u,
// by the traffic and by the throttle; ok is false where some are not known: with several
// coordinates, a cache of limited size, or queries dropped past their deadline.
func (m *ReturnMap) Slope(u float64) (r ReturnSlope, ok bool) {
	s := m.s
	c := &s.now.par.class[m.rate[0]]
	i := c.pool
	if m.Dim() > 1 || s.lay.lru >= 0 || s.now.par.pool[i].curve == nil && s.now.par.pool[i].drops() {
		return r, false
	}
	clear(s.work.mem)
	m.part[0], m.many[0] = ends{1, 1}, u
	m.load(s, m.many, nil, true)
	m.meet(u)
	fail := m.fails(s, nil)
	m.flow(s, fail)
	back, failed := m.flowSlope(s, fail)
	k := &s.work.class[m.rate[0]]
	at := func(seed int) float64 { return back[seed] + back[seedFail]*failed[seed]/(1-failed[seedFail]) }
	return ReturnSlope{k.rate * k.sh.calls * perCall(k.sh) * k.lone, at(seedRate), at(seedTraffic), at(seedThrottle)}, true
}

// meet computes the derivatives of the one class's success and waits at the work u, from those of the
// queue's rest.
func (m *ReturnMap) meet(u float64) {
	s, q := m.s, m.rate[0]
	c, k := &s.now.par.class[q], &s.work.class[q]
	i := c.pool
	pc, p, ix := &s.now.par.pool[i], &s.work.pool[i], &s.lay.core
	at := &m.met[q]
	*at = classSlope{}
	rest := m.restSlope(u)
	chain := func(g []float64) (d slope) {
		d = plus(g[ix.b[i]], rest.b, g[ix.share[i]], rest.share)
		if ix.n[i] >= 0 {
			d = plus(1, d, g[ix.n[i]], rest.n)
			d = plus(1, d, g[ix.v[i]], rest.v)
		}
		return d
	}
	_, gFill := k.fills(c)
	at.fills, at.mult, at.f = chain(gFill), chain(k.gMult), chain(k.gF)
	at.oc = chain(k.gO).times(-1)
	if pc.curve != nil {
		_, d := pc.curve.latency.at(p.b)
		at.flight = rest.b.times(d)
	} else {
		at.flight = rest.n.times(1 / p.mu)
	}
	if c.coalesce { // as in System.flight
		by := k.gr
		if p.wait >= pc.tau {
			by = 0
		}
		at.flight = plus(by, at.flight, min(p.wait, pc.tau), chain(k.gGr))
	}
}

// restSlopes is the derivatives of a queue at rest.
type restSlopes struct{ n, v, b, share slope }

// restSlope differentiates the queue that the one class loads with the work u: the mix, and the
// conditions of rest that [pool.rest] solves.
func (m *ReturnMap) restSlope(u float64) (d restSlopes) {
	s, q := m.s, m.rate[0]
	i := s.now.par.class[q].pool
	c, p, sh := &s.now.par.pool[i], &s.work.pool[i], &s.work.class[q].sh
	perRate, bg := 1/perCall(*sh), 0.0
	if c.follows {
		bg = c.bg
	}
	raw1 := sh.w2 * (1 + c.cs)
	load := slope{seedRate: perRate * sh.w, seedTraffic: bg}
	second := slope{seedRate: perRate * (raw1 + (c.ca-1)*sh.w*sh.w), seedTraffic: bg * (c.cs + c.ca)}
	raw := slope{seedRate: perRate * raw1, seedTraffic: bg * (1 + c.cs)}
	switch {
	case c.curve != nil:
		d.b = load
	case c.ps && p.load > 0:
		d.b = plus(1/((1+c.cs)*p.load), raw, -p.b/p.load, load)
	case !c.ps && p.load > 0 && p.second > 0:
		d.b = plus(1/(2*p.load), second, -p.b/p.load, load)
	}
	if c.corr < 0 && p.raw > 0 {
		d.share = plus(1/p.raw, slope{seedRate: perRate * sh.ww}, -p.share/p.raw, raw)
	}
	if c.curve == nil && p.n > 0 {
		d.n, d.v = c.restSlope(p, load.times(1/p.mu), d.b)
	}
	return d
}

// restSlope differentiates the conditions of [pool.rest] at a queue at rest:
// busy(n, v, b) = ρ(1 − r) and b ρ(1 − r) = n (1 − ρ(1 − r)) + κ ρ r v/n, or that accepted and
// completed work are equal.
func (c *pool) restSlope(p *poolFlow, rho, b slope) (n, v slope) {
	offered := p.load / p.mu
	rn, rb := 0.0, 0.0 // of the refusals
	if p.r > 0 && p.r < 1 {
		rn = p.kappa * p.r / p.n
		if p.kappa > leastOrder && p.kappa < mostOrder {
			rb = -p.r * math.Log(p.n/c.limit) * p.kappa / p.b
		}
	}
	beta := offered * (1 - p.r)
	accepted := plus(1-p.r, rho, -offered*rb, b) // at fixed n
	an := -offered * rn
	if c.ps {
		at := c.share(p.n, p.b, p.mu)
		doneB := -at.slope*at.n1 + at.done/at.e*at.q*at.x/p.b // as in psDrift
		if at.x == 0 {
			doneB = -at.slope * at.n1
		}
		return plus(1, accepted, -doneB/p.mu, b).times(1 / (at.slope/p.mu - an)), v
	}
	_, bn, bv, bb := c.law.busy(p.n, p.v, p.b)
	// A: (bn − an) n' + bv v' = accepted − bb b'
	a11, a12 := bn-an, bv
	first := plus(1, accepted, -bb, b)
	// B: (b + n) β' − (1 − β) n' + β b' = (κ r v/n ρ)'
	gone := p.kappa * p.r * p.v / p.n
	kb := 0.0
	if rb != 0 {
		kb = -p.kappa / p.b
	}
	dn := (p.b+p.n)*an - (1 - beta) - offered*(p.kappa*rn*p.v/p.n-gone/p.n)
	dv := -offered * p.kappa * p.r / p.n
	db := beta - offered*(kb*p.r+p.kappa*rb)*p.v/p.n
	second := plus(p.b+p.n, accepted, db, b)
	second = plus(1, second, -gone, rho)
	// B: dn n' + dv v' = −second
	det := a11*dv - a12*dn
	n = plus(dv/det, first, a12/det, second)
	v = plus(-a11/det, second, -dn/det, first)
	return n, v
}

// flowSlope differentiates [ReturnMap.flow] where all classes have met what they meet: what the first
// class brings back, and the share that fails.
func (m *ReturnMap) flowSlope(s *System, fail float64) (back, failed slope) {
	par, f := s.now.par, &s.work.flow
	att := slope{seedTraffic: f.attempts / max(s.now.mult, tiny), seedFail: m.attemptsSlope(fail)}
	_, _, _, byAtt, byLimit := smin(f.attempts, s.now.u)
	adm := plus(byAtt, att, byLimit, slope{seedThrottle: 1})
	ratio := plus(1/max(f.attempts, tiny), adm, -f.ratio/max(f.attempts, tiny), att)
	bad := slope{}
	for j, q := range m.rate {
		c, k, at := &par.class[q], &s.work.class[q], &m.met[q]
		rate := plus(c.perBoot*k.mult, adm, c.perBoot*f.adm, at.mult)
		hot, fetched := m.hotSlope(s, q, rate, at)
		fq := at.f
		if !m.given[q] {
			fq = plus(k.sh.miss, at.oc, k.sh.dmiss*k.oc, hot)
		}
		if c.inBoot() {
			bad = plus(1, bad, c.perBoot*f.ok/max(k.s, tiny), fq)
		}
		if j > 0 {
			continue
		}
		lone := slope{}
		if c.coalesce && k.sh.h < 1 {
			lone = plus(1/(1-k.sh.h), fetched, k.lone/(1-k.sh.h), hot)
		}
		w := perCall(k.sh)
		back = plus(w*k.sh.calls*k.lone, rate, w*k.rate*k.sh.dcall*k.lone, hot)
		back = plus(1, back, w*k.rate*k.sh.calls, lone)
	}
	return back, plus(f.bad-1, ratio, f.ratio, bad)
}

// attemptsSlope is the derivative of [ReturnMap.attempts].
func (m *ReturnMap) attemptsSlope(fail float64) float64 {
	lam, par := m.s.now.lam, m.s.now.par
	stay := 1 - par.giveUp
	q := stay * fail
	series, d := 0.0, 0.0
	switch {
	case m.s.lay.nz == 0:
		return 0
	case par.lastFeeds:
		series, d = q/(1-q), 1/((1-q)*(1-q))
	default:
		for range m.s.lay.nz {
			series, d = q*(1+series), 1+series+q*d
		}
	}
	_, _, _, da, _ := smin(lam*series, par.budget*lam)
	return lam * da * d * stay
}

// hotSlope is the derivatives of [ReturnMap.atRest] by those of a class's rate and of what it meets.
func (m *ReturnMap) hotSlope(s *System, q int, rate slope, at *classSlope) (hot, fetched slope) {
	c, k := &s.now.par.class[q], &s.work.class[q]
	o, _ := k.fills(c)
	filled := plus(o, rate, k.rate, at.fills)
	if s.plain(q) && !c.coalesce {
		byFill, fill := 0.0, k.drive[driveFill]
		for b, r := range c.rho {
			if c.age > 0 {
				out := c.age + r*fill
				byFill += c.pi[b] * r * c.age / (out * out)
			}
		}
		return filled.times(byFill), fetched
	}
	drives := [driveKinds]slope{driveFill: filled, driveAccess: rate}
	if c.coalesce {
		drives[driveFlight] = plus(s.flight(q), rate, k.rate, at.flight)
	} else {
		drives[driveFlight] = plus(s.work.pool[c.pool].wait, filled, k.rate*o, at.flight)
	}
	for b, r := range c.rho {
		fill, loss := c.binRate(r, &k.drive)
		out := c.age + loss
		if out == 0 {
			continue
		}
		_, factor, all := c.binAtRest(s.lay.class[q].k, fill, loss)
		den := out + fill*all
		byFill, byLoss := all*out/(den*den), 0.0
		if loss > 0 { // factor falls with it
			rise, part := 0.0, 1.0 // d all/d factor
			for j := 1; j < s.lay.class[q].k; j++ {
				rise += float64(j) * part
				part *= factor
			}
			byLoss = -fill * (all + rise*factor) / (den * den)
		}
		part := 1 / (1 + r*k.drive[driveFlight])
		for _, d := range c.drives {
			df, dl := c.binSlopes(d, r, &k.drive)
			dx := c.pi[b] * (byFill*df + byLoss*dl)
			hot = plus(1, hot, dx, drives[d])
			fetched = plus(1, fetched, -dx*part, drives[d])
		}
		fetched = plus(1, fetched, -c.pi[b]*(1-fill*all/den)*part*part*r, drives[driveFlight])
	}
	return hot, fetched
}
