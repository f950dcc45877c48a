package des

import (
	"fmt"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

// Queues in motion are compared as a law over runs: means and variances at an instant.

// moments are mean and variance of the work at a shard over runs in the window that ends at a time,
// and the share of the queries that start in it and time out; each with its standard error.
type moments struct{ n, nSE, v, vSE, p, pSE float64 }

// momentsAt pools the runs: the variance is that of the time in the window and between runs.
func momentsAt(t testing.TB, r *Result, time float64) moments {
	t.Helper()
	var first, second []float64
	i, j := r.cell(t, time, "in_system.main")
	_, k := r.cell(t, time, "variance.main")
	for _, rows := range r.Runs {
		first = append(first, rows[i][j])
		second = append(second, rows[i][k]+rows[i][j]*rows[i][j])
	}
	var m moments
	m.n, m.nSE = meanOf(first)
	square, _ := meanOf(second)
	m.v = square - m.n*m.n
	for a := range first { // of the variance as a mean over runs about the common mean
		second[a] += m.n * (m.n - 2*first[a])
	}
	_, m.vSE = meanOf(second)
	m.p, m.pSE = r.at(t, time, "timeout.main")
	return m
}

// A load that grows from 0.80 to 1.04 in 200 s: work 4 a query, a background of 160/s, 400
// units/s, a time-out of 1 s. The other simulator had 400 runs; of how many shards each is not on
// record, 16 as everywhere else.
func TestGolden_ramp(t *testing.T) {
	runs := 24
	if *long {
		runs = 400
	}
	sc := scenariotest.Parse(t, `
name: ramp
duration: 200s
traffic: {boots: 40/s, profile: [[0s, 100%], [200s, 160%]], session_length: 1s}
classes: {q: {per_boot: 1, cached: false, route: scatter, visit_cost: 4}}
pools: {main: {shards: 16, capacity: 400/s, background: 160/s, timeout: 1s}}
`)
	r := simulate(t, sc, Settings{Replications: runs, Every: 1, Warmup: 200, Seed: 1})
	for _, c := range []struct{ load, n, nSE, v, p, pSE float64 }{
		{0.961, 57, 1, 3463, 0.0009, 0.0003},
		{0.973, 72, 2, 4857, 0.0023, 0.0007},
		{0.985, 98, 2, 7901, 0.0090, 0.0013},
		{1.009, 191, 4, 21299, 0.099, 0.007},
		{1.033, 391, 7, 50351, 0.449, 0.013},
	} {
		at := math.Round((c.load-0.8)/0.24*200 + 0.5)
		m := momentsAt(t, r, at)
		t.Logf("load %g, %g s: n %.4g ± %.2g (%g ± %g), V %.5g ± %.2g (%g), p %.4g ± %.2g (%g ± %g)", c.load, at, m.n, m.nSE, c.n, c.nSE, m.v, m.vSE, c.v, m.p, m.pSE, c.p, c.pSE)
		name := fmt.Sprintf("load %g: ", c.load)
		within(t, name+"n", m.n, m.nSE, c.n, c.nSE, 3)
		within(t, name+"V", m.v, m.vSE, c.v, m.vSE*math.Sqrt(float64(runs)/400), 3)
		within(t, name+"p", m.p, m.pSE, c.p, c.pSE, 3)
	}
}

// A pulse on an M/M/1 with room for 400 queries, 100 units/s: 70/s, for 5 s 130/s, and 70/s again, with
// a time-out of 0.5 s, against its master equation: 16 such queues a run. The work of n queries has the mean n and
// the variance v + n when their number has the variance v.
func TestPulse_exact(t *testing.T) {
	runs := 50
	if *long {
		runs = 1000
	}
	sc := scenariotest.Parse(t, `
name: pulse
duration: 21s
traffic: {boots: 1120/s, session_length: 1s}
classes: {q: {per_boot: 1, cached: false}}
pools: {main: {shards: 16, capacity: 100/s, queue_limit: 400, timeout: 0.5s}}
timeline: [{at: 5s, traffic: 185.7142857142857%, over: 5s}]
`)
	const window = 0.1
	r := simulate(t, sc, Settings{Replications: runs, Every: window, Warmup: 20, Seed: 1})
	for _, c := range []struct{ t, n, v, p float64 }{
		{4.8, 2.333, 7.778, 0}, // at rest: e^{−15} is none of some 10⁴ queries
		{5.5, 19.30, 93.6, 0.0080},
		{6, 34.46, 200.8, 0.172},
		{7, 64.50, 427, 0.750},
		{12, 94.59, 1439, 0.877},
		{14, 39.9, 1199, 0.363},
		{20, 2.374, 9.0, math.NaN()},
	} {
		a, b := momentsAt(t, r, c.t), momentsAt(t, r, c.t+window)
		n, v, p := (a.n+b.n)/2, (a.v+b.v)/2-(a.n+b.n)/2, (a.p+b.p)/2
		t.Logf("%g s: n %.4g ± %.2g (%g), v %.4g ± %.2g (%g), p %.4g ± %.2g (%g)", c.t, n, a.nSE, c.n, v, a.vSE, c.v, p, a.pSE, c.p)
		name := fmt.Sprintf("%g s: ", c.t)
		within(t, name+"n", n, a.nSE, c.n, 0.005, 3)
		within(t, name+"v", v, a.vSE, c.v, 0.05, 3)
		if !math.IsNaN(c.p) {
			within(t, name+"p", p, max(a.pSE, b.pSE), c.p, 0.0005, 3)
		}
	}
}
