package model

import "math"

// sminOrder is the order of the smooth minimum.
const sminOrder = 32

// smin is a smooth minimum of a ≥ 0 and b ≥ 0: m (1 + (m/M)^32)^(−1/32) with m the
// smaller and M the larger. It also returns its ratio to a, the complement of that
// ratio without cancellation, and the partial derivatives.
func smin(a, b float64) (v, ratio, rest, da, db float64) {
	switch {
	case a <= 0:
		return 0, 1, 0, 1, 0
	case math.IsInf(b, 1):
		return a, 1, 0, 1, 0
	case b <= 0:
		return 0, 0, 1, 0, 1
	}
	m, big := min(a, b), max(a, b)
	q := m / big
	t := q * q
	t *= t
	t *= t
	t *= t
	t *= t
	l, small := -t/sminOrder, 1.0 // small is v/m and l its logarithm
	if t > 0x1p-54 {
		l = -math.Log1p(t) / sminOrder
		small = math.Exp(l)
	}
	v = m * small
	dm := small / (1 + t) // ∂v/∂m = (v/m)^33
	dbig := dm * t * q    // ∂v/∂M = (v/M)^33
	if a <= b {
		return v, small, -math.Expm1(l), dm, dbig
	}
	return v, v / a, 1 - v/a, dbig, dm
}

// bootFlow computes attempts, admissions, the success of a boot and the dwell.
func (s *System) bootFlow(t float64, y []float64, grad bool) {
	f, pc, par, ix := &s.work.flow, s.now, s.now.par, &s.lay.core
	now := ix.size // gradient slot of time
	f.lam = pc.lam + pc.lamRate*(t-pc.t0)
	f.theta, f.sent = 0, 1
	due := 0.0
	if s.lay.nz > 0 {
		th := y[s.lay.theta]
		n := len(par.wait)
		z, each := y[s.lay.z:s.lay.z+n], f.due[:n]
		for j, d := range par.wait {
			v := z[j] / (d + th)
			each[j] = v
			due += v
		}
	}
	retries, dDue, dLam := due, 1.0, 0.0
	if !math.IsInf(par.budget, 1) {
		retries, f.sent, _, dDue, dLam = smin(due, par.budget*f.lam)
		dLam *= par.budget
	}
	f.attempts = f.lam + retries
	var dAtt, dLim float64
	f.adm, f.ratio, f.shed, dAtt, dLim = smin(f.attempts, s.Throttle(t))

	s.bootSuccess()
	f.sess = f.adm * f.ok
	served, tauF := f.served(), s.failDelay(nil, 0)
	f.theta = served * tauF
	if !grad {
		return
	}

	if ix.retry >= 0 {
		f.gAtt[ix.retry] = dDue
		if due > faint {
			f.gSent[ix.retry] = (dDue - f.sent) / due
			f.gSent[now] = dLam * pc.lamRate / due
		}
	}
	f.gAtt[now] = (1 + dLam) * pc.lamRate
	axpy(f.gAdm, dAtt, f.gAtt)
	if pc.uRate != 0 {
		f.gAdm[now] += dLim * pc.uRate
	}
	if f.attempts > faint { // below, the ratio is settled and a quotient may overflow
		axpy(f.gRatio, 1/f.attempts, f.gAdm)
		axpy(f.gRatio, -f.ratio/f.attempts, f.gAtt)
	}
	for q := range par.class {
		if c := &par.class[q]; c.inBoot() {
			k := &s.work.class[q]
			axpy(f.gBad, c.perBoot*f.ok/max(k.s, tiny), k.gF)
		}
	}
	axpy(f.gFail, f.bad-1, f.gRatio)
	axpy(f.gFail, f.ratio, f.gBad)
	axpy(f.gSess, f.ok, f.gAdm)
	axpy(f.gSess, -f.adm, f.gBad)
	axpy(f.gTheta, tauF*f.bad/(f.fail+rare), f.gRatio)
	axpy(f.gTheta, tauF*f.ratio/(f.fail+rare), f.gBad)
	axpy(f.gTheta, -tauF*served/(f.fail+rare), f.gFail)
	s.failDelay(f.gTheta, served)
}

// allOf returns the probability that n requests all succeed, and the complement
// without cancellation.
func (k *classFlow) allOf(n float64) (ok, bad float64) {
	switch {
	case n == 1:
		return k.s, k.f
	case k.f < 0.5:
		l := n * math.Log1p(-k.f)
		return math.Exp(l), -math.Expm1(l)
	}
	ok = math.Pow(k.s, n)
	return ok, 1 - ok
}

// tiny is where probabilities stop being told apart from 0.
const tiny = 1e-290

// inBoot reports whether a boot needs the class.
func (c *class) inBoot() bool { return c.essential && c.perBoot > 0 }

// bootSuccess combines the success of the classes that a boot needs.
func (s *System) bootSuccess() {
	f := &s.work.flow
	f.ok, f.bad = 1, 0
	for q := range s.work.class {
		if c := &s.now.par.class[q]; c.inBoot() {
			ok, bad := s.work.class[q].allOf(c.perBoot)
			f.ok *= ok
			f.bad += bad * (1 - f.bad)
		}
	}
	f.fail = f.shed + f.ratio*f.bad
}

// served is 1 − φ, the share of the failures that were admitted.
func (f *flow) served() float64 { return (f.ratio*f.bad + rare) / (f.fail + rare) }

// rare is the failure probability below which the kinds of failure are not told
// apart: then a failure counts as a time-out. Without it the dwell would hang on the
// ratio of two probabilities that do not matter, and through the 32nd power of the
// smooth minimum that ratio on the dwell.
const rare = 1e-12

// failDelay returns τ_f, the mean time after which a failed boot is noticed: a
// refusal at once, a time-out after τ. With g it adds weight times its gradient to g.
func (s *System) failDelay(g []float64, weight float64) float64 {
	par := s.now.par
	total, n := 0.0, 0
	for q := range par.class {
		c := &par.class[q]
		if !c.inBoot() {
			continue
		}
		n++
		if tau := par.pool[c.pool].tau; !math.IsInf(tau, 1) {
			k := &s.work.class[q]
			total += tau * (1 - k.grc/(k.oc+rare))
		}
	}
	if n == 0 {
		return 0
	}
	if g != nil {
		for q := range par.class {
			c, k := &par.class[q], &s.work.class[q]
			tau := par.pool[c.pool].tau
			if c.inBoot() && !math.IsInf(tau, 1) {
				a := weight * tau / float64(n) / (k.oc + rare)
				axpy(g, a, k.gGr)
				axpy(g, -a*k.grc/(k.oc+rare), k.gO)
			}
		}
	}
	return total / float64(n)
}
