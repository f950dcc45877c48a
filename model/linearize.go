package model

// EvalLinearize does the work of Eval and Linearize at one point.
func (s *System) EvalLinearize(dst, dfdt []float64, t float64, y []float64) {
	s.Linearize(dfdt, t, y)
	s.rates(dst, y)
}

// Linearize evaluates the exact Jacobian at (t, y), in arrow form, and stores ∂f/∂t
// in dfdt.
func (s *System) Linearize(dfdt []float64, t float64, y []float64) {
	s.core(t, y, true)
	clear(dfdt)
	w, l := &s.work, &s.lay
	now := l.core.size
	for q := range s.now.par.class {
		s.linearizeBins(q, y)
		b, a := &l.class[q], &s.arr.class[q]
		n := b.bins * b.k
		s.expireInto(dfdt, q, true)
		for _, d := range s.now.par.class[q].drives {
			rate := w.class[q].gDrive[d][now]
			if rate == 0 {
				continue
			}
			axpy(dfdt[b.at:b.at+n], rate, a.u[d])
			if s.now.rolling {
				axpy(dfdt[l.base+b.at:l.base+b.at+n], rate, a.uy[d])
			}
		}
	}
	s.linearizeStages(y)
	f := &w.flow
	if l.nz > 0 {
		z := &s.arr.z
		for j := range l.nz {
			dfdt[l.z+j] = z.u[0][j]*f.gFail[now] + z.u[1][j]*f.gSent[now]
		}
		dfdt[l.z] += (1 - s.now.par.giveUp) * f.fail * s.now.lamRate
		dfdt[l.theta] = f.gTheta[now]
	}
	for i := range w.pool {
		p, at := &w.pool[i], &l.pool[i]
		if at.n >= 0 {
			dfdt[at.n], dfdt[at.v] = p.gDn[now], p.gDv[now]
		}
		dfdt[at.b], dfdt[at.share] = p.gB[now], p.gShare[now]
	}
	dfdt[l.s] = f.gSess[now]
	if l.lru >= 0 {
		dfdt[l.lru] = w.gLRU[now]
	}
}

func (s *System) linearizeBins(q int, y []float64) {
	c, b, a, k := &s.now.par.class[q], &s.lay.class[q], &s.arr.class[q], &s.work.class[q]
	x := y[b.at : b.at+b.bins*b.k]
	var rest []float64
	if s.now.rolling {
		rest = y[s.lay.base+b.at : s.lay.base+b.at+b.bins*b.k]
	}
	if s.plain(q) && !c.coalesce {
		fill, age, n := k.drive[driveFill], k.age, len(c.rho)
		u, x, fills, rates := a.u[driveFill][:n], x[:n], a.fill[:n], a.rate[:n]
		for i, r := range c.rho {
			f := r * fill
			fills[i], rates[i] = f, f+age
			u[i] = r * (1 - x[i])
		}
		if rest != nil {
			for i, r := range c.rho {
				a.uy[driveFill][i] = r * (1 - rest[i])
			}
		}
		return
	}
	for i, r := range c.rho {
		fill, loss := c.binRate(r, &k.drive)
		a.fill[i], a.rate[i] = fill, k.age+loss // the fill is added by the solver
		if b.k == 1 {
			a.rate[i] += fill
		}
		for _, d := range c.drives {
			df, dl := c.binSlopes(d, r, &k.drive)
			column(a.u[d][i*b.k:(i+1)*b.k], x[i*b.k:(i+1)*b.k], df, dl)
			if rest != nil {
				column(a.uy[d][i*b.k:(i+1)*b.k], rest[i*b.k:(i+1)*b.k], df, dl)
			}
		}
		if c.coalesce {
			a.missW[i] = -s.work.served * c.pi[i] / (1 + r*k.drive[driveFlight])
		}
	}
}

// column is the derivative of one bin's rates with respect to a drive.
func column(dst, x []float64, dfill, dloss float64) {
	for i, v := range x {
		dst[i] = -dloss * v
	}
	dst[0] += dfill * (1 - sum(x))
}

func (s *System) linearizeStages(y []float64) {
	if s.lay.nz == 0 {
		return
	}
	par, f, a := s.now.par, &s.work.flow, &s.arr.z
	th, stay := y[s.lay.theta], 1-par.giveUp
	z := y[s.lay.z : s.lay.z+s.lay.nz]
	again := stay * f.fail
	a.pull, a.self = 0, 0
	// What arrives at a stage, and its derivatives in F, the sent share, and θ.
	in, inF, inS, inT, link := 0.0, stay*f.lam, 0.0, 0.0, 0.0
	for j, d := range par.wait {
		dw := d + th
		a.dwell[j] = dw
		due := z[j] / dw
		a.pull += due / dw
		a.out[j] = f.sent/dw + par.leave*(1-f.sent)
		a.in[j] = link
		a.u[0][j] = inF
		a.u[1][j] = inS - due + par.leave*z[j]
		a.u[2][j] = inT + f.sent*due/dw
		in = f.sent * due
		inF, inS, inT = stay*in, again*due, -again*in/dw
		link = again * f.sent / dw
	}
	if par.lastFeeds {
		last := len(z) - 1
		a.u[0][last] += inF
		a.u[1][last] += inS
		a.u[2][last] += inT
		a.self = link
	}
}
