package special

import "math"

// Scatter returns the probability ok that a read that asks v ≥ 1 shards
// succeeds, and fail = 1 − ok, when each shard fails with probability f and the
// failures are coupled by a one-factor Gaussian copula with correlation r in
// [0, 1]:
//
//	ok = G(f, r, v) = ∫ φ(z) Φ((h + √r z)/√(1−r))^v dz,   h = Φ⁻¹(1 − f)
//
// The number of shards need not be whole. Exact limits: (1 − f)^v at r = 0 and
// 1 − f at r = 1 or v = 1. The absolute error is below 1e−12 for v ≤ 1e6; fail
// keeps a relative error below 1e−9 down to f = 1e−300.
//
// The integral is taken by the trapezoidal rule, which converges geometrically
// for such integrands (Trefethen and Weideman 2014, doi:10.1137/130932132).
func Scatter(f, r, v float64) (ok, fail float64) {
	if v == 1 {
		return 1 - f, f
	}
	if l, done := scatterLimit(f, r, v); done {
		return l.ok, l.fail
	}
	c := newCoupling(f, r, v)
	var t sums
	if k, found := c.level(); found {
		c.integrate(&levels[k], &t, false)
	} else {
		c.integrateShards(&t)
	}
	return c.shares(&t)
}

// ScatterGrad returns Scatter and the derivatives of ok by f, r and v.
func ScatterGrad(f, r, v float64) (ok, fail, df, dr, dv float64) {
	if l, done := scatterLimit(f, r, v); done {
		return l.ok, l.fail, l.df, l.dr, l.dv
	}
	c := newCoupling(f, r, v)
	var t sums
	if k, found := c.level(); found {
		c.integrate(&levels[k], &t, true)
	} else {
		c.integrateShards(&t)
	}
	ok, fail = c.shares(&t)
	return ok, fail, c.slopeF(&t), c.slopeR(&t), t.dv
}

// independent is the correlation below which the shards count as independent:
// G moves by less than r ln v.
const independent = 1e-15

// limit is the answer and its derivatives where no integral is needed.
type limit struct{ ok, fail, df, dr, dv float64 }

// scatterLimit returns the closed forms.
func scatterLimit(f, r, v float64) (l limit, done bool) {
	switch {
	case f <= 0:
		return limit{ok: 1, df: -v}, true
	case f >= 1:
		return limit{fail: 1}, true
	case v*f < 1e-18 && raresApart(f, r, v):
		return limit{1, v * f, -v, 0, -f}, true
	case r >= 1:
		return limit{1 - f, f, -1, 0, 0}, true
	case r < independent:
		l := math.Log1p(-f)
		ok := math.Exp(v * l)
		h := normQuantile(f)
		d := density(h) / (1 - f)
		return limit{ok, -math.Expm1(v * l), -v * ok / (1 - f), 0.5 * v * (v - 1) * ok * d * d, ok * l}, true
	}
	return limit{}, false
}

// raresApart reports that failures are so rare that two of them do not meet:
// fail = v f to 1e−10. Two shards fail together with less than
// Φ(−h √(2/(1+r))), which is below f·e^{−(L−4.6)(1−r)/(1+r)} with L = −ln f for
// f ≥ 1e−308, and there are v − 1 others.
func raresApart(f, r, v float64) bool {
	l := math.Ln2*(float64(1022-exponentBits(f))) - 4.6
	others := math.Ln2 * float64(exponentBits(v)-1022)
	return l*(1-r) > (24+others)*(1+r)
}

// exponentBits returns the biased binary exponent: x < 2^(exponentBits − 1022).
func exponentBits(x float64) int { return int(math.Float64bits(x) >> 52) }
