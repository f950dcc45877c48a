package model

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// queueFile is one shard that serves point reads, and nothing comes back.
const queueFile = `
name: queue
duration: 30s
traffic: {boots: 1/s, session_length: 1s}
classes: {q: {per_boot: 1, cached: false, route: scatter, visit_cost: 1}}
pools: {p: {capacity: 100/s}}
`

// Stationary M/M/1: n = ρ/(1 − ρ), v = n + n², busy ρ, P(sojourn > τ) =
// e^{−τ(μ − λ)}, in any textbook. The tolerance allows for what a few rounding errors of
// ρ do to 1/(1 − ρ)².
func TestMM1Exact(t *testing.T) {
	for _, rho := range []float64{0.01, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999} {
		for _, tau := range []float64{0.01, 0.5, 4} {
			s := compiled(t, queueFile, map[string]float64{"traffic.boots": 100 * rho, "pools.p.timeout": tau})
			y := started(t, s)
			n, v, b := y[s.lay.pool[0].n], y[s.lay.pool[0].v], y[s.lay.pool[0].b]
			tol := 3e-14 / (1 - rho) / (1 - rho)
			want := rho / (1 - rho)
			numtest.Check(t, fmt.Sprintf("ρ %g: n", rho), n, want, tol, 0)
			numtest.Check(t, fmt.Sprintf("ρ %g: v", rho), v, want+want*want, tol, 0)
			busy, _, _, _ := panjer{}.busy(n, v, b)
			numtest.Check(t, fmt.Sprintf("ρ %g: busy", rho), busy, rho, tol, 0)
			miss := math.Exp(-tau * 100 * (1 - rho))
			o := observed(s, 0, y)
			numtest.Check(t, fmt.Sprintf("ρ %g: P(sojourn > %g s)", rho, tau), o["timeout.p"], miss, tol+1e-12, 1e-300)
			numtest.Check(t, fmt.Sprintf("ρ %g: success", rho), o["boot_success"], 1-miss, tol+1e-12, 0)
		}
	}
}

// FIFO whose dead work is still done: goodput λ (1 − e^{−(μ − λ)τ}), here from the
// healthy equilibrium of (λ, μ, τ) = (0.9, 1, 5).
func TestDeadWorkGoodputExact(t *testing.T) {
	s := compiled(t, queueFile, map[string]float64{"traffic.boots": 0.9, "pools.p.capacity": 1, "pools.p.timeout": 5})
	o := observed(s, 0, started(t, s))
	numtest.Check(t, "goodput", o["admitted_per_s"]*o["boot_success"], 0.3541224063, 1e-9, 0)
	numtest.Check(t, "goodput", o["admitted_per_s"]*o["boot_success"], 0.9*(1-math.Exp(-0.5)), 1e-12, 0)
}

// M/G/1 with queries of exponential work w beside single point reads, μ = 400/s,
// n, variance of the work and time-out probability as the fluid
// with this closure gave them in the comparison with the project's discrete-event
// simulation (docs, "Work units"), to the printed digits; and Pollaczek–Khinchine,
// n = ρ b/(1 − ρ), b = E[w²]/2E[w], exactly.
func TestMG1Exact(t *testing.T) {
	for _, c := range []struct {
		load, w, background, scv, tau float64
		n, variance, p                float64 // printed; 0: not compared
		halfN, halfV, unitP           float64 // half a unit of the last digit; of p, one unit
	}{
		{0.9, 4, 160, 1, 0.2, 24.0, 704, 0.0527, 0.05, 0.5, 0.0001},
		{0.95, 4, 160, 1, 0.3, 52.0, 2989, 0.115, 0.05, 0.5, 0.001},
		{0.7, 31, 40, 1, 0.5, 62.3, 7216, 0.114, 0.05, 0.5, 0.001},
		{0.9, 31, 40, 1, 1, 249, 75779, 0.240, 0.5, 0.5, 0.001},
		{0.7, 100, 0, 1, 1, 233, 101111, 0.301, 0.5, 0.5, 0.001},
		// The simulation's background stays exponential where its queries do not.
		{0.7, 31, 40, 0, 0.3, 0, 0, 0, 0, 0, 0},
		{0.7, 31, 160, 1, 0.5, 32.3, 1942, 0.027, 0.05, 0.5, 0.001},
	} {
		rate := (c.load*400 - c.background) / c.w
		s := compiled(t, queueFile, map[string]float64{
			"traffic.boots": rate, "classes.q.visit_cost": c.w, "pools.p.capacity": 400,
			"pools.p.timeout": c.tau, "pools.p.background.rate": c.background, "pools.p.service_scv": c.scv,
		})
		y := started(t, s)
		n, v, b := y[s.lay.pool[0].n], y[s.lay.pool[0].v], y[s.lay.pool[0].b]
		name := fmt.Sprintf("load %g, w %g, background %g, scv %g: ", c.load, c.w, c.background, c.scv)
		wantB := (rate*c.w*c.w + c.background) * (1 + c.scv) / 2 / (c.load * 400)
		wantN := c.load * wantB / (1 - c.load)
		numtest.Check(t, name+"b", b, wantB, 1e-13, 0)
		numtest.Check(t, name+"n", n, wantN, 1e-11, 0)
		numtest.Check(t, name+"v", v, wantN*wantN+wantN*wantB, 1e-11, 0)
		if c.n == 0 {
			continue
		}
		numtest.Check(t, name+"printed n", n, c.n, 0, c.halfN)
		numtest.Check(t, name+"printed variance", v+b*n, c.variance, 0, c.halfV)
		s.Eval(make([]float64, len(y)), 0, y)
		numtest.Check(t, name+"printed p", s.work.class[0].p, c.p, 0, c.unitP)
	}
}

// M/G/1 with processor sharing is insensitive to the law of the work: without
// time-outs n = ρ/(1 − ρ) queries in system, geometric, whatever their scv.
func TestProcessorSharingExact(t *testing.T) {
	for _, scv := range []float64{0, 0.3, 1, 7} {
		for _, rho := range []float64{0.2, 0.8, 0.99} {
			for _, w := range []float64{1, 3} {
				s := compiled(t, strings.Replace(queueFile, "capacity: 100/s", "capacity: 100/s, discipline: ps", 1), map[string]float64{
					"traffic.boots": 100 * rho / w, "classes.q.visit_cost": w, "pools.p.service_scv": scv,
				})
				y := started(t, s)
				want := rho / (1 - rho)
				name := fmt.Sprintf("ρ %g, w %g, scv %g", rho, w, scv)
				tol := 1e-14 / (1 - rho) / (1 - rho)
				numtest.Check(t, name+": n", y[s.lay.pool[0].n]/w, want, tol, 0)
				numtest.Check(t, name+": v", y[s.lay.pool[0].v]/w/w, want+want*want, tol, 0)
			}
		}
	}
}

// The closure of the soft queue limit in the table of the comparison with the exact
// M/M/1/K (docs, "Soft queue limit", column κ = 0.45 K/b), to its printed digits.
func TestSoftLimitExact(t *testing.T) {
	for _, c := range []struct {
		limit, load float64
		n, r        float64
		halfN       float64
	}{
		{10, 0.97, 4.95, 0.042, 0.005},
		{10, 1.10, 6.02, 0.102, 0.005},
		{20, 0.97, 11.6, 0.007, 0.05},
		{20, 1.10, 15.3, 0.091, 0.05},
		{70, 1.03, 62.6, 0.029, 0.05},
		{300, 1.03, 269, 0.029, 0.5},
	} {
		s := compiled(t, queueFile, map[string]float64{"traffic.boots": 100 * c.load, "pools.p.queue_limit": c.limit})
		y := started(t, s)
		o := observed(s, 0, y)
		name := fmt.Sprintf("K %g, load %g: ", c.limit, c.load)
		numtest.Check(t, name+"n", o["in_system.p"], c.n, 0, c.halfN)
		numtest.Check(t, name+"r", o["refused.p"], c.r, 0, 0.0005)
	}
}

// Processor sharing of large and small queries: of class k there are ρ_k/(1 − ρ) in system whatever
// the laws of the work, so their work is Σ ρ_k w_k/(1 − ρ).
func TestMixedSharingExact(t *testing.T) {
	for _, c := range []struct{ boots, w, background, scv float64 }{{10, 4, 30, 1}, {20, 4, 10, 0}, {1, 31, 40, 1}, {0.5, 100, 45, 2}} {
		s := compiled(t, strings.Replace(queueFile, "capacity: 100/s", "capacity: 100/s, background: 1/s, discipline: ps", 1), map[string]float64{
			"traffic.boots": c.boots, "classes.q.visit_cost": c.w, "pools.p.background": c.background, "pools.p.service_scv": c.scv,
		})
		y := started(t, s)
		rho := (c.boots*c.w + c.background) / 100
		want := (c.boots*c.w*c.w + c.background) / 100 / (1 - rho)
		numtest.Check(t, fmt.Sprintf("%+v: n", c), y[s.lay.pool[0].n], want, 1e-10, 0)
	}
}
