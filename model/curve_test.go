package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/metastable/metastable/internal/numtest"
)

const curveFile = `
name: curve
duration: 1h
traffic: {boots: 100/s, profile: [[0h, 0.5], [1h, 1.5]], session_length: 10m}
classes:
  a: {per_boot: 2, keys_per_request: 5, keys: 20k, popularity: {zipf: 0.9, bins: 6}, ttl: 1h, route: scatter, pool: p, visit_cost: 1, key_cost: 0.2, coalesce: true}
  b: {per_boot: 0.5, keys_per_request: 3, keys: 5k, popularity: {zipf: 1.1, bins: 4}, ttl: 20m, fetch: missing, pool: p, late_fill: true, on_error: delete}
  c: {per_session: 0.1/s, cached: false, essential: false, pool: r}
pools:
  p: {shards: 8, capacity: 900/s, service_curve: {csv: curve.csv}, timeout: 1s, background: {rate: 50/s, follows: traffic}}
  r: {shards: 4, capacity: 3k/s, queue_limit: 2k, timeout: 1s}
clients: {backoff: {base: 1s, factor: 3, cap: 20s}, give_up: 0.1}
timeline: [{at: 0s, rollout: 50%, over: 10m}, {at: 0s, validate: 30%, over: 10m}]
`

const curveCSV = "load,latency_mean,timeout_probability\n0,0.002,0\n300,0.003,0.001\n600,0.01,0.01\n900,0.2,0.3\n1200,0.9,0.8\n"

func measured(t *testing.T) *System {
	t.Helper()
	sc, err := Parse("curve.yaml", []byte(curveFile), fstest.MapFS{"curve.csv": {Data: []byte(curveCSV)}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// measuredState is a random state of a system with a measured pool.
func measuredState(t *testing.T, s *System, r *rand.Rand, at float64) []float64 {
	t.Helper()
	s.Reset()
	y := started(t, s)
	for i := range s.lay.z {
		y[i] = 0.5 + r.Float64()/2
	}
	for j := range s.lay.nz {
		y[s.lay.z+j] = 10 * r.Float64()
	}
	y = s.Enter(0, at, y)
	for i := s.lay.base; i < len(y); i++ {
		y[i] *= r.Float64()
	}
	if err := s.Consistent(at, y); err != nil {
		t.Fatal(err)
	}
	return y
}

// A measured service curve is read as it is: its monotone cubic passes through the
// measurements, stays between neighbours, and keeps the end values beyond them.
func TestCurveExact(t *testing.T) {
	c := measured(t).pieces[0].par.pool[0].curve
	load, late, wait := []float64{0, 300, 600, 900, 1200}, []float64{0, 0.001, 0.01, 0.3, 0.8}, []float64{0.002, 0.003, 0.01, 0.2, 0.9}
	for i, x := range load {
		p, _ := c.timeout.at(x)
		w, _ := c.latency.at(x)
		numtest.Check(t, "time-outs", p, late[i], 1e-15, 1e-300)
		numtest.Check(t, "latency", w, wait[i], 1e-15, 0)
	}
	last := 0.0
	for x := 0.0; x <= 1200; x += 7 {
		p, _ := c.timeout.at(x)
		if i, _ := slices.BinarySearch(load, x); i > 0 && (p < last || p > late[i]) {
			t.Errorf("at %g/s: %g after %g", x, p, last)
		}
		last = p
	}
	p, slope := c.timeout.at(1e9)
	if p != 0.8 || slope != 0 {
		t.Errorf("beyond the measurements %g, slope %g", p, slope)
	}
}

// A pool with a curve has no queue of its own: its load gives its time-outs at once,
// its content follows from Little's law, and every read of one shard that does not time
// out succeeds, as far as shards fail independently.
func TestCurvePoolExact(t *testing.T) {
	s := measured(t)
	r := rand.New(rand.NewPCG(4, 4))
	for range 5 {
		y := measuredState(t, s, r, 100)
		o := observed(s, 100, y)
		load := o["load.p"] * 900
		numtest.Check(t, "closure is the load", y[s.lay.pool[0].b], load, 1e-13, 0)
		c := s.now.par.pool[0].curve
		p, _ := c.timeout.at(load)
		w, _ := c.latency.at(load)
		numtest.Check(t, "time-outs", o["timeout.p"], p, 1e-12, 0)
		numtest.Check(t, "work in system", o["in_system.p"], load*w, 1e-12, 0)
		if got := s.work.class[0].o; got < math.Pow(1-p, 8) || got > 1-p {
			t.Errorf("8 shards that time out with %g: success %g", p, got)
		}
		checkJacobian(t, s, 100, y)
	}
}
