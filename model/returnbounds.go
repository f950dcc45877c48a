package model

import "math"

// Bounds stores in imgLo and imgHi bounds of Map over the box lo ≤ u ≤ hi, where
// [ReturnMap.Signs] holds. Then every partial dependence has a known sign: more
// queries, later and fewer answers; more hits, fewer and lighter queries to fewer shards; a
// larger common share, more scatters that succeed; less success, more attempts, fewer
// sessions. So the success of reads lies between that of two corners, the worst of
// everything and the mildest, and what follows from it between sums and products of ends;
// rounding is up to the caller.
func (m *ReturnMap) Bounds(lo, hi, imgLo, imgHi []float64) {
	if m.easy == nil {
		m.easy = m.s.Clone()
		m.easy.mem = nil // it stands still
	}
	n := len(m.rate)
	m.enclose(lo, hi)
	if m.monotone() {
		for _, c := range []struct {
			s   *System
			img []float64
		}{{m.s, imgHi}, {m.easy, imgLo}} {
			m.flow(c.s, m.fails(c.s, nil))
			k := &c.s.work.class[m.rate[0]]
			c.img[0] = k.rate * k.sh.calls * perCall(k.sh)
		}
		return
	}
	most, least := m.fails(m.s, hi), m.fails(m.easy, lo)
	admitted := m.asked(least, most)
	age := m.ages()
	for i, q := range m.rate {
		c, worst, mild := &m.s.now.par.class[q], &m.s.work.class[q], &m.easy.work.class[q]
		hot, fetched := m.hits(q, m.asks[i], age)
		worst.hot, mild.hot = hot.lo, hot.hi
		if !m.given[q] {
			m.missed(m.s, q, hot.lo)
			m.missed(m.easy, q, hot.hi)
		}
		back := ends{m.asks[i].lo * mild.sh.calls * perCall(mild.sh), m.asks[i].hi * worst.sh.calls * perCall(worst.sh)}
		if c.coalesce {
			back.lo *= fetched.lo / max(1-worst.sh.h, tiny)
			back.hi *= fetched.hi / max(1-mild.sh.h, tiny)
		}
		m.back[i] = back
	}
	m.join(imgLo, imgHi, admitted)
	for i, q := range m.hit {
		imgLo[n+i], imgHi[n+i] = m.s.work.class[q].hot, m.easy.work.class[q].hot
	}
	if m.fail >= 0 {
		m.s.bootSuccess()
		m.easy.bootSuccess()
		imgLo[m.fail], imgHi[m.fail] = m.easy.work.flow.fail, m.s.work.flow.fail
	}
}

// monotone reports whether the rate that comes back is known to fall with the success of
// a read, all that follows solved along: one class whose misses are no fewer when more
// of its reads fail. With L = ln of its requests, these fills grow by dL/dF ≤ 1/(1 − F), F
// the failures of a boot that asks once.
func (m *ReturnMap) monotone() bool {
	if m.Dim() > 1 {
		return false
	}
	c := &m.s.now.par.class[m.rate[0]]
	return c.perBoot <= 1 && !c.coalesce && !c.late && m.s.lay.lru < 0
}

// asked bounds the reads of each class, attempts included, and returns bounds of the boots
// admitted; it leaves the attempts of either end in the flow of each corner.
func (m *ReturnMap) asked(least, most float64) (admitted ends) {
	few, many := m.admit(m.s, most), m.admit(m.easy, least) // sessions fall as failures rise
	hard, mild := &m.s.work.flow, &m.easy.work.flow
	for i, q := range m.rate {
		c := &m.s.now.par.class[q]
		lo := c.perBoot*mild.adm + c.perSession*few
		hi := c.perBoot*hard.adm + c.perSession*many
		if m.s.now.shedAll {
			lo = c.perBoot*mild.adm + c.perSession*few*hard.ratio
			hi = c.perBoot*hard.adm + c.perSession*many*mild.ratio
		}
		m.asks[i] = ends{lo*m.easy.work.class[q].mult + c.perBoot*faint, hi*m.s.work.class[q].mult + c.perBoot*faint}
	}
	return ends{mild.adm + faint, hard.adm + faint}
}

// ages bounds the characteristic time (s) of the cache: more requests and more that fill, and it
// shrinks. With one class it is the same number of requests at any rate.
func (m *ReturnMap) ages() ends {
	if m.s.lay.lru < 0 {
		return ends{}
	}
	return ends{
		m.age(m.easy, func(e ends) float64 { return e.hi }),
		m.age(m.s, func(e ends) float64 { return e.lo }),
	}
}

// age is the characteristic time where the classes are asked at one end of their rates.
func (m *ReturnMap) age(s *System, end func(ends) float64) float64 {
	total := 0.0
	for i, q := range m.rate {
		r := end(m.asks[i])
		s.work.class[q].rate = r
		if s.now.par.class[q].cached {
			total += r
		}
	}
	return math.Exp(s.recency()) / total
}

// hits bounds the hit rate of one key of a class and the share of its reads that miss and
// fetch, bin by bin.
func (m *ReturnMap) hits(q int, rate, age ends) (hot, fetched ends) {
	c, worst, mild := &m.s.now.par.class[q], &m.s.work.class[q], &m.easy.work.class[q]
	if !c.cached {
		return hot, fetched
	}
	tau := m.s.now.par.pool[c.pool].tau
	late, soon := m.s.work.pool[c.pool].wait, m.easy.work.pool[c.pool].wait
	few, _ := worst.fills(c)
	many, _ := mild.fills(c)
	long, short := late*few, soon*many // time that a fill takes
	if c.coalesce {
		long, short = min(late, tau)*mild.gr, min(soon, tau)*worst.gr
	}
	for b, r := range c.rho {
		fill := ends{c.fewestFills(r, rate, few, long, min(late, tau)*worst.oc), c.mostFills(r, rate, many, short, min(soon, tau)*mild.oc)}
		loss := ends{}
		if m.s.lay.lru >= 0 {
			loss = ends{evicted(r*rate.hi, age.hi), evicted(r*rate.lo, age.lo)}
		}
		x := ends{c.part(m.s.lay.class[q].k, fill.lo, loss.hi), c.part(m.s.lay.class[q].k, fill.hi, loss.lo)}
		hot.lo, hot.hi = hot.lo+c.pi[b]*x.lo, hot.hi+c.pi[b]*x.hi
		if c.coalesce {
			fetched.lo += c.pi[b] * (1 - x.hi) / (1 + r*rate.hi*long)
			fetched.hi += c.pi[b] * (1 - x.lo) / (1 + r*rate.lo*short)
		}
	}
	return hot, fetched
}

// part is the content of a bin at rest.
func (c *class) part(k int, fill, loss float64) float64 {
	first, _, all := c.binAtRest(k, fill, loss)
	return first * all
}

// evicted is the rate at which a bin read at the rate nu loses content after the time
// age unread; it falls with both.
func evicted(nu, age float64) float64 {
	if nu*age < 1e-300 {
		return 1 / age
	}
	return nu / math.Expm1(nu*age)
}

// filled is the rate at which a bin of r accesses a request fills, for requests at the given rate
// of which the share o fills, each after a flight, spoil being min(R, τ)(1 − o).
func (c *class) filled(r, rate, o, flight, spoil float64) float64 {
	fill, _ := c.binRate(r, &[driveKinds]float64{driveFill: rate * o, driveFlight: rate * flight, driveSpoil: rate * spoil})
	return fill
}

// fewestFills is the least fill of a bin over the rates. It rises with the rate, or with
// on_error: delete rises and then falls: the least is at an end.
func (c *class) fewestFills(r float64, rate ends, o, flight, spoil float64) float64 {
	fill := c.filled(r, rate.lo, o, flight, spoil)
	if c.del {
		fill = min(fill, c.filled(r, rate.hi, o, flight, spoil))
	}
	return fill
}

// mostFills is the largest, where r s x (1 + r L x) = 1 if that rate x lies between.
func (c *class) mostFills(r float64, rate ends, o, flight, spoil float64) float64 {
	at := rate.hi
	if c.del && spoil > 0 {
		peak := 1 / (r * spoil)
		if a := r * flight; (c.late || c.coalesce) && a > 0 {
			peak = 2 * peak / (1 + math.Sqrt(1+4*a*peak))
		}
		at = min(max(peak, rate.lo), rate.hi)
	}
	return c.filled(r, at, o, flight, spoil)
}
