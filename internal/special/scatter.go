package special

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Scatter returns the probability ok that a read that asks v ≥ 1 shards
// succeeds, and fail = 1 − ok, when each shard fails with probability f and
// the failures are coupled by a one-factor Gaussian copula with correlation
// r in [0, 1]:
//
//	ok = ∫ φ(z) Φ((Φ⁻¹(1−f) + √r z)/√(1−r))^v dz
func Scatter(f, r, v float64) (ok, fail float64) {
	ok, fail, _, _, _ = ScatterGrad(f, r, v)
	return ok, fail
}

// ScatterGrad returns Scatter and the derivatives of ok by f, r and v.
func ScatterGrad(f, r, v float64) (ok, fail, df, dr, dv float64) {
	const n, lim = 4000, 40
	z, w := make([]float64, n), make([]float64, n)
	for i := range z {
		z[i] = lim * (2*float64(i)/n - 1)
		w[i] = 2 * lim / float64(n) * math.Exp(-z[i]*z[i]/2) / math.Sqrt(2*math.Pi)
	}
	return scatterSum(z, w, f, r, v)
}

// ScatterGH40 is Scatter by the 40-node Gauss–Hermite rule.
func ScatterGH40(f, r, v float64) (ok, fail float64) {
	ok, fail, _, _, _ = ScatterGH40Grad(f, r, v)
	return ok, fail
}

// ScatterGH40Grad returns ScatterGH40 and the derivatives of ok by f, r and v.
func ScatterGH40Grad(f, r, v float64) (ok, fail, df, dr, dv float64) {
	z, w := hermite(40)
	return scatterSum(z, w, f, r, v)
}

func scatterSum(z, w []float64, f, r, v float64) (ok, fail, df, dr, dv float64) {
	switch {
	case f <= 0:
		return 1, 0, -v, 0, 0
	case f >= 1:
		return 0, 1, 0, 0, 0
	case r >= 1-1e-10 || v == 1:
		return 1 - f, f, -1, 0, 0
	}
	r = max(r, 1e-10)
	h := -distuv.UnitNormal.Quantile(f)
	phi := math.Exp(-h*h/2) / math.Sqrt(2*math.Pi)
	for i, zi := range z {
		s := (h + math.Sqrt(r)*zi) / math.Sqrt(1-r)
		l := math.Log1p(-math.Erfc(s/math.Sqrt2) / 2)
		if s < 0 {
			l = math.Log(math.Erfc(-s/math.Sqrt2) / 2)
		}
		if s < -30 {
			continue
		}
		e := w[i] * math.Exp(v*l)
		dl := math.Exp(-s*s/2-l) / math.Sqrt(2*math.Pi)
		fail -= w[i] * math.Expm1(v*l)
		ok += e
		df -= e * v * dl / math.Sqrt(1-r) / phi
		dr += e * v * dl * (zi/(2*math.Sqrt(r*(1-r))) + s/(2*(1-r)))
		dv += e * l
	}
	for i, zi := range z {
		if (h+math.Sqrt(r)*zi)/math.Sqrt(1-r) < -30 {
			fail += w[i]
		}
	}
	return ok, fail, df, dr, dv
}

// hermite returns the n-node rule for ∫ φ(z) g(z) dz.
func hermite(n int) (z, w []float64) {
	z, w = make([]float64, n), make([]float64, n)
	// Roots of the orthonormal polynomial by bisection between sign changes.
	p := func(x float64) (pn, sum float64) {
		a, b := 0.0, math.Pow(2*math.Pi, -0.25)*math.Exp(-x*x/4)
		for k := 0; k < n; k++ {
			sum += b * b
			a, b = b, (x*b-math.Sqrt(float64(k))*a)/math.Sqrt(float64(k+1))
		}
		return b, sum
	}
	lim := 2 * math.Sqrt(float64(n)+1)
	const steps = 4000
	i := 0
	for k := 0; k < steps && i < n; k++ {
		lo, hi := lim*(2*float64(k)/steps-1), lim*(2*float64(k+1)/steps-1)
		plo, _ := p(lo)
		phi, _ := p(hi)
		if plo*phi > 0 {
			continue
		}
		for j := 0; j < 60; j++ {
			m := (lo + hi) / 2
			if pm, _ := p(m); pm*plo > 0 {
				lo = m
			} else {
				hi = m
			}
		}
		z[i] = (lo + hi) / 2
		_, s := p(z[i])
		w[i] = math.Exp(-z[i]*z[i]/2) / math.Sqrt(2*math.Pi) / s
		i++
	}
	return z, w
}
