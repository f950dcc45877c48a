package des

import "math"

// step is a rollout step: agents restart some of the nodes one after another.
type step struct {
	gap         float64 // s between two restarts
	left        int
	next, extra int // places in the order of the nodes; extra from the far end
	stopped     bool
	flushes     float64
}

// outage is a node that is out of the catalog.
type outage struct {
	node uint32
	gen  uint32
}

// startRollout begins a step: the nodes that have not been restarted for longest come next.
func (m *sim) startRollout(share, over float64) {
	n := int(math.Round(share * float64(len(m.order))))
	if n == 0 {
		return
	}
	m.steps = append(m.steps, step{gap: over / float64(n), left: n, next: m.turn, extra: m.turn - 1, flushes: m.ep.flushes})
	m.turn = (m.turn + n) % len(m.order)
	m.cal.add(m.now+over/float64(n)/2, evRestart, uint32(len(m.steps)-1), 0)
}

func (m *sim) pauseRollout() {
	if n := len(m.steps); n > 0 {
		m.steps[n-1].stopped = true
	}
}

// restart takes the next node of a step out of the catalog.
func (m *sim) restart(id uint32) {
	s := &m.steps[id]
	if s.stopped {
		return
	}
	node := m.order[s.next]
	s.next = (s.next + 1) % len(m.order)
	if s.left--; s.left > 0 {
		m.cal.add(m.now+s.gap, evRestart, id, 0)
	}
	if m.cache.absent[node] {
		return // has not come back from an earlier restart
	}
	away := 0.0
	if m.ep.outage > 0 {
		away = m.ep.outage * m.rnd.exp()
	}
	m.outages = append(m.outages, outage{node: node})
	o := uint32(len(m.outages) - 1)
	m.lastStep = int(id)
	switch {
	case m.ep.hold == 0 && math.IsInf(m.ep.pace, 1):
		m.replaced(node)
	case away == 0 && m.ep.hold > 0:
		// back before anybody noticed
	default:
		m.cache.leave(int(node))
		m.cal.add(m.now+away, evBack, o, 0)
		if away > m.ep.hold || m.ep.hold == 0 {
			m.cal.add(m.now+m.ep.hold, evReplace, o, 0)
		}
	}
}

// replace is the control plane's turn: the hold-down of an outage is over. It replaces so
// many nodes a second, and has no turn to spare for a node that is back.
func (m *sim) replace(id uint32) {
	o := &m.outages[id]
	if o.gen > 0 {
		return
	}
	if m.now < m.paceFree*(1-1e-12) {
		m.cal.add(m.paceFree, evReplace, id, 0)
		return
	}
	m.paceFree = m.now + 1/m.ep.pace
	o.gen++
	m.cache.enter(int(o.node))
	m.replaced(o.node)
}

// replaced puts an empty spare in a node's place; the node, once back, is flushed and a spare.
// A restart that costs more than one node its content takes those whose turn is last.
func (m *sim) replaced(node uint32) {
	s := &m.steps[m.lastStep]
	for i := range m.rnd.whole(s.flushes) {
		if i > 0 {
			n := len(m.order)
			node = m.order[((s.extra%n)+n)%n]
			s.extra--
		}
		m.cache.flush(int(node))
	}
}

// back brings a node that was not replaced into the catalog again, with its content.
func (m *sim) back(id uint32) {
	o := &m.outages[id]
	if o.gen > 0 {
		return
	}
	o.gen++
	m.cache.enter(int(o.node))
}
