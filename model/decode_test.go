package model

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// referenceFiles returns the scenario files that are right, by name.
func referenceFiles(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/reference/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no reference files: %v", err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = data
	}
	return files
}

func TestParse_reference_invariant(t *testing.T) {
	for name, data := range referenceFiles(t) {
		s, err := Parse(name, data, os.DirFS("testdata/reference"))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		again, err := Parse(name, s.YAML(), os.DirFS("testdata/reference"))
		if err != nil {
			t.Errorf("canonical form of %s: %v\n%s", name, err, s.YAML())
			continue
		}
		if !reflect.DeepEqual(s, again) {
			t.Errorf("%s: canonical form reads as another scenario\n%s", name, s.YAML())
		}
	}
}

// The numbers of slack.yaml, converted by hand, and the defaults of what it leaves out.
func TestParse_exact(t *testing.T) {
	got := mustParse(t, "slack.yaml", referenceFiles(t)["slack.yaml"])
	inf := math.Inf(1)
	want := &Scenario{
		Name: "slack-2022-02-22", Duration: 50400,
		Traffic: Traffic{Boots: 3000, Repeat: 86400, SessionLength: 28800, Profile: Profile{Points: []Point{
			{0, 0.45}, {10800, 0.35}, {18000, 0.5}, {21600, 0.75}, {25200, 0.92}, {28800, 1}, {32400, 1}, {43200, 0.95}, {61200, 0.7}, {72000, 0.55}, {86400, 0.45},
		}}},
		Classes: Map[Class]{{"gdm_members", Class{
			PerBoot: 1, KeysPerRequest: 30, Keys: 20e6, Popularity: Popularity{Zipf: 0.8, Bins: 24}, TTL: 604800, TTLLaw: TTLLaw{Kind: "exponential"}, Cached: true,
			Fetch: "all", Route: "scatter", Pool: "main", VisitCost: 1, KeyCost: 0.1, OnError: "keep", Attempts: 1, Essential: true,
		}}},
		Pools: Map[Pool]{{"main", Pool{
			Shards: 256, Capacity: 8000, QueueLimit: 20000, Timeout: 1, Background: Background{3200, "traffic"}, Discipline: "fifo", QueueLaw: "panjer", ArrivalSCV: 1, ServiceSCV: 1,
		}}},
		Cache:    Cache{Nodes: 100, Size: inf, Outage: 30, HoldDown: 0, Pace: inf, FlushesPerRestart: 1},
		Clients:  Clients{Backoff: &Backoff{2, 2, 128}, GiveUp: 0.05, RetryBudget: inf},
		Throttle: Throttle{inf, "boots"},
		Timeline: []Entry{
			{At: 3600, Over: 1800, Action: Rollout, Value: 0.25},
			{At: 20160, Over: 1800, Action: Rollout, Value: 0.25},
			{At: 25200, Action: ThrottleTo, Value: 400},
			{At: 32400, Action: ThrottleTo, Value: inf},
		},
		Initial: Initial{Kind: "healthy"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// Clock times count from the first such time at or after the start.
func TestParse_clock_exact(t *testing.T) {
	for _, c := range []struct {
		start, at string
		want      float64
	}{
		{"", "1:30", 5400},
		{"", "25:30", 91800},
		{"", "90m", 5400},
		{"2022-02-22T22:00:00-08:00", "22:00", 0},
		{"2022-02-22T22:00:00-08:00", "23:00:30", 3630},
		{"2022-02-22T22:00:00-08:00", "1:00", 10800}, // the next day
		{"2022-02-22T22:00:00-08:00", "25:00", 10800},
		{"2022-02-22T22:00:00-08:00", "21:59", 86340},
		{"2022-02-22T22:00:00-08:00", "46:00", 86400},
		{"2022-02-22T06:00:00Z", "5h", 18000},
	} {
		file := "name: x\nduration: 2d\ntraffic: {boots: 1/s, session_length: 1s}\nclasses: {q: {}}\npools: {p: {capacity: 1/s}}\ntimeline: [{at: \"" + c.at + "\", flush: 10%}]\n"
		if c.start != "" {
			file += "start: " + c.start + "\n"
		}
		s := mustParse(t, "clock.yaml", []byte(file))
		if got := s.Timeline[0].At; got != c.want {
			t.Errorf("%s from %q: %g s, want %g", c.at, c.start, got, c.want)
		}
		if again := mustParse(t, "clock.yaml", s.YAML()); !reflect.DeepEqual(s, again) {
			t.Errorf("%s from %q: the canonical form reads as another scenario\n%s", c.at, c.start, s.YAML())
		}
	}
}

// A byte order mark and line ends of another system change nothing.
func TestParse_bytes_invariant(t *testing.T) {
	for name, data := range referenceFiles(t) {
		s := mustParse(t, name, data)
		crlf := bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
		if got := mustParse(t, name, append([]byte("\ufeff"), crlf...)); !reflect.DeepEqual(s, got) {
			t.Errorf("%s reads as another scenario", name)
		}
	}
}

// Whatever Set accepts survives the canonical form.
func TestYAML_roundTrip_invariant(t *testing.T) {
	files := referenceFiles(t)
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"full.yaml", "forms.yaml", "des-home.yaml", "hotos25-queue35.yaml"}).Draw(t, "file")
		s, err := Parse(name, files[name], os.DirFS("testdata/reference"))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			p := rapid.SampledFrom(s.Paths()).Draw(t, "path")
			value := rapid.SampledFrom([]string{"true", "false", "none", "all", "missing", "delete", "scatter", "keyed", "traffic", "ps", "stages 7", "never", "cold", "- [x]: #", "ü \"", "é\n\t\\ ' y"}).Draw(t, "word")
			if p.Unit != "" {
				x := rapid.OneOf(rapid.Float64Range(0, 3), rapid.Float64Range(0, 1e6), rapid.Map(rapid.IntRange(0, 200), func(i int) float64 { return float64(i) })).Draw(t, "x")
				value = formatQuantity(x, p.Unit)
			}
			if s.Set(p.Path, value) == nil {
				accepted++
			}
		}
		again, err := Parse(name, s.YAML(), os.DirFS("testdata/reference"))
		if err != nil {
			t.Fatalf("canonical form is refused: %v\n%s", err, s.YAML())
		}
		if !reflect.DeepEqual(s, again) || s.Hash() != again.Hash() {
			t.Fatalf("canonical form reads as another scenario\n%s\n%s", s.YAML(), again.YAML())
		}
	})
	if accepted < 300 {
		t.Errorf("only %d values were accepted; the test shows little", accepted)
	}
}
