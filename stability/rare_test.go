package stability

import (
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// With a cache of limited size behind a throttle hardly any read succeeds near the tipping point
// and in the collapsed state; rounding there is relative to what succeeds, so the tipping point is
// listed with its residual, and the collapsed state's fold is followed to the edge of the map.
func TestEquilibria_hardlyAnySucceed_exact(t *testing.T) {
	sc, err := model.Parse("t", []byte(`
name: t
duration: 1h
traffic: {boots: 2000/s, session_length: 10s}
classes: {item: {per_boot: 1, keys: 10M, popularity: {zipf: 0.9}, ttl: never, fetch: missing, route: keyed}}
pools: {db: {shards: 4, capacity: 220/s, queue_limit: 400, timeout: 500ms}}
cache: {size: 3M}
clients: {backoff: {base: 1s, factor: 2, cap: 30s}, max_attempts: 4, retry_budget: 0.2}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, throttle := range []float64{1000, 1500, 2000, 4000} {
		at := asIs
		at.Throttle = throttle
		res, err := Equilibria(sys, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(res.Equilibria); n != 3 || res.Certainty != fixedpoint.Proved || res.Tipping() == nil || res.Tipping().Residual > residual {
			t.Errorf("throttle %g: %d equilibria, %v, %v", throttle, n, res.Certainty, res.Warnings)
		}
	}
	x, y := Axis{Path: "traffic", Lo: 0.2, Hi: 1.5}, Axis{Path: "throttle", Lo: 300, Hi: 4000}
	d, err := PhaseDiagram(sc, asIs, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Boundaries) != 1 || d.Boundaries[0].Err() != nil || len(d.Warnings) > 0 {
		t.Errorf("%d boundaries, warnings %v", len(d.Boundaries), d.Warnings)
	}
}

// The tipping point of a cold start is so close to the healthy state that a search of the return map
// misses it, and trajectories may: the look of a phase diagram finds what a proof by subdivision does.
func TestPhaseDiagram_closeTipping_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "cold-start")
	f, err := NewFamily(sc, asIs, Axis{TrafficAxis, 0.02, 3}, Axis{ThrottleAxis, 40, 6000})
	if err != nil {
		t.Fatal(err)
	}
	tr := &tracer{f: f, prob: f.problem(), out: &Bifurcation{}, bare: true}
	missed := false
	for _, p := range [][]float64{{1.1375, 6000}, {0.765, 5255}, {0.3925, 2275}, {0.02, 785}} {
		m, err := f.member(p)
		if err != nil {
			t.Fatal(err)
		}
		rm, err := model.NewReturnMap(m.sys)
		if err != nil {
			t.Fatal(err)
		}
		found, err := search(rm, nil)
		if err != nil {
			t.Fatal(err)
		}
		missed = missed || len(found.Equilibria)%2 == 0
		all, err := prove(rm, nil)
		if err != nil || all.Certainty != fixedpoint.Proved {
			t.Fatalf("%v: %v, %v", p, all.Certainty, err)
		}
		got, err := tr.starts(p)
		if err != nil || len(got) != len(all.Equilibria) {
			t.Errorf("%v: %d states, proved are %d; %v", p, len(got), len(all.Equilibria), err)
		}
	}
	if !missed {
		t.Error("the search misses nothing: there is nothing to test")
	}
	if len(tr.out.Warnings) > 0 {
		t.Error(tr.out.Warnings)
	}
}
