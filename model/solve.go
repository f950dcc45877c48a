package model

// Factor prepares solutions with shift·M − J, J from the last Linearize: it
// eliminates bins and stages and inverts the dense matrix of the core that is left.
func (s *System) Factor(shift float64) error {
	l, a, w, par := &s.lay, &s.arr, &s.work, s.now.par
	ix, n := &l.core, l.core.size
	a.shift = shift
	clear(a.core)
	row := func(i int) []float64 { return a.core[i*n : i*n+n] }
	for q := range par.class {
		c, k := &par.class[q], &a.class[q]
		for i, r := range k.rate {
			k.inv[i] = 1 / (shift + r)
		}
		if ix.h[q] >= 0 {
			s.factorBins(q, row(ix.h[q]), ix.h[q], &k.hot, c.pi)
		}
		if ix.miss[q] >= 0 {
			s.factorBins(q, row(ix.miss[q]), ix.miss[q], &k.miss, k.missW)
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
	return invert(a.core, a.pivot, n)
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

// factorBins fills the core row r of e = Σ weight·x over the bins of a class: with
// B the block of the bins, x = B⁻¹(rhs + Σ u drive), and B⁻ᵀ weight is all that e
// needs of B.
func (s *System) factorBins(q int, r []float64, self int, f *functional, weight []float64) {
	a, k := &s.arr.class[q], s.lay.class[q].k
	r[self] = 1
	for i := range f.x {
		f.x[i] = weight[i/k]
	}
	s.solveBinsT(q, f.x)
	if s.now.rolling { // x loses what is still to come at the hazard of the rollout
		for i, v := range f.x {
			f.rest[i] = -s.now.loss * v
		}
		s.solveBinsT(q, f.rest)
	}
	for _, d := range s.now.par.class[q].drives {
		axpy(r, -f.of(a.u[d], a.uy[d], s.now.rolling), s.work.class[q].gDrive[d])
	}
}

// of applies the functional to the content x and, if it counts, the rest.
func (f *functional) of(x, rest []float64, rolling bool) float64 {
	t := weighted(f.x, x)
	if rolling {
		t += weighted(f.rest, rest)
	}
	return t
}

// solveBins solves the block of each bin in place. With k compartments the block is
// bidiagonal plus a first row: δx_i = q δx_{i−1} + inv r_i, and the first gathers
// the fill that the whole content keeps out.
func (s *System) solveBins(q int, r []float64) {
	a, k := &s.arr.class[q], s.lay.class[q].k
	if k == 1 {
		scaleBy(r, a.inv)
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

// solveBinsT solves the transposed block of each bin in place.
func (s *System) solveBinsT(q int, r []float64) {
	a, k := &s.arr.class[q], s.lay.class[q].k
	if k == 1 {
		scaleBy(r, a.inv)
		return
	}
	age := s.work.class[q].age
	for b, inv := range a.inv {
		x, fill := r[b*k:(b+1)*k], a.fill[b]
		// x_i = own_i − keep_i x_0.
		own, keep := 0.0, 0.0
		for i := k - 1; i > 0; i-- {
			own, keep = inv*(x[i]+age*own), inv*(fill+age*keep)
		}
		x[0] = (x[0] + age*own) / (1/inv + fill + age*keep)
		older := 0.0
		for i := k - 1; i > 0; i-- {
			older = inv * (x[i] + age*older - fill*x[0])
			x[i] = older
		}
	}
}

// factorStages eliminates the backoff stages and fills the core row of the retries
// due, Y = Σ z/(d + θ).
func (s *System) factorStages(r []float64) {
	a, w, ix := &s.arr.z, &s.work, &s.lay.core
	n := len(a.dwell)
	later := 0.0 // what a client of the next stage adds to Y
	for j := n - 1; j >= 0; j-- {
		d := s.arr.shift + a.out[j]
		if j == n-1 {
			d -= a.self
		}
		a.inv[j] = 1 / d
		a.carry[j] = a.in[j] * a.inv[j]
		a.due[j] = (1/a.dwell[j] + later) * a.inv[j]
		later = a.in[j] * a.due[j]
	}
	r[ix.retry] = 1
	r[ix.th] += a.pull - weighted(a.due, a.u[2])
	axpy(r, -weighted(a.due, a.u[0]), w.flow.gFail)
	axpy(r, -weighted(a.due, a.u[1]), w.flow.gSent)
}

// Solve overwrites rhs with the solution of (shift·M − J) x = rhs: first the core,
// then what follows from it.
func (s *System) Solve(rhs []float64) {
	l, a := &s.lay, &s.arr
	ix := &l.core
	e, z := a.rhs, rhs[l.z:l.z+l.nz]
	for q := range l.class {
		b, c := &l.class[q], &a.class[q]
		if b.bins == 0 {
			continue
		}
		x, rest := s.content(rhs, q)
		e[ix.h[q]] = c.hot.of(x, rest, s.now.rolling)
		if ix.miss[q] >= 0 {
			e[ix.miss[q]] = c.miss.of(x, rest, s.now.rolling)
		}
	}
	for i, at := range l.pool {
		if at.n >= 0 {
			e[ix.n[i]], e[ix.v[i]] = rhs[at.n], rhs[at.v]
		}
		e[ix.b[i]], e[ix.share[i]] = rhs[at.b], rhs[at.share]
	}
	if l.nz > 0 {
		e[ix.retry], e[ix.th] = weighted(a.z.due, z), rhs[l.theta]
	}
	e[ix.s] = rhs[l.s]
	if ix.tc >= 0 {
		e[ix.tc] = rhs[l.lru]
	}

	mulVec(a.sol, a.core, e)
	e = a.sol

	for q := range l.class {
		s.solveClass(rhs, q)
	}
	for i, at := range l.pool {
		if at.n >= 0 {
			rhs[at.n], rhs[at.v] = e[ix.n[i]], e[ix.v[i]]
		}
		rhs[at.b], rhs[at.share] = e[ix.b[i]], e[ix.share[i]]
	}
	if l.nz > 0 {
		s.solveStages(z)
		rhs[l.theta] = e[ix.th]
	}
	rhs[l.s] = e[ix.s]
	if ix.tc >= 0 {
		rhs[l.lru] = e[ix.tc]
	}
}

// content returns the parts of y that hold the content of a class.
func (s *System) content(y []float64, q int) (x, rest []float64) {
	b := &s.lay.class[q]
	from, to := b.at, b.at+b.bins*b.k
	if s.now.rolling {
		rest = y[s.lay.base+from : s.lay.base+to]
	}
	return y[from:to], rest
}

// solveClass solves for the content of a class once the core is known.
func (s *System) solveClass(rhs []float64, q int) {
	a, k := &s.arr.class[q], &s.work.class[q]
	x, rest := s.content(rhs, q)
	if s.plain(q) {
		move, n := dot(k.gDrive[driveFill], s.arr.sol), len(a.inv)
		x, u := x[:n], a.u[driveFill][:n]
		if rest == nil {
			for i, inv := range a.inv {
				x[i] = (x[i] + move*u[i]) * inv
			}
			return
		}
		rest, uy, loss := rest[:n], a.uy[driveFill][:n], s.now.loss
		for i, inv := range a.inv {
			y := (rest[i] + move*uy[i]) * inv
			rest[i] = y
			x[i] = (x[i] + move*u[i] - loss*y) * inv
		}
		return
	}
	for _, d := range s.now.par.class[q].drives {
		move := dot(k.gDrive[d], s.arr.sol)
		axpy(x, move, a.u[d])
		if rest != nil {
			axpy(rest, move, a.uy[d])
		}
	}
	if rest != nil {
		s.solveBins(q, rest)
		axpy(x, -s.now.loss, rest)
	}
	s.solveBins(q, x)
}

// plain reports that a class has one compartment a bin and one drive.
func (s *System) plain(q int) bool {
	return s.lay.class[q].k == 1 && len(s.now.par.class[q].drives) == 1
}

// solveStages solves for the waiting clients once the core is known.
func (s *System) solveStages(z []float64) {
	a, e, f := &s.arr.z, s.arr.sol, &s.work.flow
	fail, sent, th := dot(f.gFail, e), dot(f.gSent, e), e[s.lay.core.th]
	n, last := len(a.inv), 0.0
	z, carry, u0, u1, u2 := z[:n], a.carry[:n], a.u[0][:n], a.u[1][:n], a.u[2][:n]
	for j, inv := range a.inv {
		own := z[j] + (u0[j]*fail + u1[j]*sent + u2[j]*th)
		last = own*inv + carry[j]*last
		z[j] = last
	}
}

// scaleBy multiplies dst by x, entry by entry.
func scaleBy(dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] *= v
	}
}
