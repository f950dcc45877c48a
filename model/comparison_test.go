package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/ode"
)

// sharedFile is a cache before a processor-sharing database whose queries, all of about one
// size, time out together, with a throttle and clients that come back.
const sharedFile = `
name: shared
duration: 2h
traffic: {boots: 100/s, profile: [[0h, 0.9], [1h, 1], [2h, 0.95]], session_length: 1s}
classes: {q: {per_boot: 1, keys_per_request: 5, keys: 10k, popularity: {zipf: 0.8, bins: 8}, ttl: 1d, fetch: all, key_cost: 0}}
pools: {p: {capacity: 20/s, timeout: 1s, queue_limit: 200, discipline: ps, service_scv: 0.1}}
clients: {backoff: {base: 2s, factor: 2, cap: 16s}, give_up: 0.1}
throttle: 70/s
`

// Content and work act on each other as a cooperative system asks: the exact Jacobian at
// random states has no entry of another sign, and the variance of the queue acts on nothing.
func TestStaysUp_signs(t *testing.T) {
	s := compiled(t, sharedFile, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		y, jac := besideRest(t, s, rng)
		n, at := s.Dim(), s.lay.pool[0].n
		for i := range s.lay.z {
			for j := range s.lay.z {
				if i != j && jac[i*n+j] < 0 {
					t.Fatalf("content %d falls with content %d: %g at %v", i, j, jac[i*n+j], y)
				}
			}
			if jac[i*n+at] > 0 || jac[at*n+i] > 0 {
				t.Fatalf("content %d and work: %g, %g at %v", i, jac[i*n+at], jac[at*n+i], y)
			}
		}
		v := s.lay.pool[0].v
		for i := range n {
			if i != v && jac[i*n+v] != 0 {
				t.Fatalf("the variance acts on component %d: %g", i, jac[i*n+v])
			}
		}
	}
}

// First come first served the variance closes a negative loop with the mean: no order of the
// two is kept, whatever the sign that either gets.
func TestStaysUp_firstCome(t *testing.T) {
	s := compiled(t, strings.Replace(sharedFile, "discipline: ps", "discipline: fifo", 1), nil)
	y := started(t, s)
	s.Linearize(make([]float64, s.Dim()), 0, y)
	n := s.Dim()
	jac := make([]float64, n*n)
	s.Jacobian(jac)
	p := s.lay.pool[0]
	if loop := jac[p.n*n+p.v] * jac[p.v*n+p.n]; !(loop < 0) {
		t.Errorf("mean and variance act on each other by %g, want less than 0", loop)
	}
	if _, err := s.StaysUp(0, 7200, y); err == nil {
		t.Error("a bound by comparison all the same")
	}
}

func besideRest(t *testing.T, s *System, rng *rand.Rand) (y, jac []float64) {
	t.Helper()
	y = started(t, s)
	for i := range s.lay.z {
		y[i] = rng.Float64()
	}
	for j := range s.lay.nz {
		y[s.lay.z+j] = 1000 * rng.Float64()
	}
	p := s.lay.pool[0]
	y[p.n] = 200 * rng.Float64()
	y[p.v] = y[p.n] * 50 * rng.Float64()
	if err := s.Consistent(0, y); err != nil {
		t.Fatal(err)
	}
	n := s.Dim()
	jac = make([]float64, n*n)
	s.Linearize(make([]float64, n), 0, y)
	s.Jacobian(jac)
	return y, jac
}

// Whatever waits, trajectories from random states keep to the bound through two hours of
// traffic that moves. Some are vouched for, some of the others collapse.
func TestStaysUp_trajectories(t *testing.T) {
	for _, limit := range []float64{30, 50, 70} {
		s := compiled(t, sharedFile, map[string]float64{"throttle.limit": limit})
		rng := rand.New(rand.NewPCG(2, uint64(limit)))
		vouched, collapsed := 0, 0
		for range 60 {
			y, _ := besideRest(t, s, rng)
			lost, full := math.Pow(rng.Float64(), 3), started(t, s)
			for i := range s.lay.z {
				y[i] = full[i] * (1 - lost*y[i])
			}
			y[s.lay.pool[0].n] *= lost * lost
			if err := s.Consistent(0, y); err != nil {
				t.Fatal(err)
			}
			bound, err := s.StaysUp(0, s.Span(), y)
			if err != nil {
				t.Fatal(err)
			}
			worst, last := successes(t, s, y)
			if worst < bound-1e-6 {
				t.Errorf("limit %g: success %g below the bound %g", limit, worst, bound)
			}
			switch {
			case bound >= 0.9:
				vouched++
			case last < 0.5:
				collapsed++
			}
		}
		t.Logf("limit %g: %d of 60 vouched for, %d others end down", limit, vouched, collapsed)
		if vouched < 10 || collapsed < 10 {
			t.Errorf("limit %g: %d vouched for, %d others end down", limit, vouched, collapsed)
		}
	}
}

// successes runs s from y and returns the smallest success on the way, and the last.
func successes(t *testing.T, s *System, y []float64) (least, last float64) {
	t.Helper()
	least = 1
	row, state := make([]float64, len(s.Columns())), make([]float64, s.MaxDim())
	_, err := ode.Solve(s, y, 0, s.Span(), &ode.Settings{RTol: 1e-7, Step: func(p *ode.Interpolant) {
		s.Observe(row, p.T1, p.At(state[:p.Dim()], p.T1))
		last = row[ColSuccess]
		least = min(least, last)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return least, last
}
