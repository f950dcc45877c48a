package trajectory

import (
	"fmt"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/internal/special"
	"github.com/metastable/metastable/model"
)

// openLoop is a pool at 400/s a shard with nothing that comes back: scatters of w work
// units a shard at the given load, a background in 1/s, and the rest by path.
func openLoop(t testing.TB, load, w, background float64, values map[string]float64) *model.Scenario {
	t.Helper()
	sc := scenariotest.Parse(t, `
name: open
duration: 200s
traffic: {boots: 1/s, session_length: 1s}
classes: {q: {per_boot: 1, cached: false, route: scatter}}
pools: {main: {shards: 1, capacity: 400/s}}
`)
	set := func(path string, v float64) {
		if err := sc.SetFloat(path, v); err != nil {
			t.Fatal(err)
		}
	}
	set("traffic.boots", (400*load-background)/w)
	set("classes.q.visit_cost", w)
	set("pools.main.background", background)
	for path, v := range values {
		set(path, v)
	}
	return sc
}

// atRest returns the pool's state and the success of a scatter in the steady state.
func atRest(t *testing.T, sc *model.Scenario) (q queue, success float64) {
	t.Helper()
	sys := scenariotest.Compile(t, sc)
	y, err := sys.Start()
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, len(sys.Columns()))
	sys.Observe(row, 0, y)
	return queueOf(y, 0), row[model.ColSuccess]
}

// Queues at rest: mean and variance of the unfinished work at a shard, and the
// probability that a scatter waits longer than τ there.
//
// The variance takes the work for exponential and misses its true third moment: 12 % too
// large where work does not vary, the row before the last; a third too small for two very
// different sizes, the last row. Time-outs follow.
func TestSimulation_workUnits_golden(t *testing.T) {
	for _, c := range []struct {
		load, w, background, scv, tau float64
		n, se, variance, p            float64 // simulation
		offV, offP                    float64 // relative
	}{
		{0.9, 4, 160, 1, 0.2, 24.1, 0.3, 752, 0.0565, 0.07, 0.07},
		{0.95, 4, 160, 1, 0.3, 51.5, 0.3, 2994, 0.113, 0.01, 0.02},
		{0.7, 31, 40, 1, 0.5, 62.1, 0.6, 7684, 0.116, 0.07, 0.03},
		{0.9, 31, 40, 1, 1, 243, 4, 73207, 0.232, 0.04, 0.04},
		{0.7, 100, 0, 1, 1, 234, 3, 101468, 0.302, 0.01, 0.01},
		{0.7, 31, 40, 0, 0.3, 31.3, 0.3, 1611, 0.088, 0.12, 0.11},
		{0.7, 31, 160, 1, 0.5, 32.6, 0.1, 3023, 0.042, 0.36, 0.36},
	} {
		q, success := atRest(t, openLoop(t, c.load, c.w, c.background, map[string]float64{
			"pools.main.service_scv": c.scv, "pools.main.timeout": c.tau,
		}))
		name := fmt.Sprintf("load %g, w %g, background %g, scv %g: ", c.load, c.w, c.background, c.scv)
		numtest.Check(t, name+"n", q.n, c.n, 0, 3*c.se)
		numtest.Check(t, name+"variance", q.v+q.b*q.n, c.variance, c.offV, 0)
		numtest.Check(t, name+"p", 1-success, c.p, c.offP, 0)
	}
}

// The scatters at rest again, from the load to the success. What off allows is the error
// of the correlation (see the scatter tests) and that of p, which is up to a quarter low
// in the far tail: together at most 0.03 of the reads, and 5 % for refusals.
func TestSimulation_scatterAtRest_golden(t *testing.T) {
	for _, c := range []struct {
		load, tau, limit, shards float64
		o, se, off               float64
	}{
		{0.9, 0.1, math.Inf(1), 16, 0.156, 0.001, 0.021},
		{0.9, 0.2, math.Inf(1), 16, 0.593, 0.002, 0.024},
		{0.9, 0.4, math.Inf(1), 16, 0.958, 0.001, 0.008},
		{0.95, 0.3, math.Inf(1), 4, 0.689, 0.001, 0.001},
		{0.95, 0.3, math.Inf(1), 64, 0.159, 0.006, 0.006},
		{0.95, 0.3, math.Inf(1), 256, 0.055, 0.004, 0.001},
		{1.1, math.Inf(1), 1000, 16, 0.433, 0.001, 0},
		{1.3, math.Inf(1), 1000, 16, 0.142, 0.001, 0},
		{1.9, math.Inf(1), 1000, 16, 0.0141, 0.0001, 0.0005},
		{3, math.Inf(1), 1000, 16, 0.00076, 0.00001, 0.00001},
	} {
		q, o := atRest(t, openLoop(t, c.load, 4, 160, map[string]float64{
			"pools.main.timeout": c.tau, "pools.main.queue_limit": c.limit, "pools.main.shards": c.shards,
		}))
		name := fmt.Sprintf("load %g, time-out %g s, %g shards: ", c.load, c.tau, c.shards)
		numtest.Check(t, name+"success", o, c.o, 0, 3*c.se+c.off)
		_, one := atRest(t, openLoop(t, c.load, 4, 160, map[string]float64{
			"pools.main.timeout": c.tau, "pools.main.queue_limit": c.limit,
		}))
		want, _ := special.Scatter(1-one, one, correlation(1-one, q.share, math.IsInf(c.tau, 1)), c.shards)
		numtest.Check(t, name+"copula", o, want, 1e-9, 0)
	}
}

// A soft limit instead of M/M/1/K: n and the refused share at rest against the exact
// law, p_i ∝ ρ^i. The shorter the queue, the coarser; a soft limit fills a long queue
// below the line that is hard at load 1.
func TestSimulation_softLimit_exact(t *testing.T) {
	for _, c := range []struct{ limit, load, offN, offR float64 }{
		{10, 0.97, 0.26, 0.036},
		{10, 1.10, 0.09, 0.038},
		{20, 0.97, 2.7, 0.028},
		{20, 1.10, 2.05, 0.015},
		{70, 1.03, 16, 0.0041},
		{300, 1.03, 2, 0.0001},
	} {
		sum, first, last := 0.0, 0.0, 0.0
		for i := range int(c.limit) + 1 {
			last = math.Pow(c.load, float64(i))
			sum, first = sum+last, first+float64(i)*last
		}
		q, success := atRest(t, openLoop(t, c.load, 1, 0, map[string]float64{"pools.main.queue_limit": c.limit}))
		name := fmt.Sprintf("limit %g, load %g: ", c.limit, c.load)
		numtest.Check(t, name+"n", q.n, first/sum, 0, c.offN)
		numtest.Check(t, name+"refused", 1-success, last/sum, 0, c.offR)
	}
}
