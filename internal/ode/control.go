package ode

import "math"

// A controller chooses step sizes: the predictive controller of Gustafsson (ACM
// TOMS 20, 496, 1994) in the form of Hairer & Wanner II, section IV.8.
type controller struct {
	invOrder float64 // 1 over the order of the error estimate, plus 1

	hPrev, logPrev float64 // size and log error of the step accepted last; hPrev 0: none
	rejected       bool    // the last try was rejected
}

const (
	safety    = 0.9
	maxGrow   = 6.0
	maxShrink = 0.2
	// failShrink is the factor after a failure that has no error estimate.
	failShrink = 0.25
	// minLogErr keeps one very accurate step from distorting the prediction.
	minLogErr = -4.605170185988091 // log 0.01
)

// restart forgets the past: there is a discontinuity.
func (c *controller) restart() { c.hPrev, c.rejected = 0, false }

// accept returns the next step size after a step of size h with error estimate err.
func (c *controller) accept(h, err float64) float64 {
	logErr := math.Log(max(err, 1e-12))
	factor := safety * math.Exp(-logErr*c.invOrder)
	if c.hPrev > 0 {
		factor = min(factor, safety*h/c.hPrev*math.Exp((c.logPrev-2*logErr)*c.invOrder))
	}
	factor = min(maxGrow, max(maxShrink, factor))
	if c.rejected {
		factor = min(factor, 1)
	}
	c.hPrev, c.logPrev, c.rejected = h, max(logErr, minLogErr), false
	return h * factor
}

// reject returns the step size to try after one of size h with an estimate above 1.
func (c *controller) reject(h, err float64) float64 {
	c.rejected = true
	if c.hPrev == 0 && err > 100 {
		return h * maxShrink / 2 // nothing is known of the scale yet
	}
	return h * min(safety, max(maxShrink, safety*math.Exp(-math.Log(err)*c.invOrder)))
}

// fail returns the step size to try after one of size h that gave no estimate.
func (c *controller) fail(h float64) float64 {
	c.rejected = true
	return h * failShrink
}

// initialStep estimates a first step from (t, y), f0 and one Euler step: Hairer,
// Nørsett & Wanner I, section II.4. Algebraic components, whose derivatives f does
// not give, are left as they are.
func (s *stepper) initialStep(t, hmax float64) float64 {
	rate, change := s.u[0], s.u[1]
	copy(rate, s.f0)
	for _, k := range s.algebraic {
		rate[k] = 0
	}
	d0, d1 := s.norm(s.y, s.y), s.norm(rate, s.y)
	h0 := 0.01 * d0 / d1
	if !(d0 > 1e-5 && d1 > 1e-5) {
		h0 = 1e-6
	}
	h0 = min(h0, hmax)
	lincomb(s.arg, s.y, []float64{h0}, s.u[:1])
	s.p.Eval(change, t+h0, s.arg)
	s.stats.Evals++
	for k := range change {
		change[k] -= rate[k]
	}
	for _, k := range s.algebraic {
		change[k] = 0
	}
	d2 := s.norm(change, s.y) / h0
	h1 := math.Pow(0.01/max(d1, d2), 1/float64(s.tb.order))
	if max(d1, d2) <= 1e-15 {
		h1 = max(1e-6, h0*1e-3)
	}
	if h := min(100*h0, h1, hmax); h > 0 {
		return h
	}
	return h0
}
