package model

// Columns that every system has, by their index in a row of observables.
const (
	ColTime     = iota // s since the scenario's start
	ColBoots           // 1/s: new sessions that want to start
	ColAttempts        // 1/s, with retries
	ColAdmitted        // 1/s, by the throttle
	ColSuccess         // of those admitted, 0…1
	ColWaiting         // clients
	ColSessions        // booted
)

// Columns returns the names of the observables in the order of [System.Observe]:
// the time, what boots do, then each class and each pool.
func (s *System) Columns() []string {
	c := []string{"t_s", "boots_per_s", "attempts_per_s", "admitted_per_s", "boot_success", "waiting_clients", "sessions"}
	for _, n := range s.classes {
		c = append(c, "hit_rate."+n, "miss."+n, "success."+n)
	}
	for _, n := range s.pools {
		c = append(c, "load."+n, "in_system."+n, "timeout."+n, "refused."+n)
	}
	return c
}

// Observe stores the observables at (t, y) in dst, one for each of
// [System.Columns]: rates in 1/s, probabilities in 0…1, load as offered work over
// capacity, in_system in work units per shard. boot_success is that of an admitted
// boot, timeout that of the pool's mean query, under processor sharing of its classes'. What a tolerance leaves of waiting
// clients below 0 reads 0.
func (s *System) Observe(dst []float64, t float64, y []float64) {
	s.core(t, y, false)
	f, l := &s.work.flow, &s.lay
	dst = append(dst[:0], t, f.lam, f.attempts, f.adm, f.ok, max(sum(y[l.z:l.z+l.nz]), 0), y[l.s])
	for q := range s.work.class {
		k := &s.work.class[q]
		dst = append(dst, k.sh.h, k.sh.miss, k.s)
	}
	for i := range s.work.pool {
		p, c := &s.work.pool[i], &s.now.par.pool[i]
		in := p.n
		if c.curve != nil {
			in = p.load * p.wait // Little
		}
		dst = append(dst, p.load/p.mu, in, s.meanTimeout(i), p.r)
	}
}

// meanTimeout is the time-out probability of a pool's mean query.
func (s *System) meanTimeout(i int) float64 {
	p, c := &s.work.pool[i], &s.now.par.pool[i]
	if c.curve != nil {
		v, _ := c.curve.timeout.at(p.b)
		return v
	}
	w := 1.0
	if p.calls > 0 && p.load > 0 {
		w = p.load / p.calls
	}
	late, _ := c.timeoutOf(p, w, false, nil)
	if c.ps {
		return s.classTimeout(i, late)
	}
	return late
}

// classTimeout is the mean over the queries of a pool's classes, or else what is given: a
// background of small queries says nothing of large ones that share the server.
func (s *System) classTimeout(i int, empty float64) float64 {
	late, calls := 0.0, 0.0
	for q := range s.work.class {
		if k := &s.work.class[q]; s.now.par.class[q].pool == i {
			rate := k.rate * k.sh.calls * k.lone
			late, calls = late+rate*k.p, calls+rate
		}
	}
	if calls < 1e-100 {
		return empty
	}
	return late / calls
}

// Throttle returns the limit on admitted boot attempts at t, 1/s, by what is in force
// now; +Inf without one.
func (s *System) Throttle(t float64) float64 { return s.now.u + s.now.uRate*(t-s.now.t0) }

// Variances returns the variance of the work at a shard of each pool (work units²);
// 0 for a pool with a measured service curve.
func (s *System) Variances(y []float64) []float64 {
	v := make([]float64, len(s.pools))
	for i, p := range s.lay.pool {
		if p.v >= 0 {
			v[i] = s.now.par.pool[i].varianceIn(y, &p)
		}
	}
	return v
}

// Boots returns the rate of first attempts (boots/s) at the start of the piece in force.
func (s *System) Boots() float64 { return s.now.lam }
