package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

const layoutFile = `
name: layout
duration: 1h
traffic: {boots: 100/s, session_length: 10m}
classes:
  a: {per_boot: 1, keys_per_request: 5, keys: 20k, popularity: {zipf: 0.9, bins: 6}, ttl: 1h, pool: p%s}
  b: {per_session: 0.1/s, cached: false, pool: r}
pools:
  p: {shards: 8, capacity: 900/s}
  r: {capacity: 20k/s}
clients: {backoff: {base: 1s, factor: 2, cap: 8s}}
timeline: [{at: 10m, change: {%s}}]
`

// A change of the timeline may not alter what the state holds; the message says what.
func TestChangeOfLayoutExact(t *testing.T) {
	for _, c := range []struct{ class, change, want string }{
		{"", "classes.a.popularity.bins: 7", "bins"},
		{"", "classes.a.keys: 5", "bins"}, // five ranks make at most five bins
		{"", "classes.a.ttl_law: stages 3", "ttl stages"},
		{", ttl_law: {stages: 3}", "classes.a.ttl: never", "ttl stages"},
		{"", "classes.a.coalesce: true", "coalesce"},
		{"", "classes.a.cached: false", "cached"},
		{"", "classes.b.cached: true", "cached"},
		{"", "cache.size: 10k", "size"},
		{"", "clients.backoff.cap: 16s", "backoff stages"},
		{"", "clients.max_attempts: 3", "backoff stages"},
		{"", "classes.a.ttl_law: fixed", "fixed time to live"},
		{", ttl_law: fixed", "classes.a.ttl_law: exponential", "fixed time to live"},
		{", ttl_law: fixed", "classes.a.ttl: 2h", "fixed time to live"},
	} {
		sc, err := Parse("test.yaml", fmt.Appendf(nil, layoutFile, c.class, c.change), nil)
		if err == nil {
			_, err = sc.Compile()
		}
		if err == nil || !strings.HasPrefix(err.Error(), "timeline[0]: change: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want it to name the %s", c.change, err, c.want)
		}
	}
}

// All else may change, and does so when its time comes.
func TestChangeExact(t *testing.T) {
	for _, c := range []struct {
		change string
		got    func(p *params) float64
		before float64
		after  float64
	}{
		{"classes.a.ttl: 2h", func(p *params) float64 { return 1 / p.class[0].age }, 3600, 7200},
		{"classes.a.pool: r", func(p *params) float64 { return float64(p.class[0].pool) }, 0, 1},
		{"pools.p.shards: 16", func(p *params) float64 { return p.class[0].shards }, 8, 16},
		{"pools.p.capacity: 1k/s", func(p *params) float64 { return p.pool[0].mu }, 900, 1000},
		{"clients.backoff.base: 1500ms, clients.backoff.cap: 12s", func(p *params) float64 { return p.wait[3] }, 8, 12},
		{"clients.give_up: 5%", func(p *params) float64 { return p.giveUp }, 0, 0.05},
		{"traffic.session_length: 5m", func(p *params) float64 { return p.session }, 600, 300},
		{"classes.a.keys: 40k", func(p *params) float64 { return math.Round(total(p.class[0].keysIn)) }, 20000, 40000},
	} {
		s := compiled(t, fmt.Sprintf(layoutFile, "", c.change), nil)
		y := started(t, s)
		if v := c.got(s.now.par); v != c.before {
			t.Errorf("%s: %g at the start, want %g", c.change, v, c.before)
		}
		s.Enter(0, 600, y)
		if v := c.got(s.now.par); v != c.after {
			t.Errorf("%s: %g from 10 min on, want %g", c.change, v, c.after)
		}
		if s.Reset(); c.got(s.now.par) != c.before {
			t.Errorf("%s: Reset does not undo it", c.change)
		}
	}
}

// Scenarios that are built in a program meet the checks of Compile.
func TestCompileErrorsExact(t *testing.T) {
	for _, c := range []struct {
		spoil func(sc *Scenario)
		want  string
	}{
		{func(sc *Scenario) { sc.Classes[0].Value.Pool = "x" }, `classes.a.pool: no pool is called "x"`},
		{func(sc *Scenario) { sc.Pools[1].Value.ServiceCurve = &CurveTable{Load: []float64{1}} }, "pools.r: service_curve: 1 points, need at least 2"},
		{func(sc *Scenario) {
			three := []float64{0, 2, 2}
			sc.Pools[0].Value.ServiceCurve = &CurveTable{Load: three, Latency: three, Timeout: three}
		}, "pools.p: service_curve: load 2 after 2, need increasing loads"},
		{func(sc *Scenario) {
			sc.Classes[0].Value.TTLLaw.Kind, sc.Classes[0].Value.OnError = "fixed", "delete"
		}, "classes.a.ttl_law: fixed cannot be combined"},
		{func(sc *Scenario) { sc.Timeline = []Entry{{At: 5, Over: 1, Action: Ramp, Value: 3}} }, "timeline[0]: ramp: no throttle is in force at 5 s"},
		{func(sc *Scenario) { sc.Timeline = []Entry{{Action: Capacity, Value: 3, Pool: "x"}} }, `timeline[0]: capacity: no pool is called "x"`},
		{func(sc *Scenario) {
			sc.Timeline = []Entry{{Action: Change, Change: []Assignment{{"pools.p.capacity", "5"}, {"pools.z.capacity", "5"}}}}
		}, `timeline[0]: no parameter has the path "pools.z.capacity"`},
	} {
		sc := mustParse(t, "test.yaml", fmt.Appendf(nil, layoutFile, "", "clients.give_up: 5%"))
		c.spoil(sc)
		if _, err := sc.Compile(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestCompile_refuses_more_loss_than_content(t *testing.T) {
	sc := mustParse(t, "t.yaml", fmt.Appendf(nil, twoPools, "", "", "", "", ", flushes_per_restart: 3", "", "none"))
	const want = "timeline[1]: rollout: a step of 0.5 that costs each node its content 2.1495"
	if _, err := sc.Compile(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s…", err, want)
	}
}

// A system that shares tables with the one before moves as one that was compiled by itself, whatever
// was changed between the two.
func TestRecompile_exact(t *testing.T) {
	sc := reference(t, "slack")
	sys := mustCompile(t, sc)
	const class, pool = "classes.gdm_members.", "pools.main."
	for _, c := range []struct {
		path  string
		value float64
	}{
		{pool + "capacity", 7000},
		{class + "popularity.zipf", 0.9},
		{class + "keys", 1e6},
		{pool + "shards", 64},
		{class + "ttl", 3600},
		{pool + "shards", 128},
	} {
		if err := sc.SetFloat(c.path, c.value); err != nil {
			t.Fatal(err)
		}
		var err error
		if sys, err = sc.Recompile(sys); err != nil {
			t.Fatal(err)
		}
		alone := mustCompile(t, sc)
		y, err := alone.Start()
		if err != nil {
			t.Fatal(err)
		}
		for i := range y {
			y[i] *= 0.9
		}
		alone.Reset()
		got, want := make([]float64, len(y)), make([]float64, len(y))
		sys.Eval(got, 0, y)
		alone.Eval(want, 0, y)
		if !slices.Equal(got, want) {
			t.Errorf("with %s = %g: %v, compiled alone %v", c.path, c.value, got, want)
		}
	}
}
