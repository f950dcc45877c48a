package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// A queue at rest stands still: both equations of its moments, as the right-hand side
// of the whole system has them, hold to rounding, for either law, below, at and above
// capacity, from hardly refusing anything to refusing nearly all.
func TestRest_exact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	refusing := 0
	for k := range 4000 {
		b := math.Exp(6 * r.Float64())
		c := &pool{limit: b * math.Exp(1+7*r.Float64()), law: panjer{}}
		if k%2 == 1 {
			c.law = diffusion{}
		}
		idle := math.Exp(-16 * r.Float64()) // 1 − ρ, of either sign
		if r.IntN(3) == 0 {
			idle *= -4
		}
		rho := 1 - idle
		kappa := c.exponent(b)
		n, v, refused := c.rest(rho, b, 1, kappa)
		if refused > 1e-6 {
			refusing++
		}
		busy, _, _, _ := c.law.busy(n, v, b)
		beta := rho * (1 - refused)
		if got := math.Abs(busy - beta); !(got <= 1e-12*beta) {
			t.Errorf("ρ %.17g, b %g, limit %g, %T: work comes at %g and goes at %g", rho, b, c.limit, c.law, beta, busy)
		}
		// Rounding, some tens of it, of the idle probability counts n times.
		gone := kappa * rho * refused * v / n
		if got := math.Abs(b*(beta+busy)/2 - n*(1-busy) - gone); !(got <= 1e-12*(b*beta+n*(1-beta)+gone)+1e-14*n) {
			t.Errorf("ρ %.17g, b %g, limit %g, %T: the second moment moves by %g of %g", rho, b, c.limit, c.law, got, gone)
		}
		if !(n >= 0 && v >= 0 && n <= c.limit) && refused > 0 {
			t.Errorf("ρ %g, b %g, limit %g: n %g, v %g", rho, b, c.limit, n, v)
		}
	}
	if refusing < 400 {
		t.Errorf("only %d queues refuse queries", refusing)
	}
}

func BenchmarkRest(b *testing.B) {
	for _, rho := range []float64{0.9, 0.99, 0.999, 1.01} {
		b.Run(fmt.Sprint(rho), func(b *testing.B) {
			c := &pool{limit: 20000, law: panjer{}}
			for b.Loop() {
				c.rest(rho, 100, 8000, c.exponent(100))
			}
		})
	}
}

// The variance of a queue at rest is that without refusals times the root of one equation.
func TestRelativeVariance_exact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		b := math.Exp(6*r.Float64() - 1)
		c := &pool{limit: b * math.Exp(8*r.Float64()-1), law: panjer{}}
		rho := math.Exp(r.NormFloat64() * math.Exp(-6*r.Float64()))
		kappa := c.exponent(b)
		n, v, refused := c.rest(rho, b, 1, kappa)
		g := relativeVariance(n/b, kappa*rho*refused*(n/b+1))
		numtest.Check(t, fmt.Sprintf("ρ %g, b %g, limit %g", rho, b, c.limit), g, v/(n*(n+b)), 1e-9, 0)
	}
}
