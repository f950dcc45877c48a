package model

// Eval stores M y' = f(t, y) in dst: the right-hand side of every differential
// component and the residual of every closure variable. It allocates nothing.
func (s *System) Eval(dst []float64, t float64, y []float64) {
	s.core(t, y, false)
	s.rates(dst, y)
}

// rates stores f in dst from the core's quantities.
func (s *System) rates(dst, y []float64) {
	w, l := &s.work, &s.lay
	for q := range s.now.par.class {
		b := &l.class[q]
		from, to := b.at, b.at+b.bins*b.k
		s.bins(dst[from:to], y[from:to], q)
		if s.now.rolling {
			rest := dst[l.base:]
			s.bins(rest[from:to], y[l.base:][from:to], q)
			axpy(dst[from:to], -s.now.loss, y[l.base:][from:to])
		}
		s.expireInto(dst, q, false)
	}
	s.stages(dst, y)
	for i := range w.pool {
		p, at := &w.pool[i], &l.pool[i]
		if at.n >= 0 {
			dst[at.n], dst[at.v] = p.dn, p.dv
		}
		dst[at.b], dst[at.share] = p.bNew-y[at.b], p.shareNew-y[at.share]
	}
	dst[l.s] = w.flow.sess - y[l.s]/s.now.par.session
	if l.theta >= 0 {
		dst[l.theta] = w.flow.theta - y[l.theta]
	}
	if l.lru >= 0 {
		dst[l.lru] = w.lruRes
	}
}

// bins computes the rates of one class's content, rollouts aside:
//
//	dx/dt = fill (1 − x) − x (1/T + loss),
//
// with ttl stages the first compartment fills and each hands on to the next.
func (s *System) bins(dst, x []float64, q int) {
	c, w, k := &s.now.par.class[q], &s.work.class[q], s.lay.class[q].k
	d := &w.drive
	if s.plain(q) {
		fill, age, n := d[driveFill], w.age, len(c.rho)
		dst, x := dst[:n], x[:n]
		for b, r := range c.rho {
			f := r * fill
			dst[b] = f - x[b]*(f+age)
		}
		return
	}
	for b, r := range c.rho {
		fill, loss := c.binRate(r, d)
		xs, out := x[b*k:(b+1)*k], dst[b*k:(b+1)*k]
		older := fill * (1 - sum(xs))
		for i, v := range xs {
			out[i] = older - v*(w.age+loss)
			older = w.age * v
		}
	}
}

// stages computes the rates of the clients waiting in each backoff stage:
//
//	dz_0/dt = (1 − γ) λ F − z_0/D_0,  dz_j/dt = (1 − γ) F z_{j−1}/D_{j−1} − z_j/D_j,
//
// with the share of the due retries that the budget sends on every z/D; in a bounded system those
// that it holds back leave at last.
func (s *System) stages(dst, y []float64) {
	if s.lay.nz == 0 {
		return
	}
	par, f := s.now.par, &s.work.flow
	again := (1 - par.giveUp) * f.fail
	out := dst[s.lay.z : s.lay.z+s.lay.nz]
	in, sent := again*f.lam, f.sent
	out = out[:len(f.due)]
	z := y[s.lay.z:][:len(out)]
	for j, due := range f.due {
		try := sent * due
		out[j] = in - try - par.leave*(1-sent)*z[j]
		in = again * try
	}
	if par.lastFeeds {
		out[len(out)-1] += in
	}
}
