package montecarlo

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// flushed is an hour in which a cache loses part of its content. Nothing responds.
const flushed = `
name: flushed
duration: 1h
traffic: {boots: 1000/s, session_length: 8h}
classes:
  q: {per_boot: 1, keys_per_request: 30, keys: 2M, popularity: {zipf: 0.8, bins: 6}, ttl: 7d, fetch: all, route: scatter, visit_cost: 1, key_cost: 0.1}
pools:
  main: {shards: 16, capacity: 4000/s, queue_limit: 10k, timeout: 1s}
cache: {nodes: 100}
clients: {backoff: {base: 2s, factor: 4, cap: 32s}, give_up: 5%}
timeline:
  - {at: 10m, flush: 30%}
uncertainty:
  pools.main.capacity: {lognormal: {median: 4000/s, cv: 0.1}}
  clients.give_up: {uniform: [0.02, 0.1]}
`

// flushes is a sweep over the size of the flush and the traffic.
func flushes(t testing.TB, draws int) *Sweep {
	return swept(t, draws, "timeline.0.flush=10%..50%:3", "traffic.boots=1000/s,1200/s")
}

// swept is a sweep of the scenario over a grid, under its uncertainty.
func swept(t testing.TB, draws int, axes ...string) *Sweep {
	t.Helper()
	sc := scenariotest.Parse(t, flushed)
	var parsed []Axis
	for _, text := range axes {
		a, err := ParseAxis(sc, text)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, a)
	}
	points, err := Grid(parsed)
	if err != nil {
		t.Fatal(err)
	}
	uncertain, err := Uncertainty(sc)
	if err != nil {
		t.Fatal(err)
	}
	return &Sweep{Scenario: sc, Points: points, Uncertain: uncertain, Draws: draws, Seed: 1}
}

func text(t *testing.T, r []*PointResult, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The same bytes for 1, 2, 7 workers and for 1, 3, 10 parts merged, read back from
// files and in any order; the scenario is as it was.
func TestSweep_invariant(t *testing.T) {
	s := flushes(t, 4)
	before := s.Scenario.Hash()
	run := func(workers int) []byte {
		r, err := s.Run(&Pool{Workers: workers})
		return text(t, r, err)
	}
	want := run(1)
	for _, workers := range []int{2, 7} {
		if !bytes.Equal(run(workers), want) {
			t.Errorf("other bytes for %d workers", workers)
		}
	}
	for _, n := range []int{3, 10} {
		parts := make([][]*PointResult, n)
		for i := range n {
			r, err := s.Part(nil, i, n)
			if err := json.Unmarshal(text(t, r, err), &parts[n-1-i]); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(text(t, Merge(parts...), nil), want) {
			t.Errorf("other bytes for %d parts", n)
		}
	}
	if s.Scenario.Hash() != before {
		t.Error("the sweep changes its scenario")
	}
	seeded := *s
	seeded.Seed = 2
	other, err := seeded.Run(nil)
	if bytes.Equal(text(t, other, err), want) {
		t.Error("the seed does not matter")
	}
}

// collapseBelow returns the probability that capacity lies below the threshold under which
// the scenario collapses, found by bisection: the outcome is monotone in it.
func collapseBelow(t *testing.T, sc *model.Scenario, law distuv.LogNormal) float64 {
	t.Helper()
	lo, hi := 2000.0, 6000.0
	for hi-lo > 2 {
		mid := (lo + hi) / 2
		trial := sc.Clone()
		if err := trial.SetFloat("pools.main.capacity", mid); err != nil {
			t.Fatal(err)
		}
		o := Simulate(trial, 0)
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		if o.Class == Collapsed {
			lo = mid
		} else {
			hi = mid
		}
	}
	return law.CDF((lo + hi) / 2)
}

// One uncertain parameter, P known: within four standard errors.
func TestSweepProbability_exact(t *testing.T) {
	sc := scenariotest.Parse(t, flushed)
	uncertain, err := Uncertainty(sc)
	if err != nil {
		t.Fatal(err)
	}
	truth := collapseBelow(t, sc, uncertain[0].Law.(distuv.LogNormal))
	s := &Sweep{Scenario: sc, Points: []Point{nil}, Uncertain: uncertain[:1], Draws: 300, Seed: 7}
	r, err := s.Until(nil, 0.08, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := r[0].Collapse(0.95)
	se := math.Sqrt(truth * (1 - truth) / float64(r[0].Runs))
	t.Logf("P %.4f, estimated %.4f (%.4f to %.4f) in %d runs", truth, p.Estimate, p.Lo, p.Hi, r[0].Runs)
	if math.Abs(p.Estimate-truth) > 4*se || truth < 0.02 || truth > 0.98 {
		t.Errorf("P %g, estimated %v", truth, p)
	}
	if p.Half() > 0.08 || r[0].Runs%64 != 0 {
		t.Errorf("%v after %d runs", p, r[0].Runs)
	}
	if n := r[0].Values[TimeToTip].N(); n < r[0].Counts[Collapsed] || n > r[0].Runs-r[0].Counts[Absorbed] {
		t.Errorf("%d times to tip of %d runs, of which %v", n, r[0].Runs, r[0].Counts)
	}
}

// The same with less traffic, where it is rare: importance sampling and subset
// simulation on the distance from collapse.
func TestSweepRare_exact(t *testing.T) {
	sc := scenariotest.Parse(t, flushed, "traffic.boots", "800/s")
	uncertain, err := Uncertainty(sc)
	if err != nil {
		t.Fatal(err)
	}
	truth := collapseBelow(t, sc, uncertain[0].Law.(distuv.LogNormal))
	s := &Sweep{Scenario: sc, Points: []Point{nil}, Uncertain: uncertain[:1]}
	f := s.Function(0, FromCollapse).Normal()
	for name, method := range map[string]func(Function, int, *RareSettings) (*Rare, error){"subset": Subset, "importance": Importance} {
		r, err := method(f, 1, &RareSettings{N: 100, Repeats: 3, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: P %.3g, estimated %.3g ± %.2g in %d runs", name, truth, r.P.Estimate, r.SE, r.Runs)
		// Three repetitions know their own standard error badly: a floor of 25 %.
		if math.Abs(r.P.Estimate-truth) > 4*max(r.SE, 0.25*truth) || r.Failed > 0 || truth > 0.02 {
			t.Errorf("%s: P %g, estimated %v", name, truth, r.P)
		}
	}
}

// Capacity decides whether it collapses, the share that gives up hardly; a run without an
// answer is NaN.
func TestSweepSensitivity_invariant(t *testing.T) {
	s := flushes(t, 1)
	s.Points = []Point{nil}
	f := s.Function(0, func(o *Outcome) float64 { return o.Measures[LostGoodput] })
	r, err := Morris(f.Screened(), 2, &SensitivitySettings{N: 10})
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed > 0 || !(r.MuStar[0].Estimate > 3*r.MuStar[1].Estimate) {
		t.Errorf("effects of capacity %v and of giving up %v, %d failed", r.MuStar[0], r.MuStar[1], r.Failed)
	}
	if v := f()([]float64{0, 0.5}); !math.IsNaN(v) {
		t.Errorf("a capacity of 0 gives %g", v)
	}
}

// A run without an answer is counted, explained and widens the interval both ways.
func TestSweepFailures_invariant(t *testing.T) {
	s := flushes(t, 20)
	s.Points = s.Points[:1]
	// No uncertainty of a checked sweep: a share that is not allowed in one draw of five.
	s.Uncertain = []Uncertain{{"clients.give_up", distuv.Uniform{Min: 0, Max: 1.25}}}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "20 % of it is not allowed") {
		t.Errorf("the check says %v", err)
	}
	r, err := s.Do(nil, []Task{{0, 0, 20}})
	if err != nil {
		t.Fatal(err)
	}
	p, answered := r[0], 0
	for _, n := range p.Counts {
		answered += n
	}
	if p.Runs != 20 || p.Failed == 0 || p.Failed+answered != 20 || p.Failure == "" || len(p.Warnings()) != 1 {
		t.Errorf("%+v", p)
	}
	i := p.Probability(0.95, Absorbed)
	least, most := Wilson(p.Counts[Absorbed], 20, 0.95), Wilson(p.Counts[Absorbed]+p.Failed, 20, 0.95)
	if i.Lo != least.Lo || i.Hi != most.Hi {
		t.Errorf("interval %v, want from %v to %v", i, least.Lo, most.Hi)
	}
}

// Ended early, a sweep has a prefix of its runs.
func TestSweepDone_invariant(t *testing.T) {
	s, done := flushes(t, 20), make(chan struct{})
	r, err := s.Run(&Pool{Workers: 2, Done: done, Progress: func(n, all int) {
		if n == 25 && all == 120 {
			close(done)
		}
	}})
	if !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
	total := 0
	for _, p := range r {
		total += p.Runs
	}
	if total < 25 || total >= 120 || r[0].Runs != 20 {
		t.Errorf("%d runs, %d at the first point", total, r[0].Runs)
	}
}

func TestSweepBadInput_exact(t *testing.T) {
	good := flushes(t, 3)
	for want, spoil := range map[string]func(s *Sweep){
		"a sweep of 0 points": func(s *Sweep) { s.Points = nil },
		"and 0 draws":         func(s *Sweep) { s.Draws = 0 },
		"tolerance -1":        func(s *Sweep) { s.RTol = -1 },
		"point 0: no parameter has the path": func(s *Sweep) {
			s.Points = []Point{{{Path: "pools.main.capacty", X: 1}}}
		},
		"its median": func(s *Sweep) { s.Uncertain = []Uncertain{{"nodes", distuv.UnitNormal}} },
	} {
		s := *good
		spoil(&s)
		if _, err := s.Run(nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if _, err := good.Part(nil, 3, 3); err == nil {
		t.Error("part 3 of 3 is accepted")
	}
	if _, err := good.Until(nil, 0, 0); err == nil {
		t.Error("a half-width of 0 is accepted")
	}
}

// The boundary in the plane of flush and traffic: the larger the traffic, the smaller the
// flush it needs. What the map counts is what the results count.
func TestSweepBoundary_invariant(t *testing.T) {
	s := swept(t, 1, "timeline.0.flush=5%..50%:9", "traffic.boots=800/s..1200/s:9")
	var seen []int // runs after each round
	var last [][2]float64
	m, results, err := s.Boundary(nil, 9, 9, &BoundarySettings{Draws: 6, Pilot: 2, Watch: func(m *Map) {
		seen, last = append(seen, m.Total), m.Crossings
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 2 || !slices.IsSorted(seen) || seen[len(seen)-1] != m.Total || !slices.Equal(last, m.Crossings) {
		t.Errorf("seen on the way: %v runs of %d, at last the crossings %v of %v", seen, m.Total, last, m.Crossings)
	}
	t.Logf("%d runs, crossings %v", m.Total, m.Crossings)
	total := 0
	for _, r := range results {
		total += r.Runs
		if r.Runs != m.Runs[r.Index] || r.Counts[Collapsed] != m.Hits[r.Index] {
			t.Errorf("point %d: %d of %d on the map, %d of %d in the results", r.Index, m.Hits[r.Index], m.Runs[r.Index], r.Counts[Collapsed], r.Runs)
		}
	}
	if total != m.Total || len(m.Crossings) == 0 {
		t.Errorf("%d runs, on the map %d, with %d crossings", total, m.Total, len(m.Crossings))
	}
	if _, _, err := s.Boundary(nil, 8, 9, nil); err == nil {
		t.Error("81 points are accepted as 8 by 9")
	}
}

// A search that is interrupted and read from its checkpoint, again and again, ends as one that
// is not, and does no round twice.
func TestSearch_resumed_invariant(t *testing.T) {
	s := swept(t, 1, "timeline.0.flush=5%..50%:9", "traffic.boots=800/s..1200/s:9")
	set := &BoundarySettings{Draws: 6, Pilot: 2}
	m, results, err := s.Boundary(nil, 9, 9, set)
	want := text(t, results, err)
	h, saved, tries := &Search{}, 0, 0
	for {
		done := make(chan struct{})
		rounds := 0
		got, err := h.Run(s, &Pool{Workers: 2, Done: done}, 9, 9, set, func() error {
			if saved, rounds = saved+1, rounds+1; rounds == 2 {
				close(done)
			}
			return nil
		})
		if tries++; err == nil {
			if !slices.Equal(got.Crossings, m.Crossings) || got.Total != m.Total || !bytes.Equal(text(t, h.Results, nil), want) {
				t.Errorf("crossings %v, want %v", got.Crossings, m.Crossings)
			}
			break
		}
		if !errors.Is(err, ErrInterrupted) {
			t.Fatal(err)
		}
		h = reread(t, h)
	}
	if tries < 2 || saved != len(h.Rounds) {
		t.Errorf("%d rounds in %d tries, %d in the search", saved, tries, len(h.Rounds))
	}
	h.Rounds[1] = h.Rounds[1][1:]
	if _, err := h.Run(s, nil, 9, 9, set, nil); err == nil || !strings.Contains(err.Error(), "round 2 of the search") {
		t.Error(err)
	}
}
