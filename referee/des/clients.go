package des

import "math"

// burst is the most retries that a budget saves up for later.
const burst = 10

// boot is an attempt under way.
type boot struct {
	row      int32 // of its start
	attempts uint32
	open     int32 // requests without an answer
	need     int32 // those of essential classes
	done     bool
}

// level is a number of clients and the integral of it.
type level struct {
	n    int
	area float64
	seen float64
}

func (l *level) add(n int, t float64) {
	l.area += float64(l.n) * (t - l.seen)
	l.n, l.seen = l.n+n, t
}

// census counts clients over the whole run, for their conservation.
type census struct{ came, under, booted, gone int }

// arrive is the first attempt of a client.
func (m *sim) arrive() {
	m.due += m.plan.gap.draw(m.rnd)
	m.nextBoot = max(m.now, m.ep.t+m.ep.boots.solve(m.due))
	m.row.boots++
	m.people.came++
	m.budget = min(burst, m.budget+m.ep.clients.budget)
	m.attempt(1)
}

// attempt is the given attempt of a client, from 1.
func (m *sim) attempt(k int) {
	m.row.attempts++
	m.refill()
	if m.shed = m.tokens < 1-slack; m.shed {
		m.lost(k)
		return
	}
	m.tokens--
	m.row.admitted++
	m.row.open++
	m.people.under++
	id := m.newBoot()
	m.boots[id] = boot{row: int32(m.rowAt), attempts: uint32(k), open: 1, need: 1}
	for q := range m.ep.class {
		c := &m.ep.class[q]
		for range m.rnd.whole(c.perBoot) {
			b := &m.boots[id]
			b.open++
			if c.essential {
				b.need++
			}
			m.request(q, id+1)
		}
	}
	m.resolve(id+1, true, true)
}

// resolve tells a boot, by its index + 1, of the end of one of its requests.
func (m *sim) resolve(id uint32, essential, ok bool) {
	if id == 0 {
		return // a session's request
	}
	b := &m.boots[id-1]
	b.open--
	if essential && ok {
		b.need--
	}
	attempts := int(b.attempts)
	failed := essential && !ok && !b.done
	booted := b.need == 0 && !b.done
	if failed || booted {
		b.done = true
		m.rows[b.row].open--
		m.people.under--
	}
	if booted {
		m.rows[b.row].booted++
		m.people.booted++
		m.sessions.add(1, m.now)
		m.changed()
	}
	if b.open == 0 {
		m.freeBoots = append(m.freeBoots, id-1)
	}
	if failed {
		m.lost(attempts)
	}
}

// lost is a client whose k-th attempt failed: it gives up, or waits.
func (m *sim) lost(k int) {
	c := &m.ep.clients
	if k == c.most || c.giveUp > 0 && m.rnd.uniform() < c.giveUp {
		m.people.gone++
		return
	}
	m.waiting.add(1, m.now)
	m.wait(k)
}

// wait schedules the attempt after the k-th.
func (m *sim) wait(k int) {
	c := &m.ep.clients
	d := 0.0
	if n := len(c.wait); n > 0 {
		d = c.wait[min(k, n)-1]
	}
	switch m.plan.set.Jitter {
	case FullJitter:
		d *= 2 * m.rnd.uniform()
	case ExponentialJitter:
		d *= m.rnd.exp()
	case NoJitter:
	}
	m.cal.add(m.now+d, evRetry, uint32(k), 0)
}

// retry is the end of a wait after k attempts. Without a budget for it the client waits
// once more.
func (m *sim) retry(k int) {
	if m.budget < 1 && !math.IsInf(m.ep.clients.budget, 1) {
		m.wait(k)
		return
	}
	m.budget--
	m.waiting.add(-1, m.now)
	m.attempt(k + 1)
}

// refill brings the throttle's bucket up to now. It holds what passes in a second.
func (m *sim) refill() {
	if math.IsInf(m.ep.limit.v, 1) {
		m.tokens, m.refilled = math.Inf(1), m.now
		return
	}
	limit := line{m.ep.limit.v + m.ep.limit.rate*(m.refilled-m.ep.t), m.ep.limit.rate}
	most := max(1, m.ep.limit.v+m.ep.limit.rate*(m.now-m.ep.t))
	m.tokens = min(most, m.tokens+limit.area(m.now-m.refilled))
	m.refilled = m.now
}

// sessionRate is the rate of the next thing that a session does: it ends or asks.
func (m *sim) sessionRate() float64 {
	rate := 1 / m.ep.life
	for q := range m.ep.class {
		rate += m.ep.class[q].perSession
	}
	return rate
}

// changed draws anew when the next session does something: exponential times have no memory.
func (m *sim) changed() {
	m.nextSess = math.Inf(1)
	if m.sessions.n > 0 {
		m.nextSess = m.now + m.rnd.exp()/(float64(m.sessions.n)*m.sessionRate())
	}
}

// session lets one session end or ask. Where every request is shed alike, one of a session
// shares the fate of the last boot.
func (m *sim) session() {
	u := m.rnd.uniform() * m.sessionRate()
	for q := range m.ep.class {
		c := &m.ep.class[q]
		if u -= c.perSession; u < 0 {
			m.changed()
			if !m.ep.shedAll || !m.shed {
				m.request(q, 0)
			}
			return
		}
	}
	m.sessions.add(-1, m.now)
	m.changed()
}

func (m *sim) newBoot() uint32 {
	if n := len(m.freeBoots); n > 0 {
		id := m.freeBoots[n-1]
		m.freeBoots = m.freeBoots[:n-1]
		return id
	}
	m.boots = append(m.boots, boot{})
	return uint32(len(m.boots) - 1)
}
