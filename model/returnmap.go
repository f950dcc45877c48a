package model

import (
	"errors"
	"fmt"
	"math"
)

// A Moment is the system with every function of time frozen: rollouts and
// validations off, capacities, parameters and the throttle as they are at a time.
type Moment struct {
	Time     float64 // s
	Traffic  float64 // boots as a share of the full rate (profile 1); negative: as at Time
	Throttle float64 // boots/s, +Inf for none; negative: as at Time
}

// A ReturnMap is a frozen system reduced to what its equilibria are made of. If the
// queries of each class reached each shard at the rates u, the queues would settle,
// reads would succeed with some probability, caches would fill, boots would fail and
// come back, and queries would reach the shards at the rates Map(u): equilibria of
// the whole system, whatever its dimension, are the fixed points of this map.
//
// Its coordinates are one rate per class that is used (queries/s per shard) and, for
// classes of several keys whose success depends on how much a request misses (fetch: missing, keyed
// over several shards, several attempts), the hit rate of one key as well.
type ReturnMap struct {
	s     *System
	rate  []int   // class of each rate
	hit   []int   // class of each hit rate
	given []bool  // per class: its hit rate is a coordinate
	top   float64 // attempts/s when everything fails
	share []float64
}

// Freeze returns a copy of the system that stands still at the moment: Eval and its
// companions do not depend on t any more.
func (s *System) Freeze(at Moment) *System {
	f := s.Clone()
	k := 0
	for k < len(s.breaks) && s.breaks[k] <= at.Time {
		k++
	}
	pc := *s.pieces[k]
	dt := at.Time - pc.t0
	pc.mult += pc.multRate * dt
	pc.u += pc.uRate * dt
	if at.Traffic >= 0 {
		pc.mult = at.Traffic
	}
	if at.Throttle >= 0 {
		pc.u = at.Throttle
	}
	pc.lam = pc.par.boots * pc.mult
	pc.t0, pc.lamRate, pc.multRate, pc.uRate = 0, 0, 0, 0
	pc.validate, pc.absent, pc.loss, pc.rolling, pc.rollStart, pc.keep = 0, 0, 0, false, false, 1
	f.breaks, f.pieces = nil, []*piece{&pc}
	f.mem, f.settling = nil, true // at rest a fixed time to live is an exponential one
	f.Reset()
	return f
}

// NewReturnMap reduces a system that [System.Freeze] made. It fails where the reduction
// does not hold: drop_expired, on_error: delete, coalesce, a cache size, measured
// service curves.
func NewReturnMap(frozen *System) (*ReturnMap, error) {
	par := frozen.now.par
	m := &ReturnMap{s: frozen, given: make([]bool, len(par.class)), share: make([]float64, len(par.pool))}
	if !math.IsInf(par.size, 1) {
		return nil, errors.New("model: no return map with a cache size")
	}
	for q := range par.class {
		c := &par.class[q]
		p := &par.pool[c.pool]
		switch {
		case p.curve != nil || p.drop:
			return nil, fmt.Errorf("model: no return map with drop_expired or a service curve (pool %s)", frozen.pools[c.pool])
		case c.del || c.coalesce:
			return nil, fmt.Errorf("model: no return map with on_error: delete or coalesce (class %s)", frozen.classes[q])
		case c.perBoot == 0 && c.perSession == 0:
			continue
		}
		m.rate = append(m.rate, q)
		if c.cached && (c.m > 1 && (c.missing || !c.scatter && c.shards > 1) || c.attempts > 1) {
			m.hit = append(m.hit, q)
			m.given[q] = true
		}
	}
	m.top = m.attempts(1)
	if math.IsInf(m.top, 1) {
		return nil, errors.New("model: clients that never give up have no rest when everything fails")
	}
	return m, nil
}

// Dim returns the number of coordinates.
func (m *ReturnMap) Dim() int { return len(m.rate) + len(m.hit) }

// Box returns bounds that hold every equilibrium.
func (m *ReturnMap) Box() (lo, hi []float64) {
	lo, hi = make([]float64, m.Dim()), make([]float64, m.Dim())
	par := m.s.now.par
	adm, _, _, _, _ := smin(m.top, m.s.now.u)
	if m.s.now.shedAll {
		adm = m.top
	}
	for i, q := range m.rate {
		c := &par.class[q]
		hi[i] = (c.perBoot*adm + c.perSession*par.session*m.s.now.lam) * float64(c.attempts) * c.mostCalls() * (1 + 1e-9)
	}
	for i := range m.hit {
		hi[len(m.rate)+i] = 1
	}
	return lo, hi
}

// mostCalls is the largest number of queries per shard that one request causes.
func (c *class) mostCalls() float64 {
	if c.scatter || c.shards == 1 {
		return 1
	}
	return min(1, c.m/c.shards) // V/S ≤ k/S
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

// Map stores in dst the rates and hit rates that come back.
func (m *ReturnMap) Map(dst, u []float64) {
	m.load(u, u)
	m.succeed(u[len(m.rate):])
	m.flow(m.fails())
	m.store(dst)
}

// load sets every pool's queue to rest under the rates u; the common share is that
// of the rates v.
func (m *ReturnMap) load(u, v []float64) {
	s := m.s
	par := s.now.par
	for i := range s.work.pool {
		s.work.pool[i].mu, s.work.pool[i].bg = s.server(i, 0)
	}
	m.sums(v)
	for i := range s.work.pool {
		s.mix(i, false)
		m.share[i] = s.work.pool[i].shareNew
	}
	m.sums(u)
	for i := range s.work.pool {
		p := &s.work.pool[i]
		s.mix(i, false)
		p.b, p.share = p.bNew, m.share[i]
		p.n, p.v, p.r, p.kappa = par.pool[i].rest(p.load/p.mu, p.b, p.mu)
		p.wait = (p.n + 1) / p.mu
	}
}

// sums adds up the queries of each pool at the rates u.
func (m *ReturnMap) sums(u []float64) {
	s := m.s
	for i := range s.work.pool {
		s.work.pool[i].addBackground(&s.now.par.pool[i])
	}
	for q := range s.work.class {
		s.work.class[q].sh = s.now.par.class[q].shapeOf(0)
		s.work.class[q].rate = 0
	}
	for i, q := range m.hit {
		s.work.class[q].sh = s.now.par.class[q].shapeOf(u[len(m.rate)+i])
	}
	for i, q := range m.rate {
		k := &s.work.class[q]
		if k.sh.calls > 0 {
			k.rate = u[i] / k.sh.calls
		}
		k.lone = 1
		s.addCalls(q, false)
	}
}

// succeed computes the success of one read of each class; hit holds the hit rates of
// the classes where it depends on them.
func (m *ReturnMap) succeed(hit []float64) {
	for i, q := range m.hit {
		m.s.work.class[q].sh = m.s.now.par.class[q].shapeOf(hit[i])
	}
	for _, q := range m.rate {
		m.s.readSuccess(q, false)
	}
}

// fails solves for the share of the attempts that fail: more failures, more attempts,
// more fills, fewer failures; one root.
func (m *ReturnMap) fails() float64 {
	return root(func(f float64) float64 { return m.flow(f) - f }, 0, 1, 1e-16)
}

// flow computes what boots do, and what each class asks for, when the share fail of
// the attempts fails, and returns the share that fails then.
func (m *ReturnMap) flow(fail float64) float64 {
	s := m.s
	par, f := s.now.par, &s.work.flow
	f.lam = s.now.lam
	f.attempts = m.attempts(fail)
	f.adm, f.ratio, f.shed, _, _ = smin(f.attempts, s.now.u)
	f.sess = f.attempts * (1 - fail)
	sessions := par.session * f.sess
	for _, q := range m.rate {
		c, k := &par.class[q], &s.work.class[q]
		k.rate = s.asks(c, sessions) * k.mult
		k.hot = m.atRest(q)
		if !m.given[q] {
			k.sh = c.shapeOf(k.hot)
			k.f, k.s = k.sh.miss*k.oc, (1-k.sh.miss)+k.sh.miss*k.o
		}
	}
	s.bootSuccess()
	return f.fail
}

// atRest is the hit rate of one key when a class is asked and its reads succeed as
// they do now.
func (m *ReturnMap) atRest(q int) float64 {
	c, k := &m.s.now.par.class[q], &m.s.work.class[q]
	if !c.cached {
		return 0
	}
	o, _ := k.fills(c)
	k.drive[driveFill] = k.rate * o
	k.drive[driveDelay] = m.s.work.pool[c.pool].wait
	expiry := c.age / float64(m.s.lay.class[q].k)
	if expiry == 0 {
		return 1
	}
	hot := 0.0
	for b, r := range c.rho {
		fill, _ := c.binRate(r, &k.drive)
		hot += c.pi[b] * fill / (fill + expiry)
	}
	return hot
}

// store writes the rates and hit rates that come back.
func (m *ReturnMap) store(dst []float64) {
	for i, q := range m.rate {
		k := &m.s.work.class[q]
		dst[i] = k.rate * k.sh.calls
	}
	for i, q := range m.hit {
		dst[len(m.rate)+i] = m.s.work.class[q].hot
	}
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
