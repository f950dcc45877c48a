package model

import "math"

// An ends is an interval.
type ends struct{ lo, hi float64 }

// Signs reports whether the signs that Bounds relies on are known: no queries dropped
// past their deadline, measured service curves that rise, queues that close on the
// Panjer family, and no free queries under processor sharing.
func (m *ReturnMap) Signs() bool {
	for _, g := range m.loads {
		if g.free && m.s.now.par.pool[g.pool].ps {
			return false
		}
	}
	for _, p := range m.s.now.par.pool {
		_, known := p.law.(panjer)
		if p.curve != nil && !p.curve.rises || p.curve == nil && !p.ps && (p.drops() || !known) {
			return false
		}
	}
	return true
}

// enclose puts every pool into the worst and the mildest state that it can rest in under the
// rates and hit rates of the box, in the two copies of the system, and computes the
// success of reads there.
func (m *ReturnMap) enclose(lo, hi []float64) {
	n, h := len(m.rate), len(m.rate)+len(m.hit)
	m.split(lo, hi)
	m.sums(m.s, m.many, lo[n:h])
	m.sums(m.easy, m.few, hi[n:h])
	par := m.s.now.par
	for i := range par.pool {
		c, worst, mild := &par.pool[i], &m.s.work.pool[i], &m.easy.work.pool[i]
		var work ends
		for k, g := range m.loads {
			if g.pool == i && !g.free {
				work = ends{lo[k], hi[k]}
			}
		}
		worst.load, mild.load = worst.bg+work.hi, mild.bg+work.lo
		b, share := m.mixes(i, work)
		worst.share, mild.share = share.lo, share.hi
		if c.curve != nil {
			for _, p := range []*poolFlow{worst, mild} {
				p.b = p.load
				p.wait, _ = c.curve.latency.at(p.b)
			}
			continue
		}
		q := c.queues(ends{mild.load / worst.mu, worst.load / worst.mu}, b, worst.mu)
		worst.r, mild.r = q.r.hi, q.r.lo
		worst.wait, mild.wait = (q.work.hi+1)/worst.mu, (q.work.lo+1)/worst.mu
		for k := range par.class {
			if par.class[k].pool != i {
				continue
			}
			w := ends{m.easy.work.class[k].sh.w, m.s.work.class[k].sh.w}
			q.worst(c, worst, w)
			q.mildest(c, mild, w)
			m.s.readSuccess(k, false)
			m.easy.readSuccess(k, false)
		}
	}
	for k := range par.class {
		if par.pool[par.class[k].pool].curve != nil {
			m.s.readSuccess(k, false)
			m.easy.readSuccess(k, false)
		}
	}
	m.turnover(m.s)
	m.turnover(m.easy)
}

// queues are bounds of a queue at rest: the mean n of its work (under processor sharing
// that in units of b, besides), its variance over n (n + b), refusals and mean residual query.
type queues struct{ n, work, g, r, b ends }

// queues bounds what the queue rests at for offered loads rho and mean residual queries b.
//
// The mean work and the busy share β = ρ(1 − r) rise with ρ; for a given exponent κ of the soft
// limit the mean rises and β falls with b (in units of b the limit comes closer), and
// with κ, which falls with b, both rise. Under processor sharing the number in system
// n/b falls with b: queries that take longer are killed or refused sooner. The variance is that
// without refusals times g, see [relativeVariance].
func (c *pool) queues(rho, b ends, mu float64) (q queues) {
	kappa := ends{c.exponent(b.hi), c.exponent(b.lo)}
	q.b = b
	if c.ps {
		n, _, _ := c.rest(rho.hi, b.lo, mu, kappa.hi)
		q.n.hi = n / b.lo
		n, _, _ = c.rest(rho.lo, b.hi, mu, kappa.lo)
		q.n.lo = n / b.hi
		q.work = ends{q.n.lo * b.lo, q.n.hi * b.hi}
		q.r = ends{c.refused(q.work.lo, kappa.hi), c.refused(q.work.hi, kappa.lo)}
		return q
	}
	q.n.hi, _, q.r.hi = c.rest(rho.hi, b.hi, mu, kappa.hi)
	q.n.lo, _, q.r.lo = c.rest(rho.lo, b.lo, mu, kappa.lo)
	if kappa.lo < kappa.hi { // then the refusals belong to other corners
		_, _, q.r.hi = c.rest(rho.hi, b.hi, mu, kappa.lo)
		_, _, q.r.lo = c.rest(rho.lo, b.lo, mu, kappa.hi)
	}
	q.work = q.n
	short, long := q.n.lo/b.hi, q.n.hi/b.lo
	q.g = ends{
		relativeVariance(short, kappa.hi*rho.hi*q.r.hi*(long+1)), relativeVariance(long, kappa.lo*rho.lo*q.r.lo*(short+1)),
	}
	return q
}

// relativeVariance is the g of a queue at rest on the Panjer family with mean n and variance
// g n (n + 1) in units of b, of which ε = κ ρ r (n + 1) tells how much refusals do: the conditions of
// rest are 1 − εg = (n + 1) P0,
//
//	F = ln(n + 1) − n φ(g (n + 1)) − ln(1 − εg) = 0.
//
// g is 1 without refusals and less with them. F rises with g and with ε, and falls with n since
// ∂F/∂n = (1 − g)(φ − 1)/(x − 1) at x = g (n + 1): g falls with ε and rises with n.
func relativeVariance(n, eps float64) float64 {
	const rounding = 1e-16
	switch {
	case eps <= rounding*n:
		return 1
	case n == 0 || math.IsInf(eps, 1):
		return 0
	}
	lo, hi := 0.0, min(1, 1/eps)
	g, most := 1/(1+eps), math.Log1p(n)
	if eps > 1 {
		f, _ := phi(hi * (n + 1))
		idle := math.Exp(most - n*f) // 1 − εg, at most, and hardly less if small
		if lo = max(0, (1-idle)/eps); idle <= lastStep {
			return lo
		} else if idle < 0.1 {
			g = lo
		}
	}
	for range 100 {
		f, df := phi(g * (n + 1))
		excess := most - n*f - math.Log1p(-eps*g)
		if excess < 0 {
			lo = g
		} else {
			hi = g
		}
		bend := eps / (1 - eps*g)
		next := g - excess/(bend-n*(n+1)*df)
		if math.Abs(next-g)*max(1/g, bend) <= lastStep || hi-lo <= 2*rounding*hi {
			return min(max(next, lo), hi)
		}
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		g = next
	}
	return g
}

// worst puts p into a state in which a query of work w is at least as late as in any of q. A
// Gamma law is the later, the larger its shape and its scale are.
func (q *queues) worst(c *pool, p *poolFlow, w ends) {
	p.n, p.v, p.b = q.n.hi, 0, 1
	if c.ps {
		return
	}
	shape, scale := q.shapes(c, w)
	if !p.gamma(c, w.hi, shape.hi, scale.hi) {
		p.n, p.b = 1e6*(p.mu*c.tau+w.hi), 0 // certainly late
	}
}

// mildest is the counterpart of worst.
func (q *queues) mildest(c *pool, p *poolFlow, w ends) {
	p.n, p.v, p.b = q.n.lo, 0, 1
	if c.ps {
		return
	}
	shape, scale := q.shapes(c, w)
	if !p.gamma(c, w.lo, shape.lo, scale.lo) {
		p.n, p.b = -w.lo, 0 // certainly not
	}
}

// A sojourn is the work ahead of a query and its own, with the variance g n (n + b) of the queue:
// mean n + w, spread g n (n + b) + b n + c_s² w², with the w of either.
type sojourn struct{ g, b, cs, mean, own float64 }

func (s sojourn) spread(n float64) float64 { return s.g*n*(n+s.b) + s.b*n + s.cs*s.own*s.own }

// shape is that of the Gamma law. Along n it turns once, where 2 spread = mean · d spread/dn.
func (s sojourn) shape(n float64) float64 { return (n + s.mean) * (n + s.mean) / s.spread(n) }

func (s sojourn) turn() float64 {
	b := (s.g + 1) * s.b
	return (b*s.mean - 2*s.cs*s.own*s.own) / (b - 2*s.g*s.mean)
}

// scale is that of the Gamma law. Along n it falls up to bottom, if at all, and rises from there.
func (s sojourn) scale(n float64) float64 { return s.spread(n) / (n + s.mean) }

func (s sojourn) bottom() float64 {
	if d := s.mean*s.mean - ((s.g+1)*s.b*s.mean-s.cs*s.own*s.own)/s.g; d > 0 {
		return math.Sqrt(d) - s.mean
	}
	return 0
}

// shapes bounds the shape and the scale of the Gamma law of the sojourn.
func (q *queues) shapes(c *pool, w ends) (shape, scale ends) {
	slim := sojourn{q.g.lo, q.b.lo, c.cs, w.hi, w.lo}
	wide := sojourn{q.g.hi, q.b.hi, c.cs, w.lo, w.hi}
	within := func(n float64) float64 {
		if n > q.n.lo {
			return min(n, q.n.hi)
		}
		return q.n.lo // also where it is the same for all n and the turn no number
	}
	shape = ends{
		min(wide.shape(q.n.lo), wide.shape(q.n.hi), wide.shape(within(wide.turn()))),
		max(slim.shape(q.n.lo), slim.shape(q.n.hi), slim.shape(within(slim.turn()))),
	}
	scale = ends{slim.scale(within(slim.bottom())), max(wide.scale(q.n.lo), wide.scale(q.n.hi))}
	return shape, scale
}

// gamma makes p a queue in which a query of work w has a sojourn of the given shape and
// scale, if these are numbers.
func (p *poolFlow) gamma(c *pool, w, shape, scale float64) bool {
	if !(shape > 0 && shape < 1e12 && scale > 0 && scale < 1e300) {
		return false
	}
	p.n, p.v, p.b = shape*scale-w, shape*scale*scale-c.cs*w*w, 0
	return true
}
