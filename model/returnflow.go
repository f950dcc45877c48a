package model

import "math"

// fails is the share of the attempts that fail: a coordinate, or the solution of an
// equation with one root: more failures, more attempts, more fills, fewer failures.
func (m *ReturnMap) fails(s *System, u []float64) float64 {
	if m.fail >= 0 {
		return u[m.fail]
	}
	return fixedShare(func(f float64) float64 { return m.flow(s, f) })
}

// fixedShare is the share f = g(f), g(f) − f falling from 0 to 1: the secant method within a
// bracket, from g(0) on.
func fixedShare(g func(f float64) float64) float64 {
	const (
		step = 1e-10 // relative, after which the next would be rounding
		most = 20    // steps, beyond which halving is sure
	)
	lo, hi := 0.0, 1.0
	was, excess := 0.0, g(0)
	for f, k := excess, 0; f > 0; k++ {
		now := g(f) - f
		if now > 0 {
			lo = f
		} else {
			hi = f
		}
		next := min(f-now*(f-was)/(now-excess), 1)
		if math.Abs(next-f) <= step*f || hi-lo <= 1e-16 {
			return next
		}
		if !(next > lo && next < hi) || k > most {
			next = lo + (hi-lo)/2
		}
		was, excess, f = f, now, next
	}
	return 0
}

// flow computes what boots do, and what each class asks for, when the share fail of
// the attempts fails, and returns the share that fails then.
func (m *ReturnMap) flow(s *System, fail float64) float64 {
	par, f := s.now.par, &s.work.flow
	sessions := m.admit(s, fail)
	for _, q := range m.rate {
		k := &s.work.class[q]
		k.rate = s.asks(&par.class[q], sessions)*k.mult + par.class[q].perBoot*faint
	}
	if s.lay.lru >= 0 && m.fail >= 0 {
		s.recency()
	}
	for _, q := range m.rate {
		c, k := &par.class[q], &s.work.class[q]
		s.classDrives(q, false)
		fetched := 0.0
		k.hot, fetched = m.atRest(s, q)
		if !m.given[q] {
			m.missed(s, q, k.hot)
		}
		if k.lone = 1; c.coalesce && k.sh.h < 1 {
			k.lone = fetched / (1 - k.sh.h)
		}
	}
	s.bootSuccess()
	return f.fail
}

// admit computes attempts and admissions when the share fail of the attempts fails, and
// returns the sessions.
func (m *ReturnMap) admit(s *System, fail float64) (sessions float64) {
	f := &s.work.flow
	f.lam = s.now.lam
	f.attempts = m.attempts(fail)
	f.adm, f.ratio, f.shed, _, _ = smin(f.attempts, s.now.u)
	f.sess = f.attempts * (1 - fail)
	return s.now.par.session * f.sess
}

// missed sets the shape of a class's requests at the hit rate of one key, and with it
// their success.
func (m *ReturnMap) missed(s *System, q int, hot float64) {
	k := &s.work.class[q]
	k.sh = s.now.par.class[q].shapeOf(hot)
	k.f, k.s = k.sh.miss*k.oc, (1-k.sh.miss)+k.sh.miss*k.o
}

// atRest is the hit rate of one key under the drives of a class, and the share of its
// reads that miss and fetch.
func (m *ReturnMap) atRest(s *System, q int) (hot, fetched float64) {
	c, k := &s.now.par.class[q], &s.work.class[q]
	if s.plain(q) && !c.coalesce && c.age > 0 {
		for b, r := range c.rho {
			fill := r * k.drive[driveFill]
			hot += c.pi[b] * (fill / (c.age + fill))
		}
		return hot, 0
	}
	for b, r := range c.rho {
		fill, loss := c.binRate(r, &k.drive)
		first, _, part := c.binAtRest(s.lay.class[q].k, fill, loss)
		x := first * part
		hot += c.pi[b] * x
		if c.coalesce {
			fetched += c.pi[b] * (1 - x) / (1 + r*k.drive[driveFlight])
		}
	}
	return hot, fetched
}

// binAtRest returns the content of the first of k compartments of a bin at rest, by what
// factor each next one holds less, and the sum of all over the first.
func (c *class) binAtRest(k int, fill, loss float64) (first, factor, all float64) {
	out := c.age + loss
	if out == 0 {
		return 1, 1, 1
	}
	factor = c.age / out
	part := 1.0
	for range k {
		all += part
		part *= factor
	}
	return fill / (out + fill*all), factor, all
}

// recency finds the characteristic time of the cache at the rates of its classes and
// returns its logarithm, counted in requests; see [System.evict].
func (s *System) recency() (logT float64) {
	const least, most = -100, 690 // of the logarithm: from no entry read twice to all kept
	return root(func(logT float64) float64 {
		s.evict(logT, false)
		return -math.Log1p(s.work.lruRes) // nearly linear while the cache is far from full
	}, least, most, 1e-16)
}

// root finds the zero of a decreasing function between lo and hi by regula falsi with
// the Illinois rule and bisection.
func root(f func(float64) float64, lo, hi, tol float64) float64 {
	a, b := f(lo), f(hi)
	if a <= 0 {
		return lo
	}
	if b >= 0 {
		return hi
	}
	side := 0
	for iter := range 200 {
		x := lo + (hi-lo)*a/(a-b)
		if iter%4 == 3 || !(x > lo && x < hi) {
			x = lo + (hi-lo)/2
		}
		if hi-lo <= tol*(1+math.Abs(hi)) || x <= lo || x >= hi {
			return x
		}
		v := f(x)
		switch {
		case v == 0:
			return x
		case v > 0:
			lo, a = x, v
			if side == 1 {
				b /= 2
			}
			side = 1
		default:
			hi, b = x, v
			if side == -1 {
				a /= 2
			}
			side = -1
		}
	}
	return lo + (hi-lo)/2
}
