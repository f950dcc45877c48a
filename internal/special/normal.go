package special

import "math"

const (
	sqrt2Pi    = 2.50662827463100050241576528481104525
	invSqrt2Pi = 1 / sqrt2Pi
)

// scaledErfc tabulates e^{y²} erfc(y) over t = 4/(4+y), that is for all y ≥ 0.
var scaledErfc = newTable(0, 1, 256, func(t float64) float64 {
	if math.Abs(t) < 0.02 { // |y| > 195: the asymptotic series, which is odd in y
		y := 4/t - 4
		u := 0.5 / (y * y)
		return (1 - u*(1-3*u*(1-5*u))) / (y * math.Sqrt(math.Pi))
	}
	return erfcxReference(4/t - 4)
})

// erfcx returns e^{y²} erfc(y), 0 ≤ y < 1e5, to a few units in the last place.
func erfcx(y float64) float64 { return scaledErfc.at(4 / (4 + y)) }

// erfcxReference computes erfcx for the table: from math.Erfc where e^{y²} is
// small, else by the continued fraction of Laplace (DLMF 7.9.1).
func erfcxReference(y float64) float64 {
	if y < 2 {
		return math.Exp(y*y) * math.Erfc(y)
	}
	f := y
	for k := int(20 + 320/(y*y)); k > 0; k-- {
		f = y + float64(k)/2/f
	}
	return 1 / (f * math.Sqrt(math.Pi))
}

// upperTail returns 1 − Φ(s), s ≥ 0, with full relative accuracy.
func upperTail(s float64) float64 {
	return 0.5 * gauss(s) * erfcx(s/math.Sqrt2)
}

// gauss returns e^{−s²/2}; the rounding of s² is made good, which matters when
// it is large.
func gauss(s float64) float64 {
	sq := s * s
	return math.Exp(-sq/2) * (1 - math.FMA(s, s, -sq)/2)
}

// density returns φ(s).
func density(s float64) float64 { return invSqrt2Pi * gauss(s) }

// The table of ln Φ(s) covers [logPhiMin, logPhiMax]. Below, Φ^v < 1e−32 for
// every v ≥ 1; above, 1 − Φ < 1.2e−19.
const (
	logPhiMin   = -12
	logPhiMax   = 9
	logPhiScale = 32
)

var logPhiTable = newTable(logPhiMin, logPhiMax, logPhiScale, func(s float64) float64 {
	e := erfcxReference(math.Abs(s) / math.Sqrt2)
	if s < 0 {
		return math.Log(e/2) - s*s/2
	}
	return math.Log1p(-0.5 * gauss(s) * e)
})

// normQuantile returns Φ⁻¹(p), 0 < p < 1, to a relative accuracy of about
// 1e−15 (Wichura 1988, Algorithm AS 241, PPND16).
func normQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		return q * ratio(&quantileCentre, 0.180625-q*q)
	}
	r := math.Sqrt(-math.Log(min(p, 1-p)))
	var z float64
	if r <= 5 {
		z = ratio(&quantileNear, r-1.6)
	} else {
		z = ratio(&quantileFar, r-5)
	}
	return math.Copysign(z, q)
}

// ratio evaluates a rational function of degree 7 over 7.
func ratio(c *[2][8]float64, x float64) float64 {
	var y [2]float64
	for i := 7; i >= 0; i-- {
		y[0] = y[0]*x + c[0][i]
		y[1] = y[1]*x + c[1][i]
	}
	return y[0] / y[1]
}

// Coefficients of AS 241.
var (
	quantileCentre = [2][8]float64{
		{
			3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
			4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
		},
		{
			1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
			2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
		},
	}
	quantileNear = [2][8]float64{
		{
			1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
			1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
		},
		{
			1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
			1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
		},
	}
	quantileFar = [2][8]float64{
		{
			6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 2.96560571828504891230e-1,
			2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
		},
		{
			1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
			7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
		},
	}
)
