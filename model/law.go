package model

import (
	"math"

	"github.com/metastable/metastable/internal/special"
)

// A queueLaw closes the equations of a first-come-first-served queue: it gives the
// queue's law a shape of which two moments are known. Everything is in work units.
type queueLaw interface {
	// busy is the probability that a shard with mean n and variance v of work in
	// system is not idle, b being the mean residual query, with its derivatives.
	busy(n, v, b float64) (p, dn, dv, db float64)

	// late is the probability that a sojourn with the given mean and variance
	// (spread), counted in work served, exceeds the budget, and that it does not.
	late(mean, spread, budget float64) (p, inTime float64)

	// lateGrad is late with the derivatives of p in the mean and the variance.
	lateGrad(mean, spread, budget float64) (p, inTime, dMean, dSpread float64)
}

// panjer is the moment closure on the Panjer family (negative binomial, Poisson,
// binomial) in units of b,
//
//	P0 = exp(−n' φ(v'/n')),  φ(x) = ln x/(x − 1),
//
// and a Gamma sojourn. It is exact for M/M/1 at rest and for a queue that grows
// freely.
type panjer struct{}

func (panjer) busy(n, v, b float64) (p, dn, dv, db float64) {
	if n <= 0 {
		return n / b, 1 / b, 0, 0 // below an empty queue: the tangent there
	}
	invN, invB := 1/n, 1/b
	n1 := n * invB
	const least = 1e-12
	x := v * invN * invB
	f, df := phi(max(x, least))
	if x < least {
		df = 0
	}
	if n1*f > 740 {
		return 1, 0, 0, 0
	}
	p0 := math.Exp(-n1 * f)
	if p = 1 - p0; p < 0.01 {
		p = -math.Expm1(-n1 * f)
	}
	// x depends on v, n and b: dx = x (dv/v − dn/n − db/b).
	dn = p0 * invB * (f - df*x)
	dv = p0 * invB * invB * df
	db = -p0 * n1 * invB * (f + df*x)
	return p, dn, dv, db
}

// phi returns φ(x) = ln x/(x − 1) and its derivative; near 1 by series.
func phi(x float64) (f, df float64) {
	e := x - 1
	if math.Abs(e) < 1e-2 {
		const terms = 9
		for k := terms; k >= 0; k-- {
			sign := float64(1 - 2*(k&1))
			f = f*e + sign/float64(k+1)
			if k > 0 {
				df = df*e + sign*float64(k)/float64(k+1)
			}
		}
		return f, df
	}
	inv := 1 / e
	f = math.Log(x) * inv
	return f, (1/x - f) * inv
}

func (panjer) late(mean, spread, budget float64) (p, inTime float64) {
	return special.GammaQ(mean*mean/spread, mean*budget/spread)
}

func (panjer) lateGrad(mean, spread, budget float64) (p, inTime, dMean, dSpread float64) {
	k, x := mean*mean/spread, mean*budget/spread
	p, inTime, da, dx := special.GammaQGrad(k, x)
	return p, inTime, da*2*mean/spread + dx*budget/spread, -(da*k + dx*x) / spread
}

// diffusion closes on a reflected diffusion: a normal law cut off at 0 where the
// squared coefficient of variation c² is at most 1, a balanced two-phase
// hyperexponential above; at c² = 1 both are exponential and M/M/1 at rest is exact.
// With α = −m/s of the uncut normal, λ its inverse Mills ratio and d = λ − α:
//
//	(1 − λd)/d² = c²,  P0 = h/(n' + h),  h = λd,
//	late = Φ(−(θd + α))/Φ(−α),  θ = budget/mean.
type diffusion struct{}

// nearOne is how far from c² = 1 the expansion about the exponential law is used.
const nearOne = 1e-5

func (diffusion) busy(n, v, b float64) (p, dn, dv, db float64) {
	if n <= 0 {
		return panjer{}.busy(n, v, b)
	}
	// c² = v/(n² + n b), in units of b v'/(n'(n' + 1)).
	den := n * (n + b)
	c2 := v / den
	if c2 < 1e-3 { // the law is e^{−500} away from 0
		return 1, 0, 0, 0
	}
	h, dh := edge(c2)
	dcn, dcv, dcb := -c2*(2*n+b)/den, 1/den, -c2*n/den
	q := n + b*h
	p = n / q
	dp := -b * n / (q * q) // by h
	dn = b*h/(q*q) + dp*dh*dcn
	dv = dp * dh * dcv
	db = -h*n/(q*q) + dp*dh*dcb
	if c2 <= 1 {
		return p, dn, dv, db
	}
	// Above 1 the edge of a drain is not that of a law at rest: blend into panjer.
	const width = 0.3
	u := (c2 - 1) / width
	w := -math.Expm1(-u * u)
	dw := 2 * u / width * math.Exp(-u*u)
	q0, qn, qv, qb := panjer{}.busy(n, v, b)
	gap := (q0 - p) * dw
	return p + w*(q0-p), dn + w*(qn-dn) + gap*dcn, dv + w*(qv-dv) + gap*dcv, db + w*(qb-db) + gap*dcb
}

// edge is mean × density at 0 and its derivative in c².
func edge(c2 float64) (h, dh float64) {
	if c2 >= 1-nearOne {
		return 2 * c2 / (c2 + 1), 2 / ((c2 + 1) * (c2 + 1))
	}
	a := cutAt(c2)
	return a.lambda * a.d, 2*c2*a.d*a.v/a.slope - a.d*a.d
}

func (l diffusion) late(mean, spread, budget float64) (p, inTime float64) {
	p, inTime, _, _ = l.lateGrad(mean, spread, budget)
	return p, inTime
}

func (diffusion) lateGrad(mean, spread, budget float64) (p, inTime, dMean, dSpread float64) {
	c2, th := spread/(mean*mean), budget/mean
	var dth, dc float64
	if c2 >= 1-nearOne {
		p, dth, dc = twoPhase(c2, th)
	} else {
		a := cutAt(c2)
		p, dth, dc = a.tail(th)
	}
	return p, 1 - p, -(dth*th + 2*dc*c2) / mean, dc / (mean * mean)
}

// twoPhase is the tail of the balanced hyperexponential with mean 1 at th, with its
// derivatives in th and c². It is even in s, so slightly below c² = 1 its expansion
// in s² goes on.
func twoPhase(c2, th float64) (p, dth, dc float64) {
	s2 := (c2 - 1) / (c2 + 1)
	ds2 := 2 / ((c2 + 1) * (c2 + 1))
	e := math.Exp(-th)
	if math.Abs(s2) < nearOne {
		k := th*th/2 - th
		return e * (1 + s2*k), e * (s2*(th-1) - 1 - s2*k), e * k * ds2
	}
	s := math.Sqrt(s2)
	fast, slow := math.Exp(-(1+s)*th), math.Exp(-(1-s)*th)
	p = ((1+s)*fast + (1-s)*slow) / 2
	dth = -((1+s)*(1+s)*fast + (1-s)*(1-s)*slow) / 2
	dp := ((1-(1+s)*th)*fast - (1-(1-s)*th)*slow) / 2
	return p, dth, dp / (2 * s) * ds2
}

// cut is a normal law cut off at α standard deviations: inverse Mills ratio λ,
// d = λ − α, v = 1 − λd, and the slope of c² = v/d² in α.
type cut struct {
	alpha, lambda, d, v, slope float64
}

// farCut is where the Mills ratio is taken from its continued fraction.
const farCut = 5

func newCut(alpha float64) cut {
	c := cut{alpha: alpha}
	if alpha < farCut {
		c.lambda = math.Exp(-alpha*alpha/2) / (math.Sqrt(math.Pi/2) * math.Erfc(alpha/math.Sqrt2))
		c.d = c.lambda - alpha
		c.v = 1 - c.lambda*c.d
		d2 := c.d * c.d
		c.slope = c.lambda*(c.v-d2)/d2 + 2*c.v*c.v/(d2*c.d)
		return c
	}
	// d = 1/K_2 with K_j = α + j/K_{j+1}; then c² = 2 K_2/K_3 − 1. Nothing cancels.
	k, dk := alpha, 1.0
	k3, dk3 := k, dk
	for j := 12 + int(400/(alpha*alpha)); j >= 2; j-- {
		k3, dk3 = k, dk
		k, dk = alpha+float64(j)/k, 1-float64(j)*dk/(k*k)
	}
	c.d = 1 / k
	c.lambda = alpha + c.d
	c.v = 2/(k*k3) - c.d*c.d
	c.slope = 2 * (dk - k/k3*dk3) / k3
	return c
}

// tail returns p = Φ(−y)/Φ(−α) for y = α + θd, and its derivatives in θ and c².
func (c *cut) tail(th float64) (p, dth, dc float64) {
	y := c.alpha + th*c.d
	var hazard float64 // φ(y)/Φ(−α)
	if c.alpha < farCut {
		rest := math.Erfc(c.alpha / math.Sqrt2)
		hazard = math.Exp(-y*y/2) * math.Sqrt(2/math.Pi) / rest
		if y < 20 {
			p = math.Erfc(y/math.Sqrt2) / rest
			return p, -hazard * c.d, (p*c.lambda - hazard*(1-th*c.v)) / c.slope
		}
	} else {
		hazard = c.lambda * math.Exp(-th*c.d*(c.alpha+th*c.d/2))
	}
	at := newCut(y)
	p = hazard / at.lambda
	// λ(α)/λ(y) − 1, without cancellation.
	rise := (c.d - at.d - th*c.d) / at.lambda
	return p, -hazard * c.d, hazard * (rise + th*c.v) / c.slope
}

// cutAt finds the cut with the given c² in (0, 1) by Newton's method on ln c², which
// rises with α: c² ≈ 1/α² for α → −∞ and 1 − 2/α² for α → ∞.
func cutAt(c2 float64) cut {
	var alpha float64
	switch {
	case c2 < 0.4:
		alpha = -1 / math.Sqrt(c2)
	default:
		alpha = math.Sqrt(2/(1-c2)) - 3.2
	}
	c := newCut(alpha)
	for range 60 {
		have := c.v / (c.d * c.d)
		step := math.Log(c2/have) * have / c.slope
		step = math.Max(-2-math.Abs(alpha)/2, math.Min(step, 2+math.Abs(alpha)/2))
		alpha += step
		c = newCut(alpha)
		if math.Abs(step) <= 1e-13*(1+math.Abs(alpha)) {
			break
		}
	}
	return c
}
