package des

import "math"

// send brings a request's queries, for so many keys, to the shards. Shards that serve in
// order tell at once what will become of it.
func (m *sim) send(id uint32, c *classPar, p *pool, keys int) {
	if len(p.shared) > 0 {
		m.sendShared(id, c, p, keys)
		return
	}
	clock, deadline := p.clock(m.now), p.deadline(m.now)
	last, refusal := clock, false
	ask := func(k int, w float64) {
		s := &p.shards[k]
		p.background(s, m.now, m.rnd)
		end := p.offer(s, clock, w, deadline, m.rnd)
		p.count.visits++
		switch {
		case end == refused:
			p.count.refused++
			refusal = true
			return
		case end > deadline:
			p.count.late++
		}
		last = max(last, end)
	}
	if c.scatter {
		w := c.visit + c.key*float64(keys)
		for k := range p.shards {
			ask(k, w)
		}
	} else {
		for _, k := range m.owners(id, c, len(p.shards)) {
			ask(k, (c.visit+c.key)*float64(m.owned[k]))
			m.owned[k] = 0
		}
	}
	r := &m.reqs[id]
	r.jobs = 1
	switch {
	case refusal:
		m.finish(id, false)
	case last <= deadline:
		m.cal.add(max(m.now, p.when(last)), evAnswer, id, r.gen)
	default:
		m.cal.add(m.now+p.par.tau, evFail, id, r.gen)
		if c.late && c.cached && !math.IsInf(last, 1) {
			m.later(id, p.when(last))
		}
	}
}

// later lets an answer that comes too late for its caller fill the cache.
func (m *sim) later(id uint32, t float64) {
	late := m.newRequest()
	r := &m.reqs[late]
	*r = request{gen: r.gen, class: m.reqs[id].class, n: m.reqs[id].n}
	copy(m.keysOf(late), m.keysOf(id))
	m.cal.add(t, evLate, late, 0)
}

func (m *sim) sendShared(id uint32, c *classPar, p *pool, keys int) {
	gen, refusal := m.reqs[id].gen, false
	ask := func(k int, w float64) {
		p.count.visits++
		if !m.share(p, k, w, id+1, gen) {
			p.count.refused++
			refusal = true
			return
		}
		m.reqs[id].jobs++
	}
	if c.scatter {
		for k := range p.shared {
			ask(k, c.visit+c.key*float64(keys))
		}
	} else {
		for _, k := range m.owners(id, c, len(p.shared)) {
			ask(k, (c.visit+c.key)*float64(m.owned[k]))
			m.owned[k] = 0
		}
	}
	if refusal {
		m.finish(id, false)
		return
	}
	if p.par.tau < math.MaxFloat64 {
		m.cal.add(m.now+p.par.tau*(1+2*slack), evFail, id, gen)
	}
}

// owners lists the shards that own keys to be read, and counts the keys of each in owned.
func (m *sim) owners(id uint32, c *classPar, shards int) []int {
	m.asked = m.asked[:0]
	for _, k := range m.keysOf(id) {
		if c.missing && (k&^keyMask == 0 || k&joined != 0) {
			continue
		}
		s := 0
		switch {
		case shards == 1:
		case c.anyShard:
			s = m.rnd.below(shards)
		default:
			s = int(mix(uint64(k&keyMask)) % uint64(shards))
		}
		if m.owned[s] == 0 {
			m.asked = append(m.asked, s)
		}
		m.owned[s]++
	}
	return m.asked
}
