// Package special holds the special functions of the model: the regularized
// incomplete gamma function, the success probability of a scatter and the
// popularity bins of a Zipf law.
//
// The functions are pure, do not allocate (but for ZipfBins) and are fast where
// the answer is certain, because an integration asks them at every step.
package special

import "math"

// Bounds of the methods of GammaQ.
const (
	uniformMin  = 10  // the uniform expansion serves a ≥ uniformMin and
	uniformFrom = 0.3 // uniformFrom ≤ x/a ≤ uniformTo
	uniformTo   = 2
	fractionMin = 2.5 // the continued fraction serves x ≥ fractionMin
	// Chernoff's bound is Q ≤ e^{−E}, x ≥ a, and P ≤ e^{−E}, x ≤ a, with
	// E = x − a − a ln(x/a).
	underflow = 746 // e^{−746} = 0
)

// GammaQ returns the regularized upper incomplete gamma function
//
//	Q(a, x) = Γ(a, x)/Γ(a), 0 < a < ∞, 0 ≤ x ≤ ∞,
//
// the probability that a Gamma variable of shape a and scale 1 exceeds x, and its
// complement P. The relative error of either is below 5e−14, and where it is small below
// |x − a|·1e−16 if that is more, which is what rounding x or a costs already; it is below
// 1e−12 down to 1e−300. Values below the smallest positive number are 0; NaN gives NaN.
//
// Methods: for a ≥ 10 and x/a in [0.3, 2] the uniform asymptotic expansion of
// Temme (1979) in the recursion of Gil, Segura and Temme (2012,
// doi:10.1137/120872553); else Taylor series for small x and the continued
// fraction of Legendre (DLMF 8.9.2) for large x.
func GammaQ(a, x float64) (q, p float64) {
	d := x - a
	switch {
	case x <= 0:
		return 1, 0
	case d > 0 && (d*d > 2*underflow*x || math.IsInf(x, 1)): // E ≥ (x − a)²/(2x)
		return 0, 1
	case d < 0 && d*d > 2*underflow*a: // E ≥ (x − a)²/(2a)
		return 1, 0
	case a == 1:
		return math.Exp(-x), -math.Expm1(-x)
	case a <= 1:
		return gammaSmall(a, x)
	}
	e, _ := exponent(a, x)
	switch {
	case d > 0 && e > underflow:
		return 0, 1
	case d < 0 && e > underflow:
		return 1, 0
	case a >= uniformMin && x >= uniformFrom*a && x <= uniformTo*a:
		return uniform(a, d, e)
	case x >= max(fractionMin, a+1):
		q = gammaFactor(a, e) * fraction(a, x)
		return q, 1 - q
	}
	p = gammaFactor(a, e) / a * taylorP(a, x)
	return 1 - p, p
}

// GammaQGrad returns Q(a, x), its complement, and the derivatives of Q by a and by x, which are
// those of the same expansions. Where Q or P is 0 they are 0.
func GammaQGrad(a, x float64) (q, p, da, dx float64) {
	d := x - a
	switch {
	case x <= 0:
		return 1, 0, 0, slopeAtZero(a)
	case d > 0 && (d*d > 2*underflow*x || math.IsInf(x, 1)):
		return 0, 1, 0, 0
	case d < 0 && d*d > 2*underflow*a:
		return 1, 0, 0, 0
	case a <= 1:
		return gammaSmallGrad(a, x)
	}
	e, logLambda := exponent(a, x)
	switch {
	case d > 0 && e > underflow:
		return 0, 1, 0, 0
	case d < 0 && e > underflow:
		return 1, 0, 0, 0
	}
	pre, dlog := gammaFactorGrad(a, e, logLambda)
	dx = -pre / x
	switch {
	case a >= uniformMin && x >= uniformFrom*a && x <= uniformTo*a:
		q, p, da = uniformGrad(a, d, e, logLambda)
		return q, p, da, dx
	case x >= max(fractionMin, a+1):
		c, dc := fractionGrad(a, x)
		q = pre * c
		return q, 1 - q, pre * (dlog*c + dc), dx
	}
	pre /= a
	s, ds := taylorPGrad(a, x)
	p = pre * s
	return 1 - p, p, -pre * ((dlog-1/a)*s + ds), dx
}

// slopeAtZero is ∂Q/∂x at x = 0.
func slopeAtZero(a float64) float64 {
	switch {
	case a < 1:
		return math.Inf(-1)
	case a == 1:
		return -1
	}
	return 0
}

// exponent returns E = x − a − a ln(x/a) and ln(x/a) without cancellation near
// x = a. With μ = x/a − 1, s = μ/(2 + μ), it is ln(1 + μ) = 2 artanh s; the
// polynomial is that of FreeBSD's log (e_log.c).
func exponent(a, x float64) (e, logLambda float64) {
	mu := (x - a) / a
	if mu < -0.29 || mu > 0.41 {
		logLambda = math.Log(x / a)
		return x - a - a*logLambda, logLambda
	}
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	s := mu / (2 + mu)
	s2 := s * s
	s4 := s2 * s2
	r := s2*(l1+s4*(l3+s4*(l5+s4*l7))) + s4*(l2+s4*(l4+s4*l6))
	half := 0.5 * mu * mu
	diff := half - s*(half+r)
	return a * diff, mu - diff
}

// gammaFactor returns x^a e^{−x}/Γ(a), a ≥ 1, from the exponent e.
func gammaFactor(a, e float64) float64 {
	return invSqrt2Pi * math.Sqrt(a) * math.Exp(-e-stirling.at(1/a))
}

// gammaFactorGrad returns gammaFactor and its logarithmic derivative by a.
func gammaFactorGrad(a, e, logLambda float64) (pre, dlog float64) {
	t := 1 / a
	s, ds := stirling.grad(t)
	pre = invSqrt2Pi * math.Sqrt(a) * math.Exp(-e-s)
	return pre, logLambda + 0.5*t + ds*t*t
}
