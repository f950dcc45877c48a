package model

import "math"

// State returns the state of the whole system at the coordinates u: an equilibrium
// where u is a fixed point. It fails to be finite where a queue without a limit, or
// the clients held back by a retry budget, grow for ever.
func (m *ReturnMap) State(u []float64) []float64 {
	m.load(u, u)
	m.succeed(u[len(m.rate):])
	fail := m.fails()
	m.flow(fail)
	s := m.s
	l, par, f := &s.lay, s.now.par, &s.work.flow
	y := s.NewState()
	for q, b := range l.class {
		if b.bins == 0 {
			continue
		}
		c, k := &par.class[q], &s.work.class[q]
		for i, r := range c.rho {
			fill, _ := c.binRate(r, &k.drive)
			x := 1.0
			if c.age > 0 {
				x = fill / (fill + c.age/float64(b.k))
			}
			for j := range b.k {
				y[b.at+i*b.k+j] = x / float64(b.k)
			}
		}
	}
	for i, p := range l.pool {
		w := &s.work.pool[i]
		y[p.n], y[p.v], y[p.b], y[p.share] = w.n, w.v, w.b, w.share
	}
	y[l.s] = par.session * f.sess
	if l.nz == 0 {
		return y
	}
	theta := f.served() * s.failDelay(nil, 0)
	y[l.theta] = theta
	again := (1 - par.giveUp) * fail
	due := f.lam * again
	sent := 0.0
	for j, d := range par.wait {
		if j == l.nz-1 && par.lastFeeds {
			due /= 1 - again
		}
		y[l.z+j] = due * (d + theta)
		sent += due
		due *= again
	}
	if par.budget*f.lam < sent { // the budget holds more back than it lets go
		for j := range l.nz {
			y[l.z+j] = math.Inf(1)
		}
	}
	return y
}

// Bounds stores in imgLo and imgHi bounds of Map over the box lo ≤ u ≤ hi, where
// [ReturnMap.Signs] holds. Then every partial dependence has a known sign: more load,
// later and fewer answers; a larger common share, more scatters that succeed; less
// success, more attempts and more misses. So the image lies between two evaluations, with
// the worst of everything and with the best; rounding is up to the caller.
func (m *ReturnMap) Bounds(lo, hi, imgLo, imgHi []float64) {
	for _, c := range []struct{ load, share, img []float64 }{{hi, lo, imgHi}, {lo, hi, imgLo}} {
		m.load(c.load, c.share)
		m.succeed(nil)
		m.flow(m.fails())
		m.store(c.img)
	}
}

// Signs reports whether the signs that Bounds relies on are known: a single class, first
// come first served, whose queries keep their shape and are heavier than the
// background, and no requests by sessions, whose number falls when boots fail.
func (m *ReturnMap) Signs() bool {
	if len(m.rate) != 1 || len(m.hit) > 0 {
		return false
	}
	c := &m.s.now.par.class[m.rate[0]]
	p := &m.s.now.par.pool[c.pool]
	if p.ps || c.perSession > 0 {
		return false
	}
	sh := c.shapeOf(0)
	return p.bg == 0 || sh.w == 0 || sh.w2*(1+p.cs)+(p.ca-1)*sh.w*sh.w >= sh.w*(p.cs+p.ca)
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
	u := make([]float64, m.Dim())
	adm, _, _, _, _ := smin(s.now.lam, s.now.u)
	for i, q := range m.rate {
		c := &par.class[q]
		u[i] = (c.perBoot*adm + c.perSession*par.session*adm) * c.shapeOf(0).calls
	}
	m.load(u, u)
	out := make([]float64, len(par.pool))
	for i := range out {
		out[i] = s.work.pool[i].load / s.work.pool[i].mu
	}
	return out
}
