package ode

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/metastable/metastable/internal/numtest"
)

var methods = []Method{Rodas5P, Rodas4P2}

// classical returns the coefficients α_ij, γ_ij and b_i of the usual form, from
// those that spare the product with the Jacobian: Γ = (I/γ − C)⁻¹, α = aΓ, b = mΓ
// (Hairer & Wanner II, section IV.7).
func classical(tb *tableau) (alpha, gamma *mat.Dense, b []float64) {
	s := len(tb.c)
	a, inv := mat.NewDense(s, s, nil), mat.NewDense(s, s, nil)
	m := mat.NewDense(1, s, nil)
	for i := range s {
		inv.Set(i, i, 1/tb.gamma)
		for j := range i {
			inv.Set(i, j, -tb.c[i][j])
			if tb.a[i] != nil {
				a.Set(i, j, tb.a[i][j])
			} else {
				a.Set(i, j, a.At(i-1, j))
			}
		}
		if tb.a[i] == nil {
			a.Set(i, i-1, 1)
		}
	}
	for j := range s {
		m.Set(0, j, a.At(s-1, j))
	}
	m.Set(0, s-1, 1)
	alpha, gamma = new(mat.Dense), new(mat.Dense)
	if err := gamma.Inverse(inv); err != nil {
		panic(err)
	}
	alpha.Mul(a, gamma)
	var row mat.Dense
	row.Mul(m, gamma)
	return alpha, gamma, row.RawRowView(0)
}

// The order conditions for trees with up to four nodes, in β = α + γ (Hairer &
// Wanner II, table IV.7.1), and the row sums that make a method consistent on
// problems that depend on t.
func TestTableauOrderConditionsExact(t *testing.T) {
	for _, m := range methods {
		tb := m.tableau()
		al, ga, b := classical(tb)
		s := len(b)
		beta := new(mat.Dense)
		beta.Add(al, ga)
		sum := func(x *mat.Dense, v []float64) []float64 {
			out := make([]float64, s)
			for i := range s {
				for j := range s {
					out[i] += x.At(i, j) * v[j]
				}
			}
			return out
		}
		ones := make([]float64, s)
		for i := range ones {
			ones[i] = 1
		}
		dot := func(vs ...[]float64) (d float64) {
			for i := range s {
				p := b[i]
				for _, v := range vs {
					p *= v[i]
				}
				d += p
			}
			return d
		}
		a1, b1 := sum(al, ones), sum(beta, ones)
		b2 := sum(beta, b1)
		aa := make([]float64, s)
		for i := range aa {
			aa[i] = a1[i] * a1[i]
		}
		// The published coefficients carry 14 to 16 digits and reach 1e2.
		const tol = 2e-12
		numtest.CheckSlice(t, m.String()+" α", a1, tb.alpha, 0, tol)
		numtest.CheckSlice(t, m.String()+" γ", sum(ga, ones), tb.gammas, 0, tol)
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"Σb", dot(ones), 1},
			{"Σbβ", dot(b1), 1. / 2},
			{"Σbα²", dot(a1, a1), 1. / 3},
			{"Σbββ", dot(b2), 1. / 6},
			{"Σbα³", dot(a1, a1, a1), 1. / 4},
			{"Σbα(αβ)", dot(a1, sum(al, b1)), 1. / 8},
			{"Σbβα²", dot(sum(beta, aa)), 1. / 12},
			{"Σbβββ", dot(sum(beta, b2)), 1. / 24},
		} {
			numtest.Check(t, m.String()+" "+c.name, c.got, c.want, 0, tol)
		}
	}
}

// fixed integrates with n equal steps.
func fixed(t *testing.T, m Method, p Problem, y0 []float64, t0, t1 float64, n int) []float64 {
	t.Helper()
	h := (t1 - t0) / float64(n)
	res, err := Solve(p, y0, t0, t1, &Settings{Method: m, ATol: 1e100, InitialStep: h, MaxStep: h})
	if err != nil || res.Status != Complete {
		t.Fatalf("%v: %v, %v", m, res, err)
	}
	return res.Y
}

// The global error with 20, 40, 80 steps falls with the order of the method on
// problems of each kind it is made for.
func TestOrderConvergence(t *testing.T) {
	const lambda = -1e6
	order := map[Method]float64{Rodas5P: 5, Rodas4P2: 4}
	for _, c := range []struct {
		name string
		p    Problem
		y0   []float64
		t1   float64
		want []float64
		// order, if it is not that of the method
		order float64
	}{
		{
			// Kaps (1981) with ε = 1: y = (e^{−2t}, e^{−t}).
			name: "autonomous",
			p: NewDense(2,
				func(dst []float64, _ float64, y []float64) {
					dst[0], dst[1] = -3*y[0]+y[1]*y[1], y[0]-y[1]*(1+y[1])
				},
				func(dst []float64, _ float64, y []float64) {
					dst[0], dst[1], dst[2], dst[3] = -3, 2*y[1], 1, -1-2*y[1]
				}, Autonomous),
			y0: []float64{1, 1}, t1: 1, want: []float64{math.Exp(-2), math.Exp(-1)},
		},
		{
			// y = 1/(1 + t²).
			name: "depends on t",
			p: NewDense(1,
				func(dst []float64, t float64, y []float64) { dst[0] = -2 * t * y[0] * y[0] },
				func(dst []float64, t float64, y []float64) { dst[0] = -4 * t * y[0] },
				func(dst []float64, _ float64, y []float64) { dst[0] = -2 * y[0] * y[0] }),
			y0: []float64{1}, t1: 2, want: []float64{0.2},
		},
		{
			// y = 2 + sin 2t, z = y².
			name: "index 1",
			p: NewDAE([]float64{1, 0},
				func(dst []float64, t float64, y []float64) {
					dst[0], dst[1] = 2*math.Cos(2*t)*y[1]/(y[0]*y[0]), y[1]-y[0]*y[0]
				},
				func(dst []float64, t float64, y []float64) {
					c, y2 := 2*math.Cos(2*t), y[0]*y[0]
					dst[0], dst[1], dst[2], dst[3] = -2*c*y[1]/(y2*y[0]), c/y2, -2*y[0], 1
				},
				func(dst []float64, t float64, y []float64) {
					dst[0], dst[1] = -4*math.Sin(2*t)*y[1]/(y[0]*y[0]), 0
				}),
			y0: []float64{2, 4}, t1: 2, want: []float64{2 + math.Sin(4), (2 + math.Sin(4)) * (2 + math.Sin(4))},
		},
		{
			// Prothero & Robinson (1974), y = sin t, in the limit of stiffness: order
			// is lost, but not below 3, and the error carries a factor 1/λ.
			name: "Prothero–Robinson",
			p: NewDense(1,
				func(dst []float64, t float64, y []float64) { dst[0] = lambda*(y[0]-math.Sin(t)) + math.Cos(t) },
				func(dst []float64, _ float64, _ []float64) { dst[0] = lambda },
				func(dst []float64, t float64, _ []float64) { dst[0] = -lambda*math.Cos(t) - math.Sin(t) }),
			y0: []float64{0}, t1: 5, want: []float64{math.Sin(5)}, order: 3,
		},
	} {
		for _, m := range methods {
			want := c.order
			if want == 0 {
				want = order[m]
			}
			var e [3]float64
			for i := range e {
				y := fixed(t, m, c.p, c.y0, 0, c.t1, 20<<i)
				for k, w := range c.want {
					e[i] = max(e[i], math.Abs(y[k]-w))
				}
			}
			t.Logf("%v, %s: errors %.2e %.2e %.2e, orders %.2f %.2f", m, c.name, e[0], e[1], e[2], math.Log2(e[0]/e[1]), math.Log2(e[1]/e[2]))
			// A quarter of an order is left for terms of higher order in h.
			if got := math.Log2(e[1] / e[2]); got < want-0.25 {
				t.Errorf("%v, %s: order %.2f, want %g; errors %.2e", m, c.name, got, want, e)
			}
		}
	}
}

// One step of y' = −2ty² from the exact solution: inside the step the error falls
// with one power of h more than the order of the dense output, and at both ends the
// dense output is the solution of the step.
func TestDenseOutputOrderConvergence(t *testing.T) {
	exact := func(t float64) float64 { return 1 / (1 + t*t) }
	p := NewDense(1,
		func(dst []float64, t float64, y []float64) { dst[0] = -2 * t * y[0] * y[0] },
		func(dst []float64, t float64, y []float64) { dst[0] = -4 * t * y[0] },
		func(dst []float64, _ float64, y []float64) { dst[0] = -2 * y[0] * y[0] })
	const t0 = 0.5
	for m, order := range map[Method]float64{Rodas5P: 4, Rodas4P2: 3} {
		var e [3]float64
		for i := range e {
			h := 0.0625 / float64(int(1)<<i)
			step := func(ip *Interpolant) {
				for _, theta := range []float64{0.1, 0.3, 0.5, 0.7, 0.9} {
					at := ip.T0 + theta*h
					e[i] = max(e[i], math.Abs(ip.At(nil, at)[0]-exact(at)))
				}
				if y := ip.At(nil, ip.T0)[0]; y != exact(t0) {
					t.Errorf("%v: %v at the start of the step, want %v", m, y, exact(t0))
				}
			}
			if _, err := Solve(p, []float64{exact(t0)}, t0, t0+h, &Settings{Method: m, ATol: 1e100, InitialStep: h, Step: step}); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%v: errors %.2e, orders %.2f %.2f", m, e, math.Log2(e[0]/e[1]), math.Log2(e[1]/e[2]))
		if got := math.Log2(e[1] / e[2]); got < order+1-0.25 {
			t.Errorf("%v: error of the dense output falls as h^%.2f, want h^%g; errors %.2e", m, got, order+1, e)
		}
	}
}
