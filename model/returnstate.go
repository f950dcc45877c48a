package model

import "math"

// State returns the state of the whole system at the coordinates u: an equilibrium
// where u is a fixed point.
func (m *ReturnMap) State(u []float64) []float64 {
	s := m.s
	m.loadAt(s, u)
	fail := m.fails(s, u)
	m.flow(s, fail)
	l, par, f := &s.lay, s.now.par, &s.work.flow
	y := s.NewState()
	for q, b := range l.class {
		c, k := &par.class[q], &s.work.class[q]
		for i, r := range c.rho {
			fill, loss := c.binRate(r, &k.drive)
			part, factor, _ := c.binAtRest(b.k, fill, loss)
			for j := range b.k {
				y[b.at+i*b.k+j] = part
				part *= factor
			}
		}
	}
	for i, p := range l.pool {
		w := &s.work.pool[i]
		if y[p.b], y[p.share] = w.b, w.share; p.n >= 0 {
			y[p.n] = w.n
			par.pool[i].setVariance(y, &p, w.v)
		}
	}
	if l.lru >= 0 {
		y[l.lru] = s.recency()
	}
	y[l.s] = par.session * f.sess
	if l.nz == 0 {
		return y
	}
	theta := f.served() * s.failDelay(nil, 0)
	y[l.theta] = theta
	m.wait(y[l.z:l.z+l.nz], theta, (1-par.giveUp)*fail)
	return y
}

// wait stores the clients at rest in each backoff stage: of the retries that are due the budget
// sends a share, the same in each, and those that it holds back leave at last.
func (m *ReturnMap) wait(z []float64, theta, again float64) {
	par, lam := m.s.now.par, m.s.work.flow.lam
	due := func(sent float64) (all float64) {
		in := lam * again
		for j, d := range par.wait {
			out := sent
			if j == len(z)-1 && par.lastFeeds {
				out = sent * (1 - again)
			}
			rate := in / (out + par.leave*(1-sent)*(d+theta))
			z[j] = rate * (d + theta)
			all += rate
			in = again * sent * rate
		}
		return all
	}
	if due(1) == 0 {
		return
	}
	least := math.Log(1e-15)
	due(math.Exp(root(func(logSent float64) float64 {
		all := due(math.Exp(logSent))
		capped, _, _, _, _ := smin(all, par.budget*lam)
		return capped/all - math.Exp(logSent)
	}, least, 0, 1e-16)))
}

// Success returns the success of an admitted boot at the coordinates u.
func (m *ReturnMap) Success(u []float64) float64 {
	m.Map(make([]float64, m.Dim()), u)
	return m.s.work.flow.ok
}

// ColdLoad returns, per pool, the load over the capacity that first attempts bring when
// the caches are empty. Above 1 the cache is load-bearing: the database cannot do
// without it.
func (m *ReturnMap) ColdLoad() []float64 {
	s := m.s
	par := s.now.par
	rate := make([]float64, len(m.rate))
	adm, _, _, _, _ := smin(s.now.lam, s.now.u)
	for i, q := range m.rate {
		c := &par.class[q]
		rate[i] = (c.perBoot*adm + c.perSession*par.session*adm) * c.shapeOf(0).calls * perCall(c.shapeOf(0))
	}
	m.load(s, rate, make([]float64, len(m.hit)), false)
	out := make([]float64, len(par.pool))
	for i := range out {
		out[i] = s.work.pool[i].load / s.work.pool[i].mu
	}
	return out
}
