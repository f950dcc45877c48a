package model

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Clients that leave while a budget holds them back are in the Jacobian, at a rate that shows.
func TestJacobian_heldBack_exact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	sc := parseVariant(t, "plain")
	sc.Clients.RetryBudget = 0.01
	s, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, pc := range s.pieces {
		pc.par.leave = 0.3
	}
	for range 10 {
		checkJacobian(t, s, 100, randomState(t, s, r, 100))
	}
}

// What would grow for ever comes to rest: three times the traffic that a pool without a limit on
// its queue carries, clients that never give up, and a budget that holds most of them back. At the
// fixed points that the map leads to no equation of the whole system is left with more than rounding.
func TestBounded_rest_exact(t *testing.T) {
	for _, clients := range []string{"backoff: {base: 1s, factor: 2, cap: 8s}", "backoff: {base: 1s, factor: 2, cap: 8s}, retry_budget: 0.2", "backoff: {base: 1s, factor: 2, cap: 8s}, max_attempts: 4, retry_budget: 0.2"} {
		sys := compiled(t, `
name: t
duration: 1h
traffic: {boots: 300/s, session_length: 10s}
classes: {call: {per_boot: 1, cached: false, route: keyed, visit_cost: 1}}
pools: {server: {capacity: 100/s, queue_limit: none, timeout: 1s}}
clients: {`+clients+`}
`, nil)
		m, err := NewReturnMap(sys.Freeze(Moment{Traffic: -1, Throttle: -1}))
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := m.Box()
		for _, u := range [][]float64{lo, hi} {
			for range 200 {
				m.Map(u, u)
			}
			y := m.State(u)
			checkRest(t, fmt.Sprintf("%s, rate %g", clients, u[0]), m.s, y, 1e-14*u[0]) // rounding of what flows through
			row := make([]float64, len(m.s.Columns()))
			m.s.Observe(row, 0, y)
			if row[ColSuccess] > 1e-6 {
				t.Errorf("%s: a success of %g under three times the load", clients, row[ColSuccess])
			}
		}
	}
}
