package calibrate

import "math"

// tDF are the degrees of freedom of Student noise: few enough that outliers weigh little,
// enough that the variance exists (Lange, Little and Taylor 1989,
// doi:10.1080/01621459.1989.10478852).
const tDF = 4

// A law is the noise of a channel with its defaults filled in.
type law struct {
	kind   NoiseKind
	floor  float64
	unit   float64 // of scales
	scale  float64 // given; 0: fitted
	weight float64 // of the channel's likelihood: 1 over the samples that say the same
}

// scaleSpan is the range of scales, in units of the channel: what perfect data give, and
// what a model gives that explains nothing.
const scaleLeast, scaleMost = 1e-8, 1e3

func newLaw(c *Channel) law {
	l := law{kind: c.Noise.Kind, floor: c.Noise.Floor, unit: 1, scale: c.Noise.Scale, weight: 1}
	most := 0.0
	for _, y := range c.Y {
		most = max(most, math.Abs(y))
	}
	if most == 0 {
		most = 1
	}
	switch {
	case l.kind == Gaussian, l.kind == Student:
		l.unit = most
	case l.floor == 0 && l.kind == Relative:
		l.floor = 1e-3 * most
	case l.floor == 0:
		l.floor = 1e-3
	}
	return l
}

// size returns the standard deviation for Scale 1 at a predicted value, and its
// logarithmic derivative.
func (l *law) size(m float64) (w, dlog float64) {
	switch l.kind {
	case Relative:
		v := m*m + l.floor*l.floor
		return math.Sqrt(v), m / v
	case Binomial:
		in := min(max(m, 0), 1)
		v := in*(1-in) + l.floor
		if in != m {
			return math.Sqrt(v), 0
		}
		return math.Sqrt(v), (1 - 2*m) / (2 * v)
	}
	return 1, 0
}

// bounded returns the scale inside the range.
func (l *law) bounded(s float64) float64 { return min(max(s, scaleLeast*l.unit), scaleMost*l.unit) }

// fit returns the most likely scale for measured y and predicted m.
func (l *law) fit(y, m []float64) float64 {
	if l.scale > 0 || len(y) == 0 {
		return max(l.scale, scaleLeast*l.unit)
	}
	mean := 0.0
	for i := range y {
		w, _ := l.size(m[i])
		r := (y[i] - m[i]) / w
		mean += r * r / float64(len(y))
	}
	s := l.bounded(math.Sqrt(mean))
	if l.kind != Student {
		return s
	}
	for range 200 { // expectation and maximisation
		next := 0.0
		for i := range y {
			r := y[i] - m[i]
			next += (tDF + 1) * r * r / (tDF + r*r/(s*s)) / float64(len(y))
		}
		last := s
		s = l.bounded(math.Sqrt(next))
		if math.Abs(s-last) <= 1e-12*s {
			break
		}
	}
	return s
}

// logLik returns the log-likelihood of a channel, by the normal density up to a constant.
func (l *law) logLik(y, m []float64, scale float64) float64 {
	sum := 0.0
	for i := range y {
		w, _ := l.size(m[i])
		z := (y[i] - m[i]) / (scale * w)
		if l.kind == Student {
			sum -= (tDF + 1) / 2.0 * math.Log1p(z*z/tDF)
		} else {
			sum -= z*z/2 + math.Log(w)
		}
	}
	return l.weight * (sum - float64(len(y))*math.Log(scale))
}

// terms returns, for one value, the derivative of the log-likelihood by m, and Fisher's
// information about m and about m with the logarithm of the scale.
func (l *law) terms(y, m, scale float64) (slope, info, cross float64) {
	w, dlog := l.size(m)
	sd := scale * w
	z := (y - m) / sd
	if l.kind == Student {
		return l.weight * (tDF + 1) * z / (tDF + z*z) / sd, l.weight * (tDF + 1) / (tDF + 3) / (sd * sd), 0
	}
	return l.weight * (z/sd + (z*z-1)*dlog), l.weight * (1/(sd*sd) + 2*dlog*dlog), l.weight * 2 * dlog
}

// scaleInfo is Fisher's information of a value about the logarithm of the scale.
func (l *law) scaleInfo() float64 {
	if l.kind == Student {
		return l.weight * 2 * tDF / (tDF + 3)
	}
	return l.weight * 2
}

// draw returns a measured value for a predicted one, from a standard normal number and,
// for Student noise, a chi-squared one with tDF degrees of freedom.
func (l *law) draw(m, scale, normal, chi2 float64) float64 {
	w, _ := l.size(m)
	if l.kind == Student {
		normal /= math.Sqrt(chi2 / tDF)
	}
	return m + scale*w*normal
}
