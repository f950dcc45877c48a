package numtest

import (
	"math"
	"strings"
	"testing"
)

func equilibriumProblems() []Equilibrium {
	return []Equilibrium{
		CuspProblem(), Budworm(), Cessi(),
		FIFORetries(10, 5, 5), FIFORetries(10, 3, 4), FIFORetries(10, 1, 3), FIFORetries(300, 1, 1),
		CSTR(), PredatorPrey(), Toggle(), TakensBogdanov(), TsodyksMarkram(), Lorenz(), Cubic(3),
	}
}

// relResidual is the largest |F_i| in units of what relative changes of x and p make
// of it: Σ_j |J_ij| max(1, |x_j|) and likewise for p.
func relResidual(e Equilibrium, x, p []float64) float64 {
	f, j, jp := make([]float64, e.Dim), make([]float64, e.Dim*e.Dim), make([]float64, e.Dim*len(p))
	e.F(f, x, p)
	e.JacX(j, x, p)
	e.JacP(jp, x, p)
	var worst float64
	for i := range f {
		var size float64
		for k := range x {
			size += math.Abs(j[i*e.Dim+k]) * max(1, math.Abs(x[k]))
		}
		for k := range p {
			size += math.Abs(jp[i*len(p)+k]) * max(1, math.Abs(p[k]))
		}
		worst = max(worst, math.Abs(f[i])/max(size, 1))
	}
	return worst
}

func TestExactEquilibria(t *testing.T) {
	for _, e := range equilibriumProblems() {
		for _, set := range e.Sets {
			for _, x := range set.X {
				if r := relResidual(e, x, set.P); !(r <= 1e-14) {
					t.Errorf("%s: residual %g at %v, p = %v", e.Name, r, x, set.P)
				}
			}
		}
		for _, s := range e.Points {
			if r := relResidual(e, s.X, s.P); !(r <= 1e-14) {
				t.Errorf("%s: residual %g at the %s p = %v", e.Name, r, s.Kind, s.P)
			}
		}
	}
}

// The determinant vanishes at folds, branch points, cusps and Bogdanov–Takens points,
// and the trace of a planar problem at Hopf points and neutral saddles.
func TestExactSpecialPoints(t *testing.T) {
	for _, e := range equilibriumProblems() {
		for _, s := range e.Points {
			j := make([]float64, e.Dim*e.Dim)
			e.JacX(j, s.X, s.P)
			var trace, size float64
			for i := range e.Dim {
				trace += j[i*e.Dim+i]
			}
			for _, v := range j {
				size = max(size, math.Abs(v))
			}
			for _, v := range s.X { // rounding of x
				size = max(size, math.Abs(v))
			}
			singular := s.Kind == Fold || s.Kind == BranchPoint || s.Kind == Cusp || s.Kind == BogdanovTakens
			if d := det(j, e.Dim) / math.Pow(max(size, 1), float64(e.Dim)); singular && math.Abs(d) > 1e-14 {
				t.Errorf("%s: determinant %g at the %s p = %v", e.Name, d, s.Kind, s.P)
			}
			if (s.Kind == Hopf || s.Kind == NeutralSaddle) && e.Dim == 2 {
				if math.Abs(trace) > 1e-13*size {
					t.Errorf("%s: trace %g at the %s p = %v", e.Name, trace, s.Kind, s.P)
				}
				if d := det(j, 2); s.Kind == Hopf && !Close(math.Sqrt(d), s.Omega, 1e-12, 0) {
					t.Errorf("%s: ω = %g, want %g", e.Name, math.Sqrt(d), s.Omega)
				}
			}
		}
	}
}

// det expands along the first row.
func det(a []float64, n int) float64 {
	if n == 1 {
		return a[0]
	}
	var sum float64
	sign := 1.0
	for c := range n {
		var minor []float64
		for i := 1; i < n; i++ {
			for k := range n {
				if k != c {
					minor = append(minor, a[i*n+k])
				}
			}
		}
		sum += sign * a[c] * det(minor, n-1)
		sign = -sign
	}
	return sum
}

func TestConvergenceBratuNodes(t *testing.T) {
	var last float64
	for _, n := range []int{15, 31, 63} {
		e := Bratu(n)
		f, x := make([]float64, n), e.Sets[0].X[1]
		e.F(f, x, e.Sets[0].P)
		r := math.Abs(f[n/2])
		if last > 0 && !Close(last/r, 4, 0.05, 0) {
			t.Errorf("n = %d: residual falls by %g, want 4 for second differences", n, last/r)
		}
		last = r
	}
}

// Jacobians against central differences, whose error is of order h² = 1e-10.
func TestInvariantJacobians(t *testing.T) {
	for _, e := range append(equilibriumProblems(), Bratu(7), CSTR().Scaled(100), Toggle().Stretched(10)) {
		n, m := e.Dim, len(e.Params)
		x, p := make([]float64, n), append([]float64(nil), e.P...)
		for i := range x {
			x[i] = e.Lo[i] + (e.Hi[i]-e.Lo[i])*(0.21+0.13*float64(i)/float64(n))
		}
		for i := range p {
			p[i] += 0.1
		}
		jx, jp := make([]float64, n*n), make([]float64, n*m)
		e.JacX(jx, x, p)
		e.JacP(jp, x, p)
		check := func(name string, v []float64, jac []float64) {
			up, down := make([]float64, n), make([]float64, n)
			for k := range v {
				h, at := 1e-5*max(1e-2, math.Abs(v[k])), v[k]
				v[k] = at + h
				e.F(up, x, p)
				v[k] = at - h
				e.F(down, x, p)
				v[k] = at
				for i := range n {
					want := (up[i] - down[i]) / (2 * h)
					if got := jac[i*len(v)+k]; !Close(got, want, 1e-6, 1e-5) {
						t.Errorf("%s: %s[%d,%d] = %g, differences %g", e.Name, name, i, k, got, want)
					}
				}
			}
		}
		check("JacX", x, jx)
		check("JacP", p, jp)
	}
}

func TestInvariantPointsInBox(t *testing.T) {
	for _, e := range append(equilibriumProblems(), Bratu(7), Toggle().Stretched(10)) {
		in := func(x []float64) bool {
			for i, v := range x {
				if !(v >= e.Lo[i] && v <= e.Hi[i]) {
					return false
				}
			}
			return len(x) == e.Dim && len(e.Lo) == e.Dim && len(e.Hi) == e.Dim
		}
		for _, set := range e.Sets {
			for i, x := range set.X {
				if !in(x) || len(set.P) != len(e.Params) {
					t.Errorf("%s: equilibrium %v, p = %v outside the box", e.Name, x, set.P)
				}
				if i > 0 && !(x[0] >= set.X[i-1][0]) {
					t.Errorf("%s: equilibria not in order", e.Name)
				}
			}
		}
		for _, s := range e.Points {
			if !in(s.X) || len(s.P) != len(e.Params) || strings.TrimSpace(s.Kind) == "" {
				t.Errorf("%s: %s %v, p = %v outside the box", e.Name, s.Kind, s.X, s.P)
			}
		}
	}
}
