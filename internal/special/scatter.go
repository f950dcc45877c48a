package special

import "math"

// Scatter returns the probability ok that a read that asks v ≥ 1 shards
// succeeds, and fail = 1 − ok, when each shard fails with probability f, up = 1 − f, and the
// failures are coupled by a one-factor Gaussian copula with correlation r in
// [0, 1]:
//
//	ok = G(f, r, v) = ∫ φ(z) Φ((h + √r z)/√(1−r))^v dz,   h = Φ⁻¹(1 − f)
//
// The number of shards need not be whole. Exact limits: (1 − f)^v at r = 0 and
// 1 − f at r = 1 or v = 1, with the accuracy of up. The absolute error is below 1e−12 for v ≤ 1e6; fail
// keeps a relative error below 1e−9 down to f = 1e−300. NaN gives NaN.
//
// The integral is taken by the trapezoidal rule, which converges geometrically
// for such integrands (Trefethen and Weideman 2014, doi:10.1137/130932132).
func Scatter(f, up, r, v float64) (ok, fail float64) {
	if v == 1 && f >= 0 && f <= 1 {
		return up, f
	}
	if ok, fail, _, _, _, done := scatterLimit(f, up, r, v); done {
		return ok, fail
	}
	c := newCoupling(f, up, r, v)
	var t sums
	c.integrate(&t, false)
	return c.shares(&t)
}

// ScatterGrad returns Scatter and the derivatives of ok by f, r and v, which
// are finite but at r = 1, where those by r and v are given as 0.
func ScatterGrad(f, up, r, v float64) (ok, fail, df, dr, dv float64) {
	if ok, fail, df, dr, dv, done := scatterLimit(f, up, r, v); done {
		return ok, fail, df, dr, dv
	}
	c := newCoupling(f, up, r, v)
	var t sums
	c.integrate(&t, true)
	ok, fail = c.shares(&t)
	return ok, fail, c.slopeF(&t), c.slopeR(&t), t.dv
}

// scatterLeast is the success of a shard below which no read of several succeeds: what
// Φ^v is where its table ends.
const scatterLeast = 1e-32

// failQuantile returns Φ⁻¹(f), with the accuracy of the smaller of f and up = 1 − f.
func failQuantile(f, up float64) float64 {
	if up < f {
		return -normQuantile(up)
	}
	return normQuantile(f)
}

// independent is the correlation below which the shards count as independent:
// G moves by less than r ln v.
const independent = 1e-15

// scatterLimit returns the closed forms where there is one.
func scatterLimit(f, up, r, v float64) (ok, fail, df, dr, dv float64, done bool) {
	switch nan := f + up + r + v; {
	case math.IsNaN(nan):
		return nan, nan, nan, nan, nan, true
	case f <= 0:
		return 1, 0, -v, 0, 0, true
	case up <= scatterLeast:
		return 0, 1, 0, 0, 0, true
	case v*f < 1e-18 && raresApart(f, r, v):
		return 1, v * f, -v, 0, -f, true
	case r >= 1:
		return up, f, -1, 0, 0, true
	case r < independent:
		l := math.Log1p(-f)
		if f > 0.5 {
			l = math.Log(up)
		}
		ok := math.Exp(v * l)
		d := density(failQuantile(f, up)) / up
		return ok, -math.Expm1(v * l), -v * ok / up, 0.5 * v * (v - 1) * ok * d * d, ok * l, true
	}
	return 0, 0, 0, 0, 0, false
}

// raresApart reports that failures are so rare that two of them do not meet:
// fail = v f to 1e−10. Two shards fail together with less than
// Φ(−h √(2/(1+r))), which is below f·e^{−(L−4.6)(1−r)/(1+r)} with L = −ln f for
// f ≥ 1e−308, and there are v − 1 others.
func raresApart(f, r, v float64) bool {
	l := math.Ln2*float64(1022-exponentBits(f)) - 4.6
	others := math.Ln2 * float64(exponentBits(v)-1022)
	return l*(1-r) > (24+others)*(1+r)
}

// exponentBits returns the biased binary exponent: x < 2^(exponentBits − 1022).
func exponentBits(x float64) int { return int(math.Float64bits(x) >> 52) }
