package model

import (
	"errors"
	"math"
)

// A ReturnMap is a frozen system reduced to what its equilibria are made of. If the
// queries of each class brought work to each shard at some rates, the queues would settle,
// reads would succeed with some probability, caches would fill, boots would fail and
// come back, and work would reach the shards at the rates that Map tells: equilibria of
// the whole system, whatever its dimension, are the fixed points of this map.
//
// Its coordinates are the work that arrives at each pool that is used (work units/s per
// shard; a class whose queries are free counts by itself, in queries/s), because success
// changes fast with the load and slowly with all else; where several classes share a pool, the
// part of each but the last in the work of it and those after it; for classes of several
// keys whose success depends on how much a request misses (fetch: missing, keyed over
// several shards, several attempts), the hit rate of one key; and the share of the
// attempts that fail, where fewer of them need not mean that more fail (requests by
// sessions, on_error: delete, several classes or late fills in a cache of limited size).
type ReturnMap struct {
	s     *System
	easy  *System    // for the milder corner of a box; nil until bounds are asked for
	rate  []int      // classes that are used, load by load
	loads []workload // rates of the coordinates
	hit   []int      // class of each hit rate
	fail  int        // coordinate of the failing share, −1 if it is solved for
	given []bool     // per class: its hit rate is a coordinate, or there is no cache
	met   []classSlope

	returnScratch
}

// NewReturnMap reduces a system that [System.Freeze] made. It fails where clients that
// never give up have no rest when everything fails.
func NewReturnMap(frozen *System) (*ReturnMap, error) {
	par := frozen.now.par
	m := &ReturnMap{s: frozen, fail: -1, given: make([]bool, len(par.class)), met: make([]classSlope, len(par.class))}
	m.addClasses()
	alone := true // what is asked rises with the failures, and the hit rates with it
	for _, q := range m.rate {
		c := &par.class[q]
		m.given[q] = !c.cached
		alone = alone && c.perSession == 0 && !(c.cached && c.del)
		if c.cached && (c.m > 1 && (c.missing || !c.scatter && c.shards > 1) || c.attempts > 1) {
			m.hit = append(m.hit, q)
			m.given[q] = true
		}
	}
	if !alone || frozen.lay.lru >= 0 && (len(m.rate) > 1 || par.class[m.rate[0]].late) {
		m.fail = len(m.rate) + len(m.hit)
	}
	if math.IsInf(m.attempts(1), 1) {
		return nil, errors.New("model: clients that never give up have no rest when everything fails")
	}
	return m, nil
}

// mostCalls is the largest number of queries per shard that one request causes.
func (c *class) mostCalls() float64 {
	if c.scatter || c.shards == 1 {
		return 1
	}
	return min(1, c.m/c.shards) // V/S ≤ k/S
}

// perCall is the work that a rate counts for each query.
func perCall(s shape) float64 {
	if s.w > 0 {
		return s.w
	}
	return 1
}

// attempts is the rate of attempts at rest when the share fail of them fails: a
// geometric series, capped by the retry budget.
func (m *ReturnMap) attempts(fail float64) float64 {
	lam, par := m.s.now.lam, m.s.now.par
	q := (1 - par.giveUp) * fail
	series := 0.0
	switch {
	case m.s.lay.nz == 0:
		return lam
	case par.lastFeeds:
		series = q / (1 - q)
	default:
		for range m.s.lay.nz {
			series = q * (1 + series)
		}
	}
	capped, _, _, _, _ := smin(lam*series, par.budget*lam)
	return lam + capped
}

// Map stores in dst the rates and shares that come back.
func (m *ReturnMap) Map(dst, u []float64) {
	n := len(m.rate)
	m.loadAt(m.s, u)
	m.flow(m.s, m.fails(m.s, u))
	for i, q := range m.rate {
		k := &m.s.work.class[q]
		back := k.rate * k.sh.calls * perCall(k.sh) * k.lone
		m.back[i] = ends{back, back}
	}
	m.join(dst, dst, ends{1, 1})
	for i, q := range m.hit {
		dst[n+i] = m.s.work.class[q].hot
	}
	if m.fail >= 0 {
		dst[m.fail] = m.s.work.flow.fail
	}
}

// loadAt is load at the coordinates u.
func (m *ReturnMap) loadAt(s *System, u []float64) {
	n := len(m.rate)
	m.split(u, u)
	m.load(s, m.many, u[n:n+len(m.hit)], false)
}

// load sets every pool's queue to rest under the rates and hit rates, and computes the
// success of reads, with its gradient in the core variables if asked for.
func (m *ReturnMap) load(s *System, rate, hit []float64, grad bool) {
	par := s.now.par
	m.sums(s, rate, hit)
	for i := range s.work.pool {
		c, p := &par.pool[i], &s.work.pool[i]
		s.mix(i, false)
		p.b, p.share = p.bNew, p.shareNew
		if c.curve != nil {
			p.wait, _ = c.curve.latency.at(p.b)
			continue
		}
		p.kappa = c.exponent(p.b)
		if rho := p.load / p.mu; c.drops() {
			p.n, p.v, p.r = c.restDropped(rho, p.b, p.mu, p.kappa)
		} else {
			p.n, p.v, p.r = c.rest(rho, p.b, p.mu, p.kappa)
		}
		p.wait = (p.n + 1) / p.mu
		if grad {
			s.refusalSlope(i)
		}
	}
	for q := range par.class {
		s.readSuccess(q, grad)
	}
	m.turnover(s)
}

// turnover finds the characteristic time of a cache that one class uses: the same number
// of requests at any rate.
func (m *ReturnMap) turnover(s *System) {
	if s.lay.lru >= 0 && m.fail < 0 {
		s.work.class[m.rate[0]].rate = 1
		s.recency()
	}
}

// drops reports whether queries past their deadline are dropped unserved.
func (c *pool) drops() bool { return c.drop && !c.ps && !math.IsInf(c.tau, 1) }

// sums adds up the queries of each pool.
func (m *ReturnMap) sums(s *System, rate, hit []float64) {
	par := s.now.par
	for i := range s.work.pool {
		p := &s.work.pool[i]
		p.mu, p.bg = s.server(i, 0)
		p.addBackground(&par.pool[i])
	}
	for q := range par.class {
		k := &s.work.class[q]
		k.sh, k.lone = par.class[q].shapeOf(0), 1
	}
	for i, q := range m.hit {
		s.work.class[q].sh = par.class[q].shapeOf(hit[i])
	}
	for i, q := range m.rate {
		sh, pool := &s.work.class[q].sh, par.class[q].pool
		s.work.pool[pool].add(&par.pool[pool], sh, rate[i]/perCall(*sh))
	}
}
