package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// retryFile is a FIFO M/M/1 without limit whose dead work is still done, and clients
// that try again a few times.
const retryFile = `
name: retries
duration: 30s
traffic: {boots: 1/s, session_length: 1s}
classes: {q: {per_boot: 1, cached: false, visit_cost: 1}}
pools: {p: {capacity: 10/s, timeout: 1s}}
clients: {backoff: {base: 1s, factor: 2, cap: 4s}, max_attempts: %d}
`

func retries(t *testing.T, mu, tau, lambda float64, r int) *System {
	return compiled(t, fmt.Sprintf(retryFile, r+1), map[string]float64{
		"pools.p.capacity": mu, "pools.p.timeout": tau, "traffic.boots": lambda,
	})
}

// With r retries the load is L = λ (1 − p^{r+1})/(1 − p) and p = e^{−(μ − L)τ}. At
// (μ, τ, r) = (10, 1, 3), λ = 4.7185869 the healthy root is p = 0.0052125377 and the
// one in the middle p = 0.53985462: roots of that equation to the digits printed.
func TestRetriesExact(t *testing.T) {
	const mu, tau, lambda, r = 10, 1, 4.7185869, 3
	s := retries(t, mu, tau, lambda, r)
	y := started(t, s)
	o := observed(s, 0, y)
	// dp/dλ is about p τ: half a unit of λ's last digit, 5e-8, is worth that much of p
	numtest.Check(t, "healthy p", o["timeout.p"], 0.0052125377, 6e-8, 0)
	p := o["timeout.p"]
	load := lambda * (1 - math.Pow(p, r+1)) / (1 - p)
	numtest.Check(t, "attempts", o["attempts_per_s"], load, 1e-12, 0)
	numtest.Check(t, "p of the load", p, math.Exp(-(mu-load)*tau), 1e-11, 0)

	// The middle one is unstable: it is built by hand, and nothing moves there. The
	// root as printed leaves what its last digit is worth.
	p = 0.53985462
	load = lambda * (1 - math.Pow(p, r+1)) / (1 - p)
	rho := load / mu
	l := &s.lay
	n := rho / (1 - rho)
	y[l.pool[0].n], y[l.pool[0].v], y[l.theta] = n, n+n*n, tau
	flow := lambda
	for j, d := range s.pieces[0].par.wait {
		flow *= p
		y[l.z+j] = flow * (d + tau)
	}
	y[l.s] = lambda * (1 - math.Pow(p, r+1))
	if err := s.Consistent(0, y); err != nil {
		t.Fatal(err)
	}
	f := make([]float64, len(y))
	s.Eval(f, 0, y)
	for i, v := range f {
		// dp = 5e-9 moves the load by λ(1 + 2p + 3p²)·5e-9 and v' by 2μ of that
		if math.Abs(v) > 5e-6 {
			t.Errorf("at the middle equilibrium component %d moves by %g/s", i, v)
		}
	}
}

// The healthy branch ends at a fold; (μ, τ, r) and λ there are roots of the scalar
// equation above and its derivative, to 8 digits. Below there is a healthy start;
// above there is none, and without a queue limit no other equilibrium either.
func TestRetriesFoldExact(t *testing.T) {
	for _, c := range []struct {
		mu, tau float64
		r       int
		fold    float64
	}{
		{10, 5, 5, 9.0335891},
		{10, 3, 4, 8.5718148},
		{10, 1, 3, 6.9371737},
		{300, 1, 1, 293.31874},
	} {
		name := fmt.Sprintf("(%g, %g, %d)", c.mu, c.tau, c.r)
		below := retries(t, c.mu, c.tau, c.fold*(1-1e-7), c.r)
		y, err := below.Start()
		if err != nil {
			t.Errorf("%s: just below the fold: %v", name, err)
			continue
		}
		if p := observed(below, 0, y)["timeout.p"]; p > 0.5 {
			t.Errorf("%s: just below the fold P(time-out) = %g", name, p)
		}
		if _, err := retries(t, c.mu, c.tau, c.fold*(1+1e-7), c.r).Start(); err == nil {
			t.Errorf("%s: an equilibrium just above the fold", name)
		}
	}
}
