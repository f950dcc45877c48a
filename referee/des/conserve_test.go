package des

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

func newSimOf(t testing.TB, sc *model.Scenario, s Settings) *sim {
	t.Helper()
	p, err := newPlan(sc, &s)
	if err != nil {
		t.Fatal(err)
	}
	return newSim(p, 0)
}

// busy has a little of everything.
const busy = `
name: busy
duration: 300s
traffic: {boots: 10/s, session_length: 20s, profile: [[0s, 0.5], [100s, 1.2], [200s, 0.8]], repeat: 250s}
classes:
  a: {per_boot: 1.5, keys_per_request: 4, keys: 2000, popularity: {zipf: 0.9}, ttl: 100s, fetch: all, route: scatter, pool: main, key_cost: 0.2, attempts: 2, coalesce: true}
  b: {per_boot: 1, per_session: 0.05/s, keys_per_request: 2.5, keys: 1000, popularity: {weights: [[0.1, 0.5], [0.9, 0.5]]}, ttl: 50s, ttl_law: fixed, fetch: missing, pool: side, on_error: delete, late_fill: true}
  c: {per_boot: 0.5, cached: false, pool: shared, essential: false}
pools:
  main: {shards: 4, capacity: 40/s, queue_limit: 60, timeout: 1s, background: {rate: 8/s, follows: traffic}}
  side: {shards: 3, capacity: 15/s, queue_limit: 40, timeout: 500ms, drop_expired: true, service_scv: 0.5}
  shared: {shards: 2, capacity: 4/s, queue_limit: 10, timeout: 1s, discipline: ps, background: 1/s, service_scv: 2}
cache: {nodes: 20, size: 2400, outage: 5s, hold_down: 2s, pace: 0.5/s, flushes_per_restart: 1.5}
clients: {backoff: {base: 1s, factor: 2, cap: 16s}, give_up: 0.1, retry_budget: 0.5}
timeline:
  - {at: 20s, rollout: 40%, over: 60s}
  - {at: 60s, pause: rollout}
  - {at: 70s, flush: 60%}
  - {at: 80s, capacity: 20%, over: 30s, pool: main}
  - {at: 90s, validate: 50%, over: 20s}
  - {at: 120s, throttle: {limit: 4/s, priority: all}}
  - {at: 150s, ramp: 12/s, over: 50s}
  - {at: 210s, throttle: none}
  - {at: 220s, traffic: 200%, over: 20s}
  - {at: 250s, change: {classes.a.fetch: missing, classes.a.route: keyed, pools.side.queue_limit: 20}}
`

// After every event: queries that arrived = refused + served + late + dropped + killed + in
// system; clients that came = booted + gone + waiting + under way.
func TestConservation_invariant(t *testing.T) {
	for i, values := range [][]string{
		nil,
		{"initial", "cold", "classes.a.late_fill", "true"},
		{"initial", "{hit_rate: 0.5, in_system: 30}", "clients.max_attempts", "3"},
		{"classes.a.pool", "shared", "classes.a.attempts", "1", "clients.retry_budget", "none"},
	} {
		s := Settings{Replications: 2, Seed: uint64(i), debug: true, Jitter: Jitter(i % 3)}
		r := simulate(t, scenariotest.Parse(t, busy, values...), s)
		for _, row := range r.Mean {
			for j, v := range row {
				if v < 0 && j != len(row)-1 || math.IsInf(v, 0) {
					t.Errorf("%s = %g at %g s", r.Columns[j], v, row[0])
				}
			}
		}
	}
}

// The debug setting sees a lost query and a lost client.
func TestConservation_sees_exact(t *testing.T) {
	for _, lose := range []func(*sim){
		func(m *sim) { m.pools[0].total.arrived++ },
		func(m *sim) { m.pools[1].total.late++ },
		func(m *sim) { m.people.came++ },
	} {
		m := newSimOf(t, scenariotest.Parse(t, busy), Settings{})
		if err := m.conserved(); err != nil {
			t.Fatal(err)
		}
		if lose(m); m.conserved() == nil {
			t.Error("nothing was noticed")
		}
	}
}

// The same bytes for any number of workers; other ones for another seed.
func TestRun_workers_invariant(t *testing.T) {
	text := func(workers int, seed uint64) string {
		r := simulate(t, scenariotest.Parse(t, busy), Settings{Replications: 5, Workers: workers, Seed: seed})
		return fmt.Sprint(r.Mean, r.SE, r.Events, r.Warm)
	}
	one := text(1, 7)
	if text(3, 7) != one {
		t.Error("3 workers give another result than 1")
	}
	if text(1, 8) == one {
		t.Error("another seed gives the same result")
	}
}

func TestRun_stopped_exact(t *testing.T) {
	done := make(chan struct{})
	close(done)
	if r, err := Run(scenariotest.Parse(t, busy), &Settings{Done: done}); err == nil {
		t.Errorf("stopped before it began, and yet %d rows", len(r.Mean))
	}
}

// What cannot be simulated is refused by its key.
func TestRun_refused_exact(t *testing.T) {
	change := func(path, value string) model.Entry {
		return model.Entry{At: 10, Action: model.Change, Change: []model.Assignment{{Path: path, Value: value}}}
	}
	for _, c := range []struct {
		path, value string
		timeline    []model.Entry
		want        string
	}{
		{"pools.main.shard_correlation", "0.5", nil, "des: pools.main.shard_correlation: comes out of a simulation and cannot be set; want auto"},
		{"classes.a.keys", "1G", nil, "des: classes.a.keys: 1e+09 keys in all; the limit is 67108864 (see Scale)"},
		{"pools.side.arrival_scv", "0", nil, "des: pools.side.arrival_scv: 0, but 1 in pools.main; boots come by one law"},
		{"classes.c.keys_per_request", "10000", nil, "des: classes.c.keys_per_request: 10000; the limit is 4096"},
		{"cache.nodes", "100000", nil, "des: cache.nodes: 100000; the limit is 65536"},
		{"name", "busy", []model.Entry{change("pools.main.shards", "5")}, "des: timeline.0: change: pools.main: the shards, discipline or arrival_scv has to stay as it is during a run"},
		{"name", "busy", []model.Entry{change("classes.a.keys", "5k")}, "des: timeline.0: change: classes.a: what keys there are, cached and coalesce has to stay as it is during a run"},
		{"name", "busy", []model.Entry{change("cache.size", "100")}, "des: timeline.0: change: cache: the nodes or size has to stay as it is during a run"},
	} {
		sc := scenariotest.Parse(t, busy, c.path, c.value)
		if c.timeline != nil {
			sc.Timeline = c.timeline
		}
		_, err := Run(sc, nil)
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A system at another scale behaves like the whole in what does not depend on noise, and its
// columns are in the units of the whole.
func TestRun_scale_invariant(t *testing.T) {
	sc := scenariotest.Parse(t, open, "pools.main.shards", "100", "traffic.boots", "60/s", "duration", "2000s")
	whole := simulate(t, sc, Settings{Every: 2000, Seed: 1})
	part := simulate(t, sc, Settings{Every: 2000, Seed: 2, Scale: 0.1})
	for _, column := range []string{"boots_per_s", "load.main", "in_system.main", "variance.main", "sessions"} {
		a, x := whole.last(t, column)
		b, y := part.last(t, column)
		within(t, column, a, x, b, y, 4)
	}
	if whole.Events < 9*part.Events {
		t.Errorf("a tenth of the system takes %d events, the whole %d", part.Events, whole.Events)
	}
	if reflect.DeepEqual(whole.Mean, part.Mean) {
		t.Error("the scale changes nothing")
	}
}
