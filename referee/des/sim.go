package des

import "math"

// A sim is one replication.
type sim struct {
	plan *plan
	rnd  random
	now  float64
	ep   *epoch
	at   int // of the epoch
	cal  calendar

	cache    *cache
	order    []uint32 // nodes in the order of their restarts
	turn     int
	steps    []step
	outages  []outage
	lastStep int
	paceFree float64 // when the control plane may replace the next node

	pools    []*pool
	reqs     []request
	freeReqs []uint32
	arena    []uint32 // the keys of requests, plan.most each
	scratch  []uint32
	flights  []uint32 // per key: the request that fetches it + 1; nil without coalesce
	waiters  []waiter
	freeWait []uint32
	jobs     []job
	freeJobs []uint32
	owned    []int32 // keys of a request per shard
	asked    []int   // shards that own some

	boots     []boot
	freeBoots []uint32
	due       float64 // boots: the integral of the rate, since the epoch's t, at the next one
	nextBoot  float64
	tokens    float64 // of the throttle
	refilled  float64 // when they were counted
	shed      bool    // the last boot was
	budget    float64 // retries that may be sent
	waiting   level
	sessions  level
	nextSess  float64

	rows   []row
	row    *row
	rowAt  int
	people census
	events int
	err    error
}

func newSim(p *plan, run int) *sim {
	m := &sim{plan: p, rnd: newRandom(p.set.Seed, uint64(run)), now: p.epochs[0].t, scratch: make([]uint32, p.most), budget: burst, paceFree: math.Inf(-1)}
	m.cache = newCache(p.keys, p.nodes, p.room, m.rnd.src.Uint64())
	m.order = make([]uint32, p.nodes)
	for i := range m.order {
		j := m.rnd.below(i + 1)
		m.order[i], m.order[j] = m.order[j], uint32(i)
	}
	for _, c := range p.coalesce {
		if c && m.flights == nil {
			m.flights = make([]uint32, p.keys)
		}
	}
	first := 0
	for i := range p.pools {
		q := &pool{id: i, all: p.epochs, size: p.size(i, p.epochs[0].sc.Pools[i].Value.Shards), gap: p.gap, first: first, debug: p.set.debug}
		if p.shared[i] {
			q.shared = make([]sharedShard, p.shards[i])
		} else {
			q.shards = make([]shard, p.shards[i])
		}
		first += p.shards[i]
		m.owned = append(m.owned, make([]int32, max(0, p.shards[i]-len(m.owned)))...)
		m.pools = append(m.pools, q)
	}
	m.rows = make([]row, len(p.marks))
	for i := range m.rows {
		m.rows[i].class = make([]classCount, len(p.classes))
		m.rows[i].pool = make([]poolCount, len(p.pools))
	}
	m.open(0)
	m.ep = &p.epochs[0]
	m.enter(0)
	return m
}

// run simulates to the end, or until done is closed.
func (m *sim) run(done <-chan struct{}) bool {
	m.start()
	return m.loop(done)
}

// loop is run from a state that is there already.
func (m *sim) loop(done <-chan struct{}) bool {
	const patience = 1 << 12
	inf := math.Inf(1)
	for quiet := 0; ; quiet++ {
		if quiet&(patience-1) == 0 {
			select {
			case <-done:
				return false
			default:
			}
		}
		turn := inf
		if m.at+1 < len(m.plan.epochs) {
			turn = m.plan.epochs[m.at+1].t
		}
		mark, soon := m.plan.marks[m.rowAt], m.cal.next()
		t := min(turn, soon, m.nextBoot, m.nextSess, mark)
		m.now = t
		switch t {
		case turn:
			m.enter(m.at + 1)
			m.happen()
		case soon:
			m.handle(m.cal.pop())
		case m.nextBoot:
			m.arrive()
		case m.nextSess:
			m.session()
		default:
			m.close()
			if m.rowAt+1 == len(m.plan.marks) {
				return true
			}
			m.open(m.rowAt + 1)
		}
		m.events++
		if m.plan.set.debug {
			if m.err = m.conserved(); m.err != nil {
				return true
			}
		}
	}
}

func (m *sim) handle(e event) {
	switch e.kind() {
	case evRetry:
		m.retry(int(e.id))
	case evAnswer:
		m.part(e.id, e.gen())
	case evFail, evJoin:
		if m.reqs[e.id].gen&(1<<tagBits-1) == e.gen() {
			m.finish(e.id, false)
		}
	case evLate:
		m.fill(e.id)
		m.free(e.id)
	case evServed:
		m.served(e)
	case evKill:
		m.kill(e)
	case evOther:
		m.other(e)
	case evRestart:
		m.restart(e.id)
	case evReplace:
		m.replace(e.id)
	case evBack:
		m.back(e.id)
	}
}

// enter puts epoch i in force.
func (m *sim) enter(i int) {
	t := m.now
	m.refill()
	if i > 0 {
		m.due -= m.ep.boots.area(t - m.ep.t)
		for _, p := range m.pools {
			p.sync(t, m.rnd)
		}
	} else {
		m.due = m.plan.gap.draw(m.rnd)
	}
	free := math.IsInf(m.ep.limit.v, 1)
	m.at, m.ep = i, &m.plan.epochs[i]
	if free || m.ep.limit == (line{}) {
		m.tokens = 0
	}
	m.due = max(m.due, 0)
	m.nextBoot = m.ep.t + m.ep.boots.solve(m.due)
	m.changed()
	for _, p := range m.pools {
		p.enter(i, t, m.rnd)
		for k := range p.shared {
			s := &p.shared[k]
			s.other = t + p.par.other.solve(m.plan.gap.draw(m.rnd))
			if !math.IsInf(s.other, 1) {
				m.cal.add(s.other, evOther, uint32(p.first+k), 0)
			}
			m.schedule(p, s, k)
		}
	}
}

// happen does what the timeline asks for at the start of an epoch.
func (m *sim) happen() {
	if m.at == 1 {
		m.begin()
	}
	for _, share := range m.ep.flush {
		m.cache.lose(share, 0, m.plan.keys, m.rnd)
	}
	if m.ep.pause {
		m.pauseRollout()
	}
	if m.ep.rollout > 0 {
		m.startRollout(m.ep.rollout, m.ep.over)
	}
}

// other brings a query of the background to a processor-sharing shard.
func (m *sim) other(e event) {
	p, k := m.shardOf(e.id)
	s := &p.shared[k]
	if e.t != s.other {
		return // from an earlier epoch
	}
	m.share(p, k, 1, 0, 0)
	rate := line{p.par.other.v + p.par.other.rate*(e.t-p.t0), p.par.other.rate}
	s.other = e.t + rate.solve(m.plan.gap.draw(m.rnd))
	if !math.IsInf(s.other, 1) {
		m.cal.add(s.other, evOther, e.id, 0)
	}
}

func (m *sim) shardOf(id uint32) (*pool, int) {
	for _, p := range m.pools {
		if k := int(id) - p.first; k < len(p.shared)+len(p.shards) {
			return p, k
		}
	}
	panic("des: no such shard")
}
