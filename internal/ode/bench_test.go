package ode

import (
	"fmt"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// copies is many independent copies of one problem.
type copies struct {
	n   int
	one []*Dense
}

func newCopies(ivp numtest.IVP, k int) (c *copies, y0 []float64) {
	c = &copies{n: len(ivp.Y0)}
	for range k {
		c.one = append(c.one, NewDense(c.n, ivp.F, ivp.Jacobian, Autonomous))
		y0 = append(y0, ivp.Y0...)
	}
	return c, y0
}

func (c *copies) Dim() int { return c.n * len(c.one) }

func (c *copies) Eval(dst []float64, t float64, y []float64) {
	for i, p := range c.one {
		p.Eval(dst[i*c.n:(i+1)*c.n], t, y[i*c.n:(i+1)*c.n])
	}
}

func (c *copies) Linearize(dfdt []float64, t float64, y []float64) {
	for i, p := range c.one {
		p.Linearize(dfdt[i*c.n:(i+1)*c.n], t, y[i*c.n:(i+1)*c.n])
	}
}

func (c *copies) Factor(shift float64) error {
	for _, p := range c.one {
		if err := p.Factor(shift); err != nil {
			return err
		}
	}
	return nil
}

func (c *copies) Solve(rhs []float64) {
	for i, p := range c.one {
		p.Solve(rhs[i*c.n : (i+1)*c.n])
	}
}

// Small is a problem of two or three components, medium one of eight, large a
// hundred times that.
func BenchmarkSolve(b *testing.B) {
	for _, c := range []struct {
		size   string
		ivp    numtest.IVP
		copies int
	}{
		{"small", numtest.Robertson(4e5), 1},
		{"small", numtest.VanDerPol(), 1},
		{"medium", numtest.HIRES(), 1},
		{"large", numtest.HIRES(), 100},
	} {
		for _, m := range methods {
			for _, rtol := range []float64{1e-6, 1e-8} {
				b.Run(fmt.Sprintf("%s/%s/%v/%g", c.size, c.ivp.Name, m, rtol), func(b *testing.B) {
					p, y0 := newCopies(c.ivp, c.copies)
					s := tolerances(c.ivp, m, rtol)
					for range c.copies - 1 {
						s.ATols = append(s.ATols, s.ATols[:len(c.ivp.Y0)]...)
					}
					var res *Result
					b.ReportAllocs()
					for b.Loop() {
						var err error
						res, err = Solve(p, y0, c.ivp.T0, c.ivp.T1, s)
						if err != nil || res.Status != Complete {
							b.Fatal(res, err)
						}
					}
					b.ReportMetric(float64(res.Stats.Steps), "steps")
					b.ReportMetric(float64(res.Stats.Evals), "evals")
					b.ReportMetric(float64(res.Stats.Factorizations), "factorizations")
					b.ReportMetric(c.ivp.Error(res.Y[:len(c.ivp.Y0)])/rtol, "error/rtol")
				})
			}
		}
	}
}

// What the integrator itself costs: 40 decoupled linear equations, whose f and
// solutions cost next to nothing.
func BenchmarkOverhead(b *testing.B) {
	p := &diagonal{rate: make([]float64, 40), inv: make([]float64, 40)}
	for i := range p.rate {
		p.rate[i] = math.Exp(float64(i) / 4)
	}
	y0 := make([]float64, len(p.rate))
	steps := 0
	b.ReportAllocs()
	for b.Loop() {
		res, err := Solve(p, y0, 0, 100, &Settings{MaxStep: 0.1})
		if err != nil {
			b.Fatal(err)
		}
		steps += res.Stats.Steps
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
}

// diagonal is y_i' = rate_i (1 − y_i).
type diagonal struct{ rate, inv []float64 }

func (p *diagonal) Dim() int { return len(p.rate) }

func (p *diagonal) Eval(dst []float64, _ float64, y []float64) {
	for i, r := range p.rate {
		dst[i] = r * (1 - y[i])
	}
}

func (p *diagonal) Linearize(dfdt []float64, _ float64, _ []float64) { clear(dfdt) }

func (p *diagonal) Factor(shift float64) error {
	for i, r := range p.rate {
		p.inv[i] = 1 / (shift + r)
	}
	return nil
}

func (p *diagonal) Solve(rhs []float64) {
	for i, v := range p.inv {
		rhs[i] *= v
	}
}

// A run of ten times as many steps allocates as often: nothing is allocated in a
// step.
func TestAllocationsInvariant(t *testing.T) {
	p := oscillator()
	y0 := []float64{0, 1}
	s := &Settings{
		MaxStep: 0.1, Record: func(float64, []float64) {}, Step: func(p *Interpolant) {},
		Events: []Event{{Value: func(_ float64, y []float64) float64 { return y[0] - 2 }}},
	}
	allocs := func(t1 float64) float64 {
		s.Output = []float64{t1 / 3, t1 / 2}
		return testing.AllocsPerRun(5, func() {
			if _, err := Solve(p, y0, 0, t1, s); err != nil {
				t.Error(err)
			}
		})
	}
	if few, many := allocs(10), allocs(100); many > few {
		t.Errorf("%g allocations in 1,000 steps, %g in 100", many, few)
	}
}
