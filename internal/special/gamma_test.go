package special

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// readTable reads a table of testdata, written by testdata/reference.py.
func readTable(t *testing.T, name string) [][]float64 {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float64, len(records))
	for i, rec := range records {
		for _, s := range rec {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			rows[i] = append(rows[i], v)
		}
	}
	return rows
}

func relErr(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

func TestGoldenGammaQ(t *testing.T) {
	const eps = 0x1p-53
	for _, r := range readTable(t, "gamma.csv") {
		a, x := r[0], r[1]
		q, _ := GammaQ(a, x)
		gq, _, da, dx := GammaQGrad(a, x)
		errs := [4]float64{relErr(q, r[2]), relErr(gq, r[2]), relErr(da, r[3]), relErr(dx, r[4])}
		// A rounding of a or x moves ln Q by up to eps·|x − a| (and that is
		// what the exponent of the expansions loses); the rest is a few eps.
		tol := 5e-14 + eps*math.Abs(x-a)
		for i, tol := range [4]float64{tol, tol, 10 * tol, tol} {
			if !(errs[i] <= tol) {
				t.Errorf("a = %g, x = %g: error %.1e > %.1e in %s", a, x, errs[i], tol, [4]string{"Q", "Q of the gradient", "∂a", "∂x"}[i])
			}
		}
	}
}

// TestInvariantGammaQMethods walks across every border between methods: the
// step there is what the slope says, to rounding.
func TestInvariantGammaQMethods(t *testing.T) {
	const d = 1e-12 // relative step
	step := func(a, x, a2, x2 float64) {
		q, _, da, dx := GammaQGrad(a, x)
		q2, _, da2, dx2 := GammaQGrad(a2, x2)
		want := (da+da2)/2*(a2-a) + (dx+dx2)/2*(x2-x)
		const eps = 0x1p-53
		// The series taylorQ at x = 2.5 loses two digits to cancellation.
		if tol := (5e-14 + 4*eps*math.Abs(x-a)) * q; !(math.Abs(q2-q-want) <= tol) {
			t.Errorf("from (%v, %v) to (%v, %v): Q moves by %v, slope says %v", a, x, a2, x2, q2-q, want)
		}
		// ∂Q/∂a itself moves by a relative |x − a| d.
		if tol := (1e-10 + 4*d*math.Abs(x-a)) * math.Abs(da); !(math.Abs(da2-da) <= tol) {
			t.Errorf("from (%v, %v) to (%v, %v): ∂Q/∂a from %v to %v", a, x, a2, x2, da, da2)
		}
		v, _ := GammaQ(a, x)
		v2, _ := GammaQ(a2, x2)
		if max(math.Abs(v-q), math.Abs(v2-q2)) > (5e-14+eps*x)*q {
			t.Errorf("(%v, %v): value %v, %v, with gradient %v, %v", a, x, v, v2, q, q2)
		}
	}
	across := func(a, x float64) {
		step(a*(1-d), x, a*(1+d), x)
		step(a, x*(1-d), a, x*(1+d))
	}
	for _, a := range []float64{0.01, 0.3, 0.99, 1, 1.3, 1.49, 2, 4.5, 9.99, 10, 10.01, 13, 40, 300, 3e3, 3e4, 1e6} {
		for _, x := range []float64{fractionMin, a + 1, uniformFrom * a, uniformTo * a, 0.71 * a, 1.41 * a, a} {
			across(a, x)
		}
	}
	for _, a := range []float64{1, uniformMin} {
		for x := 0.05; x < 300; x *= 1.1 {
			across(a, x)
		}
	}
}

// TestInvariantGammaQCertain: where the cheap bounds answer, the answer is right
// and joins the expansion.
func TestInvariantGammaQCertain(t *testing.T) {
	for _, a := range []float64{1e-3, 0.5, 1, 3, 50, 100, 1e3, 1e5} {
		for x := a; x < 20*a+3000; x += 0.01*a + 0.1 {
			if q, _ := GammaQ(a, x); q == 0 && x-a-a*math.Log(x/a) < 690 {
				t.Errorf("a = %v, x = %v: 0 too early", a, x)
			} else if q > 0 && (x-a)*(x-a) > 1500*x {
				t.Errorf("a = %v, x = %v: %v, want 0", a, x, q)
			}
		}
		if q, _ := GammaQ(a, 0); q != 1 {
			t.Errorf("a = %v: Q(a, 0) = %v", a, q)
		}
		for x := a; x > 0; x -= 0.01 * a {
			q, p := GammaQ(a, x)
			if p == 0 && x-a-a*math.Log(x/a) < 690 || p > 0 && (x-a)*(x-a) > 1500*a || math.Abs(q+p-1) > 1e-15 {
				t.Errorf("a = %v, x = %v: Q = %v, P = %v", a, x, q, p)
			}
		}
	}
}

// TestExactGammaQ: Q(n, x) = e^{−x} Σ x^k/k!, k < n, P that of the others, and Q(½, x) = erfc √x.
func TestExactGammaQ(t *testing.T) {
	for _, x := range []float64{1e-8, 0.1, 1, 2.4, 2.6, 5, 20, 100, 600} {
		q, p := GammaQ(0.5, x)
		if want := math.Erfc(math.Sqrt(x)); !(relErr(q, want) < 2e-14+2e-16*x) {
			t.Errorf("Q(½, %v) = %v, want %v", x, q, want)
		}
		if want := math.Erf(math.Sqrt(x)); !(relErr(p, want) < 2e-14) {
			t.Errorf("P(½, %v) = %v, want %v", x, p, want)
		}
		sum, term := 0.0, math.Exp(-x)
		for n := 1; n <= 40; n++ {
			sum += term
			term *= x / float64(n)
			q, p := GammaQ(float64(n), x)
			if !(relErr(q, sum) < 5e-14+4e-16*x) {
				t.Errorf("Q(%d, %v) = %v, want %v", n, x, q, sum)
			}
			rest, next := 0.0, term
			for k := n; next > 1e-17*rest; k++ {
				rest += next
				next *= x / float64(k+1)
			}
			if tol := 5e-14 + 4e-16*(x-math.Log(rest)); rest > 1e-300 && !(relErr(p, rest) < tol) { // of its exponent
				t.Errorf("P(%d, %v) = %v, want %v", n, x, p, rest)
			}
		}
	}
}

// TestConvergenceGammaQSlopes: the derivatives are those of the value.
func TestConvergenceGammaQSlopes(t *testing.T) {
	for _, a := range []float64{0.004, 0.4, 0.97, 1, 1.7, 6, 9.98, 10.03, 25, 700, 5e4} {
		for _, lam := range []float64{0.4, 0.7, 0.95, 1, 1.02, 1.3, 1.9, 2.2, 4} {
			x := lam * a
			q, _, da, dx := GammaQGrad(a, x)
			if q < 1e-200 || 1-q < 1e-6 {
				continue
			}
			h := 1e-3 * min(a, math.Sqrt(a), a/(1+math.Abs(x-a)))
			wantA := slope(func(a float64) float64 { q, _ := GammaQ(a, x); return q }, a, h)
			wantX := slope(func(x float64) float64 { q, _ := GammaQ(a, x); return q }, x, min(h, 1e-3*x))
			if !(relErr(da, wantA) < 1e-8) || !(relErr(dx, wantX) < 1e-8) {
				t.Errorf("a = %v, x = %v: derivatives %v, %v, by differences %v, %v", a, x, da, dx, wantA, wantX)
			}
		}
	}
}

// TestConvergenceGammaQGonum compares with gonum, which follows Cephes: its
// exponent a ln x − x − ln Γ(a) loses a few digits more.
func TestConvergenceGammaQGonum(t *testing.T) {
	for a := 0.05; a < 2000; a *= 1.37 {
		for lam := 0.05; lam < 4; lam *= 1.23 {
			q, p := GammaQ(a, lam*a)
			want, rest := mathext.GammaIncRegComp(a, lam*a), mathext.GammaIncReg(a, lam*a)
			if !(math.Abs(p-rest) < 1e-12+1e-11*rest) || !(math.Abs(q-want) < 1e-12+1e-11*want) {
				t.Errorf("a = %v, x = %v: %v and %v, gonum %v and %v", a, lam*a, q, p, want, rest)
			}
		}
	}
}

// TestInvariantGammaQ: over all magnitudes Q is a probability that grows with a
// and falls with x.
func TestInvariantGammaQ(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200000 {
		a := math.Exp(rng.Float64()*30 - 12)
		x := a * math.Exp(rng.NormFloat64()*[]float64{2 / math.Sqrt(1+a), 0.3, 3, 100}[rng.IntN(4)])
		q, _, da, dx := GammaQGrad(a, x)
		v, _ := GammaQ(a, x)
		if !(q >= 0 && q <= 1) || !(da >= 0) || !(dx <= 0) || math.Abs(v-q) > 1e-13 {
			t.Fatalf("a = %v, x = %v: Q = %v (value alone %v), derivatives %v, %v", a, x, q, v, da, dx)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ a, x, want float64 }{{0.5, inf, 0}, {30, inf, 0}, {30, 1e-300, 1}} {
		if q, _ := GammaQ(c.a, c.x); q != c.want {
			t.Errorf("Q(%v, %v) = %v, want %v", c.a, c.x, q, c.want)
		}
	}
	for _, c := range [][2]float64{{nan, 1}, {1, nan}} {
		if q, p := GammaQ(c[0], c[1]); !math.IsNaN(q) || !math.IsNaN(p) {
			t.Errorf("NaN gives %v, %v", q, p)
		}
	}
}
