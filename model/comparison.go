package model

import (
	"fmt"
	"math"
	"slices"
)

// StaysUp bounds from below the share of the admitted boots that succeed from t, where the
// state is y, until the given time, whatever the clients that wait do: by comparison, not by
// a trajectory. It is NaN where no bound is found. What is in force at t stays in force.
//
// Under a constant throttle u a system is cooperative in the content x of one class and the
// work n of its pool if they act through each other alone, more content against less work:
//
//	dx/dt = ρ φ (1 − x) − x/T,  φ = a o(n),     dn/dt = W(a, x)(1 − r(n)) − D(n),
//
// with the admitted boots a between a_0 (the least traffic, throttled) and u. If x_0 ≤ x and
// n_0 ≥ n are such that dx/dt ≥ 0 with a = a_0 and dn/dt ≤ 0 with a = u there, the state
// stays on that side of (x_0, n_0) for ever (Müller and Kamke; Smith, Monotone Dynamical
// Systems, 1995, section 3.1). Such points lie between the healthy and the unstable
// equilibrium of u. With a measured service curve the queue is at rest and o is that of W.
//
// The error says what makes the system not cooperative: a queue that is served first come
// first served (its variance falls as the work rises, and makes the work rise: a negative
// loop), several classes, queries whose mix changes, a cache of limited size, options by
// which reads act on more than their own key, or parameters that change on the way.
func (s *System) StaysUp(t, until float64, y []float64) (success float64, err error) {
	for k, b := range s.breaks {
		if b <= t {
			s.now = s.pieces[k+1]
		}
	}
	s.core(t, y, false)
	r, err := s.cooperative(t, until)
	if err != nil {
		return math.NaN(), err
	}
	return r.bound(y), nil
}

// A comparison is a cooperative system under a constant throttle.
type comparison struct {
	s         *System
	q         int     // its class
	few, many float64 // bounds of the admitted boots, 1/s
	bg        float64 // the most background
}

// cooperative checks the structure of what is in force from t on.
func (s *System) cooperative(t, until float64) (*comparison, error) {
	r := &comparison{s: s, q: -1}
	var c *class
	for q := range s.now.par.class {
		if k := &s.now.par.class[q]; k.perBoot > 0 || k.perSession > 0 {
			if r.q >= 0 {
				return nil, fmt.Errorf("several classes ask")
			}
			r.q, c = q, k
		}
	}
	if c == nil {
		return nil, fmt.Errorf("nobody asks")
	}
	pc := &s.now.par.pool[c.pool]
	sh, bg := &s.work.class[r.q].sh, pc.bg > 0
	for _, no := range []struct {
		is  bool
		why string
	}{
		{pc.curve == nil && !pc.ps, "the variance of a first-come-first-served queue acts against its mean"},
		{!c.cached, "without a cache the clients that wait decide"},
		{c.perSession > 0, "booted sessions ask too"},
		{s.lay.lru >= 0, "content of a cache of limited size displaces other content"},
		{c.fixed || s.lay.class[r.q].k > 1, "content expires by its age"},
		{c.del || c.late || c.coalesce || c.attempts > 1, "failed, late or shared reads act on the cache or the load"},
		{c.m > 1 && (c.missing || !c.scatter && c.shards > 1), "what a request reads changes with the hit rate"},
		{bg && pc.ps && sh.w != 1, "the mean query changes with the mix"},
		{bg && pc.corr < 0 && c.shards > 1, "how alike shards are changes with the mix"},
		{s.now.uRate != 0 || s.work.served != 1, "a ramp, a rollout or a validation runs"},
	} {
		if no.is {
			return nil, fmt.Errorf("%s", no.why)
		}
	}
	return r, r.forcing(t, until)
}

// forcing bounds what acts from outside until a time.
func (r *comparison) forcing(t, until float64) error {
	s := r.s
	pc, first := &s.now.par.pool[s.now.par.class[r.q].pool], s.now
	least, most, mult := math.Inf(1), 0.0, 0.0
	see := func(p *piece, t float64) {
		lam := p.lam + p.lamRate*(t-p.t0)
		least, most = min(least, lam), max(most, lam)
		mult = max(mult, p.mult+p.multRate*(t-p.t0))
	}
	see(first, t)
	for k, b := range s.breaks {
		p := s.pieces[k+1]
		switch {
		case b <= t:
			continue
		case b >= until:
			see(s.pieces[k], until)
			return r.admit(least, most, pc, mult)
		}
		if p.par != first.par || p.u != first.u || p.uRate != 0 || p.rolling || p.keep != 1 || p.validate > 0 || !slices.Equal(p.kappa, first.kappa) {
			return fmt.Errorf("the system changes on the way")
		}
		see(s.pieces[k], b)
		see(p, b)
	}
	see(s.pieces[len(s.pieces)-1], until)
	return r.admit(least, most, pc, mult)
}

func (r *comparison) admit(least, most float64, pc *pool, mult float64) error {
	u := r.s.now.u
	if r.s.lay.nz == 0 {
		r.many, _, _, _, _ = smin(most, u)
	} else if r.many = u; math.IsInf(u, 1) {
		return fmt.Errorf("without a throttle the clients that wait decide")
	}
	r.few, _, _, _, _ = smin(least, u)
	if r.bg = pc.bg; pc.follows {
		r.bg *= mult
	}
	return nil
}

// bound looks for a point (x_0, n_0) on the safe side of y and returns the largest success
// there. For a fill rate φ the largest x_0 is min(x, ρ φ/(ρ φ + 1/T)); it is tried with
// ever more work n_0, for which φ = a_0 o(n_0), or, where the queue is at rest, with ever
// smaller φ that the reads still reach.
func (r *comparison) bound(y []float64) float64 {
	s := r.s
	c, l := &s.now.par.class[r.q], &s.lay.class[r.q]
	x, success := y[l.at:l.at+l.bins], math.NaN()
	curve := s.now.par.pool[c.pool].curve != nil
	const (
		steps  = 400
		factor = 1.04
	)
	n, phi := 0.0, r.few*c.perBoot
	if !curve {
		n = max(y[s.lay.pool[c.pool].n], 1e-3)
	}
	for range steps {
		if !curve {
			fills, _ := r.at(0, n) // which the hit rate does not change
			phi = r.few * c.perBoot * fills
		}
		hot := 0.0
		for b, rho := range c.rho {
			x0 := x[b]
			if c.age > 0 {
				x0 = min(x0, rho*phi/(rho*phi+c.age))
			}
			hot += c.pi[b] * x0
		}
		fills, drift := r.at(hot, n)
		if ok := s.work.class[r.q].s; drift <= 0 && phi <= r.few*c.perBoot*fills*(1+1e-12) && !(success > ok) {
			success = ok
		}
		phi /= factor
		n *= factor
	}
	return success
}

// at returns the probability that a read succeeds, and the drift of the work with the most
// admitted, at the hit rate and with the work n; the success of a request stands in the flow.
func (r *comparison) at(hot, n float64) (fills, drift float64) {
	s := r.s
	c, k := &s.now.par.class[r.q], &s.work.class[r.q]
	pc, p := &s.now.par.pool[c.pool], &s.work.pool[c.pool]
	k.sh = c.shapeOf(hot)
	p.bg = r.bg
	p.addBackground(pc)
	p.add(pc, &k.sh, r.many*c.perBoot*k.sh.calls)
	if pc.curve != nil {
		p.b = p.load
	} else {
		p.n, p.r = n, 0
		if !math.IsInf(pc.limit, 1) {
			p.r = pc.refused(n, p.kappa)
		}
		drift = p.load*(1-p.r) - pc.share(n, p.b, p.mu).done
	}
	s.readSuccess(r.q, false)
	return k.o, drift
}
