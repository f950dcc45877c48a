package model

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/ode"
)

// A given state has the clients that wait, and every queue with a limit is full.
func TestStartGiven_outage(t *testing.T) {
	const file = `
name: outage
duration: 10h
traffic: {boots: 100/s, profile: [[0h, 1], [10h, 2]], session_length: 1s}
classes: {q: {per_boot: 1, keys: 1k, pool: p}}
pools: {p: {capacity: 500/s, queue_limit: 2k, timeout: 1s}, other: {capacity: 500/s}}
clients: {backoff: {base: 2s, factor: 2, cap: 4s}, give_up: 0.2, max_attempts: 3}
timeline: [{at: 1h, rollout: 25%, over: 1h}]
initial: {hit_rate: 62%, in_system: full, waiting: 300}
`
	s := compiled(t, file, nil)
	given := s.initial
	for at, rate := range map[float64]float64{0: 100, 5400: 115} { // at 5400 s a rollout step runs
		y := started(t, s)
		if at > 0 {
			end, err := ode.Solve(s, y, 0, at, nil)
			if err != nil {
				t.Fatal(err)
			}
			y = end.Y
			if err := s.Correct(at, y, &given); err != nil {
				t.Fatal(err)
			}
		}
		o := observed(s, at, y)
		numtest.Check(t, "hit rate", o["hit_rate.q"], 0.62, 1e-12, 0)
		numtest.Check(t, "work", o["in_system.p"], 2000, 0, 0)
		if w := o["in_system.other"]; w > 1e-6 {
			t.Errorf("work %g in an idle pool without a limit", w)
		}
		numtest.Check(t, "waiting", o["waiting_clients"], 300, 1e-12, 0)
		numtest.Check(t, "boots", o["boots_per_s"], rate, 1e-12, 0)

		// With d_1 = 2 d_0 and a = 1 − γ, after a time T in which all fail,
		// z_0 = a λ d_0 (1 − e^{−T/d_0}) and z_1 follows by variation of constants.
		const d0, d1, a = 2.0, 4.0, 0.8
		z := y[s.lay.z : s.lay.z+s.lay.nz]
		passed := -d0 * math.Log(1-z[0]/(a*rate*d0))
		want := a * a * rate * (d1*(1-math.Exp(-passed/d1)) - (math.Exp(-passed/d0)-math.Exp(-passed/d1))/(1/d1-1/d0))
		numtest.Check(t, "second stage", z[1], want, 0.01, 0) // steps of a five-hundredth
	}
	s.Reset()
	y := started(t, s)
	if err := s.Correct(0, y, &Initial{HitRate: math.NaN(), InSystem: 7, Waiting: math.NaN()}); err != nil {
		t.Fatal(err)
	}
	o := observed(s, 0, y)
	for name, want := range map[string]float64{"hit_rate.q": 0.62, "in_system.p": 7, "waiting_clients": 300} {
		numtest.Check(t, "only the queue corrected: "+name, o[name], want, 1e-12, 0)
	}
	for _, in := range []Initial{{HitRate: 1.5}, {HitRate: 1, InSystem: -1}, {HitRate: 1, Waiting: -1}, {HitRate: 1, Waiting: math.Inf(1)}} {
		s.Reset()
		if err := s.Correct(0, started(t, s), &in); err == nil {
			t.Errorf("a state with %+v", in)
		}
	}
}

// What is known of a state may be uncertain.
func TestParse_uncertainState(t *testing.T) {
	sc := mustParse(t, "test.yaml", []byte(cacheFile+`
initial: {hit_rate: 62%, in_system: 40}
uncertainty:
  initial.hit_rate: {uniform: [55%, 69%]}
`))
	want := Distribution{Path: "initial.hit_rate", Kind: "uniform", Lo: 0.55, Hi: 0.69}
	if len(sc.Uncertainty) != 1 || sc.Uncertainty[0] != want {
		t.Errorf("%+v, want %+v", sc.Uncertainty, want)
	}
}

// More than an outage ever gathers wait in the proportions of one without end: the
// clients of each stage are as many as come, times how long they stay.
func TestGather_exact(t *testing.T) {
	const file = `
name: outage
duration: 10h
traffic: {boots: 100/s, session_length: 1s}
classes: {q: {per_boot: 1, keys: 1k}}
pools: {p: {capacity: 500/s, timeout: 1s}}
clients: {backoff: {base: 2s, factor: 3, cap: 18s}, give_up: 0.2}
initial: {hit_rate: 62%, waiting: 1M}
`
	s := compiled(t, file, nil)
	z := started(t, s)[s.lay.z:][:3]
	const a = 0.8
	numtest.Check(t, "second over first", z[1]/z[0], a*6/2, 1e-5, 0)
	numtest.Check(t, "third over first", z[2]/z[0], a*a/(1-a)*18/2, 1e-5, 0)
	numtest.Check(t, "all", z[0]+z[1]+z[2], 1e6, 1e-12, 0)
}
