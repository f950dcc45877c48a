package model

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestSet_exact(t *testing.T) {
	for _, c := range []struct {
		path, value, canonical string
		got                    func(s *Scenario) any
		want                   any
	}{
		{"pools.main.capacity", "9k/s", "9k/s", func(s *Scenario) any { return s.Pools[0].Value.Capacity }, 9000.0},
		{"pools.main.timeout", "none", "none", func(s *Scenario) any { return s.Pools[0].Value.Timeout }, math.Inf(1)},
		{"pools.main.shards", "128", "128", func(s *Scenario) any { return s.Pools[0].Value.Shards }, 128},
		{"pools.main.background.rate", "1/s", "1/s", func(s *Scenario) any { return s.Pools[0].Value.Background }, Background{1, "traffic"}},
		{"pools.main.background", "1/s", "{rate: 1/s, follows: traffic}", func(s *Scenario) any { return s.Pools[0].Value.Background }, Background{1, "traffic"}},
		{"pools.main.background", "{rate: 2/s}", "2/s", func(s *Scenario) any { return s.Pools[0].Value.Background }, Background{2, "none"}},
		{"pools.main.shard_correlation", "0.3", "0.3", func(s *Scenario) any { return *s.Pools[0].Value.ShardCorrelation }, 0.3},
		{"pools.main.shard_correlation", "auto", "auto", func(s *Scenario) any { return s.Pools[0].Value.ShardCorrelation }, (*float64)(nil)},
		{"classes.gdm_members.popularity.zipf", "1.1", "1.1", func(s *Scenario) any { return s.Classes[0].Value.Popularity.Zipf }, 1.1},
		{"classes.gdm_members.fetch", "missing", "missing", func(s *Scenario) any { return s.Classes[0].Value.Fetch }, "missing"},
		{"classes.gdm_members.cached", "false", "false", func(s *Scenario) any { return s.Classes[0].Value.Cached }, false},
		{"classes.gdm_members.ttl_law", "stages 3", "stages 3", func(s *Scenario) any { return s.Classes[0].Value.TTLLaw }, TTLLaw{"stages", 3}},
		{"clients.backoff.base", "1s", "1s", func(s *Scenario) any { return s.Clients.Backoff.Base }, 1.0},
		{"clients.backoff", "none", "none", func(s *Scenario) any { return s.Clients.Backoff }, (*Backoff)(nil)},
		{"clients.backoff", "{base: 1s, cap: 8s}", "{base: 1s, cap: 8s}", func(s *Scenario) any { return *s.Clients.Backoff }, Backoff{1, 2, 8}},
		{"clients.max_attempts", "3", "3", func(s *Scenario) any { return *s.Clients.MaxAttempts }, 3},
		{"throttle", "400/s", "400/s", func(s *Scenario) any { return s.Throttle }, Throttle{400, "boots"}},
		{"throttle.priority", "all", "all", func(s *Scenario) any { return s.Throttle.Priority }, "all"},
		{"traffic.boots", "60/m", "1/s", func(s *Scenario) any { return s.Traffic.Boots }, 1.0},
		{"traffic.profile", "[[0h, 1], [24h, 50%]]", "[[0s, 1], [1d, 0.5]]", func(s *Scenario) any { return s.Traffic.Profile.Points }, []Point{{0, 1}, {86400, 0.5}}},
		{"cache.hold_down", "5m", "5m", func(s *Scenario) any { return s.Cache.HoldDown }, 300.0},
		{"timeline.1.rollout", "40%", "0.4", func(s *Scenario) any { return s.Timeline[1].Value }, 0.4},
		{"timeline[1].over", "10m", "10m", func(s *Scenario) any { return s.Timeline[1].Over }, 600.0},
		{"timeline.1.at", "5:00", "5:00", func(s *Scenario) any { return s.Timeline[1].At }, 18000.0},
		{"timeline.4.throttle", "300/s", "300/s", func(s *Scenario) any { return s.Timeline[4].Value }, 300.0},
		{"timeline.9.pool", "replicas", "replicas", func(s *Scenario) any { return s.Timeline[9].Pool }, "replicas"},
		{"initial", "cold", "cold", func(s *Scenario) any { return s.Initial.Kind }, "cold"},
		{"initial", "{hit_rate: 50%}", "{hit_rate: 0.5}", func(s *Scenario) any { return s.Initial }, Initial{Kind: "given", HitRate: 0.5}},
		{"name", "other", "other", func(s *Scenario) any { return s.Name }, "other"},
	} {
		s := reference(t, "full")
		if err := s.Set(c.path, c.value); err != nil {
			t.Errorf("%s = %s: %v", c.path, c.value, err)
			continue
		}
		if got := c.got(s); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s = %s: %v, want %v", c.path, c.value, got, c.want)
		}
		if got, err := s.Get(c.path); err != nil || got != c.canonical {
			t.Errorf("%s = %s: Get returns %q, %v; want %q", c.path, c.value, got, err, c.canonical)
		}
		if again := mustParse(t, "again.yaml", s.YAML()); !reflect.DeepEqual(s, again) {
			t.Errorf("%s = %s: canonical form reads as another scenario", c.path, c.value)
		}
	}
}

func TestSet_refused_golden(t *testing.T) {
	for _, c := range []struct{ path, value, want string }{
		{"pools.main.timout", "1s", `no parameter has the path "pools.main.timout"; did you mean pools.main.timeout?`},
		{"pool.main.timeout", "1s", `no parameter has the path "pool.main.timeout"; did you mean pools.main.timeout?`},
		{"hold_down", "1s", `no parameter has the path "hold_down"; did you mean cache.hold_down?`},
		{"timeout", "1s", `no parameter has the path "timeout"; did you mean pools.main.timeout or pools.replicas.timeout?`},
		{"cache.nodes.x", "1", `no parameter has the path "cache.nodes.x"; cache.nodes has no parts`},
		{"cache.xyz", "1", `no parameter has the path "cache.xyz" (there are: nodes, size, outage, hold_down, pace, flushes_per_restart)`},
		{"timeline.1.flush", "1", `no parameter has the path "timeline.1.flush" (there are: rollout, at, over, note)`},
		{"pools.main.timeout", "5/s", `pools.main.timeout: found "5/s", want a duration > 0 or none, such as 30s or 5m`},
		{"pools.main.shards", "{a: b}", `pools.main.shards: found a mapping, want a whole number >= 1 and <= 1e6, such as 20`},
		{"traffic.profile", "[[0", `traffic.profile = [[0: not YAML: sequence end token ']' not found`},
		{"pools.main", "x", `pools.main cannot be set as a whole; set one of its parts: shards, capacity, queue_limit, timeout, drop_expired, background, shard_correlation, discipline, queue_law, arrival_scv, service_scv, service_curve`},
		{"classes.gdm_members.pool", "mani", `classes.gdm_members.pool = mani: classes.gdm_members.pool: no pool is called "mani"; did you mean "main"? (there are: main, replicas)`},
		{"timeline.1.at", "0:30", `timeline.1.at = 0:30: timeline.1.at: comes after a later entry: 30m after 1:00 (entry 0); want the order of time`},
		{"timeline.1.over", "0s", `timeline.1.over = 0s: timeline.1.over: missing; a rollout needs the time it takes, such as over: 30m (a loss all at once is a flush)`},
		{"traffic.profile", "{csv: a.csv}", `traffic.profile: refers to "a.csv", but there are no files beside this scenario to read`},
	} {
		s := reference(t, "full")
		err := s.Set(c.path, c.value)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s = %s:\n got %v\nwant %s", c.path, c.value, err, c.want)
		}
		if !reflect.DeepEqual(s, reference(t, "full")) {
			t.Errorf("%s = %s: refused, but the scenario has changed", c.path, c.value)
		}
	}
}

// SetFloat sets what Set sets.
func TestSetFloat_exact(t *testing.T) {
	for _, c := range []struct {
		path, value string
		x           float64
	}{
		{"pools.main.capacity", "9000/s", 9000},
		{"pools.main.shards", "3", 3},
		{"pools.main.shard_correlation", "0.5", 0.5},
		{"pools.main.shard_correlation", "auto", math.Inf(1)},
		{"pools.main.background", "100/s", 100},
		{"clients.max_attempts", "4", 4},
		{"clients.max_attempts", "none", math.Inf(1)},
		{"clients.give_up", "10%", 0.1},
		{"throttle", "500/s", 500},
		{"throttle", "none", math.Inf(1)},
		{"timeline.0.rollout", "30%", 0.3},
		{"timeline.0.at", "30m", 1800},
	} {
		a, b := reference(t, "full"), reference(t, "full")
		if err := a.SetFloat(c.path, c.x); err != nil {
			t.Error(err)
		}
		if err := b.Set(c.path, c.value); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: SetFloat(%g) and Set(%s) differ", c.path, c.x, c.value)
		}
	}
	for _, c := range []struct {
		path string
		x    float64
	}{
		{"pools.main.capacity", 0},
		{"pools.main.capacity", math.NaN()},
		{"pools.main.capacity", math.Inf(1)},
		{"pools.main.shards", 1.5},
		{"pools.main.shards", math.NaN()},
		{"timeline.0.at", 1e6},
		{"classes.gdm_members.fetch", 1},
		{"pools.x.capacity", 1},
		{"clients.backoff", 1},
	} {
		s := reference(t, "full")
		if s.SetFloat(c.path, c.x) == nil {
			t.Errorf("%s = %g: not refused", c.path, c.x)
		}
		if !reflect.DeepEqual(s, reference(t, "full")) {
			t.Errorf("%s = %g: refused, but the scenario has changed", c.path, c.x)
		}
	}
}

// Every listed path accepts its own value, and changes nothing by it.
func TestPaths_invariant(t *testing.T) {
	for name, data := range referenceFiles(t) {
		s := mustParse(t, name, data)
		if len(s.Paths()) < 40 {
			t.Errorf("%s: %d paths", name, len(s.Paths()))
		}
		for _, p := range s.Paths() {
			got, err := s.Get(p.Path)
			if err != nil || got != p.Value || p.Doc == "" {
				t.Errorf("%s: %s is listed as %q, Get returns %q, %v; doc %q", name, p.Path, p.Value, got, err, p.Doc)
			}
			if p.Value == "" || strings.Contains(p.Value, "csv") {
				continue // nothing set, or read from a file that Set does not see
			}
			c := s.Clone()
			if err := c.Set(p.Path, p.Value); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !reflect.DeepEqual(s, c) {
				t.Errorf("%s: setting %s to its own value %q changes the scenario", name, p.Path, p.Value)
			}
		}
	}
}

// A clone is equal and shares no pointer, slice or map with its origin.
func TestClone_invariant(t *testing.T) {
	for name, data := range referenceFiles(t) {
		s := mustParse(t, name, data)
		c := s.Clone()
		if !reflect.DeepEqual(s, c) {
			t.Errorf("%s: the clone differs", name)
		}
		if at := shared(reflect.ValueOf(s).Elem(), reflect.ValueOf(c).Elem()); at != "" {
			t.Errorf("%s: %s is shared", name, at)
		}
	}
}

// shared names a part of a that b points to as well.
func shared(a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice:
		if !a.IsNil() && a.Pointer() == b.Pointer() {
			return a.Type().String()
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.Type().Elem().PkgPath() != "time" && !a.IsNil() { // inside a time, the zone is immutable
			return shared(a.Elem(), b.Elem())
		}
	case reflect.Slice:
		for i := range a.Len() {
			if at := shared(a.Index(i), b.Index(i)); at != "" {
				return at
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if at := shared(a.Field(i), b.Field(i)); at != "" {
				return a.Type().Field(i).Name + "." + at
			}
		}
	}
	return ""
}

func TestHash_invariant(t *testing.T) {
	a := reference(t, "full")
	b := a.Clone()
	if err := b.Set("pools.main.capacity", "8000"); err != nil || a.Hash() != b.Hash() || len(a.Hash()) != 12 {
		t.Errorf("another spelling: %v, %s and %s", err, a.Hash(), b.Hash())
	}
	if err := b.Set("pools.main.capacity", "8001"); err != nil || a.Hash() == b.Hash() {
		t.Errorf("another value: %v, %s and %s", err, a.Hash(), b.Hash())
	}
	c := reference(t, "forms")
	before := c.Hash()
	c.Traffic.Profile.Points[1].Value *= 2
	if c.Hash() == before {
		t.Error("other CSV data have the same hash")
	}
}

func BenchmarkSetFloat(b *testing.B) {
	s := reference(b, "full")
	s.Timeline = s.Timeline[:12] // without the change, which is tried on a copy
	x := 8000.0
	for b.Loop() {
		x++
		if err := s.SetFloat("pools.main.capacity", x); err != nil {
			b.Fatal(err)
		}
	}
}
