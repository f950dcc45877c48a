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
// that in units of b, besides) and its variance, refusals and mean residual query.
type queues struct{ n, work, v, r, b ends }

// queues bounds what the queue rests at for offered loads rho and mean residual queries b.
//
// The mean work and the busy share β = ρ(1 − r) rise with ρ; for a given exponent κ of the soft
// limit the mean rises and β falls with b (in units of b the limit comes closer), and
// with κ, which falls with b, both rise. Under processor sharing the number in system
// n/b falls with b: queries that take longer are killed or refused sooner. The variance
// follows from either moment:
//
//	busy(n, v, b) = β, which falls with v and b and rises with n;  κ ρ r v/n = b β − n (1 − β).
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
	var r ends
	n, _, few := c.rest(rho.hi, b.hi, mu, kappa.hi)
	q.n.hi = n
	n, _, many := c.rest(rho.lo, b.lo, mu, kappa.lo)
	q.n.lo = n
	r = ends{many, few}
	if b.lo < b.hi { // then the refusals belong to other corners
		_, _, r.hi = c.rest(rho.hi, b.hi, mu, kappa.lo)
		_, _, r.lo = c.rest(rho.lo, b.lo, mu, kappa.hi)
		_, _, few = c.rest(rho.hi, b.lo, mu, kappa.hi)
		_, _, many = c.rest(rho.lo, b.hi, mu, kappa.lo)
	}
	q.r, q.work = r, q.n
	busy := ends{min(1, rho.lo*(1-many)), min(1, rho.hi*(1-few))}
	q.v = c.variances(rho, kappa, busy, &q)
	return q
}

// variances bounds the variance of the work. Where refusals are rare the second moment
// cancels, where a shard is hardly ever idle the first; each is widened by its rounding.
func (c *pool) variances(rho, kappa, busy ends, q *queues) ends {
	const rounding, most = 1e-14, 1e-4
	v := ends{0, math.Inf(1)}
	if q.n.hi == 0 || math.IsInf(q.n.hi, 1) {
		return ends{0, q.n.hi}
	}
	gap := rounding * (q.b.hi + q.n.hi)
	if damp := kappa.lo * rho.lo * q.r.lo; damp > 0 {
		v.hi = q.n.hi * (q.b.hi*busy.hi - q.n.lo*(1-busy.hi) + gap) / damp
	}
	if damp := kappa.hi * rho.hi * q.r.hi; damp > 0 {
		v.lo = max(0, q.n.lo*(q.b.lo*busy.lo-q.n.hi*(1-busy.lo)-gap)/damp)
	}
	if off := rounding / (1 - busy.lo); off < most {
		at, _, _ := varianceAt(c.law, q.n.hi, q.b.lo, busy.lo, 0)
		v.hi = min(v.hi, at*(1+off))
	}
	if off := rounding / (1 - busy.hi); off < most && q.n.lo > 0 {
		at, _, _ := varianceAt(c.law, q.n.lo, q.b.hi, busy.hi, 0)
		v.lo = max(v.lo, at*(1-off))
	}
	return v
}

// worst puts p into a state in which a query of work w is at least as late as in any of q. A
// Gamma law is the later, the larger its shape and its scale are.
func (q *queues) worst(c *pool, p *poolFlow, w ends) {
	p.n, p.v, p.b = q.n.hi, 0, 1
	if c.ps {
		return
	}
	mean, spread := q.sojourn(c, w)
	if shape, scale := mean.hi*mean.hi/spread.lo, spread.hi/mean.lo; !p.gamma(c, w.hi, shape, scale) {
		p.n, p.b = 1e6*(p.mu*c.tau+w.hi), 0 // certainly late
	}
}

// mildest is the counterpart of worst.
func (q *queues) mildest(c *pool, p *poolFlow, w ends) {
	p.n, p.v, p.b = q.n.lo, 0, 1
	if c.ps {
		return
	}
	mean, spread := q.sojourn(c, w)
	if shape, scale := mean.lo*mean.lo/spread.hi, spread.lo/mean.hi; !p.gamma(c, w.lo, shape, scale) {
		p.n, p.b = -w.lo, 0 // certainly not
	}
}

// sojourn bounds the mean and the variance of the work ahead of a query and its own.
func (q *queues) sojourn(c *pool, w ends) (mean, spread ends) {
	return ends{q.n.lo + w.lo, q.n.hi + w.hi}, ends{
		q.v.lo + q.b.lo*q.n.lo + c.cs*w.lo*w.lo, q.v.hi + q.b.hi*q.n.hi + c.cs*w.hi*w.hi,
	}
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
