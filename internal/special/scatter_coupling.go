package special

import "math"

// A coupling is one evaluation of G: with s = c0 + c1 z the integrand is
// φ(z) Φ(s)^v.
type coupling struct {
	f, r, v float64
	h       float64 // Φ⁻¹(1 − f)
	logV    float64
	sqrtR   float64 // √r
	sqrtQ   float64 // √(1 − r)
	c0, c1  float64
	rare    bool // fail is summed, else ok
}

func newCoupling(f, up, r, v float64) coupling {
	c := coupling{f: f, r: r, v: v, h: -failQuantile(f, up), logV: math.Log(v), rare: v*f < 0.5}
	c.sqrtR, c.sqrtQ = math.Sqrt(r), math.Sqrt(1-r)
	c.c0, c.c1 = c.h/c.sqrtQ, c.sqrtR/c.sqrtQ
	return c
}

// sums are the sums of a rule, E = Φ(s)^v and D = (ln Φ)′(s).
type sums struct {
	ok, fail float64 // Σ w E, Σ w (1 − E)
	d        float64 // Σ w E D
	dd       float64 // Σ w E D²
	dv       float64 // Σ w E ln Φ
}

// shares returns ok and fail from the sum that keeps its relative accuracy.
func (c *coupling) shares(t *sums) (ok, fail float64) {
	if c.rare {
		return 1 - t.fail, t.fail
	}
	return t.ok, 1 - t.ok
}

// slopeF is ∂G/∂f.
func (c *coupling) slopeF(t *sums) float64 { return -c.v * t.d / (c.sqrtQ * density(c.h)) }

// slopeR is ∂G/∂r of the exact integral. By parts (Plackett 1954) it has no
// cancelling terms: v(v−1)/(2(1−r)) ∫ φ(z) Φ(s)^{v−2} φ(s)² dz.
func (c *coupling) slopeR(t *sums) float64 { return c.v * (c.v - 1) / (2 * (1 - c.r)) * t.dd }

// reach is how many standard deviations a window covers: beyond, Φ is 7e−15.
const reach = 7.7

// median is about the z where Φ(s)^v = ½.
func (c *coupling) median() float64 { return (tailPoint(c.logV+0.37) - c.c0) / c.c1 }

// window returns the z that matter, and the s outside which Φ(s)^v is 0 or 1.
func (c *coupling) window() (lo, hi, zero, one float64) {
	if c.rare {
		lo, hi = c.windowRare()
		return lo, hi, c.vanish(depth), logPhiMax
	}
	peak, below := max(0, c.median()), depth
	if peak > 0 {
		// The integrand peaks at z = v c1 D(s), D < 0.8 + |s|; it is above its
		// values at the median and at 0.
		below += min(peak*peak/2+1, -c.v*logPhiTable.at(max(logPhiMin, min(c.c0, logPhiMax))), levelReach*levelReach/2)
		peak = min(peak, c.v*c.c1*(0.8+max(0, -c.c0)))
	}
	zero = c.vanish(below)
	return max(-reach, (zero-c.c0)/c.c1), peak + reach, zero, tailPoint(c.logV + depth)
}

// depth is the exponent by which a Φ^v or a 1 − Φ^v is left out.
const depth = 34.0

// windowRare is the window of φ(z)(1 − Φ(s)^v), whose integral is at least f.
func (c *coupling) windowRare() (lo, hi float64) {
	// For s > 0, φ(z)(1 − Φ(s)) is at most a normal density of mean −√r h and
	// variance 1 − r, and φ(z)φ(s)², which ∂G/∂r needs, is one of mean
	// −2√r h/(1+r) and variance (1−r)/(1+r).
	mean, k := -c.sqrtR*c.h, 1/(1+c.r)
	hi = max(mean, c.median()) + reach*c.sqrtQ
	lo = mean - reach*c.sqrtQ
	if c.c0+c.c1*lo < 0 { // φ(z) alone falls below f ≈ φ(h)
		lo = -math.Sqrt(reach*reach + c.h*c.h + 4)
	}
	return min(lo, 2*mean*k-reach*c.sqrtQ*math.Sqrt(k)), hi
}

// vanish returns an s below which Φ(s)^v < e^{−depth}.
func (c *coupling) vanish(depth float64) float64 {
	if q := depth / c.v; q > math.Ln2 {
		return max(logPhiMin, -tailPoint(q))
	}
	return tailPoint(c.logV - math.Log(depth))
}

// tailPoint returns s with ln(1 − Φ(s)) = −l to 3e−3, or 0 where l < ln 2
// (Hastings 1955; Abramowitz and Stegun 26.2.22).
func tailPoint(l float64) float64 {
	if l < math.Ln2 {
		return 0
	}
	t := math.Sqrt(2 * l)
	return t - (2.30753+0.27061*t)/(1+t*(0.99229+0.04481*t))
}
