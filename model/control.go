package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Control returns the system from the time from (s) on as someone at the throttle
// meets it: the limit steps to plan[i].Value (boots/s, +Inf for none) at plan[i].T,
// whatever the timeline says of throttles; before the first of them it is as at from.
// Everything else stays, also rollout steps in progress. The result starts from a state of s at
// from, as Enter left it: an integration of it begins there.
//
// The times have to increase and not to lie before from. It fails with a fixed time to
// live, whose content cannot be told from a state alone.
func (s *System) Control(from float64, plan []Point) (*System, error) {
	if s.mem != nil {
		return nil, errors.New("model: the content of a cache with ttl_law fixed cannot be told from a state alone; {stages: k} comes close and can be controlled")
	}
	last := math.Inf(-1)
	for _, p := range plan {
		if !(p.T > last && p.T >= from && p.Value >= 0) {
			return nil, fmt.Errorf("model: the throttle set to %g at %g s, after %g s", p.Value, p.T, max(last, from))
		}
		last = p.T
	}
	k := 0
	for k < len(s.breaks) && s.breaks[k] <= from {
		k++
	}
	first := s.pieces[k].after(from)
	limit := first.u
	first.uRate = 0
	c := *s
	c.breaks, c.pieces = make([]float64, 0, len(s.breaks)-k+len(plan)), []*piece{first}
	for rest := plan; k < len(s.breaks) || len(rest) > 0; {
		var next *piece
		t := math.Inf(1)
		if len(rest) > 0 {
			t = rest[0].T
		}
		if k < len(s.breaks) && s.breaks[k] <= t {
			t = s.breaks[k]
			old := *s.pieces[k+1]
			next = &old
			k++
		} else {
			next = c.pieces[len(c.pieces)-1].after(t)
		}
		if len(rest) > 0 && rest[0].T == t {
			limit, rest = rest[0].Value, rest[1:]
		}
		next.u, next.uRate = limit, 0
		c.breaks, c.pieces = append(c.breaks, t), append(c.pieces, next)
	}
	return c.Clone(), nil
}

// Shed returns the system with a throttle that sheds every request alike, or boots alone,
// whatever the scenario says of its priority.
func (s *System) Shed(all bool) *System {
	c := *s
	c.pieces = make([]*piece, len(s.pieces))
	for i, old := range s.pieces {
		p := *old
		p.shedAll = all
		c.pieces[i] = &p
	}
	return c.Clone()
}

// Relieve returns the system with the capacity of a pool, numbered as in Pools, times a factor
// and its background load times another; pool −1 stands for all of them.
func (s *System) Relieve(pool int, capacity, background float64) *System {
	c := *s
	c.pieces = make([]*piece, len(s.pieces))
	for k, old := range s.pieces {
		p, par := *old, *old.par
		p.kappa, par.pool = slices.Clone(old.kappa), slices.Clone(old.par.pool)
		for i := range par.pool {
			if i == pool || pool < 0 {
				p.kappa[i] *= capacity
				par.pool[i].bg *= background
			}
		}
		p.par = &par
		c.pieces[k] = &p
	}
	return c.Clone()
}

// after returns the piece as it goes on at t, with nothing that happens at its start.
func (p *piece) after(t float64) *piece {
	q, dt := *p, t-p.t0
	q.t0 = t
	q.mult += q.multRate * dt
	q.u += q.uRate * dt
	q.lam += q.lamRate * dt
	q.absent.share, _ = q.absent.at(dt)
	q.keep, q.rollStart = 1, false
	return &q
}
