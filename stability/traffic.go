package stability

import (
	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

const (
	widely     = 20  // factor of the traffic, up or down, over which a branch is followed
	mostPoints = 200 // in either direction
)

// alongTraffic looks for an unstable equilibrium on the branch of e over the traffic: a
// healthy state ends in a fold as traffic grows, a collapsed one as it falls, and beyond it
// the branch of tipping points comes back to the traffic of the moment.
func alongTraffic(sys *model.System, at model.Moment, e *Equilibrium, set *Settings) *Equilibrium {
	now := share(sys, at)
	if now == 0 {
		return nil
	}
	for _, a := range []Axis{{TrafficAxis, now, now * widely}, {TrafficAxis, now / widely, now}} {
		f := &Family{Axes: []Axis{a}, at: at, sys: sys, set: []float64{0}, whole: true}
		m, err := f.member([]float64{now})
		if err != nil {
			return nil
		}
		t := &tracer{f: f, prob: f.problem(), set: set}
		steps := t.stepping()
		steps.MaxSteps = mostPoints
		br, err := fixedpoint.Continue(t.prob, toCoordinates(m.sys, e.State), m.p, 0, &fixedpoint.ContinueSettings{
			Min: a.Lo, Max: a.Hi, Stepping: steps,
		})
		if err != nil {
			continue
		}
		for _, p := range []*fixedpoint.Point{&br.Points[0], &br.Points[len(br.Points)-1]} {
			if p.P != now {
				continue
			}
			if s, err := polish(m.sys, fromCoordinates(m.sys, p.X)); err == nil && !s.Stable {
				return s
			}
		}
	}
	return nil
}
