package model

import (
	"fmt"
	"math"
)

// absence is the share of the nodes that are neither present nor replaced, in a time of even
// restarts: it tends to a level as the outages end,
//
//	da/dt = (restarts − replacements) − a/δ.
type absence struct {
	share float64 // at first
	level float64
	rate  float64 // 1/δ, 1/s
}

// at returns the share after a time (s) and its rate of change (1/s).
func (a *absence) at(dt float64) (share, slope float64) {
	if a.share == a.level {
		return a.share, 0
	}
	left := (a.share - a.level) * math.Exp(-a.rate*dt)
	return a.level + left, -a.rate * left
}

// rollout follows the steps through the timeline. A node that restarts is out of the catalog
// until its outage ends, or until the hold-down is over and an empty one replaces it: a step
// that restarts nodes in [t, t + D] empties them in [t + H, t + D + H].
type rollout struct {
	restarts float64 // share of the nodes per second; 0: no step runs
	until    float64
	replaced []replacement // what is to be replaced, in the order of time
	last     *piece
}

// replacement is the time in which the nodes of a step are replaced.
type replacement struct {
	from, to float64
	hold     float64
	rate     float64 // share of the nodes per second
	loss     float64 // 1/s: hazard at which content is emptied
}

// start begins a step. A node whose outage (exponential, mean δ) exceeds the hold-down is
// replaced, unless the pace is used up: then it comes back with its content.
func (r *rollout) start(c *Cache, e *Entry) error {
	rate := e.Value / e.Over
	exceed := 1.0
	if c.HoldDown > 0 {
		exceed = 0
		if c.Outage > 0 {
			exceed = math.Exp(-c.HoldDown / c.Outage)
		}
	}
	p := replacement{hold: c.HoldDown, rate: min(rate*exceed, c.Pace/float64(c.Nodes))}
	p.loss = c.FlushesPerRestart * p.rate
	if p.loss*e.Over > 1+1e-12 {
		return fmt.Errorf("rollout: a step of %g that costs each node its content %g times empties more than the cache holds",
			e.Value, p.loss/rate)
	}
	p.from = e.At + p.hold
	if n := len(r.replaced); n > 0 { // after a change of the hold-down steps could overlap
		p.from = max(p.from, r.replaced[n-1].to)
	}
	p.to = p.from + e.Over
	r.restarts, r.until = rate, e.At+e.Over
	r.replaced = append(r.replaced, p)
	return nil
}

// pause ends the step in progress at t.
func (r *rollout) pause(t float64) {
	if r.restarts == 0 {
		return
	}
	p := &r.replaced[len(r.replaced)-1]
	p.to = max(p.from, p.to-(r.until-t))
	r.restarts, r.until = 0, t
}

// advance drops what is over at t.
func (r *rollout) advance(t float64) {
	if t >= r.until {
		r.restarts = 0
	}
	for len(r.replaced) > 0 && t >= r.replaced[0].to {
		r.replaced = r.replaced[1:]
	}
}

// ends returns when what is in force may change.
func (r *rollout) ends() (times []float64) {
	for _, p := range r.replaced {
		times = append(times, p.from, p.to)
	}
	return times
}

// piece completes the piece that starts where the last one ended.
func (r *rollout) piece(p *piece, c *Cache) {
	r.advance(p.t0)
	in := r.restarts
	if len(r.replaced) > 0 && p.t0 >= r.replaced[0].from {
		now := &r.replaced[0]
		p.rolling, p.loss = now.loss > 0, now.loss
		p.rollStart = p.rolling && p.t0 == now.from
		in -= now.rate
	}
	if r.last != nil {
		p.absent.share, _ = r.last.absent.at(p.t0 - r.last.t0)
	}
	r.last = p
	if c.Outage == 0 {
		p.absent = absence{}
		return
	}
	p.absent.rate, p.absent.level = 1/c.Outage, in*c.Outage
}
