package fixedpoint

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

func foldsFrom(t *testing.T, prob *Problem, x, p []float64, set *CurveSettings) *Curve {
	t.Helper()
	cv, err := FoldCurve(prob, x, p, [2]int{0, 1}, set)
	return checkedCurve(t, prob, cv, err)
}

func hopfsFrom(t *testing.T, prob *Problem, x, p []float64, omega2 float64, set *CurveSettings) *Curve {
	t.Helper()
	cv, err := HopfCurve(prob, x, p, omega2, [2]int{0, 1}, set)
	return checkedCurve(t, prob, cv, err)
}

func checkedCurve(t *testing.T, prob *Problem, cv *Curve, err error) *Curve {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkCurve(prob, cv); err != nil {
		t.Error(err)
	}
	return cv
}

// known returns the first point of the kind that is known.
func known(t *testing.T, e numtest.Equilibrium, kind string) numtest.SpecialPoint {
	t.Helper()
	for _, s := range e.Points {
		if s.Kind == kind {
			return s
		}
	}
	t.Fatalf("%s: no known %s", e.Name, kind)
	panic("unreachable")
}

// only returns the one special point of a kind, refined.
func only(t *testing.T, cv *Curve, kind Kind) Special {
	t.Helper()
	var out []Special
	for _, s := range cv.Special {
		if s.Kind == kind {
			out = append(out, s)
		}
	}
	if len(out) != 1 || !out[0].Converged {
		t.Fatalf("%d points of kind %v: %+v", len(out), kind, cv.Special)
	}
	return out[0]
}

// Curves of folds in closed form, each with its cusp.
func TestExactFoldCurves(t *testing.T) {
	for _, c := range []struct {
		e        numtest.Equilibrium
		min, max [2]float64
		fold     func(x float64) (p, q float64) // the fold at the first unknown x
		cusp     [3]float64                     // x, p, q
	}{
		{ // μ = −2x³, λ = 3x²: 27μ² = 4λ³
			numtest.CuspProblem(),
			[2]float64{-2, -1},
			[2]float64{2, 2},
			func(x float64) (float64, float64) { return -2 * x * x * x, 3 * x * x },
			[3]float64{},
		},
		{ // Ludwig, Jones & Holling 1978: r = 2x³/(1+x²)², k = 2x³/(x²−1)
			numtest.Budworm(),
			[2]float64{0.1, 1},
			[2]float64{1, 12},
			func(x float64) (float64, float64) {
				q := 1 + x*x
				return 2 * x * x * x / (q * q), 2 * x * x * x / (x*x - 1)
			},
			[3]float64{math.Sqrt(3), 3 * math.Sqrt(3) / 8, 3 * math.Sqrt(3)},
		},
		{ // 1 + μ²(y−1)(3y−1) = 0
			numtest.Cessi(),
			[2]float64{0.5, 1},
			[2]float64{2, 9},
			func(y float64) (float64, float64) {
				m2 := -1 / ((y - 1) * (3*y - 1))
				return y * (1 + m2*(y-1)*(y-1)), m2
			},
			[3]float64{2. / 3, 8. / 9, 3},
		},
		{ // u1(1 − u1) = (1 + β)/B, D = u1 e^{−u2}/(1 − u1), u2 = B u1/(1 + β)
			numtest.CSTR(),
			[2]float64{0, 5},
			[2]float64{0.2, 20},
			func(u float64) (float64, float64) { return u / (1 - u) * math.Exp(-1/(1-u)), 3 / (u * (1 - u)) },
			[3]float64{0.5, math.Exp(-2), 12},
		},
	} {
		for _, differences := range []bool{false, true} {
			prob, start := problemOf(c.e), known(t, c.e, numtest.Fold)
			set := &CurveSettings{Min: c.min, Max: c.max}
			tol := 1e-8
			if differences {
				prob.JacX, prob.JacP = nil, nil
				set.Tol = 1e-8 // differences of differences
			}
			cv := foldsFrom(t, prob, start.X, start.P, set)
			if cv.StopBack != Bound || cv.StopFront != Bound {
				t.Errorf("%s: stops %v and %v", c.e.Name, cv.StopBack, cv.StopFront)
			}
			for _, pt := range cv.Points {
				p, q := c.fold(pt.X[0])
				numtest.CheckSlice(t, c.e.Name, pt.P[:], []float64{p, q}, tol, 1e-10)
			}
			cusp := only(t, cv, Cusp)
			got := []float64{cusp.Refined.X[0], cusp.Refined.P[0], cusp.Refined.P[1]}
			if differences { // third derivatives by differences: x to the cube root of 1e-10 or so
				numtest.CheckSlice(t, c.e.Name+": cusp by differences", got, c.cusp[:], 1e-4, 1e-4)
				continue
			}
			// x where F_xx, a difference with an error of 1e-10 or so, vanishes; p moves
			// with the square and the cube of that
			numtest.CheckSlice(t, c.e.Name+": cusp", got[1:], c.cusp[1:], 1e-8, 1e-10)
			numtest.Check(t, c.e.Name+": x at the cusp", got[0], c.cusp[0], 1e-8, 1e-8)
		}
	}
}

// The normal form: folds 4b1 = b2², Hopf points b1 = 0, ω² = −b2, which meet at the origin.
func TestExactBogdanovTakens(t *testing.T) {
	e := numtest.TakensBogdanov()
	prob := problemOf(e)
	set := &CurveSettings{Min: [2]float64{-1, -1.5}, Max: [2]float64{1, 1.5}}
	fold, hopf := known(t, e, numtest.Fold), known(t, e, numtest.Hopf)
	curves := []*Curve{
		foldsFrom(t, prob, fold.X, fold.P, set),
		hopfsFrom(t, prob, hopf.X, hopf.P, hopf.Omega*hopf.Omega, set),
	}
	for _, pt := range curves[0].Points {
		numtest.Check(t, "fold", 4*pt.P[0], pt.P[1]*pt.P[1], 1e-8, 1e-10)
	}
	for _, pt := range curves[1].Points {
		numtest.CheckSlice(t, "Hopf", []float64{pt.P[0], pt.Omega2}, []float64{0, -pt.P[1]}, 1e-8, 1e-10)
	}
	for _, cv := range curves {
		bt := only(t, cv, BogdanovTakens)
		numtest.CheckSlice(t, "Bogdanov–Takens", bt.Refined.P, []float64{0, 0}, 0, 1e-10)
		if len(cv.Special) != 1 {
			t.Errorf("%d special points", len(cv.Special))
		}
	}
}

// Trace zero on a fold of the reactor: u1 = 1/3, B = 27/2, D = e^{−3/2}/2. Its Hopf points
// satisfy B u1 = 3 + 1/(1 − u1), from trace zero.
func TestExactReactor(t *testing.T) {
	e := numtest.CSTR()
	prob := problemOf(e)
	set := &CurveSettings{Min: [2]float64{0.02, 8}, Max: [2]float64{0.4, 20}}
	fold, hopf := known(t, e, numtest.Fold), known(t, e, numtest.Hopf)
	for _, cv := range []*Curve{
		foldsFrom(t, prob, fold.X, fold.P, set),
		hopfsFrom(t, prob, hopf.X, hopf.P, hopf.Omega*hopf.Omega, set),
	} {
		bt := only(t, cv, BogdanovTakens)
		numtest.CheckSlice(t, "Bogdanov–Takens", bt.Refined.P, []float64{math.Exp(-1.5) / 2, 13.5, 2}, 1e-8, 0)
		if cv.Kind == Fold {
			continue
		}
		for _, pt := range cv.Points {
			u := pt.X[0]
			b := (3 + 1/(1-u)) / u
			numtest.Check(t, "Hopf", pt.P[1], b, 1e-8, 0)
			det := 3/(1-u) - b*u // of the Jacobian with De^{u2} = u1/(1 − u1)
			numtest.Check(t, "ω²", pt.Omega2, det, 1e-8, 1e-8)
		}
	}
}

// The curves of folds and of Hopf points, different systems, have their common points in common.
func TestExactTsodyksMarkram(t *testing.T) {
	e := numtest.TsodyksMarkram()
	prob := problemOf(e)
	set := &CurveSettings{Min: [2]float64{-4, 2}, Max: [2]float64{0, 4}}
	fold, hopf := known(t, e, numtest.Fold), known(t, e, numtest.Hopf)
	a := foldsFrom(t, prob, fold.X, fold.P, set)
	b := hopfsFrom(t, prob, hopf.X, hopf.P, hopf.Omega*hopf.Omega, set)
	for _, kind := range []Kind{BogdanovTakens, ZeroHopf} {
		f, h := only(t, a, kind), only(t, b, kind)
		numtest.CheckSlice(t, kind.String(), f.Refined.P, h.Refined.P, 1e-8, 0)
		numtest.CheckSlice(t, kind.String()+": x", f.Refined.X, h.Refined.X, 1e-8, 0)
		numtest.Check(t, kind.String()+": ω²", f.Omega2, h.Omega2, 1e-7, 1e-6)
	}
	only(t, a, Cusp)
	// both known folds and both known Hopf points at J = 3.07 are on the curves
	for _, c := range []struct {
		cv   *Curve
		kind string
	}{{a, numtest.Fold}, {b, numtest.Hopf}} {
		for _, s := range e.Points {
			if s.Kind != c.kind {
				continue
			}
			if d := nearest(c.cv, s.P); !(d <= 1e-3) {
				t.Errorf("the curve misses the %s %v by %g", s.Kind, s.P, d)
			}
		}
	}
}

// nearest is the distance of p from the chords of the curve.
func nearest(cv *Curve, p []float64) float64 {
	least := math.Inf(1)
	for i := range len(cv.Points) - 1 {
		a, b := cv.Points[i].P, cv.Points[i+1].P
		dx, dy := b[0]-a[0], b[1]-a[1]
		f := ((p[0]-a[0])*dx + (p[1]-a[1])*dy) / (dx*dx + dy*dy)
		f = min(max(f, 0), 1)
		least = min(least, math.Hypot(a[0]+f*dx-p[0], a[1]+f*dy-p[1]))
	}
	return least
}

// zeroHopf is x' = p − x² with an oscillator of growth q + x and frequency 2, mixed by
// a linear map of determinant 1: zero-Hopf at the origin, ω² = 4.
func zeroHopf() *Problem {
	return &Problem{Dim: 3, Params: 2, F: func(dst, u, p []float64) {
		x, y, z := u[0]-u[1], u[1]-2*u[2], u[2] // u = (x + y + 2z, y + 2z, z)
		g := p[1] + x - y*y - z*z
		dx, dy, dz := p[0]-x*x, g*y-2*z, 2*y+g*z
		dst[0], dst[1], dst[2] = dx+dy+2*dz, dy+2*dz, dz
	}}
}

func TestExactZeroHopf(t *testing.T) {
	prob := zeroHopf()
	set := &CurveSettings{Min: [2]float64{-1, -1.5}, Max: [2]float64{1, 1.5}, Stepping: Stepping{Tol: 1e-9}}
	fold := foldsFrom(t, prob, []float64{0, 0, 0}, []float64{0, -0.5}, set)
	zh := only(t, fold, ZeroHopf)
	numtest.CheckSlice(t, "zero-Hopf", append(zh.Refined.P, zh.Omega2), []float64{0, 0, 4}, 1e-8, 1e-8)
	// Hopf points q = −x, p = x²
	hopf := hopfsFrom(t, prob, []float64{0.5, 0, 0}, []float64{0.25, -0.5}, 4, set)
	for _, pt := range hopf.Points {
		x := pt.X[0]
		numtest.CheckSlice(t, "Hopf", []float64{pt.P[0], pt.P[1], pt.Omega2}, []float64{x * x, -x, 4}, 1e-8, 1e-8)
	}
	zh = only(t, hopf, ZeroHopf)
	numtest.CheckSlice(t, "zero-Hopf", append(zh.Refined.P, zh.Omega2), []float64{0, 0, 4}, 1e-7, 1e-7)
}

// Rates multiplied by a million leave the curve where it is.
func TestInvariantCurveRates(t *testing.T) {
	e := numtest.CSTR()
	fold, hopf := known(t, e, numtest.Fold), known(t, e, numtest.Hopf)
	set := &CurveSettings{Min: [2]float64{0.02, 8}, Max: [2]float64{0.4, 20}}
	for _, c := range []struct {
		a, b *Curve
		rate float64
	}{
		{foldsFrom(t, problemOf(e), fold.X, fold.P, set), foldsFrom(t, problemOf(e.Scaled(1e6)), fold.X, fold.P, set), 1},
		{
			hopfsFrom(t, problemOf(e), hopf.X, hopf.P, hopf.Omega*hopf.Omega, set),
			hopfsFrom(t, problemOf(e.Scaled(1e6)), hopf.X, hopf.P, 1e12*hopf.Omega*hopf.Omega, set), 1e6,
		},
	} {
		if len(c.a.Points) != len(c.b.Points) || len(c.a.Special) != len(c.b.Special) {
			t.Fatalf("%d and %d points, %d and %d special points",
				len(c.a.Points), len(c.b.Points), len(c.a.Special), len(c.b.Special))
		}
		for i, pt := range c.a.Points {
			numtest.CheckSlice(t, "p", c.b.Points[i].P[:], pt.P[:], 1e-10, 0)
			numtest.Check(t, "ω²", c.b.Points[i].Omega2, c.rate*c.rate*pt.Omega2, 1e-8, 1e-10*c.rate*c.rate)
		}
		for i, s := range c.a.Special {
			numtest.CheckSlice(t, s.Kind.String(), c.b.Special[i].Refined.P, s.Refined.P, 1e-10, 0)
		}
	}
}
