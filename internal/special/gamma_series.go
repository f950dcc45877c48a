package special

import "math"

// gammaSmall is GammaQ for a ≤ 1.
func gammaSmall(a, x float64) (q, p float64) {
	u := a * (math.Log(x) - logGammaOver.at(a)) // ln (x^a/Γ(1+a))
	if x >= fractionMin {
		q = math.Exp(u-x) * a * fraction(a, x)
		return q, 1 - q
	}
	w := taylorQ(a, x)
	e, less := expOf(u)
	return -less - e*w, e * (1 + w)
}

// gammaSmallGrad is GammaQGrad for a ≤ 1.
func gammaSmallGrad(a, x float64) (q, p, da, dx float64) {
	logX := math.Log(x)
	u, du := a*(logX-logGammaOver.at(a)), logX-digammaNext.at(a)
	pre := math.Exp(u - x)
	dx = -a * pre / x
	if x >= fractionMin {
		c, dc := fractionGrad(a, x)
		q = pre * a * c
		return q, 1 - q, q*du + pre*(c+a*dc), dx
	}
	w, dw := taylorQGrad(a, x)
	e, less := expOf(u)
	return -less - e*w, e * (1 + w), -e * (du*(1+w) + dw), dx
}

// expOf returns e^u and e^u − 1, u ≤ 0, each to its own rounding.
func expOf(u float64) (e, less float64) {
	if u < -1 {
		e = math.Exp(u)
		return e, e - 1
	}
	less = math.Expm1(u)
	return 1 + less, less
}

// taylorP returns Σ xⁿ/((a+1)…(a+n)), n ≥ 0 (DLMF 8.11.4), with
// P(a, x) = x^a e^{−x}/Γ(a+1) times it.
func taylorP(a, x float64) float64 {
	sum, t := 1.0, 1.0
	for t > 1e-17*sum {
		a++
		t *= x / a
		sum += t
	}
	return sum
}

// taylorPGrad returns taylorP and its derivative by a.
func taylorPGrad(a, x float64) (sum, ds float64) {
	sum = 1
	t, h := 1.0, 0.0
	for t > 1e-17*sum {
		a++
		inv := 1 / a
		t *= x * inv
		h += inv
		sum += t
		ds -= t * h
	}
	return sum, ds
}

// taylorQ returns W = a Σ (−x)ⁿ/((a+n) n!), n ≥ 1 (DLMF 8.7.1), with
// P(a, x) = x^a/Γ(a+1) · (1 + W).
func taylorQ(a, x float64) float64 {
	sum, t := 0.0, a
	for n := 1.0; t > 1e-18*a || t < -1e-18*a; n++ {
		t *= -x / n
		sum += t / (a + n)
	}
	return sum
}

// taylorQGrad returns taylorQ and its derivative by a.
func taylorQGrad(a, x float64) (sum, ds float64) {
	t := 1.0
	for n := 1.0; t > 1e-18 || t < -1e-18; n++ {
		t *= -x / n
		q := t / (a + n)
		sum += q
		ds += q * n / (a + n)
	}
	return a * sum, ds
}

// fractionTerms returns how many terms of the continued fraction bring its
// relative error below 1e−15 where GammaQ asks it.
func fractionTerms(a, x float64) int {
	if a >= uniformMin {
		return int(5 + 17*a/x)
	}
	return int(7 + 92/x)
}

// fraction returns Γ(a, x) e^x x^{−a} by Legendre's continued fraction,
// evaluated as a quotient of two sums so that only one division is made.
func fraction(a, x float64) float64 {
	b := x + 1 - a
	p0, p1 := 0.0, 1.0
	q0, q1 := 1.0, b
	k := 0.0
	for range fractionTerms(a, x) {
		k++
		b += 2
		c := k * (a - k)
		p0, p1 = p1, b*p1+c*p0
		q0, q1 = q1, b*q1+c*q0
	}
	return p1 / q1
}

// fractionGrad returns fraction and its derivative by a.
func fractionGrad(a, x float64) (f, df float64) {
	b := x + 1 - a
	p0, p1, q0, q1 := 0.0, 1.0, 1.0, b
	dp0, dp1, dq0, dq1 := 0.0, 0.0, 0.0, -1.0
	k := 0.0
	for range fractionTerms(a, x) {
		k++
		b += 2
		c := k * (a - k)
		dp0, dp1 = dp1, b*dp1+c*dp0-p1+k*p0
		dq0, dq1 = dq1, b*dq1+c*dq0-q1+k*q0
		p0, p1 = p1, b*p1+c*p0
		q0, q1 = q1, b*q1+c*q0
	}
	f = p1 / q1
	return f, (dp1 - f*dq1) / q1
}

// logGammaOver tabulates ln Γ(1+a)/a for 0 ≤ a ≤ 1.
var logGammaOver = newTable(0, 1, 64, func(a float64) float64 {
	if math.Abs(a) < 1e-4 {
		return -eulerGamma + a*(math.Pi*math.Pi/12-a*zeta3/3)
	}
	// Gauss's product for Γ(1+a), its tail by Stirling's series; every
	// difference is taken before it can cancel.
	const n = 16
	var sum float64
	for k := 1.0; k <= n; k++ {
		sum += a*math.Log1p(1/k) - math.Log1p(a/k)
	}
	l := math.Log1p(a / n)
	tail := 0.5*l + (a+n)*l - a + stirlingSeries(n+a) - stirlingSeries(n)
	return (sum+tail)/a - math.Log1p(1.0/n)
})

// digammaNext tabulates ψ(1+a), the derivative of ln Γ(1+a), for 0 ≤ a ≤ 1.
var digammaNext = newTable(0, 1, 64, func(a float64) float64 {
	// The asymptotic series at a + 16 (DLMF 5.11.2) and the recurrence.
	const n = 16
	x := a + n
	y := 1 / (x * x)
	psi := math.Log(x) + 0.5/x - y*(1.0/12-y*(1.0/120-y*(1.0/252-y*(1.0/240-y*(1.0/132)))))
	for k := 1.0; k <= n; k++ {
		psi -= 1 / (a + k)
	}
	return psi
})

const (
	eulerGamma = 0.57721566490153286060651209008240243
	zeta3      = 1.20205690315959428539973816151144999
)

// stirling tabulates ln Γ*(1/t), Γ(a) = √(2π/a) (a/e)^a Γ*(a), for 0 ≤ t ≤ 1.
var stirling = newTable(0, 1, 128, func(t float64) float64 {
	if math.Abs(t) < 1.0/12 {
		return stirlingSeries(1 / t)
	}
	// Γ*(a)/Γ*(a+1) = (1 + 1/a)^{a+½}/e, whose logarithm is
	// Σ (2a+1)^{−2k}/(2k+1), k ≥ 1.
	a := 1 / t
	var s float64
	for ; a < 12; a++ {
		y := 1 / ((2*a + 1) * (2*a + 1))
		p := 1.0
		for k := 3.0; p > 1e-20; k += 2 {
			p *= y
			s += p / k
		}
	}
	return s + stirlingSeries(a)
})

// stirlingSeries returns ln Γ*(a), |a| ≥ 12 (DLMF 5.11.1).
func stirlingSeries(a float64) float64 {
	y := 1 / (a * a)
	return (1.0/12 - y*(1.0/360-y*(1.0/1260-y*(1.0/1680-y*(1.0/1188-y*(691.0/360360-y*(1.0/156))))))) / a
}
