package special

import "math"

// uniformTerms is the number of powers of η in the uniform expansion: an
// even number.
const uniformTerms = 28

// uniform returns Q(a, x) and P(a, x) for a ≥ uniformMin and x near a, from d = x − a and
// the exponent e = aη²/2:
//
//	Q = ½ erfc(η√(a/2)) + e^{−e}/√(2πa) S(a, η),   sign η = sign d
//
// (DLMF 8.12.3).
func uniform(a, d, e float64) (q, p float64) {
	y, root := math.Sqrt(e), 1/math.Sqrt(a)
	s := invSqrt2Pi * root * uniformSum(a, math.Copysign(math.Sqrt2*y*root, d))
	tail, g := 0.5*erfcx(y), math.Exp(-e)
	if d < 0 {
		p = g * (tail - s)
		return 1 - p, p
	}
	q = g * (tail + s)
	return q, 1 - q
}

// uniformGrad returns uniform and its derivative by a.
func uniformGrad(a, d, e, logLambda float64) (q, p, da float64) {
	y, root := math.Sqrt(e), 1/math.Sqrt(a)
	eta := math.Copysign(math.Sqrt2*y*root, d)
	tail, g := 0.5*erfcx(y), math.Exp(-e)
	sum, dsa, dse := uniformSumGrad(a, eta)
	// η → μ = x/a − 1 as μ → 0.
	logOverEta, muOverEta := 1.0, 1.0
	if eta != 0 {
		logOverEta, muOverEta = logLambda/eta, d/(a*eta)
	}
	c := invSqrt2Pi * root * g
	// ∂E/∂a = −ln λ and ∂η/∂a = −μ/(aη), both at fixed x.
	da = c * (logOverEta + (logLambda-0.5/a)*sum + dsa - dse*muOverEta/a)
	if d < 0 {
		p = g*tail - c*sum
		return 1 - p, p, da
	}
	q = g*tail + c*sum
	return q, 1 - q, da
}

// uniformCoef are the coefficients of 1/μ − 1/η in powers of η, with
// η²/2 = μ − ln(1 + μ) (DLMF 8.12.9: −1/3, 1/12, −2/135, …).
var uniformCoef = uniformCoefficients()

func uniformCoefficients() (c [uniformTerms]float64) {
	const n = uniformTerms + 2
	// μ = Σ m_k η^k from μ μ′ = η (1 + μ).
	var m, r [n]float64
	m[1] = 1
	for k := 2; k < n; k++ {
		s := m[k-1]
		for i := 2; i < k; i++ {
			s -= m[i] * float64(k+1-i) * m[k+1-i]
		}
		m[k] = s / float64(k+1)
	}
	// η/μ = Σ r_k η^k.
	r[0] = 1
	for k := 1; k < n-1; k++ {
		for j := 1; j <= k; j++ {
			r[k] -= m[j+1] * r[k-j]
		}
	}
	copy(c[:], r[1:])
	return c
}

// uniformSum returns S(a, η) = Σ C_k(η) a^{−k}. In powers of η, all orders of
// 1/a at once, its coefficients are b_j/(1 + b_1/a) with
// b_j = c_j + (j+2) b_{j+2}/a. Even and odd powers are summed side by side.
func uniformSum(a, eta float64) float64 {
	inv := 1 / a
	z := eta * eta
	var b0, b1, s0, s1 float64
	p := uniformTerms * inv // (j + 2)/a
	for j := uniformTerms - 2; j >= 0; j -= 2 {
		b0 = uniformCoef[j] + p*b0
		b1 = uniformCoef[j+1] + (p+inv)*b1
		p -= 2 * inv
		s0 = s0*z + b0
		s1 = s1*z + b1
	}
	return (s0 + s1*eta) / (1 + b1*inv)
}

// uniformSumGrad returns uniformSum and its derivatives by a and by η.
func uniformSumGrad(a, eta float64) (s, da, de float64) {
	inv := 1 / a
	z := eta * eta
	// d… are derivatives by 1/a, t… by z.
	var b0, b1, s0, s1, db0, db1, ds0, ds1, t0, t1 float64
	for j := uniformTerms - 2; j >= 0; j -= 2 {
		p, q := float64(j+2), float64(j+3)
		db0 = p * (b0 + inv*db0)
		db1 = q * (b1 + inv*db1)
		b0 = uniformCoef[j] + p*inv*b0
		b1 = uniformCoef[j+1] + q*inv*b1
		t0 = t0*z + s0
		t1 = t1*z + s1
		s0 = s0*z + b0
		s1 = s1*z + b1
		ds0 = ds0*z + db0
		ds1 = ds1*z + db1
	}
	norm := 1 / (1 + b1*inv)
	s = (s0 + s1*eta) * norm
	da = (ds0 + ds1*eta - s*(b1+inv*db1)) * norm
	return s, -da * inv * inv, (s1 + 2*eta*(t0+t1*eta)) * norm
}
