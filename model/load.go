package model

// offeredLoad sums what the classes send to each pool, and solves for nothing: the
// success of reads and boots is known by now.
func (s *System) offeredLoad(t float64, y []float64, grad bool) {
	par, f, ix := s.now.par, &s.work.flow, &s.lay.core
	for i := range s.work.pool {
		p, c := &s.work.pool[i], &par.pool[i]
		p.addBackground(c)
		if grad && c.follows && s.now.multRate != 0 {
			d := c.bg * s.now.multRate
			p.gLoad[ix.size], p.gCall[ix.size] = d, d
			p.gRaw[ix.size], p.gSecond[ix.size] = d*(1+c.cs), d*(c.cs+c.ca)
		}
	}
	sessions := y[s.lay.s]
	for q := range par.class {
		c, k := &par.class[q], &s.work.class[q]
		asked := s.asks(c, sessions) + c.perBoot*faint
		k.rate = asked * k.mult
		if grad {
			g := k.gRate
			if s.now.shedAll {
				axpy(g, c.perBoot*f.ratio*k.mult, f.gAtt)
				axpy(g, (c.perBoot*f.attempts+c.perSession*sessions)*k.mult, f.gRatio)
				g[ix.s] += c.perSession * f.ratio * k.mult
			} else {
				axpy(g, c.perBoot*k.mult, f.gAdm)
				g[ix.s] += c.perSession * k.mult
			}
			axpy(g, asked, k.gMult)
		}
		if c.coalesce {
			s.coalesce(q, y, grad)
		}
		s.addCalls(q, grad)
	}
}

// addBackground starts the sums of a pool with single point reads, w = 1.
func (p *poolFlow) addBackground(c *pool) {
	p.load, p.calls, p.common = p.bg, p.bg, 0
	p.raw, p.second = p.bg*(1+c.cs), p.bg*(c.cs+c.ca)
}

// asks is the rate at which a class is asked by the admitted boots and by sessions.
func (s *System) asks(c *class, sessions float64) float64 {
	f := &s.work.flow
	if s.now.shedAll {
		return (c.perBoot*f.attempts + c.perSession*sessions) * f.ratio
	}
	return c.perBoot*f.adm + c.perSession*sessions
}

// faint is a rate of boots (1/s) that keeps the mix of a pool without load what it was.
const faint = 1e-150

// addCalls adds the queries of a class to its pool's sums.
func (s *System) addCalls(q int, grad bool) {
	c, k := &s.now.par.class[q], &s.work.class[q]
	p, pc := &s.work.pool[c.pool], &s.now.par.pool[c.pool]
	sh := &k.sh
	calls := k.rate * sh.calls * k.lone
	w2, sec := p.add(pc, sh, calls)
	if !grad {
		return
	}
	g := k.gCalls
	axpy(g, sh.calls*k.lone, k.gRate)
	axpy(g, k.rate*sh.calls, k.gLone)
	s.addHit(g, q, k.rate*k.lone*sh.dcall)
	axpy(p.gCall, 1, g)
	axpy(p.gLoad, sh.w, g)
	axpy(p.gRaw, w2, g)
	axpy(p.gSecond, sec, g)
	axpy(p.gCommon, sh.ww, g)
	dw2 := sh.dw2 * (1 + pc.cs)
	s.addHit(p.gLoad, q, calls*sh.dw)
	s.addHit(p.gRaw, q, calls*dw2)
	s.addHit(p.gSecond, q, calls*(dw2+2*(pc.ca-1)*sh.w*sh.dw))
	s.addHit(p.gCommon, q, calls*sh.dww)
}

// add adds queries of a shape to the sums of a pool, and returns what one brings to the
// second moments.
func (p *poolFlow) add(c *pool, sh *shape, calls float64) (raw, second float64) {
	raw = sh.w2 * (1 + c.cs)
	second = raw + (c.ca-1)*sh.w*sh.w
	p.calls += calls
	p.load += calls * sh.w
	p.raw += calls * raw
	p.second += calls * second
	p.common += calls * sh.ww
	return raw, second
}

// flight is the mean time (s) for which a fetch keeps others from fetching its key: it ends with
// the answer, at the latest with the time-out, and at once when a shard refuses it.
func (s *System) flight(q int) float64 {
	c, k := &s.now.par.class[q], &s.work.class[q]
	return k.gr * min(s.work.pool[c.pool].wait, s.now.par.pool[c.pool].tau)
}

// addFlight adds a times the gradient of a class's flight to g.
func (s *System) addFlight(g []float64, q int, a float64) {
	c, k := &s.now.par.class[q], &s.work.class[q]
	wait, tau := s.work.pool[c.pool].wait, s.now.par.pool[c.pool].tau
	axpy(g, a*min(wait, tau), k.gGr)
	if wait < tau {
		s.addWait(g, c.pool, a*k.gr)
	}
}

// coalesce computes the share of the misses that fetch when one fetch per key is in
// flight: a missing key of bin b is read at the rate ν, fetched at ν/(1 + νL), L the flight.
func (s *System) coalesce(q int, y []float64, grad bool) {
	c, k, l, ix := &s.now.par.class[q], &s.work.class[q], &s.lay.class[q], &s.lay.core
	flight := s.flight(q)
	eta := s.work.served
	all := 1 - k.sh.h
	if all < 1e-14 {
		return
	}
	fetched, kept, dRate, dFlight := 0.0, 0.0, 0.0, 0.0
	for b, pi := range c.pi {
		x := sum(y[l.at+b*l.k : l.at+(b+1)*l.k])
		part := 1 / (1 + c.rho[b]*k.rate*flight)
		m := pi * (1 - eta*x) * part
		fetched += m
		kept += pi * x * part
		dRate -= m * part * c.rho[b] * flight
		dFlight -= m * part * c.rho[b] * k.rate
	}
	k.lone = fetched / all
	if !grad {
		return
	}
	g := k.gLone
	g[ix.miss[q]] += 1 / all
	g[ix.size] -= kept / all * s.work.comes
	s.addHit(g, q, k.lone/all)
	axpy(g, dRate/all, k.gRate)
	s.addFlight(g, q, dFlight/all)
}

// addWait adds a times the gradient of a pool's R to g.
func (s *System) addWait(g []float64, pool int, a float64) {
	ix, p := &s.lay.core, &s.work.pool[pool]
	if c := s.now.par.pool[pool].curve; c != nil {
		_, d := c.latency.at(p.b)
		g[ix.b[pool]] += a * d
		return
	}
	g[ix.n[pool]] += a / p.mu
}

// classDrives computes what moves a class's bins.
func (s *System) classDrives(q int, grad bool) {
	c, k := &s.now.par.class[q], &s.work.class[q]
	if !c.cached {
		return
	}
	p, tau := &s.work.pool[c.pool], s.now.par.pool[c.pool].tau
	o, gO := k.fills(c)
	k.drive[driveFill] = k.rate * o
	switch {
	case c.coalesce:
		k.drive[driveFlight] = k.rate * s.flight(q)
	case c.late:
		k.drive[driveFlight] = k.rate * o * p.wait
	}
	k.drive[driveAccess] = k.rate
	span := min(p.wait, tau)
	k.drive[driveSpoil] = k.rate * span * k.oc
	k.drive[driveDelete] = k.rate * s.now.validate * k.oc
	if !grad {
		return
	}
	for _, d := range c.drives {
		g := k.gDrive[d]
		switch d {
		case driveFill:
			axpy(g, o, k.gRate)
			axpy(g, k.rate, gO)
		case driveFlight:
			if c.coalesce {
				axpy(g, s.flight(q), k.gRate)
				s.addFlight(g, q, k.rate)
				continue
			}
			axpy(g, o*p.wait, k.gRate)
			axpy(g, k.rate*p.wait, gO)
			s.addWait(g, c.pool, k.rate*o)
		case driveSpoil:
			axpy(g, span*k.oc, k.gRate)
			axpy(g, -k.rate*span, k.gO)
			if p.wait < tau {
				s.addWait(g, c.pool, k.rate*k.oc)
			}
		case driveDelete:
			axpy(g, s.now.validate*k.oc, k.gRate)
			axpy(g, -s.now.validate*k.rate, k.gO)
		case driveAccess:
			axpy(g, 1, k.gRate)
		}
	}
}
