package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// A textbook evaluates the equations as a reader would write them down: from the
// scenario, scalar by scalar, with library functions and plain loops. It shares no
// code with System.
type textbook struct {
	sc      *Scenario
	mult    float64 // of boots and of background that follows
	limit   float64 // admitted boots/s
	shedAll bool

	validate, absent, loss float64

	x, y     [][][]float64 // content by class, bin, compartment; y: of nodes to come
	z        []float64
	n, v     []float64
	sessions float64
	b, share []float64 // closure variables in use
	theta    float64   // s

	dx, dy     [][][]rate
	dz, dn, dv []rate
	ds         rate
	keys, pi   [][]float64 // by class and bin
}

// A rate is a sum, and the sum of the sizes of its terms.
type rate struct{ net, gross float64 }

func terms(ts ...float64) rate {
	var r rate
	for _, t := range ts {
		r.net += t
		r.gross += math.Abs(t)
	}
	return r
}

// query is what a class sends to one shard.
type query struct {
	miss, lambda, w, w2, common, asked float64
}

func (d *textbook) queryOf(c *Class, h, rate float64) query {
	s := float64(d.sc.Pools[d.poolOf(c)].Value.Shards)
	m := c.KeysPerRequest
	q := query{miss: 1 - math.Pow(h, m)}
	k, k2 := m, m*m
	if c.Fetch == "missing" {
		k = m * (1 - h) / q.miss
		k2 = (m*(1-h)*h + m*m*(1-h)*(1-h)) / q.miss
	}
	if c.Route == "scatter" {
		q.asked, q.lambda = s, rate*q.miss
		q.w = c.VisitCost + c.KeyCost*k
		q.w2 = c.VisitCost*c.VisitCost + 2*c.VisitCost*c.KeyCost*k + c.KeyCost*c.KeyCost*k2
		q.common = q.w2
		return q
	}
	cost := c.VisitCost + c.KeyCost
	q.asked = s * (1 - math.Pow(1-1/s, k))
	q.lambda = rate * q.miss * q.asked / s
	q.w = cost * k / q.asked
	q.w2 = cost * cost * (k/s + (k2-k)/(s*s)) * s / q.asked
	q.common = cost * cost * (k2 - k) / (s * s) * s / q.asked
	return q
}

func (d *textbook) poolOf(c *Class) int {
	return slices.IndexFunc(d.sc.Pools, func(p Named[Pool]) bool { return p.Name == c.Pool })
}

// together is G(f, r) of so many shards and its complement, by the trapezoidal rule.
func together(f, r, shards float64) (ok, fail float64) {
	switch {
	case f <= 0:
		return 1, 0
	case f >= 1:
		return 0, 1
	}
	const step, steps = 0.05, 260
	for i := -steps; i <= steps; i++ {
		z := step * float64(i)
		arg := (-mathext.NormalQuantile(f) + math.Sqrt(r)*z) / math.Sqrt(1-r)
		log := shards * math.Log1p(-math.Erfc(arg/math.Sqrt2)/2)
		w := step * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		ok, fail = ok+w*math.Exp(log), fail-w*math.Expm1(log)
	}
	return ok, fail
}

// waits are the backoff's mean waits; again: the last stage feeds itself.
func (d *textbook) waits() (wait []float64, again bool) {
	c := d.sc.Clients
	again = c.MaxAttempts == nil
	n := int(math.Ceil(math.Log(c.Backoff.Cap/c.Backoff.Base)/math.Log(c.Backoff.Factor))) + 1
	if !again {
		n = *c.MaxAttempts - 1
	}
	for j := range n {
		wait = append(wait, math.Min(c.Backoff.Cap, c.Backoff.Base*math.Pow(c.Backoff.Factor, float64(j))))
	}
	return wait, again
}

// refusedShare is 1 − smooth(a, b)/a for a < b, where the difference would cancel.
func refusedShare(a, b float64) float64 {
	if a < b {
		return -math.Expm1(-math.Log1p(math.Pow(a/b, 32)) / 32)
	}
	return 1 - smooth(a, b)/a
}

// smooth is the smooth minimum of order 32.
func smooth(a, b float64) float64 {
	m, big := math.Min(a, b), math.Max(a, b)
	if m == 0 || math.IsInf(big, 1) {
		return m
	}
	return m * math.Pow(1+math.Pow(m/big, 32), -1.0/32)
}

func (d *textbook) refused(p *Pool, n, b float64) (r, kappa float64) {
	if math.IsInf(p.QueueLimit, 1) {
		return 0, 0
	}
	kappa = math.Min(32, math.Max(4, 0.45*p.QueueLimit/b))
	return math.Min(1, math.Pow(n/p.QueueLimit, kappa)), kappa
}

func late(p *Pool, n, v, b, w float64) float64 {
	if p.Discipline == "ps" {
		shape, c := 1/p.ServiceSCV, p.Capacity*p.Timeout/(n/b+1)
		return mathext.GammaIncRegComp(shape, shape*c/w)
	}
	if p.DropExpired {
		// found past its deadline; with little left when found; too long by itself
		past := mathext.GammaIncRegComp(n*n/(v+b*n), n*p.Capacity*p.Timeout/(v+b*n))
		theta := past / (1 - past)
		little := w * theta / (b + w*theta)
		alone := mathext.GammaIncRegComp(1/p.ServiceSCV, p.Capacity*p.Timeout/p.ServiceSCV/w)
		return 1 - (1-past)*(1-little)*(1-alone)
	}
	mean, variance := n+w, v+b*n+p.ServiceSCV*w*w
	shape := mean * mean / variance
	return mathext.GammaIncRegComp(shape, shape*p.Capacity*p.Timeout/mean)
}

// pass evaluates everything once and puts the closure variables that follow in place
// of those it used.
func (d *textbook) pass() {
	sc, theta := d.sc, d.theta
	lambda := sc.Traffic.Boots * d.mult
	logOK, notice, essential := 0.0, 0.0, 0.0
	n := len(sc.Classes)
	h, o, oc, noRefusal, attempts := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range sc.Classes {
		c := &sc.Classes[i].Value
		p := &sc.Pools[d.poolOf(c)].Value
		pool := d.poolOf(c)
		if c.Cached {
			for b, pi := range d.pi[i] {
				h[i] += (1 - d.absent) * (1 - d.validate) * pi * total(d.x[i][b])
			}
		}
		q := d.queryOf(c, h[i], 1)
		r, _ := d.refused(p, d.n[pool], d.b[pool])
		g1, f1 := together(r, (0.75-0.45*r)*d.share[pool], q.asked)
		slow := late(p, d.n[pool], d.v[pool], d.b[pool], q.w)
		correlated := 0.9
		if p.Discipline == "ps" {
			correlated = 0.44 * math.Pow(1-slow, 2)
		}
		g2, f2 := together(slow, correlated*d.share[pool], q.asked)
		noRefusal[i], o[i], oc[i] = g1, g1*g2, f1+g1*f2
		fail := q.miss * oc[i]
		for a := range c.Attempts {
			attempts[i] += math.Pow(fail, float64(a))
		}
		if c.Essential && c.PerBoot > 0 {
			logOK += c.PerBoot * math.Log1p(-math.Pow(fail, float64(c.Attempts)))
			essential++
			notice += p.Timeout * (g1*f2 + 1e-12) / (oc[i] + 1e-12) // what never fails is late
		}
	}
	success, failed := math.Exp(logOK), -math.Expm1(logOK)

	wait, again := d.waits()
	due := 0.0
	for j := range d.z {
		due += d.z[j] / (wait[j] + d.theta)
	}
	retries := smooth(due, sc.Clients.RetryBudget*lambda)
	sent := 1.0
	if due > 0 {
		sent = retries / due
	}
	arrive := lambda + retries
	admitted := smooth(arrive, d.limit)
	ratio := admitted / arrive
	failing := refusedShare(arrive, d.limit) + ratio*failed // F
	d.theta = notice / essential
	d.theta *= (ratio*failed + 1e-12) / (failing + 1e-12) // 1 − φ; what hardly ever fails is late

	d.dz = make([]rate, len(d.z))
	in, give := lambda, 1-sc.Clients.GiveUp
	for j := range d.z {
		leave := sent * d.z[j] / (wait[j] + theta)
		d.dz[j] = terms(give*failing*in, -leave)
		in = leave
	}
	if last := len(d.z) - 1; again {
		back := give * failing * in
		d.dz[last] = terms(d.dz[last].net, back)
	}
	d.ds = terms(admitted*success, -d.sessions/sc.Traffic.SessionLength)

	reads := make([]float64, n)
	np := len(sc.Pools)
	work, second, raw, common := make([]float64, np), make([]float64, np), make([]float64, np), make([]float64, np)
	for i := range sc.Pools {
		p := &sc.Pools[i].Value
		bg := p.Background.Rate
		if p.Background.Follows == "traffic" {
			bg *= d.mult
		}
		work[i] = bg
		raw[i] = bg * (1 + p.ServiceSCV)
		second[i] = raw[i] + bg*(p.ArrivalSCV-1)
	}
	for i := range sc.Classes {
		c := &sc.Classes[i].Value
		pool := d.poolOf(c)
		p := &sc.Pools[pool].Value
		asked := c.PerBoot*admitted + c.PerSession*d.sessions
		if d.shedAll {
			asked = (c.PerBoot*arrive + c.PerSession*d.sessions) * ratio
		}
		reads[i] = asked * attempts[i]
		q := d.queryOf(c, h[i], reads[i])
		if c.Coalesce && c.Cached {
			fetched := 0.0
			for b, pi := range d.pi[i] {
				nu := reads[i] * c.KeysPerRequest * pi / d.keys[i][b]
				served := (1 - d.absent) * (1 - d.validate) * total(d.x[i][b])
				fetched += pi * (1 - served) / (1 + nu*noRefusal[i]*math.Min((d.n[pool]+1)/p.Capacity, p.Timeout))
			}
			q.lambda *= fetched / (1 - h[i])
		}
		work[pool] += q.lambda * q.w
		raw[pool] += q.lambda * q.w2 * (1 + p.ServiceSCV)
		second[pool] += q.lambda * (q.w2*(1+p.ServiceSCV) + (p.ArrivalSCV-1)*q.w*q.w)
		common[pool] += q.lambda * q.common
	}

	used := slices.Clone(d.b)
	d.dn, d.dv = make([]rate, np), make([]rate, np)
	for i := range sc.Pools {
		p := &sc.Pools[i].Value
		mu, b, nn, vv := p.Capacity, used[i], d.n[i], d.v[i]
		r, kappa := d.refused(p, nn, b)
		a, held := work[i]*(1-r), 0.0
		if p.DropExpired {
			// Gamma law of the work found, with E[V; V ≤ x] = mean P(k + 1, x/scale)
			k, x := nn*nn/(vv+b*nn), nn*mu*p.Timeout/(vv+b*nn)
			held = 2 * a * nn * (mathext.GammaIncReg(k, x) - mathext.GammaIncReg(k+1, x))
			a *= mathext.GammaIncReg(k, x)
		}
		damp := 2 * kappa * work[i] * r * vv / nn
		if p.Discipline == "ps" {
			// in units of the mean query
			done := func(n1 float64) float64 {
				k, c := 1/p.ServiceSCV, mu/b*p.Timeout/(n1+1)
				served := mathext.GammaIncReg(k+1, k*c) + c*mathext.GammaIncRegComp(k, k*c)
				return mu / b * n1 / (1 + n1) / served
			}
			e := 1e-4 * (1 + nn/b)
			slope := (8*(done(nn/b+e)-done(nn/b-e)) - done(nn/b+2*e) + done(nn/b-2*e)) / (12 * e)
			d.dn[i] = terms(a, -b*done(nn/b))
			d.dv[i] = terms(b*a*p.ArrivalSCV, b*b*done(nn/b), -2*slope*vv, -damp)
		} else {
			x := vv / b / nn
			idle := math.Exp(-nn / b * math.Log(x) / (x - 1))
			d.dn[i] = terms(a, -mu*(1-idle))
			d.dv[i] = terms(b*a, b*mu*(1-idle), -2*mu*nn*idle, -damp, -held)
		}
		d.b[i] = second[i] / work[i] / 2
		if p.Discipline == "ps" {
			d.b[i] = raw[i] / (1 + p.ServiceSCV) / work[i]
		}
		d.share[i] = common[i] / raw[i]
		if p.ShardCorrelation != nil {
			d.share[i] = *p.ShardCorrelation
		}
	}
	d.content(reads, o, oc, noRefusal)
}
