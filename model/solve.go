package model

// Factor prepares solutions with shift·M − J, J from the last Linearize: it
// eliminates bins and stages and factors the dense matrix of the core that is left.
func (s *System) Factor(shift float64) error {
	l, a, w, par := &s.lay, &s.arr, &s.work, s.now.par
	ix, n := &l.core, l.core.size
	a.shift = shift
	clear(a.core)
	row := func(i int) []float64 { return a.core[i*n : i*n+n] }
	for q := range par.class {
		s.factorBins(q)
		if ix.h[q] < 0 {
			continue
		}
		c := &par.class[q]
		r := row(ix.h[q])
		r[ix.h[q]] = 1
		for _, d := range c.drives {
			axpy(r, -s.weigh(c.pi, a.class[q].t[d], l.class[q].k), w.class[q].gDrive[d])
		}
		if ix.miss[q] >= 0 {
			r := row(ix.miss[q])
			r[ix.miss[q]] = 1
			for _, d := range c.drives {
				axpy(r, -s.weigh(a.class[q].missW, a.class[q].t[d], l.class[q].k), w.class[q].gDrive[d])
			}
		}
	}
	for i := range w.pool {
		p := &w.pool[i]
		if ix.n[i] >= 0 {
			axpy(row(ix.n[i]), -1, p.gDn)
			axpy(row(ix.v[i]), -1, p.gDv)
			row(ix.n[i])[ix.n[i]] += shift
			row(ix.v[i])[ix.v[i]] += shift
		}
		axpy(row(ix.b[i]), -1, p.gB)
		axpy(row(ix.share[i]), -1, p.gShare)
		row(ix.b[i])[ix.b[i]]++
		row(ix.share[i])[ix.share[i]]++
	}
	if l.nz > 0 {
		s.factorStages(row(ix.retry))
		axpy(row(ix.th), -1, w.flow.gTheta)
		row(ix.th)[ix.th]++
	}
	axpy(row(ix.s), -1, w.flow.gSess)
	row(ix.s)[ix.s] += shift + 1/par.session
	if ix.tc >= 0 {
		axpy(row(ix.tc), -1, w.gLRU)
	}
	return luFactor(a.core, a.pivot, n)
}

// weigh is Σ weight·x over bins, every compartment of a bin alike.
func (s *System) weigh(weight, x []float64, k int) float64 {
	t := 0.0
	if k == 1 {
		return weighted(weight, x)
	}
	for b, p := range weight {
		t += p * sum(x[b*k:(b+1)*k])
	}
	return t
}

func (s *System) factorBins(q int) {
	c, a := &s.now.par.class[q], &s.arr.class[q]
	for i, r := range a.rate {
		a.inv[i] = 1 / (s.arr.shift + r)
	}
	for _, d := range c.drives {
		copy(a.t[d], a.u[d])
		if s.now.rolling {
			copy(a.ty[d], a.uy[d])
			s.solveBins(q, a.ty[d])
			axpy(a.t[d], -s.now.loss, a.ty[d])
		}
		s.solveBins(q, a.t[d])
	}
}

// solveBins solves the block of each bin in place. With k compartments the block is
// bidiagonal plus a first row: δx_i = q δx_{i−1} + inv r_i, and the first gathers
// the fill that the whole content keeps out.
func (s *System) solveBins(q int, r []float64) {
	a, k := &s.arr.class[q], s.lay.class[q].k
	if k == 1 {
		r = r[:len(a.inv)]
		for i, v := range a.inv {
			r[i] *= v
		}
		return
	}
	for b, inv := range a.inv {
		x := r[b*k : (b+1)*k]
		hand := s.work.class[q].age * inv
		// x_i = own_i + grow^{i} x_0: sum both parts.
		own, grow, sumOwn, sumGrow := 0.0, 1.0, 0.0, 1.0
		for i := 1; i < k; i++ {
			own = hand*own + inv*x[i]
			grow *= hand
			sumOwn += own
			sumGrow += grow
		}
		x[0] = (x[0] - a.fill[b]*sumOwn) / (1/inv + a.fill[b]*sumGrow)
		for i := 1; i < k; i++ {
			x[i] = hand*x[i-1] + inv*x[i]
		}
	}
}

// factorStages eliminates the backoff stages and fills the core row of the retries
// due, Y = Σ z/(d + θ).
func (s *System) factorStages(r []float64) {
	a, w, ix := &s.arr.z, &s.work, &s.lay.core
	n := len(a.dwell)
	for j := range n {
		d := s.arr.shift + a.out[j]
		if j == n-1 {
			d -= a.self
		}
		a.inv[j] = 1 / d
	}
	r[ix.retry] = 1
	r[ix.th] += a.pull
	for k, g := range [3][]float64{w.flow.gFail, w.flow.gSent, nil} {
		t := a.t[k]
		copy(t, a.u[k])
		s.solveStages(t)
		due := 0.0
		for j, d := range a.dwell {
			due += t[j] / d
		}
		if g == nil {
			r[ix.th] -= due
			continue
		}
		axpy(r, -due, g)
	}
}

func (s *System) solveStages(r []float64) {
	a, last := &s.arr.z, 0.0
	for j, inv := range a.inv {
		last = (r[j] + a.in[j]*last) * inv
		r[j] = last
	}
}

// Solve overwrites rhs with the solution of (shift·M − J) x = rhs.
func (s *System) Solve(rhs []float64) {
	l, a, w, par := &s.lay, &s.arr, &s.work, s.now.par
	ix := &l.core
	e := a.rhs
	rolling := s.now.rolling
	for q := range par.class {
		b, c := &l.class[q], &par.class[q]
		if b.bins == 0 {
			continue
		}
		x := rhs[b.at : b.at+b.bins*b.k]
		if rolling {
			rest := rhs[l.base+b.at : l.base+b.at+b.bins*b.k]
			s.solveBins(q, rest)
			axpy(x, -s.now.loss, rest)
		}
		s.solveBins(q, x)
		e[ix.h[q]] = s.weigh(c.pi, x, b.k)
		if ix.miss[q] >= 0 {
			e[ix.miss[q]] = s.weigh(a.class[q].missW, x, b.k)
		}
	}
	for i, at := range l.pool {
		if at.n >= 0 {
			e[ix.n[i]], e[ix.v[i]] = rhs[at.n], rhs[at.v]
		}
		e[ix.b[i]], e[ix.share[i]] = rhs[at.b], rhs[at.share]
	}
	z := rhs[l.z : l.z+l.nz]
	if l.nz > 0 {
		s.solveStages(z)
		due := 0.0
		for j, d := range a.z.dwell {
			due += z[j] / d
		}
		e[ix.retry], e[ix.th] = due, rhs[l.theta]
	}
	e[ix.s] = rhs[l.s]
	if ix.tc >= 0 {
		e[ix.tc] = rhs[l.lru]
	}

	luSolve(a.core, a.pivot, ix.size, e)

	for q := range par.class {
		b := &l.class[q]
		n := b.bins * b.k
		for _, d := range par.class[q].drives {
			move := dot(w.class[q].gDrive[d], e)
			axpy(rhs[b.at:b.at+n], move, a.class[q].t[d])
			if rolling {
				axpy(rhs[l.base+b.at:l.base+b.at+n], move, a.class[q].ty[d])
			}
		}
	}
	for i, at := range l.pool {
		if at.n >= 0 {
			rhs[at.n], rhs[at.v] = e[ix.n[i]], e[ix.v[i]]
		}
		rhs[at.b], rhs[at.share] = e[ix.b[i]], e[ix.share[i]]
	}
	if l.nz > 0 {
		axpy(z, dot(w.flow.gFail, e), a.z.t[0])
		axpy(z, dot(w.flow.gSent, e), a.z.t[1])
		axpy(z, e[ix.th], a.z.t[2])
		rhs[l.theta] = e[ix.th]
	}
	rhs[l.s] = e[ix.s]
	if ix.tc >= 0 {
		rhs[l.lru] = e[ix.tc]
	}
}

// dot is the product of a gradient, its time slot left out, and a core vector.
func dot(g, e []float64) float64 {
	g = g[:len(e)]
	t := 0.0
	for i, v := range e {
		t += v * g[i]
	}
	return t
}
