package des

// A sharedShard serves all its queries at once at equal speed (processor sharing). A query
// that its caller gives up is killed and frees the shard.
type sharedShard struct {
	each    float64 // work that a query present throughout would have got
	seen    float64 // clock of the pool up to which that is known
	n       int     // queries in system
	in      float64 // their nominal work
	version uint32  // of the event of the next end
	jobs    []finish
	other   float64 // time of the next query of the background
}

// finish is a job by the value of each at its end.
type finish struct {
	each float64
	job  uint32
	gen  uint32
}

// job is a query at a sharedShard.
type job struct {
	gen    uint32
	req    uint32 // request + 1; 0: background
	reqGen uint32
	shard  uint32
	row    int32 // of its arrival
	work   float64
}

// advance brings a shard to the pool's clock c.
func (p *pool) advance(s *sharedShard, c float64) {
	if s.n > 0 {
		s.each += (c - s.seen) / float64(s.n)
		p.count.area += s.in * (c - s.seen) / p.par.mu
		p.count.square += s.in * s.in * (c - s.seen) / p.par.mu
	}
	s.seen = c
}

// share brings a query to shard k of a pool at the time of the simulation. It reports
// whether it is accepted.
func (m *sim) share(p *pool, k int, w float64, req, gen uint32) bool {
	s := &p.shared[k]
	p.advance(s, p.clock(m.now))
	p.count.work += w
	p.total.arrived++
	if s.in >= p.par.limit*(1-slack) {
		p.total.refused++
		return false
	}
	id := m.newJob()
	j := &m.jobs[id]
	j.req, j.reqGen, j.shard, j.row, j.work = req, gen, uint32(p.first+k), int32(m.rowAt), w
	s.n++
	s.in += w
	s.push(finish{s.each + w*p.par.service.draw(m.rnd), id, j.gen})
	m.schedule(p, s, k)
	if p.par.tau < 1e300 {
		m.cal.add(m.now+p.par.tau*(1+slack), evKill, id, j.gen)
	}
	return true
}

// schedule schedules the next end at a shard.
func (m *sim) schedule(p *pool, s *sharedShard, k int) {
	for len(s.jobs) > 0 && m.jobs[s.jobs[0].job].gen != s.jobs[0].gen {
		s.pop() // killed
	}
	s.version++
	if s.n > 0 {
		c := s.seen + (s.jobs[0].each-s.each)*float64(s.n)
		m.cal.add(max(m.now, p.when(c)), evServed, uint32(p.first+k), s.version)
	}
}

// served ends the job that is done.
func (m *sim) served(e event) {
	p, k := m.shardOf(e.id)
	s := &p.shared[k]
	if e.gen() != s.version&(1<<tagBits-1) {
		return
	}
	p.advance(s, p.clock(m.now))
	f := s.pop()
	s.each = max(s.each, f.each)
	p.total.served++
	m.leaveShared(p, s, k, f.job, true)
}

// kill ends a job that takes too long.
func (m *sim) kill(e event) {
	j := &m.jobs[e.id]
	if j.gen&(1<<tagBits-1) != e.gen() {
		return
	}
	p, k := m.shardOf(j.shard)
	s := &p.shared[k]
	p.advance(s, p.clock(m.now))
	p.total.killed++
	m.leaveShared(p, s, k, e.id, false)
}

func (m *sim) leaveShared(p *pool, s *sharedShard, k int, id uint32, done bool) {
	j := m.jobs[id]
	s.n--
	s.in -= j.work
	if s.n == 0 {
		s.in = 0
	}
	m.jobs[id].gen++
	m.freeJobs = append(m.freeJobs, id)
	m.schedule(p, s, k)
	switch {
	case j.req == 0:
	case !done:
		m.rows[j.row].pool[p.id].late++
	default:
		m.part(j.req-1, j.reqGen)
	}
}

func (m *sim) newJob() uint32 {
	if n := len(m.freeJobs); n > 0 {
		id := m.freeJobs[n-1]
		m.freeJobs = m.freeJobs[:n-1]
		return id
	}
	m.jobs = append(m.jobs, job{})
	return uint32(len(m.jobs) - 1)
}

func (s *sharedShard) push(f finish) {
	s.jobs = append(s.jobs, f)
	h, i := s.jobs, len(s.jobs)-1
	for i > 0 && h[(i-1)/2].each > f.each {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = f
}

func (s *sharedShard) pop() finish {
	h := s.jobs
	first, n := h[0], len(h)-1
	f := h[n]
	h = h[:n]
	s.jobs = h
	for i := 0; n > 0; {
		child := 2*i + 1
		if child+1 < n && h[child+1].each < h[child].each {
			child++
		}
		if child >= n || h[child].each >= f.each {
			h[i] = f
			break
		}
		h[i] = h[child]
		i = child
	}
	return first
}
