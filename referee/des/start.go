package des

import "math"

// start sets the state in which the warm-up begins: idle shards, nobody waiting, and caches
// as if nothing ever failed. The warm-up does the rest.
func (m *sim) start() {
	e := m.ep
	settled := m.plan.initial.Kind != "cold" && m.plan.initial.Kind != "given"
	boots := min(e.boots.v, e.limit.v)
	m.sessions = level{n: m.rnd.poisson(boots * e.life), seen: m.now}
	m.waiting.seen = m.now
	m.changed()
	if settled || m.plan.set.Warmup > 0 {
		for q := range e.class {
			c := &e.class[q]
			if c.cached {
				m.warm(q, c, (c.perBoot*boots+c.perSession*boots*e.life)*c.m)
			}
		}
		if m.plan.room > 0 {
			m.use()
		}
	}
}

// warm fills the keys of a class that is asked for so many keys a second, as a renewal
// process finds them: a key is there for its time to live, and away until the next access.
func (m *sim) warm(q int, c *classPar, rate float64) {
	s := &m.plan.spaces[q]
	for i := len(s.weights) - 1; i >= 0; i-- { // the most popular are the last used
		left, there := math.Inf(1), rate*s.weights[i] > 0
		if there && c.ttl < 1e300 {
			there = m.rnd.uniform() < c.ttl/(c.ttl+1/(rate*s.weights[i]))
			left = m.rest(c)
		}
		if there {
			m.cache.fill(uint32(s.first+i), m.now, m.now+left)
		}
	}
}

// rest draws what is left of a lifetime met at random.
func (m *sim) rest(c *classPar) float64 {
	if c.stages == 0 {
		return c.ttl * m.rnd.uniform()
	}
	sum := 0.0
	for range 1 + m.rnd.below(c.stages) {
		sum += m.rnd.exp()
	}
	return sum * c.ttl / float64(c.stages)
}

// use lets a cache of limited size see accesses, so that what is in it is what they leave.
func (m *sim) use() {
	const turnovers = 20
	var rates []float64
	for q := range m.ep.class {
		c := &m.ep.class[q]
		rate := 0.0
		if c.cached {
			rate = (c.perBoot + c.perSession*m.ep.life) * c.m
		}
		rates = append(rates, rate)
	}
	classes, key := newAlias(rates), make([]uint32, 1)
	for range turnovers * min(m.plan.keys, m.plan.room*m.plan.nodes) {
		q := int(classes.draw(m.rnd))
		c := &m.ep.class[q]
		if m.draw(q, c, key); !m.cache.has(key[0], m.now) {
			m.cache.fill(key[0], m.now, m.now+m.lifetime(c))
		}
	}
}

// begin sets what the scenario says of t = 0.
func (m *sim) begin() {
	initial := &m.plan.initial
	switch initial.Kind {
	case "cold":
		m.cache.lose(1, 0, m.plan.keys, m.rnd)
	case "given":
		for q := range m.ep.class {
			if m.ep.class[q].cached {
				m.level(q, initial.HitRate)
			}
		}
		for _, p := range m.pools {
			m.load(p, initial.InSystem*p.size)
		}
	}
}

// level empties or fills the keys of a class at random until its hit rate is h.
func (m *sim) level(q int, h float64) {
	s, c := &m.plan.spaces[q], &m.ep.class[q]
	hot := 0.0
	for i, w := range s.weights {
		if e := &m.cache.entries[s.first+i]; e.until > m.now && e.gen == m.cache.flushed[e.node] {
			hot += w
		}
	}
	if h < hot {
		m.cache.lose(1-h/hot, s.first, len(s.weights), m.rnd)
		return
	}
	for i := range s.weights {
		if hot < 1 && m.rnd.uniform() < (h-hot)/(1-hot) {
			m.cache.fill(uint32(s.first+i), m.now, m.now+m.lifetime(c))
		}
	}
}

// load puts work into every shard of a pool.
func (m *sim) load(p *pool, work float64) {
	if work == 0 {
		return
	}
	c := p.clock(m.now)
	for k := range p.shards {
		s := &p.shards[k]
		p.integrate(s, c)
		s.idle = max(c, s.idle) + work
		s.in += work
		s.queue.push(resident{end: s.idle, work: work})
		p.total.arrived++
	}
	for k := range p.shared {
		for range m.rnd.whole(work) {
			m.share(p, k, 1, 0, 0)
		}
	}
}
