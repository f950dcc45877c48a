package markov

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// late is the probability that a query that finds n in system takes longer than the
// time-out: its sojourn is the sum of n+1 exponential services, Gamma(n+1, μ).
func (r *rates) late(n int) float64 {
	switch {
	case math.IsInf(r.timeout, 1):
		return 0
	case r.serve*r.timeout == 0:
		return 1
	}
	return mathext.GammaIncRegComp(float64(n+1), r.serve*r.timeout)
}

// again is the probability that a client whose attempt fails tries once more, where the
// share f of the attempts fails: that with which as many attempts are made as clients
// with so many attempts in all make, (1−φ^k)/(1−φ), φ = (1−give up) f.
func (r *rates) again(f float64) float64 {
	if !r.retries {
		return 0
	}
	stay := 1 - r.giveUp
	if r.attempts == 0 {
		return stay
	}
	k, phi := float64(r.attempts), stay*f
	if phi > 1-1e-9 {
		return stay * (k - 1) / k
	}
	return stay * (1 - math.Pow(phi, k-1)) / (1 - math.Pow(phi, k))
}

// retriesAtMost is the rate that the retry budget allows, 1/s.
func (r *rates) retriesAtMost() float64 {
	if math.IsInf(r.budget, 1) {
		return r.budget
	}
	return r.budget * r.first
}

// A rest is the state in which failures feed themselves, as the queue alone at a constant
// offered load sees it.
type rest struct {
	attempts float64 // 1/s
	late     float64 // share of the failures that are time-outs
}

// failing looks for it from above: everything fails, everybody comes back.
func (r *rates) failing() rest {
	most := 1e3 * (r.first + r.serve)
	a := most
	var late float64
	for range 500 {
		refused, slow := r.stationary((a + r.background) / r.serve)
		f := refused + slow
		if late = 1; f > 0 {
			late = slow / f
		}
		g := r.again(f) * f
		next := most
		if g < 1 {
			next = r.first / (1 - g)
		}
		next = math.Min(math.Min(next, most), r.first+r.retriesAtMost())
		if math.Abs(next-a) <= 1e-9*a || next == 0 {
			break
		}
		a = next
	}
	return rest{a, late}
}

// stationary returns what share of its arrivals an M/M/1/K queue refuses and how many of
// them it answers late.
func (r *rates) stationary(rho float64) (refused, late float64) {
	top := r.places
	if top == 0 {
		if rho >= 1 {
			return 0, 1
		}
		return 0, math.Exp(-(1 - rho) * r.serve * r.timeout)
	}
	p := make([]float64, top+1)
	for n := range p { // relative to the likelier end, so that nothing overflows
		if rho <= 1 {
			p[n] = math.Pow(rho, float64(n))
		} else {
			p[n] = math.Pow(rho, float64(n-top))
		}
	}
	normalize(p)
	for n, x := range p[:top] {
		late += x * r.late(n)
	}
	return p[top], late
}
