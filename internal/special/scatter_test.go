package special

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestGoldenScatter: fail to a relative 1e−10, derivatives to 1e−8 of
// themselves or 1e−14 absolute: of a vanishing ok even the 36 digits of the
// table leave fewer.
func TestGoldenScatter(t *testing.T) {
	for _, r := range readTable(t, "scatter.csv") {
		ok, fail := Scatter(r[0], 1-r[0], r[1], r[2])
		_, gfail, df, dr, dv := ScatterGrad(r[0], 1-r[0], r[1], r[2])
		if !(relErr(fail, r[3]) < 1e-10) || !(relErr(gfail, r[3]) < 1e-10) || ok != 1-fail && fail != 1-ok {
			t.Errorf("f, r, v = %v: fail = %v, %v, ok = %v; want fail = %v", r[:3], fail, gfail, ok, r[3])
		}
		for i, d := range []float64{df, dr, dv} {
			if !(math.Abs(d-r[4+i]) <= 1e-8*math.Abs(r[4+i])+1e-14) {
				t.Errorf("f, r, v = %v: derivative %d is %v, want %v", r[:3], i, d, r[4+i])
			}
		}
	}
}

// randomScatter draws arguments over all regimes.
func randomScatter(rng *rand.Rand) (f, r, v float64) {
	f = math.Exp(-rng.Float64() * []float64{3, 10, 50, 600}[rng.IntN(4)])
	r = rng.Float64()
	switch rng.IntN(8) {
	case 0:
		f = 1 - f
	case 1:
		r = math.Exp(-rng.Float64() * 25)
	case 2:
		r = 1 - math.Exp(-rng.Float64()*8)
	}
	return f, r, math.Exp(rng.Float64() * []float64{1, 5, 13.8}[rng.IntN(3)])
}

// TestConvergenceScatter compares with a much finer sum of the same integral
// over all z, with Φ from math.Erfc.
func TestConvergenceScatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		f, r, v := randomScatter(rng)
		ok, fail := Scatter(f, 1-f, r, v)
		wantOK, wantFail := scatterFine(f, r, v)
		if f > 1e-3 {
			wantFail = 1 - wantOK
		}
		if !(math.Abs(ok-wantOK) < 2e-13) || !(relErr(fail, wantFail) < 1e-9) {
			t.Errorf("f, r, v = %v, %v, %v: ok, fail = %v, %v, want %v, %v", f, r, v, ok, fail, wantOK, wantFail)
		}
	}
}

func scatterFine(f, r, v float64) (ok, fail float64) {
	h, root, rest := -normQuantile(f), math.Sqrt(r), math.Sqrt(1-r)
	a := math.Log(v) + 2
	step := 0.4 / math.Sqrt(1.7+r/(1-r)*a*a)
	for z := -12 - 2*root*max(h, 0); z < 13; z += step {
		s := (h + root*z) / rest
		l := -s * s / 2
		if s > 0 {
			l = math.Log1p(-math.Erfc(s/math.Sqrt2) / 2)
		} else if s > -37 {
			l = math.Log(math.Erfc(-s/math.Sqrt2) / 2)
		}
		w := step * density(z)
		ok += w * math.Exp(v*l)
		fail -= w * math.Expm1(v*l)
	}
	return ok, fail
}

// TestExactScatterLimits: independent shards, one cause for all, one shard.
func TestExactScatterLimits(t *testing.T) {
	for _, f := range []float64{0, 1e-300, 1e-30, 1e-17, 1e-9, 1e-3, 0.2, 0.5, 0.9, 1 - 1e-9, 1} {
		for _, v := range []float64{1, 1.5, 16, 1000} {
			ok, fail := Scatter(f, 1-f, 0, v)
			if want := -math.Expm1(v * math.Log1p(-f)); math.Abs(fail-want) > 1e-14*want || math.Abs(ok-math.Pow(1-f, v)) > 2e-16*(1+v) {
				t.Errorf("independent, f = %v, v = %v: ok, fail = %v, %v", f, v, ok, fail)
			}
			if ok, fail := Scatter(f, 1-f, 1, v); ok != 1-f || fail != f {
				t.Errorf("common cause, f = %v, v = %v: ok, fail = %v, %v", f, v, ok, fail)
			}
			// Near the limits G is continuous: in r here; there, fail grows by
			// √(1−r) φ(h) times the mean of the largest of v normals, which
			// is below 4, and φ(h) < f (1 + |h|).
			for _, r := range []float64{1e-15, 1e-14, 1e-9} {
				if _, near := Scatter(f, 1-f, r, v); math.Abs(near-fail) > 1e-13+100*r {
					t.Errorf("f = %v, v = %v, r = %v: fail = %v, independent %v", f, v, r, near, fail)
				}
			}
			if _, near := Scatter(f, 1-f, 1-1e-14, v); !(near-f >= -1e-12*f) || f > 0 && f < 1 && near-f > 4e-7*f*(1+math.Abs(normQuantile(f))) {
				t.Errorf("f = %v, v = %v, r → 1: fail = %v", f, v, near)
			}
		}
		for _, r := range []float64{0, 1e-12, 0.3, 0.9, 0.99, 1} {
			ok, fail := Scatter(f, 1-f, r, 1)
			gok, gfail, df, dr, _ := ScatterGrad(f, 1-f, r, 1)
			if ok != 1-f || fail != f || math.Abs(gok-ok) > 1e-14 || math.Abs(gfail-f) > 1e-12*f || dr != 0 || f > 0 && f < 1 && math.Abs(df+1) > 1e-9 {
				t.Errorf("one shard, f = %v, r = %v: %v, %v, gradient %v, %v, %v, %v", f, r, ok, fail, gok, gfail, df, dr)
			}
		}
	}
}

// TestInvariantScatter: f ≤ fail ≤ min(1, v f); ok falls with f and v and grows
// with r (Slepian).
func TestInvariantScatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		f, r, v := randomScatter(rng)
		ok, fail, df, dr, dv := ScatterGrad(f, 1-f, r, v)
		const slack = 1e-12
		if !(fail >= f*(1-slack)) || !(fail <= min(1, v*f)*(1+slack)) || !(ok >= 0 && ok <= 1) {
			t.Errorf("f, r, v = %v, %v, %v: fail = %v", f, r, v, fail)
		}
		if !(df <= 0) || !(dr >= 0) || !(dv <= 0) || math.IsInf(df+dr+dv, 0) {
			t.Errorf("f, r, v = %v, %v, %v: derivatives %v, %v, %v", f, r, v, df, dr, dv)
		}
		// The same sums, but a compiler may fuse their products differently.
		if vok, vfail := Scatter(f, 1-f, r, v); math.Abs(vok-ok) > 1e-14 || math.Abs(vfail-fail) > 1e-12*fail {
			t.Errorf("f, r, v = %v, %v, %v: value %v, %v, with gradient %v, %v", f, r, v, vok, vfail, ok, fail)
		}
	}
}

// TestConvergenceScatterSlopes: the derivatives are those of the value.
func TestConvergenceScatterSlopes(t *testing.T) {
	for _, f := range []float64{1e-12, 1e-5, 0.03, 0.3, 0.8} {
		for _, r := range []float64{0.001, 0.2, 0.6, 0.85} {
			for _, v := range []float64{1.5, 16, 200} {
				_, _, df, dr, dv := ScatterGrad(f, 1-f, r, v)
				at := [3]float64{f, r, v}
				for i, d := range []float64{df, dr, dv} {
					h := 1e-3 * min(at[i], 1-min(at[i], 0.99))
					want := -slope(func(x float64) float64 {
						p := at
						p[i] = x
						_, fail := Scatter(p[0], 1-p[0], p[1], p[2])
						return fail
					}, at[i], h)
					// Fourth order in h, and rounding of fail over h.
					if _, fail := Scatter(f, 1-f, r, v); !(math.Abs(d-want) < 1e-7*math.Abs(want)+1e-12*fail/h) {
						t.Errorf("f, r, v = %v: derivative %d is %v, by differences %v", at, i, d, want)
					}
				}
			}
		}
	}
}

// TestInvariantScatterSmooth walks in small steps: the number of nodes and the
// limits of the sums change on the way, the value does not jump by 1e−13.
func TestInvariantScatterSmooth(t *testing.T) {
	const d = 1e-8
	for _, from := range [][3]float64{{0.02, 0.01, 16}, {0.3, 0.2, 4}, {1e-4, 0.5, 256}, {0.7, 0.1, 64}} {
		for k := range 3000 {
			g := float64(k) / 3000
			f, r, v := from[0]*(1+g), from[1]+(0.995-from[1])*g, from[2]*(1+g)
			ok, _, df, dr, dv := ScatterGrad(f, 1-f, r, v)
			next, _ := Scatter(f*(1+d), 1-(f*(1+d)), r*(1+d), v*(1+d))
			if want := d * (df*f + dr*r + dv*v); !(math.Abs(next-ok-want) < 1e-13) {
				t.Errorf("f, r, v = %v, %v, %v: jump of %.1e", f, r, v, next-ok-want)
			}
		}
	}
}

// TestInvariantScatterRareSuccess: what rounding there is in a small ok is relative to it: over
// a step of 1e−5 it follows its slope, by the rule for any v and by those for one.
// Below 1e−30 the table of ln Φ ends.
func TestInvariantScatterRareSuccess(t *testing.T) {
	if ok, fail := Scatter(1, 1e-40, 0.3, 1); ok != 1e-40 || fail != 1 {
		t.Errorf("one shard: %v, %v", ok, fail)
	}
	const d = 1e-5
	for _, v := range []float64{2, 16, 256} {
		s := NewShards(v)
		for _, r := range []float64{0.5, 0.8} {
			for _, up := range []float64{1e-4, 1e-8, 1e-12} {
				ok, _, df, _, _ := ScatterGrad(1-up, up, r, v)
				next, _ := Scatter(1-up*(1+d), up*(1+d), r, v)
				if rise := -df * up * d; ok > 1e-30 && !(math.Abs(next-ok-rise) < 1e-3*rise) {
					t.Errorf("up, r, v = %v, %v, %v: ok = %v rises by %v, slope says %v", up, r, v, ok, next-ok, rise)
				}
				ok, _, df, _ = s.ScatterGrad(1-up, up, r)
				next, _ = s.Scatter(1-up*(1+d), up*(1+d), r)
				if rise := -df * up * d; ok > 1e-30 && !(math.Abs(next-ok-rise) < 1e-3*rise) {
					t.Errorf("up, r, v = %v, %v, %v by its rule: ok = %v rises by %v, slope says %v", up, r, v, ok, next-ok, rise)
				}
			}
		}
	}
}

func TestExactScatterNaN(t *testing.T) {
	nan := math.NaN()
	for _, c := range [][3]float64{{nan, 0.5, 2}, {0.5, nan, 2}, {0.5, 0.5, nan}, {nan, 0.5, 1}} {
		ok, _ := Scatter(c[0], 1-c[0], c[1], c[2])
		if !math.IsNaN(ok) {
			t.Errorf("f, r, v = %v: %v", c, ok)
		}
	}
}

// slope is f′(x) by five points, with an error of order h⁴.
func slope(f func(float64) float64, x, h float64) float64 {
	return (8*(f(x+h)-f(x-h)) - f(x+2*h) + f(x-2*h)) / (12 * h)
}
