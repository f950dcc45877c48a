package des

import "math"

// slack forgives rounding where an event falls on a limit, relative to the limit.
const slack = 1e-9

// A pool is the shards of a database pool and their clock. The clock of a pool counts
// the work (units) that a busy shard has had time for: it is known ahead, so that the end
// of a query is known when it arrives at a shard that serves in order, whatever happens to
// the capacity meanwhile.
type pool struct {
	id   int
	par  *poolPar
	t0   float64 // the epoch's t
	t1   float64 // and its end
	all  []epoch
	at   int // the epoch in all
	size float64

	shards []shard
	shared []sharedShard
	first  int // index of the first shard among all pools'
	gap    law
	debug  bool
	count  *poolCount // of the window
	total  flow
}

// flow counts the queries of a pool over the whole run. The ends are counted where shards share or
// have a queue limit, and in tests.
type flow struct{ arrived, refused, served, late, dropped, killed int }

func (p *pool) clock(t float64) float64 { return p.par.mark + p.par.mu*(t-p.t0) }

// ahead is the clock at a time that may lie beyond the epoch.
func (p *pool) ahead(t float64) float64 {
	if t <= p.t1 {
		return p.clock(t)
	}
	if math.IsInf(t, 1) {
		return t
	}
	i := p.at
	for i+1 < len(p.all) && p.all[i+1].t <= t {
		i++
	}
	e := &p.all[i]
	return e.pool[p.id].mark + e.pool[p.id].mu*(t-e.t)
}

// when is the time at which the clock shows c, not before now.
func (p *pool) when(c float64) float64 {
	t := p.t0 + (c-p.par.mark)/p.par.mu
	if t <= p.t1 {
		return t
	}
	i := p.at
	for i+1 < len(p.all) && p.all[i+1].pool[p.id].mark <= c {
		i++
	}
	e := &p.all[i]
	return e.t + (c-e.pool[p.id].mark)/e.pool[p.id].mu
}

// deadline is the clock at which a query that arrives at t has waited too long.
func (p *pool) deadline(t float64) float64 {
	return p.ahead(t+p.par.tau) + slack*p.par.mu*min(p.par.tau, 1e300)
}

// enter puts epoch i in force, at t; the shards are up to date.
func (p *pool) enter(i int, t float64, rnd random) {
	old := p.par
	elapsed := t - p.t0
	p.at, p.par, p.t0, p.t1 = i, &p.all[i].pool[p.id], p.all[i].t, math.Inf(1)
	if i+1 < len(p.all) {
		p.t1 = p.all[i+1].t
	}
	for k := range p.shards {
		s := &p.shards[k]
		left := math.Inf(1) // of the gap before the next query of the background
		if old != nil {
			left = line{old.other.v + old.other.rate*elapsed, old.other.rate}.area(s.other - t)
		}
		if math.IsInf(left, 1) || math.IsNaN(left) {
			left = p.gap.draw(rnd)
		}
		s.other = t + p.par.other.solve(left)
	}
}

// area is the integral of a line over the next dt.
func (l line) area(dt float64) float64 { return (l.v + l.rate*dt/2) * dt }

// solve is the time after which the integral of a line from now on reaches need; +Inf if
// it never does.
func (l line) solve(need float64) float64 {
	if l.rate == 0 {
		if l.v <= 0 {
			return math.Inf(1)
		}
		return need / l.v
	}
	d := l.v*l.v + 2*l.rate*need
	if d < 0 || l.v <= 0 && l.rate < 0 {
		return math.Inf(1)
	}
	return 2 * need / (l.v + math.Sqrt(d))
}
