package des

// Marks on the keys of a request, above the key itself.
const (
	absent  = 1 << 31 // not in the cache: an answer fills it
	checked = 1 << 30 // sent to the database all the same
	joined  = 1 << 29 // fetched by another request
	keyMask = 1<<29 - 1
)

// request is a request under way that reads from a database.
type request struct {
	gen     uint32
	boot    uint32 // index + 1, 0: a session's
	class   uint16
	tries   uint16 // left, this one included
	n       int32  // keys
	row     int32  // of its start
	jobs    int32  // queries of its own without an answer
	pending int32  // its own read, and the fetches of others that it waits for
	asked   bool   // it has a read of its own
	waiters uint32 // list of those who wait for it, index + 1
}

// waiter is a request that waits for another one's fetch.
type waiter struct {
	req, gen, next uint32
}

// request is one request of class q, by a boot (index + 1) or a session (0).
func (m *sim) request(q int, boot uint32) {
	c := &m.ep.class[q]
	keys := m.scratch[:m.rnd.whole(c.m)]
	m.draw(q, c, keys)
	absent := m.look(q, c, keys)
	count := &m.row.class[q]
	count.asked++
	if !absent {
		count.ok++
		m.resolve(boot, c.essential, true)
		return
	}
	count.open++
	id := m.newRequest()
	r := &m.reqs[id]
	*r = request{gen: r.gen, boot: boot, class: uint16(q), tries: uint16(c.tries), n: int32(len(keys)), row: int32(m.rowAt)}
	copy(m.keysOf(id), keys)
	m.read(id)
}

func (m *sim) draw(q int, c *classPar, keys []uint32) {
	s := &m.plan.spaces[q]
	for i := range keys {
		keys[i] = uint32(s.first)
		if s.pick != nil {
			keys[i] += s.pick.draw(m.rnd)
		}
	}
}

// look looks the keys up and marks those to be read from the database. It reports whether
// there are any.
func (m *sim) look(q int, c *classPar, keys []uint32) bool {
	misses := 0
	for i, k := range keys {
		k &= keyMask
		switch {
		case !c.cached:
			k |= checked
			misses++
		case !m.cache.has(k, m.now):
			k |= absent
			misses++
		case m.ep.validate > 0 && m.rnd.uniform() < m.ep.validate:
			k |= checked
			misses++
		}
		keys[i] = k
	}
	count := &m.row.class[q]
	count.keys += len(keys)
	count.hits += len(keys) - misses
	count.looks++
	if misses > 0 {
		count.missed++
	}
	return misses > 0
}

// read sends a request's marked keys to the database, or joins the fetches under way.
func (m *sim) read(id uint32) {
	r := &m.reqs[id]
	q := int(r.class)
	c := &m.ep.class[q]
	keys := m.keysOf(id)
	r.asked, r.pending, r.jobs, r.waiters = false, 0, 0, 0
	own := 0
	for i, k := range keys {
		switch {
		case k&^keyMask == 0:
		case m.plan.coalesce[q] && k&absent != 0 && m.flights[k&keyMask] != 0:
			keys[i] |= joined
			r.pending++
			m.join(id, m.flights[k&keyMask]-1)
		default:
			own++
		}
	}
	if r.pending > 0 {
		m.cal.add(m.now+m.ep.pool[c.pool].tau*(1+2*slack), evJoin, id, r.gen)
	}
	if own == 0 {
		return
	}
	if !c.missing {
		own = len(keys)
	}
	r.asked = true
	r.pending++
	if m.plan.coalesce[q] {
		for _, k := range keys {
			if k&(absent|joined) == absent {
				m.flights[k&keyMask] = id + 1
			}
		}
	}
	m.send(id, c, m.pools[c.pool], own)
}

func (m *sim) join(id, leader uint32) {
	w := uint32(len(m.waiters))
	if n := len(m.freeWait); n > 0 {
		w = m.freeWait[n-1]
		m.freeWait = m.freeWait[:n-1]
	} else {
		m.waiters = append(m.waiters, waiter{})
	}
	m.waiters[w] = waiter{id, m.reqs[id].gen, m.reqs[leader].waiters}
	m.reqs[leader].waiters = w + 1
}

// part is the answer of one query of a request, or of all of them at once.
func (m *sim) part(id, gen uint32) {
	r := &m.reqs[id]
	if (r.gen^gen)&(1<<tagBits-1) != 0 {
		return
	}
	if r.jobs--; r.jobs > 0 {
		return
	}
	m.fill(id)
	m.release(id, true)
	r = &m.reqs[id]
	if r.pending--; r.pending == 0 {
		m.finish(id, true)
	}
}

// fill stores the absent keys that a request has fetched.
func (m *sim) fill(id uint32) {
	c := &m.ep.class[m.reqs[id].class]
	for _, k := range m.keysOf(id) {
		if k&(absent|joined) == absent {
			m.cache.fill(k&keyMask, m.now, m.now+m.lifetime(c))
		}
	}
}

// lifetime draws how long an entry lives.
func (m *sim) lifetime(c *classPar) float64 {
	if c.ttl > 1e300 || c.stages == 0 {
		return c.ttl
	}
	sum := 0.0
	for range c.stages {
		sum += m.rnd.exp()
	}
	return sum * c.ttl / float64(c.stages)
}

// release ends the flights of a request's keys and tells who waits for them.
func (m *sim) release(id uint32, ok bool) {
	r := &m.reqs[id]
	if m.flights == nil {
		return
	}
	for _, k := range m.keysOf(id) {
		if m.flights[k&keyMask] == id+1 {
			m.flights[k&keyMask] = 0
		}
	}
	w := r.waiters
	r.waiters = 0
	for w > 0 {
		x := m.waiters[w-1]
		m.freeWait = append(m.freeWait, w-1)
		w = x.next
		o := &m.reqs[x.req]
		switch {
		case o.gen != x.gen:
		case !ok:
			m.finish(x.req, false)
		default:
			if o.pending--; o.pending == 0 {
				m.finish(x.req, true)
			}
		}
	}
}

// finish ends a request, or its attempt inside the server.
func (m *sim) finish(id uint32, ok bool) {
	r := &m.reqs[id]
	q := int(r.class)
	c := &m.ep.class[q]
	r.gen++
	if !ok {
		m.release(id, false)
		r = &m.reqs[id]
		if c.deletes && r.asked {
			m.forget(c, m.keysOf(id))
		}
		if r.tries--; r.tries > 0 {
			if m.look(q, c, m.keysOf(id)) {
				m.read(id)
				return
			}
			ok = true
		}
	}
	if ok {
		m.rows[r.row].class[q].ok++
	}
	m.rows[r.row].class[q].open--
	boot := r.boot
	m.free(id)
	m.resolve(boot, c.essential, ok)
}

// forget deletes the keys of a read that failed.
func (m *sim) forget(c *classPar, keys []uint32) {
	for _, k := range keys {
		if !c.missing || k&^keyMask != 0 {
			m.cache.remove(k & keyMask)
		}
	}
}

func (m *sim) keysOf(id uint32) []uint32 {
	at := int(id) * m.plan.most
	return m.arena[at : at+int(m.reqs[id].n)]
}

func (m *sim) newRequest() uint32 {
	if n := len(m.freeReqs); n > 0 {
		id := m.freeReqs[n-1]
		m.freeReqs = m.freeReqs[:n-1]
		return id
	}
	m.reqs = append(m.reqs, request{})
	m.arena = append(m.arena, make([]uint32, m.plan.most)...)
	return uint32(len(m.reqs) - 1)
}

func (m *sim) free(id uint32) {
	m.reqs[id].gen++
	m.freeReqs = append(m.freeReqs, id)
}
