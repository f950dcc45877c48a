package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/metastable/metastable/internal/ode"
)

// given is what leaves the clients that wait, each second, without having booted:
// those that give up after a failure, and those whose attempts are used up.
func (s *System) given(y []float64) float64 {
	par, f, l := s.now.par, &s.work.flow, &s.lay
	gone := par.giveUp * f.fail * f.attempts
	switch {
	case l.nz == 0:
		gone = f.fail * f.attempts
	case !par.lastFeeds:
		last := l.nz - 1
		gone += (1 - par.giveUp) * f.fail * f.sent * y[l.z+last] / (par.wait[last] + y[l.theta])
	}
	return gone
}

// At every state, arrivals = booted + given up + growth of those who wait; booted
// sessions end at the rate 1/T. To rounding.
func TestClientsInvariant(t *testing.T) {
	for name := range variants {
		r := rand.New(rand.NewPCG(5, 6))
		s := compileVariant(t, name)
		for range 20 {
			y := randomState(t, s, r, 100)
			f := make([]float64, len(y))
			s.Eval(f, 100, y)
			w, l := &s.work.flow, &s.lay
			in, booted := w.lam, f[l.s]+y[l.s]/s.now.par.session
			out := booted + s.given(y) + total(f[l.z:l.z+l.nz])
			if math.Abs(in-out) > 1e-13*(w.attempts+in) {
				t.Errorf("%s: %.15g arrive, %.15g are accounted for", name, in, out)
			}
			if e := booted - w.adm*w.ok; math.Abs(e) > 1e-13*(booted+y[l.s]/s.now.par.session) {
				t.Errorf("%s: %g boot, %g admitted with success %g", name, booted, w.adm, w.ok)
			}
		}
	}
}

// collapseFile is a fleet that a flush tips, with a surge and a throttle on the way.
const collapseFile = `
name: collapse
duration: 30m
traffic: {boots: 150/s, session_length: 5m, profile: [[0m, 0.9], [10m, 1], [30m, 0.6]]}
classes: {q: {per_boot: 1, keys_per_request: 30, keys: 300k, popularity: {zipf: 0.8, bins: 12}, ttl: 1d, route: scatter, visit_cost: 1, key_cost: 0.1}}
pools: {p: {shards: 16, capacity: 400/s, queue_limit: 1000, timeout: 1s, background: 160/s}}
clients: {backoff: {base: 2s, factor: 2, cap: 64s}%s}
timeline:
  - {at: 2m, flush: 30%%}
  - {at: 5m, rollout: 30%%, over: 5m}
  - {at: 7m, traffic: 150%%, over: 1m}
  - {at: 12m, throttle: 60/s}
  - {at: 20m, ramp: 120/s, over: 5m}
`

// Along a trajectory that collapses nobody is lost: what arrived has booted, has given
// up or waits. The flows are integrated by Gauss's rule on the dense output, which is
// as good as the integration: the balance holds to its relative tolerance.
func TestClientsTrajectoryInvariant(t *testing.T) {
	const rtol = 1e-8
	x, w := make([]float64, 6), make([]float64, 6)
	quad.Legendre{}.FixedLocations(x, w, 0, 1)
	for _, clients := range []string{"", ", give_up: 0.05", ", give_up: 0.1, max_attempts: 4", ", retry_budget: 0.3", ", retry_budget: 0.3, max_attempts: 3"} {
		s := compiled(t, fmt.Sprintf(collapseFile, clients), nil)
		y := make([]float64, s.MaxDim())
		waiting := 0.0
		y0 := started(t, s)
		waiting -= total(y0[s.lay.z : s.lay.z+s.lay.nz])
		arrived, booted, gone, worst := 0.0, 0.0, 0.0, 1.0
		end := integrated(t, s, ode.Settings{RTol: rtol, Step: func(p *ode.Interpolant) {
			for i := range x {
				at, h := p.T0+(p.T1-p.T0)*x[i], (p.T1-p.T0)*w[i]
				state := p.At(y[:p.Dim()], at)
				s.core(at, state, false)
				f := &s.work.flow
				arrived += h * f.lam
				booted += h * f.adm * f.ok
				gone += h * s.given(state)
				worst = min(worst, f.ok)
			}
		}}, nil, nil)
		waiting += total(end[s.lay.z : s.lay.z+s.lay.nz])
		if worst > 0.1 {
			t.Errorf("%q: success is never below %g: no collapse to test", clients, worst)
		}
		if e := arrived - booted - gone - waiting; math.Abs(e) > rtol*arrived {
			t.Errorf("%q: %.9g arrived, %.9g booted, %.9g gave up, %.9g wait: %.3g are missing, allowed %.3g",
				clients, arrived, booted, gone, waiting, e, rtol*arrived)
		}
	}
}

// Along the same trajectories every probability is one, and nothing is negative, up to
// the tolerance.
func TestBoundsInvariant(t *testing.T) {
	for _, clients := range []string{"", ", give_up: 0.1, max_attempts: 4", ", retry_budget: 0.3"} {
		s := compiled(t, fmt.Sprintf(collapseFile, clients), nil)
		y, steps := make([]float64, s.MaxDim()), 0
		integrated(t, s, ode.Settings{RTol: 1e-6, Step: func(p *ode.Interpolant) {
			for _, at := range []float64{p.T0, (p.T0 + p.T1) / 2, p.T1} {
				steps++
				for name, v := range observed(s, at, p.At(y[:p.Dim()], at)) {
					if !(v >= -1e-9) || probability(name) && v > 1+1e-9 {
						t.Fatalf("%q: %s is %g at %g s", clients, name, v, at)
					}
				}
			}
		}}, nil, nil)
		if steps < 300 {
			t.Errorf("%d states looked at", steps)
		}
	}
}

func probability(name string) bool {
	for _, p := range []string{"boot_success", "hit_rate.q", "miss.q", "success.q", "timeout.p", "refused.p"} {
		if name == p {
			return true
		}
	}
	return false
}
