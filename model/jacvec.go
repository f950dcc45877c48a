package model

// Jacobian stores J = ∂f/∂y of the last Linearize in dst, row-major, Dim() rows and
// columns.
func (s *System) Jacobian(dst []float64) {
	n := s.Dim()
	x, col := make([]float64, n), make([]float64, n)
	for j := range n {
		x[j] = 1
		s.mulJacobian(col, x)
		for i, v := range col {
			dst[i*n+j] = v
		}
		x[j] = 0
	}
}

// mulJacobian stores J x in dst, J of the last Linearize.
func (s *System) mulJacobian(dst, x []float64) {
	l, a, w, par := &s.lay, &s.arr, &s.work, s.now.par
	ix := &l.core
	c := a.sol // scratch of Solve
	clear(c)
	for q, b := range l.class {
		if b.bins == 0 {
			continue
		}
		xs := x[b.at : b.at+b.bins*b.k]
		c[ix.h[q]] = s.weigh(par.class[q].pi, xs, b.k)
		if ix.miss[q] >= 0 {
			c[ix.miss[q]] = s.weigh(a.class[q].missW, xs, b.k)
		}
	}
	for i, at := range l.pool {
		if at.n >= 0 {
			c[ix.n[i]], c[ix.v[i]] = x[at.n], x[at.v]
		}
		c[ix.b[i]], c[ix.share[i]] = x[at.b], x[at.share]
	}
	z := x[l.z : l.z+l.nz]
	if l.nz > 0 {
		c[ix.th] = x[l.theta]
		c[ix.retry] = -a.z.pull * x[l.theta]
		for j, d := range a.z.dwell {
			c[ix.retry] += z[j] / d
		}
	}
	c[ix.s] = x[l.s]
	if ix.tc >= 0 {
		c[ix.tc] = x[l.lru]
	}

	for q, b := range l.class {
		from, to := b.at, b.at+b.bins*b.k
		s.mulBins(dst[from:to], x[from:to], a.class[q].u[:], c, q)
		if s.now.rolling {
			s.mulBins(dst[l.base:][from:to], x[l.base:][from:to], a.class[q].uy[:], c, q)
			axpy(dst[from:to], -s.now.loss, x[l.base:][from:to])
		}
	}
	last := 0.0
	for j := range l.nz {
		dst[l.z+j] = -a.z.out[j]*z[j] + a.z.in[j]*last
		last = z[j]
	}
	if l.nz > 0 {
		out := dst[l.z : l.z+l.nz]
		out[l.nz-1] += a.z.self * last
		axpy(out, dot(w.flow.gFail, c), a.z.u[0])
		axpy(out, dot(w.flow.gSent, c), a.z.u[1])
		axpy(out, x[l.theta], a.z.u[2])
		dst[l.theta] = dot(w.flow.gTheta, c) - x[l.theta]
	}
	for i, at := range l.pool {
		p := &w.pool[i]
		if at.n >= 0 {
			dst[at.n], dst[at.v] = dot(p.gDn, c), dot(p.gDv, c)
		}
		dst[at.b], dst[at.share] = dot(p.gB, c)-x[at.b], dot(p.gShare, c)-x[at.share]
	}
	dst[l.s] = dot(w.flow.gSess, c) - x[l.s]/par.session
	if l.lru >= 0 {
		dst[l.lru] = dot(w.gLRU, c)
	}
}

// mulBins is the part of one class: its own rates, and what its drives do.
func (s *System) mulBins(dst, x []float64, u [][]float64, c []float64, q int) {
	a, k := &s.arr.class[q], s.lay.class[q].k
	age := s.work.class[q].age
	for b, rate := range a.rate {
		older := 0.0
		for i := b * k; i < (b+1)*k; i++ {
			dst[i] = age*older - rate*x[i]
			older = x[i]
		}
		if k > 1 {
			dst[b*k] -= a.fill[b] * sum(x[b*k:(b+1)*k])
		}
	}
	for _, d := range s.now.par.class[q].drives {
		axpy(dst, dot(s.work.class[q].gDrive[d], c), u[d])
	}
}
