package des

import (
	"fmt"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

// ticks is a server with constant times, in ticks of 0.05 s: an arrival every tick, one
// after another served in two ticks, at most limit queries in system, so many ticks until a
// time-out. At one tick ends come before arrivals.
func ticks(n, limit, timeout int) (served, late, refused int) {
	var ends []int
	for t := 1; t <= n; t++ {
		for len(ends) > 0 && ends[0] <= t {
			ends = ends[1:]
		}
		if len(ends) == limit {
			refused++
			continue
		}
		end := t + 2
		if len(ends) > 0 {
			end = ends[len(ends)-1] + 2
		}
		ends = append(ends, end)
		if end-t <= timeout {
			served++
		} else {
			late++
		}
	}
	return served, late, refused
}

// Where all times are constant and coincide, counts are exact: D/D/1 with 20 queries/s on
// a server for 10/s, against whole numbers of ticks. The decimal fractions are none in binary.
func TestTicks_exact(t *testing.T) {
	for _, c := range []struct{ limit, timeout int }{{3, 6}, {3, 5}, {3, 4}, {1, 2}, {1, 1}, {7, 14}, {7, 13}} {
		sc := scenariotest.Parse(t, fmt.Sprintf(`
name: ticks
duration: 1000s
traffic: {boots: 20/s, session_length: 1s}
classes: {q: {per_boot: 1, cached: false}}
pools: {main: {capacity: 10/s, queue_limit: %d, timeout: %dms, arrival_scv: 0, service_scv: 0}}
`, c.limit, 50*c.timeout))
		m := newSimOf(t, sc, Settings{Warmup: -1, Every: 1000})
		m.run(nil)
		n := 20 * 1000
		served, late, refused := ticks(n, c.limit, c.timeout)
		count := m.rows[len(m.rows)-1].pool[0]
		if count.visits != n || count.refused != refused || count.late != late {
			t.Errorf("limit %d, time-out %d: %d queries, %d refused, %d late; want %d, %d, %d", c.limit, c.timeout, count.visits, count.refused, count.late, n, refused, late)
		}
		if ok := m.rows[len(m.rows)-1].class[0].ok; ok > served || ok < served-c.limit {
			t.Errorf("limit %d, time-out %d: %d in time, want %d but for those in system at the end", c.limit, c.timeout, ok, served)
		}
	}
}

// A load of exactly 1 without chance: every query is served at once, and none is late at a
// time-out of exactly its service.
func TestTicks_full_exact(t *testing.T) {
	sc := scenariotest.Parse(t, `
name: full
duration: 1000s
traffic: {boots: 10/s, session_length: 1s}
classes: {q: {per_boot: 1, cached: false}}
pools: {main: {capacity: 10/s, queue_limit: 1, timeout: 100ms, arrival_scv: 0, service_scv: 0}}
`)
	r := simulate(t, sc, Settings{Warmup: -1, Every: 10, Replications: 1})
	for _, row := range r.Mean {
		if boots, ok := row[1], row[4]; math.Abs(boots-10) > 0.11 || ok != 1 {
			t.Fatalf("%g s: %g boots/s with success %g", row[0], boots, ok)
		}
	}
}

// The hit rate of an LRU cache: exact .2642807138 for 100 keys, room for 10 and Zipf
// exponent 0.8 (independent references; Che's approximation gives .2632608254), and Che's
// .6973846331 for 1000 keys, room for 200 and exponent 1, whose own error is below 1e-3 there.
func TestLRU_exact(t *testing.T) {
	for _, c := range []struct {
		keys, room int
		zipf, hit  float64
		off        float64
	}{
		{100, 10, 0.8, 0.2642807138, 0},
		{1000, 200, 1, 0.6973846331, 1e-3},
	} {
		sc := scenariotest.Parse(t, fmt.Sprintf(`
name: lru
duration: 200s
traffic: {boots: 1k/s, session_length: 1s}
classes: {q: {per_boot: 1, keys: %d, popularity: {zipf: %g}}}
pools: {main: {capacity: 1G/s}}
cache: {nodes: 1, size: %d}
`, c.keys, c.zipf, c.room))
		r := simulate(t, sc, Settings{Replications: 4, Every: 200, Warmup: 10, Seed: 1})
		hit, se := r.last(t, "hit_rate.q")
		if d := math.Abs(hit - c.hit); d > 5.841*se+c.off { // Student's 0.995 quantile, 3 degrees of freedom
			t.Errorf("hit rate %.6f ± %.6f, want %.6f", hit, se, c.hit)
		}
	}
}

// Entries whose time to live is not renewed on a hit: λT/(1 + λT) whatever the law of the time
// to live.
func TestTTL_exact(t *testing.T) {
	for _, law := range []string{"exponential", "fixed", "{stages: 4}"} {
		sc := scenariotest.Parse(t, `
name: ttl
duration: 500s
traffic: {boots: 100/s, session_length: 1s}
classes: {q: {per_boot: 1, keys: 100, ttl: 3s}}
pools: {main: {capacity: 1G/s}}
`, "classes.q.ttl_law", law)
		r := simulate(t, sc, Settings{Replications: 4, Every: 500, Warmup: 20, Seed: 1})
		hit, se := r.last(t, "hit_rate.q")
		within(t, law+": hit rate", hit, se, 0.75, 0, 5.841)
	}
}

// What a rollout step leaves when nothing refills: 1 − f χ e^{−H/δ} of the content, in
// proportion to the nodes whose hold-down H is over so far. Meanwhile f/D·δ (1 − e^{−H/δ}) of
// the nodes are away.
func TestRollout_content_exact(t *testing.T) {
	const file = `
name: rollout
duration: 130s
traffic: {boots: 500/s, session_length: 1s}
classes: {q: {per_boot: 1, keys: 50k}}
pools: {main: {capacity: 0.001/s, queue_limit: 0.5}}
cache: {nodes: 500, outage: %gs, hold_down: %gs, flushes_per_restart: %g}
timeline: [{at: 10s, rollout: 40%%, over: 100s}]
`
	for _, c := range []struct{ outage, hold, flushes float64 }{
		{0, 0, 1}, {0, 0, 2}, {0, 0, 0.5}, {0.001, 5, 1}, {2, 2, 1},
	} {
		long := 1.0 // share of the outages that outlast the hold-down
		if c.hold > 0 {
			long = math.Exp(-c.hold / c.outage)
		}
		r := simulate(t, scenariotest.Parse(t, fmt.Sprintf(file, c.outage, c.hold, c.flushes)), Settings{Replications: 8, Every: 5, Warmup: 5, Seed: 1})
		for _, at := range []float64{65, 130} {
			done := min(1, (at-2.5-10-c.hold)/100) // in the middle of the window
			away := 0.0
			if at < 100 {
				away = 0.4 / 100 * c.outage * (1 - long)
			}
			hit, se := r.at(t, at, "hit_rate.q")
			within(t, fmt.Sprintf("%+v: left at %g s", c, at), hit, se, (1-0.4*c.flushes*long*done)*(1-away), 0.001, 3.5) // half a node
		}
	}
}
