package calibrate

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// shop is a database without cache whose capacity falls for a while: cheap to run, with a
// queue, time-outs and retries.
const shop = `
name: shop
duration: 120s
traffic: {boots: 60/s, session_length: 1s}
classes: {read: {per_boot: 1, cached: false, pool: db}}
pools: {db: {shards: 1, capacity: 100/s, timeout: 1s, queue_limit: 400}}
clients: {backoff: {base: 4s, factor: 1, cap: 4s}, give_up: 0.4}
timeline:
  - {at: 20s, capacity: 55%, over: 20s}
`

var shopParams = []Param{
	{Name: "pools.db.capacity", Lo: 70, Hi: 150, Log: true},
	{Name: "clients.give_up", Lo: 0.1, Hi: 0.9},
	{Name: "pools.db.timeout", Lo: 0.3, Hi: 3, Log: true},
}

var shopTruth = []float64{100, 0.4, 1}

// watched returns a recording of the shop with noise of 2 % in the attempts and of 50
// trials in the success; seed 0: without.
func watched(t testing.TB, seed uint64) []Recording {
	rec := Recording{Scenario: scenariotest.Parse(t, shop), Series: []Measured{
		{Name: "requests", Quantity: "attempts", Noise: Noise{Kind: Relative}},
		{Name: "ok", Quantity: "success", Noise: Noise{Kind: Binomial, Scale: 1 / math.Sqrt(50)}}, // few values are neither 0 nor 1, too few to fit a scale
	}}
	if seed == 0 { // perfect: the scale is what the fit is to find
		rec.Series[1].Noise.Scale = 0
	}
	for i := range rec.Series {
		m := &rec.Series[i]
		for at := 4.0; at <= 120; at += 4 {
			m.T = append(m.T, at)
		}
		m.V = make([]float64, len(m.T))
	}
	p, err := Recordings([]Recording{rec}, shopParams)
	if err != nil {
		t.Fatal(err)
	}
	n := len(rec.Series[0].T)
	m := make([]float64, 2*n)
	if err := p.New()(m, shopTruth); err != nil {
		t.Fatal(err)
	}
	if seed > 0 {
		r := rand.New(rand.NewPCG(seed, 1))
		for i, scale := range []float64{0.02, 1 / math.Sqrt(50)} {
			l := newLaw(&Channel{Y: m[i*n : (i+1)*n], Noise: rec.Series[i].Noise})
			for k := range n {
				m[i*n+k] = l.draw(m[i*n+k], scale, r.NormFloat64(), 1)
			}
		}
	}
	rec.Series[0].V, rec.Series[1].V = m[:n], m[n:]
	return []Recording{rec}
}

// The truth lies in 90 % of the 90 % intervals; with n independent data sets the count
// has the standard deviation √(0.09 n), and the three parameters of one are correlated.
func TestSyntheticRecoveryInvariant(t *testing.T) {
	sets := 2
	if *long {
		sets = 50
	}
	inside, flat := make([]int, len(shopParams)), 0
	for set := range sets {
		p, err := Recordings(watched(t, uint64(set+1)), shopParams)
		if err != nil {
			t.Fatal(err)
		}
		f, err := New(p, &Settings{Starts: 2, Start: []float64{90, 0.5, 0.8}})
		if err != nil {
			t.Fatal(err)
		}
		profiles, err := f.Profiles(0.9)
		if err != nil {
			t.Fatal(err)
		}
		for i, pr := range profiles {
			if pr.OpenLo || pr.OpenHi {
				flat++
			}
			if pr.Lo <= shopTruth[i] && shopTruth[i] <= pr.Hi {
				inside[i]++
			}
		}
	}
	t.Logf("of %d data sets the truth is inside %v times; %d intervals are open", sets, inside, flat)
	sum := 0
	for i, n := range inside {
		sum += n
		if d := float64(n) - 0.9*float64(sets); math.Abs(d) > 3*math.Sqrt(0.09*float64(sets)) {
			t.Errorf("%s: the truth is inside %d of %d intervals", shopParams[i].Name, n, sets)
		}
	}
	if share := float64(sum) / float64(3*sets); *long && (share < 0.85 || share > 0.95) {
		t.Errorf("the truth is inside %.3f of all intervals", share)
	}
	if flat > sets/25 {
		t.Errorf("%d intervals are open: the test tests the bounds", flat)
	}
}

func TestPerfectRecordingExact(t *testing.T) {
	p, err := Recordings(watched(t, 0), shopParams)
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(p, &Settings{Starts: 1, Start: []float64{90, 0.5, 0.8}})
	if err != nil {
		t.Fatal(err)
	}
	numtest.CheckSlice(t, "parameters", f.Values, shopTruth, 1e-4, 0) // the runs are good to 1e-7
	pr, err := f.Profile("pools.db.capacity", 0.9)
	if err != nil && !errors.Is(err, ErrBetter) {
		t.Fatal(err)
	}
	const most = 0.5 // what the floors of 0.001 leave of 100/s
	if !(pr.Lo < pr.Hi && pr.Hi-pr.Lo < most) || pr.OpenLo || pr.OpenHi {
		t.Errorf("%v", pr)
	}
}

// The load of a pool is A c/(S μ): work per read, shards and capacity are one number.
func TestShardsAndCostAreNamedExact(t *testing.T) {
	sc := scenariotest.Parse(t, shop)
	rec := Recording{Scenario: sc, Series: []Measured{{Name: "load", Quantity: "load", T: []float64{1, 5, 10, 15}, V: []float64{0.6, 0.6, 0.6, 0.6}, Noise: Noise{Scale: 0.01}}}}
	p, err := Recordings([]Recording{rec}, []Param{
		{Name: "pools.db.shards", Lo: 1, Hi: 8, Log: true},
		{Name: "classes.read.visit_cost", Lo: 0.5, Hi: 10, Log: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(p, &Settings{Starts: 3})
	if err != nil {
		t.Fatal(err)
	}
	id := f.Identify()
	want := "flat: the data cannot tell pools.db.shards from classes.read.visit_cost, only their ratio"
	if len(id.Words) != 1 || id.Words[0] != want {
		t.Errorf("words %q, want %q at %v", id.Words, want, f.Values)
	}
}

// A recording whose clock is late by 7 s is fitted with an offset of 7 s; one parameter
// may belong to one recording alone.
func TestOffsetAndSeveralRecordingsExact(t *testing.T) {
	a, b := watched(t, 0)[0], watched(t, 0)[0]
	a.Name, b.Name = "a", "b"
	for i := range b.Series {
		b.Series[i].T = append([]float64(nil), a.Series[i].T...)
		for k := range b.Series[i].T {
			b.Series[i].T[k] -= 7
		}
	}
	p, err := Recordings([]Recording{a, b}, []Param{shopParams[0], {Name: "b:offset", Lo: -20, Hi: 20}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(p, &Settings{Starts: 2, Independent: true})
	if err != nil {
		t.Fatal(err)
	}
	numtest.CheckSlice(t, "capacity and offset", f.Values, []float64{100, 7}, 1e-3, 0)

	for _, bad := range []struct{ name, says string }{{"c:offset", "no recording"}, {"pools.db.capacty", "did you mean"}, {"clients.give_up", "bound"}} {
		_, err := Recordings([]Recording{a, b}, []Param{{Name: bad.name, Lo: 0.5, Hi: 2}})
		if err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s: error %v, want %q", bad.name, err, bad.says)
		}
	}
	a.Series[0].Quantity = "hit_rat"
	if _, err := Recordings([]Recording{a}, nil); err == nil {
		t.Error("an unknown quantity is taken")
	}
}

// At rest the mean time in an M/M/1 queue is 1/(μ − λ); a capacity of 80 % changes μ, and a
// read of twice the work lasts twice as long.
func TestLatencyExact(t *testing.T) {
	sc := scenariotest.Parse(t, strings.NewReplacer("at: 20s, capacity: 55%, over: 20s", "at: 1s, capacity: 80%", "timeout: 1s, queue_limit: 400", "timeout: 1000s").Replace(shop))
	double := sc.Clone()
	for path, v := range map[string]float64{"classes.read.visit_cost": 2, "pools.db.capacity": 200} {
		if err := double.SetFloat(path, v); err != nil {
			t.Fatal(err)
		}
	}
	for _, sc := range []*model.Scenario{sc, double} {
		sys, err := sc.Compile()
		if err != nil {
			t.Fatal(err)
		}
		read, err := newReader(sc, sys.Columns(), "latency")
		if err != nil {
			t.Fatal(err)
		}
		r, err := trajectory.Run(sys, &trajectory.Settings{Times: []float64{0.5, 119}, RTol: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		numtest.Check(t, "before", read(r.Rows[0]), 1.0/40, 1e-4, 0)
		numtest.Check(t, "after", read(r.Rows[1]), 1.0/20, 1e-3, 0) // nearly at rest
	}
}

// The interval of the law written is that of the profile; a whole number is set and has
// none; offsets and parameters of one recording stay out.
func TestFittedScenarioExact(t *testing.T) {
	sc := scenariotest.Parse(t, shop+"uncertainty: {pools.db.timeout: {uniform: [0.9, 1.1]}, clients.give_up: {uniform: [0.3, 0.5]}}\n")
	f := &Fit{Problem: &Problem{Params: []Param{
		{Name: "pools.db.capacity", Lo: 50, Hi: 200, Log: true},
		{Name: "clients.give_up", Lo: 0, Hi: 1},
		{Name: "pools.db.service_scv", Lo: 0.1, Hi: 10, Log: true},
		{Name: "pools.db.shards", Lo: 1, Hi: 4},
		{Name: Offset, Lo: -1, Hi: 1},
		{Name: "a:pools.db.timeout", Lo: 1, Hi: 2},
	}}, Values: []float64{101, 0.42, 2, 1.8, 0.5, 1.5}}
	profile := func(i int, lo, hi float64, open bool) *Profile {
		return &Profile{Name: f.Problem.Params[i].Name, Lo: lo, Hi: hi, OpenHi: open, Confidence: 0.9}
	}
	out, err := f.Fitted(sc, []*Profile{profile(0, 98, 104, false), profile(1, 0.4, 0.44, false), profile(2, 1, 10, true), profile(3, 1.5, 2.5, false)})
	if err != nil {
		t.Fatal(err)
	}
	const z = 1.6448536269514722 // normal quantile 0.95
	s := math.Log(104.0/98) / (2 * z)
	want := []model.Distribution{
		{Path: "pools.db.timeout", Kind: "uniform", Lo: 0.9, Hi: 1.1},
		{Path: "pools.db.capacity", Kind: "lognormal", Median: math.Sqrt(98 * 104), CV: math.Sqrt(math.Expm1(s * s))},
		{Path: "clients.give_up", Kind: "normal", Mean: 0.42, SD: 0.02 / z},
		{Path: "pools.db.service_scv", Kind: "uniform", Lo: 1, Hi: 10},
	}
	if len(out.Uncertainty) != len(want) {
		t.Fatalf("uncertainty %+v", out.Uncertainty)
	}
	for i, w := range want {
		g := out.Uncertainty[i]
		numtest.CheckSlice(t, w.Path, []float64{g.Median, g.CV, g.Mean, g.SD, g.Lo, g.Hi}, []float64{w.Median, w.CV, w.Mean, w.SD, w.Lo, w.Hi}, 1e-12, 0)
		if g.Path != w.Path || g.Kind != w.Kind {
			t.Errorf("law %d is %+v, want %+v", i, g, w)
		}
	}
	p := out.Pools[0].Value
	if p.Capacity != 101 || p.Shards != 2 || p.Timeout != 1 || out.Clients.GiveUp != 0.42 {
		t.Errorf("pool %+v, give up %g", p, out.Clients.GiveUp)
	}
	if again, err := model.Parse("fitted", out.YAML(), nil); err != nil || len(again.Uncertainty) != 4 {
		t.Errorf("what is written cannot be read: %v", err)
	}
}
