package model

import (
	"errors"
	"fmt"
	"math"
)

// Start returns the state at t = 0 that the scenario asks for: the healthy
// equilibrium of the traffic at t = 0, the same with an empty cache, or the same with
// a given hit rate, queue and number of waiting clients; where the system has no equilibrium these last two
// start from full caches and light queues instead. It fails when the healthy
// equilibrium is asked for and not found.
func (s *System) Start() ([]float64, error) {
	s.Reset()
	s.settling = true
	y, err := s.healthy(0)
	s.settling = false
	if err != nil {
		if s.initial.Kind == "healthy" || s.initial.Kind == "" {
			return nil, err
		}
		if y, err = s.light(0); err != nil {
			return nil, err
		}
	}
	switch s.initial.Kind {
	case "cold":
		clear(y[:s.lay.z])
	case "given":
		if err := s.give(y, &s.initial); err != nil {
			return nil, err
		}
	}
	if s.mem != nil {
		s.forget(y)
	}
	return y, s.Consistent(0, y)
}

// Refill stores in dst the state y with another content of the cache: f in 0…1 adds that
// share of what is missing, evenly, and f in −1…0 takes that share of what is there.
func (s *System) Refill(dst, y []float64, f float64) {
	copy(dst, y)
	for _, b := range s.lay.class {
		if x := dst[b.at : b.at+b.bins*b.k]; f > 0 {
			fillEvenly(x, b.k, f)
		} else {
			scale(x, 1+f)
		}
	}
}

// healthy finds the equilibrium that the system reaches at time t's forcing from
// full caches, light queues and no waiting clients: pseudo-transient continuation,
// implicit Euler steps that grow as the residual falls and end as Newton's method.
func (s *System) healthy(t float64) ([]float64, error) {
	y, err := s.light(t)
	if err != nil {
		return nil, err
	}
	asked := s.asked()
	if err := s.settle(t, y); err != nil {
		return nil, fmt.Errorf("model: no equilibrium at t = %g s%s; initial: cold or {hit_rate: …, in_system: …} starts without one (%w)", t, asked, err)
	}
	return y, nil
}

// asked says which pools are asked for more than they can do with full caches.
func (s *System) asked() string {
	text := ""
	for i := range s.work.pool {
		p := &s.work.pool[i]
		if load := p.load / p.mu; load >= 1 {
			text += fmt.Sprintf("; with full caches pool %s is asked for %.3g times its capacity", s.pools[i], load)
		}
	}
	return text
}

// light is a state with full caches, light queues and no waiting clients.
func (s *System) light(t float64) ([]float64, error) {
	l, par := &s.lay, s.now.par
	y := s.NewState()
	for q, b := range l.class {
		c := &par.class[q]
		asked := (c.perBoot + c.perSession*par.session) * s.now.lam
		for i := range b.bins {
			fill := c.rho[i] * asked
			full := fill / (fill + c.age/float64(b.k) + 1e-300)
			for j := range b.k {
				y[b.at+i*b.k+j] = full / float64(b.k)
			}
		}
	}
	for i, p := range l.pool {
		y[p.b], y[p.share] = 1, 0
		if p.n >= 0 {
			y[p.n], y[p.v] = 0.1, 0.1
		} else {
			_, y[p.b] = s.server(i, t)
		}
	}
	y[l.s] = s.now.lam * par.session
	if err := s.Consistent(t, y); err != nil {
		return nil, err
	}
	for i, p := range l.pool {
		if p.n >= 0 { // a light queue at rest
			rho := min(s.work.pool[i].load/s.work.pool[i].mu, 0.5)
			n := rho / (1 - rho)
			y[p.n] = y[p.b] * n
			s.now.par.pool[i].setVariance(y, &p, y[p.b]*y[p.b]*n*(1+n))
		}
	}
	return y, nil
}

// settle moves y to the equilibrium it flows to with the forcing of time t frozen.
func (s *System) settle(t float64, y []float64) error {
	const (
		maxSteps = 2000
		tol      = 1e-12
		rounding = 1e-7 // a Newton step this small that shrinks no further is rounding
	)
	n := len(y)
	f, trial, dt := make([]float64, n), make([]float64, n), make([]float64, n)
	h, last := 1e-3, math.Inf(1)
	for range maxSteps {
		s.EvalLinearize(f, dt, t, y)
		ok := s.Factor(1/h) == nil
		if ok {
			s.Solve(f)
			ok = s.accept(trial, y, f)
		}
		if !ok {
			if h /= 8; h < 1e-12 {
				return errors.New("the step collapsed")
			}
			continue
		}
		rel := 0.0
		for i, d := range f {
			rel = max(rel, math.Abs(d)/(math.Abs(y[i])+1e-9))
		}
		copy(y, trial)
		if err := s.Consistent(t, y); err != nil {
			return err
		}
		if h > 1e9 && (rel < tol || rel < rounding && rel > 0.9*last) || h > 1e12 && rel < 1e-8 {
			return nil
		}
		last = rel
		switch {
		case rel < 0.2:
			h = min(h*4, 1e14)
		case rel > 1:
			h /= 2
		}
	}
	return fmt.Errorf("%d steps were not enough", maxSteps)
}

// accept stores y + step in trial and reports whether that is a sensible state.
func (s *System) accept(trial, y, step []float64) bool {
	for i, d := range step {
		v := y[i] + d
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
		trial[i] = v
		if i >= s.lay.nState {
			continue
		}
		if v < 0 && v > -1e-9 {
			trial[i] = 0
		} else if v < 0 {
			return false
		}
	}
	return true
}

// Consistent moves the closure variables of y to where their equations hold: the mix
// determines them, they determine the mix, and the loop is a contraction.
func (s *System) Consistent(t float64, y []float64) error {
	const (
		maxIter  = 500
		tol      = 1e-14
		patience = 100
		rounding = 1e-10 // where sums over many keys leave no more digits
	)
	l := &s.lay
	for iter := range maxIter {
		s.core(t, y, l.lru >= 0)
		change := 0.0
		set := func(i int, v float64) {
			if iter > 50 { // far from a contraction: damp
				v = (v + y[i]) / 2
			}
			change = max(change, math.Abs(v-y[i])/(math.Abs(v)+1e-12))
			y[i] = v
		}
		for i, p := range l.pool {
			set(p.b, s.work.pool[i].bNew)
			set(p.share, s.work.pool[i].shareNew)
		}
		if l.theta >= 0 {
			set(l.theta, s.work.flow.theta)
		}
		if l.lru >= 0 {
			step := -s.work.lruRes / s.work.gLRU[l.core.tc]
			if math.IsNaN(step) {
				return errors.New("model: no characteristic time found")
			}
			set(l.lru, y[l.lru]+min(max(step, -1), 1))
		}
		if math.IsNaN(change) {
			return fmt.Errorf("model: not a number in the closure of the equations at %g s", t)
		}
		if change <= tol || iter > patience && change <= rounding {
			return nil
		}
	}
	return fmt.Errorf("model: the closure of the equations did not converge at %g s", t)
}
