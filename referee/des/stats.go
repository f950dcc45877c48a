package des

import (
	"fmt"
	"math"
)

// row holds the counts of one window. What becomes of a boot, a request or a query counts
// in the window in which it started.
type row struct {
	boots, attempts, admitted int
	booted, open              int     // open: boots that are not over
	waiting, sessions         float64 // integrals
	class                     []classCount
	pool                      []poolCount
}

type classCount struct {
	asked, ok, open int // requests; open: those not over
	looks, missed   int // lookups of a request's keys, and those that missed one
	keys, hits      int
}

type poolCount struct {
	work         float64 // offered, units
	area, square float64 // integrals of the work in system and of its square
	visits       int     // queries of the classes
	refused      int
	late         int
}

// open begins the window of row i.
func (m *sim) open(i int) {
	m.rowAt, m.row = i, &m.rows[i]
	for j, p := range m.pools {
		p.count = &m.row.pool[j]
	}
}

// close ends the window at now.
func (m *sim) close() {
	for _, p := range m.pools {
		p.sync(m.now, m.rnd)
		for k := range p.shared {
			p.advance(&p.shared[k], p.clock(m.now))
		}
	}
	m.waiting.add(0, m.now)
	m.sessions.add(0, m.now)
	m.row.waiting, m.waiting.area = m.waiting.area, 0
	m.row.sessions, m.sessions.area = m.sessions.area, 0
}

// columns are those of the table, which are the names of the equations' observables.
func (p *plan) columns() []string {
	c := []string{"t_s", "boots_per_s", "attempts_per_s", "admitted_per_s", "boot_success", "waiting_clients", "sessions"}
	for _, n := range p.classes {
		c = append(c, "hit_rate."+n, "miss."+n, "success."+n)
	}
	for _, n := range p.pools {
		c = append(c, "load."+n, "in_system."+n, "timeout."+n, "refused."+n)
	}
	for _, n := range p.pools {
		c = append(c, "variance."+n)
	}
	return c
}

// values are the columns of row i of a replication that is over.
func (m *sim) values(i int) []float64 {
	r, from, to := &m.rows[i], m.plan.epochs[0].t, m.plan.marks[i]
	if i > 0 {
		from = m.plan.marks[i-1]
	}
	dt := to - from
	people := dt * m.plan.set.Scale
	v := []float64{
		to, float64(r.boots) / people, float64(r.attempts) / people, float64(r.admitted) / people,
		ratio(r.booted, r.admitted-r.open), r.waiting / people, r.sessions / people,
	}
	for _, c := range r.class {
		v = append(v, ratio(c.hits, c.keys), ratio(c.missed, c.looks), ratio(c.ok, c.asked-c.open))
	}
	var variances []float64
	for j, c := range r.pool {
		p := m.pools[j]
		shards := float64(m.plan.shards[j])
		done := m.clockAt(p, to) - m.clockAt(p, from)
		n := c.area / dt / shards / p.size
		v = append(v, c.work/shards/done, n, ratio(c.late, c.visits-c.refused), ratio(c.refused, c.visits))
		variances = append(variances, c.square/dt/shards/p.size/p.size-n*n)
	}
	return append(v, variances...)
}

// clockAt is the clock of a pool at any time of the run.
func (m *sim) clockAt(p *pool, t float64) float64 {
	i := 0
	for i+1 < len(p.all) && p.all[i+1].t <= t {
		i++
	}
	e := &p.all[i]
	return e.pool[p.id].mark + e.pool[p.id].mu*(t-e.t)
}

// ratio is NaN where nothing was counted.
func ratio(n, of int) float64 {
	if of == 0 {
		return math.NaN()
	}
	return float64(n) / float64(of)
}

// conserved checks that nothing is lost: queries that arrived at a pool have been refused, have
// left or are in system; clients that came have booted, gone, or wait, or are under way.
func (m *sim) conserved() error {
	for i, p := range m.pools {
		in, work := 0, 0.0
		for k := range p.shards {
			s := &p.shards[k]
			p.background(s, m.now, m.rnd)
			p.leave(s, p.clock(m.now))
			in += s.queue.n
			last := p.clock(m.now)
			for j := range s.queue.n {
				r := &s.queue.buf[(s.queue.head+j)&(len(s.queue.buf)-1)]
				work += r.work
				if !(r.end >= last) {
					return fmt.Errorf("des: %g s: pool %s: a query ends at clock %g, before %g", m.now, m.plan.pools[i], r.end, last)
				}
				last = r.end
			}
			work -= s.in
		}
		for k := range p.shared {
			in += p.shared[k].n
		}
		f := &p.total
		if left := f.refused + f.served + f.late + f.dropped + f.killed; f.arrived != left+in || math.Abs(work) > 1e-6 {
			return fmt.Errorf("des: %g s: pool %s: %d queries came, %+v, %d in system; nominal work off by %g", m.now, m.plan.pools[i], f.arrived, *f, in, work)
		}
	}
	c := &m.people
	if c.came != c.booted+c.gone+c.under+m.waiting.n || m.waiting.n < 0 || m.sessions.n < 0 {
		return fmt.Errorf("des: %g s: %+v, %d waiting, %d sessions", m.now, *c, m.waiting.n, m.sessions.n)
	}
	return nil
}
