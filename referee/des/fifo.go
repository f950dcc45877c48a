package des

import "math"

// A shard serves its queries in order of arrival. What it still has to do is known from the
// clock at which it will be idle (Lindley 1952, doi 10.1017/S0305004100027638): no event
// is needed for the end of a query.
type shard struct {
	idle  float64 // clock of the pool when all work here is done
	seen  float64 // clock up to which the work in system is integrated
	other float64 // time of the next query of the background
	in    float64 // nominal work of the queries in system, where that matters
	queue ring
}

// resident is a query in system: the clock at its end, its nominal work, its deadline.
type resident struct {
	end, work, deadline float64
	dropped             bool
}

// ring is a queue that grows.
type ring struct {
	buf  []resident
	head int
	n    int
}

func (q *ring) push(r resident) {
	if q.n == len(q.buf) {
		grown := make([]resident, max(16, 2*q.n))
		k := copy(grown, q.buf[q.head:])
		copy(grown[k:], q.buf[:q.head])
		q.buf, q.head = grown, 0
	}
	q.buf[(q.head+q.n)&(len(q.buf)-1)] = r
	q.n++
}

func (q *ring) first() *resident { return &q.buf[q.head] }

func (q *ring) drop() {
	q.head = (q.head + 1) & (len(q.buf) - 1)
	q.n--
}

// refused stands for the end of a query that was not accepted.
const refused = -1

// offer brings a query of nominal work w to a shard at the pool's clock c. It returns the
// clock at its end: refused, or +Inf when it will be dropped unserved.
func (p *pool) offer(s *shard, c, w, deadline float64, rnd random) float64 {
	p.integrate(s, c)
	p.count.work += w
	p.total.arrived++
	limited := p.par.limit < math.MaxFloat64
	if limited || p.debug {
		p.leave(s, c)
		if s.in >= p.par.limit*(1-slack) {
			p.total.refused++
			return refused
		}
	}
	start := max(c, s.idle)
	end, dropped := start, p.par.drop && start > deadline
	if !dropped {
		end += w * p.par.service.draw(rnd)
		s.idle = end
	}
	if limited || p.debug {
		s.in += w
		s.queue.push(resident{end, w, deadline, dropped})
	}
	if dropped {
		return math.Inf(1)
	}
	return end
}

// leave lets go of the queries that have ended by the clock c.
func (p *pool) leave(s *shard, c float64) {
	for s.queue.n > 0 && s.queue.first().end <= c+slack*math.Abs(p.par.mu)*1e-3 {
		r := s.queue.first()
		s.in -= r.work
		switch {
		case r.dropped:
			p.total.dropped++
		case r.end > r.deadline:
			p.total.late++
		default:
			p.total.served++
		}
		s.queue.drop()
	}
	if s.queue.n == 0 {
		s.in = 0 // no rounding stays
	}
}

// integrate brings the integral of the unfinished work up to the clock c.
func (p *pool) integrate(s *shard, c float64) {
	if v := s.idle - s.seen; v > 0 {
		x := min(c-s.seen, v)
		p.count.area += x * (2*v - x) / (2 * p.par.mu)
		p.count.square += (v*v*v - (v-x)*(v-x)*(v-x)) / (3 * p.par.mu)
	}
	s.seen = c
}

// background lets the queries of no class arrive that come up to t.
func (p *pool) background(s *shard, t float64, rnd random) {
	for s.other <= t {
		at := s.other
		deadline := math.Inf(1)
		if p.par.drop || p.debug {
			deadline = p.deadline(at)
		}
		p.offer(s, p.clock(at), 1, deadline, rnd)
		rate := line{p.par.other.v + p.par.other.rate*(at-p.t0), p.par.other.rate}
		s.other = at + rate.solve(p.gap.draw(rnd))
	}
}

// sync brings every shard up to t.
func (p *pool) sync(t float64, rnd random) {
	c := p.clock(t)
	for k := range p.shards {
		s := &p.shards[k]
		p.background(s, t, rnd)
		p.integrate(s, c)
	}
}
