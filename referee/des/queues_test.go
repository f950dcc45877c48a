package des

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

// open is one server of capacity 1/s without retries.
const open = `
name: open
duration: 200000s
traffic: {boots: 0.5/s, session_length: 1s}
classes: {q: {per_boot: 1, cached: false}}
pools: {main: {capacity: 1/s}}
`

// Single servers at rest against closed forms, each inside the 99 % interval of the mean
// over 10 independent runs (Student's t with 9 degrees of freedom). M/G/1: Pollaczek and
// Khinchine, unfinished work ρ (1 + c²)/2 / (1 − ρ). Processor sharing: ρ/(1 − ρ) queries
// whatever the law of the work. Time-outs of an M/M/1 whose dead work is done: e^{−(1−ρ)τ}.
func TestQueues_atRest_exact(t *testing.T) {
	const student = 3.250 // 0.995 quantile, 9 degrees of freedom
	for _, c := range []struct {
		rho, scv   float64
		discipline string
		duration   string
	}{
		{0.5, 1, "fifo", "10000s"},
		{0.9, 1, "fifo", "30000s"},
		{0.99, 1, "fifo", "200000s"},
		{0.5, 0, "fifo", "10000s"},
		{0.9, 0, "fifo", "30000s"},
		{0.99, 0, "fifo", "200000s"},
		{0.7, 0.25, "fifo", "10000s"},
		{0.7, 4, "fifo", "10000s"},
		{0.5, 1, "ps", "10000s"},
		{0.8, 0, "ps", "10000s"},
		{0.8, 4, "ps", "10000s"},
	} {
		name := fmt.Sprintf("%s, load %g, scv %g", c.discipline, c.rho, c.scv)
		sc := scenariotest.Parse(t, open, "traffic.boots", fmt.Sprint(c.rho), "duration", c.duration,
			"pools.main.service_scv", fmt.Sprint(c.scv), "pools.main.discipline", c.discipline)
		r := simulate(t, sc, Settings{Replications: 10, Seed: 1, Every: sc.Duration, Warmup: sc.Duration / 10})
		n, se := r.last(t, "in_system.main")
		want := c.rho / (1 - c.rho)
		if c.discipline == "fifo" {
			want *= (1 + c.scv) / 2
		}
		within(t, name+": in system", n, se, want, 0, student)
		load, se := r.last(t, "load.main")
		within(t, name+": load", load, se, c.rho, 0, student)
	}
}

// Large and small queries that share a server: of class k there are ρ_k/(1 − ρ) in system whatever
// the laws of the work, so that large ones make up more of what is met than of what arrives.
func TestQueues_mixedSharing_exact(t *testing.T) {
	sc := scenariotest.Parse(t, open, "traffic.boots", "0.1", "classes.q.visit_cost", "3", "classes.q.key_cost", "1", "pools.main.background", "0.3/s",
		"pools.main.discipline", "ps", "duration", "50000s")
	r := simulate(t, sc, Settings{Replications: 10, Seed: 1, Every: sc.Duration, Warmup: 1000})
	n, se := r.last(t, "in_system.main")
	within(t, "work in system", n, se, (0.3*1+0.4*4)/(1-0.7), 0, 3.250)
}

// What a limit refuses, against M/M/1/K: (0.5, 5) 0.015873015873, (0.9, 10)
// 0.0508137313274, (1.5, 10) 0.337232080138, from p_i ∝ ρ^i. A Poisson query sees those
// probabilities whatever the discipline.
func TestQueues_limit_exact(t *testing.T) {
	for _, c := range []struct {
		rho, limit, want float64
	}{
		{0.5, 5, 0.015873015873},
		{0.9, 10, 0.0508137313274},
		{1.5, 10, 0.337232080138},
	} {
		for _, discipline := range []string{"fifo", "ps"} {
			sc := scenariotest.Parse(t, open, "traffic.boots", fmt.Sprint(c.rho), "pools.main.queue_limit", fmt.Sprint(c.limit),
				"pools.main.discipline", discipline, "duration", "30000s")
			r := simulate(t, sc, Settings{Replications: 10, Seed: 2, Every: sc.Duration})
			got, se := r.last(t, "refused.main")
			within(t, fmt.Sprintf("%s, load %g: refused", discipline, c.rho), got, se, c.want, 0, 3.250)
		}
	}
}

// Goodput of a server whose dead work is done, λ (1 − e^{−(μ−λ)τ}), 0.3541224063 at (0.9, 1,
// 5); all work late when the load exceeds the capacity. With the background at half the
// queries, half of them count.
func TestQueues_deadWork_exact(t *testing.T) {
	sc := scenariotest.Parse(t, open, "traffic.boots", "0.9", "pools.main.timeout", "5s", "duration", "30000s")
	r := simulate(t, sc, Settings{Replications: 10, Seed: 3, Every: sc.Duration, Warmup: 1000})
	ok, se := r.last(t, "success.q")
	within(t, "goodput", 0.9*ok, 0.9*se, 0.3541224063, 0, 3.250)
	late, se := r.last(t, "timeout.main")
	within(t, "late", late, se, math.Exp(-0.5), 0, 3.250)

	sc = scenariotest.Set(t, sc, "traffic.boots", "0.4", "pools.main.background", "0.5/s")
	r = simulate(t, sc, Settings{Replications: 10, Seed: 4, Every: sc.Duration, Warmup: 1000})
	ok, se = r.last(t, "success.q")
	within(t, "with background", 0.9*ok, 0.9*se, 0.3541224063, 0, 3.250)

	sc = scenariotest.Set(t, sc, "traffic.boots", "0.8", "duration", "10000s")
	r = simulate(t, sc, Settings{Replications: 4, Seed: 5, Every: sc.Duration, Warmup: 1000})
	if ok, _ := r.last(t, "success.q"); ok > 0.001 {
		t.Errorf("a load of 1.3 leaves a success of %g", ok)
	}
}

// Work that is dropped unserved once its deadline has passed: an M/M/1 with impatience until the
// start of service, by level crossing: the density of the work found falls as e^{−(μ−λ)v} up
// to τ; beyond it no arrivals add to it and it falls as e^{−μ(v−τ)}.
func TestQueues_dropExpired_exact(t *testing.T) {
	const lambda, mu, tau = 1.2, 1.0, 5.0
	// f(v) = λ p0 e^{−(μ−λ)v}, v ≤ τ; f(τ) e^{−μ(v−τ)} beyond.
	below := lambda * (1 - math.Exp(-(mu-lambda)*tau)) / (mu - lambda)
	above := lambda * math.Exp(-(mu-lambda)*tau) / mu
	dropped := above / (1 + below + above)

	// A limit out of reach makes the ends of queries counted.
	sc := scenariotest.Parse(t, strings.Replace(open, "capacity: 1/s", "capacity: 1/s, timeout: 5s, drop_expired: true, queue_limit: 1G", 1),
		"traffic.boots", fmt.Sprint(lambda), "duration", "50000s")
	m := newSimOf(t, sc, Settings{Seed: 6, Warmup: 1000, Every: sc.Duration})
	m.run(nil)
	f := m.pools[0].total
	got := float64(f.dropped) / float64(f.arrived)
	// Of 60,000 queries, in runs of correlated fate some tens long.
	within(t, "dropped", got, math.Sqrt(dropped/60000*20), dropped, 0, 3)
}
