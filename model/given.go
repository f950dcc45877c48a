package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Correct puts what is known of a state into y at t, which stands there as Enter left it:
// the hit rate, by as much more or less of all content, the work in system, and the clients
// that wait; NaN leaves what is there. It fails on numbers that no state has.
func (s *System) Correct(t float64, y []float64, in *Initial) error {
	s.core(t, y, false) // what give asks of the moment: boots and mean residual queries
	if err := s.give(y, in); err != nil {
		return err
	}
	return s.Consistent(t, y)
}

// checkInitial looks for what a given state cannot have.
func (c *checker) checkInitial() {
	in := &c.s.Initial
	if in.Kind != "given" {
		return
	}
	if math.IsInf(in.InSystem, 1) && !slices.ContainsFunc(c.s.Pools, func(p Named[Pool]) bool { return !math.IsInf(p.Value.QueueLimit, 1) }) {
		c.fail("initial.in_system", "full, but no pool has a queue_limit; want the work units in system per shard")
	}
	if n, _ := c.s.Clients.waits(); in.Waiting > 0 && len(n) == 0 {
		c.fail("initial.waiting", "found %s, but without clients.backoff nobody tries again", formatQuantity(in.Waiting, "count"))
	}
}

// give puts into y what is known of a state; NaN is not known.
func (s *System) give(y []float64, in *Initial) error {
	if in.HitRate < 0 || in.HitRate > 1 || in.InSystem < 0 || in.Waiting < 0 || math.IsInf(in.Waiting, 1) {
		return fmt.Errorf("model: no state has hit rate %g, %g work units in system and %g clients waiting", in.HitRate, in.InSystem, in.Waiting)
	}
	if in.Waiting > 0 && s.lay.nz == 0 {
		return errors.New("model: clients that wait, in a scenario where none tries again")
	}
	if hot := in.HitRate; !math.IsNaN(hot) {
		if served := s.work.served; served > 0 {
			hot = min(1, hot/served) // seen is what is present and need not be validated
		}
		s.scaleContent(y, hot)
	}
	for i := range s.lay.pool {
		p, n := &s.lay.pool[i], in.InSystem
		if math.IsInf(n, 1) {
			n = s.now.par.pool[i].limit
		}
		if p.n >= 0 && n < math.Inf(1) {
			y[p.n] = n
			s.now.par.pool[i].setVariance(y, p, n*s.work.pool[i].b) // a queue that grew freely
		}
	}
	if !math.IsNaN(in.Waiting) {
		s.gather(y[s.lay.z:s.lay.z+s.lay.nz], in.Waiting)
	}
	return nil
}

// scaleContent empties every bin by the same factor so that each class has hit rate h,
// or fills it evenly where it had less; and with them the nodes that a rollout has still to
// come to.
func (s *System) scaleContent(y []float64, h float64) {
	for q, b := range s.lay.class {
		x, rest := s.content(y, q)
		hot := s.weigh(s.now.par.class[q].pi, x, b.k)
		switch {
		case b.bins == 0 || h == hot:
		case h < hot:
			scale(x, h/hot)
			scale(rest, h/hot)
		default:
			fillEvenly(x, b.k, (h-hot)/(1-hot))
			fillEvenly(rest, b.k, (h-hot)/(1-hot))
		}
	}
}

// fillEvenly fills a share of what is missing from each bin of k compartments.
func fillEvenly(x []float64, k int, share float64) {
	for i := 0; i < len(x); i += k {
		x[i] += (1 - sum(x[i:i+k])) * share
	}
}

// gather stores in z so many waiting clients in the stages where an outage leaves them:
// at first nobody waits, then every attempt fails at once, until they are so many,
//
//	dz_0/dt = (1 − γ) λ − z_0/d_0,  dz_j/dt = (1 − γ) z_{j−1}/d_{j−1} − z_j/d_j,
//
// by implicit Euler steps of a five-hundredth of the time that has passed. More than it ever
// gathers are in the proportions that it ends with.
func (s *System) gather(z []float64, total float64) {
	clear(z)
	if total == 0 {
		return
	}
	const (
		steps  = 20_000 // more than enough for 1e9 waits
		growth = 0.002
		still  = 1e-9 // a relative change by which nothing gathers any more
	)
	par := s.now.par
	again, lam := 1-par.giveUp, max(s.work.flow.lam, 1e-6*total)
	have := 0.0
	for passed, i := par.wait[0], 0; i < steps && have < total; i++ {
		h := growth * passed
		passed += h
		in, due := again*lam, 0.0
		for j, d := range par.wait {
			due += z[j] / d
		}
		sent := 1.0
		if due > 0 {
			sent = min(1, par.budget*lam/due)
		}
		before := have
		have = 0
		for j, d := range par.wait {
			out := sent / d
			if j == len(z)-1 && par.lastFeeds {
				out *= par.giveUp
			}
			z[j] = (z[j] + h*in) / (1 + h*out)
			in = again * sent * z[j] / d
			have += z[j]
		}
		if have-before < still*have {
			break
		}
	}
	scale(z, total/have)
}
