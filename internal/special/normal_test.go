package special

import (
	"math"
	"testing"
)

func TestExactNormQuantile(t *testing.T) {
	// Φ⁻¹ of 1e−300, 1e−20, 0.01, 0.2, 0.975 by mpmath (50 digits).
	for _, c := range []struct{ p, want float64 }{
		{1e-300, -37.047096299361199},
		{1e-20, -9.2623400897984076},
		{0.01, -2.3263478740408411},
		{0.2, -0.84162123357291417},
		{0.5, 0},
		{0.975, 1.9599639845400539},
	} {
		if z := normQuantile(c.p); !(math.Abs(z-c.want) <= 1e-15*math.Abs(c.want)) {
			t.Errorf("Φ⁻¹(%v) = %v, want %v", c.p, z, c.want)
		}
	}
	// Round trip: an error of one part in 1e15 of z moves ln p by z² 1e−15.
	for l := -690.0; l < -0.7; l *= 0.97 {
		p := math.Exp(l)
		z := normQuantile(p)
		if q := upperTail(-z); !(relErr(q, p) < 1e-15*(2+z*z)) {
			t.Errorf("Φ(Φ⁻¹(%v)) = %v", p, q)
		}
	}
}

// TestExactLogPhi compares the table with math.Erfc; s itself is rounded, which
// moves ln(1 − Φ(s)) by s² times the rounding.
func TestExactLogPhi(t *testing.T) {
	for s := -11.99; s < logPhiMax; s += 0.0037 {
		want := math.Log(math.Erfc(-s/math.Sqrt2) / 2)
		if s > 0 {
			want = math.Log1p(-math.Erfc(s/math.Sqrt2) / 2)
		}
		l, d := logPhiTable.grad(s)
		if !(relErr(l, want) < 1e-15*(5+s*s)) {
			t.Errorf("ln Φ(%v) = %v, want %v", s, l, want)
		}
		if want := math.Exp(-s*s/2-want) / sqrt2Pi; !(relErr(d, want) < 1e-11) {
			t.Errorf("(ln Φ)′(%v) = %v, want %v", s, d, want)
		}
	}
}

// TestExactErfcx: e^{y²} erfc(y) against math.Erfc, and 1/(y√π) (1 − 1/(2y²) + …)
// far out.
func TestExactErfcx(t *testing.T) {
	for y := 0.0; y < 26; y += 0.013 {
		sq := y * y
		want := math.Exp(sq) * (1 + math.FMA(y, y, -sq)) * math.Erfc(y)
		if got := erfcx(y); !(relErr(got, want) < 8e-15) {
			t.Errorf("erfcx(%v) = %v, want %v", y, got, want)
		}
	}
	for y := 150.0; y < 1e5; y *= 3 {
		u := 0.5 / (y * y)
		want := (1 - u*(1-3*u*(1-5*u))) / (y * math.Sqrt(math.Pi))
		if got := erfcx(y); !(relErr(got, want) < 8e-15) {
			t.Errorf("erfcx(%v) = %v, want %v", y, got, want)
		}
	}
}

func TestExactExp(t *testing.T) {
	for x := -1e-9; x > expMin; x *= 1.07 {
		a, p := expParts(x)
		if e := a + a*p; !(relErr(e, math.Exp(x)) < 2e-15-2e-16*x) {
			t.Errorf("e^%v = %v", x, e)
		}
		if e := (a - 1) + a*p; !(relErr(e, math.Expm1(x)) < 2e-12) {
			t.Errorf("e^%v − 1 = %v, want %v", x, e, math.Expm1(x))
		}
	}
}

// TestExactLevels: every level integrates φ, and its tails are those of Φ where
// the step is small enough for the rule to see no edge.
func TestExactLevels(t *testing.T) {
	for k, l := range levels {
		var m2 float64
		for i, z := range l.z {
			m2 += l.w[i] * z * z
		}
		// The second moment sees the error of the coarsest step, 4π²/h² times
		// 2 e^{−2π²/h²}, 64 times that of the sum.
		if !(math.Abs(l.tail[0]-1) < 5e-14) || !(math.Abs(m2-1) < 3e-12) {
			t.Errorf("level %d: ∫ φ = 1 + %.1e, ∫ z²φ = 1 + %.1e", k, l.tail[0]-1, m2-1)
		}
	}
}
