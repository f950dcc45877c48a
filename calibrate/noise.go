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

// sd returns the standard deviation at a predicted value, its logarithmic derivatives by
// that value and by the logarithm of the scale. The latter is 1 without a floor, and 0
// where the floor is all there is: such values say nothing of the scale.
func (l *law) sd(m, scale float64) (sd, byValue, byScale float64) {
	v, dv := 1.0, 0.0
	switch l.kind {
	case Relative:
		v, dv = m*m, 2*m
	case Binomial:
		in := min(max(m, 0), 1)
		v = in * (1 - in)
		if in == m {
			dv = 1 - 2*m
		}
	default:
		return scale, 0, 1
	}
	s2, f2 := scale*scale, l.floor*l.floor
	return math.Sqrt(s2*v + f2), s2 * dv / (2 * (s2*v + f2)), s2 * v / (s2*v + f2)
}

// bounded returns the scale inside the range.
func (l *law) bounded(s float64) float64 { return min(max(s, scaleLeast*l.unit), scaleMost*l.unit) }

// fit returns the most likely scale for measured y and predicted m.
func (l *law) fit(y, m []float64) float64 {
	switch {
	case l.scale > 0 || len(y) == 0:
		return max(l.scale, scaleLeast*l.unit)
	case l.kind == Relative || l.kind == Binomial:
		return l.fitFloored(y, m)
	}
	mean := 0.0
	for i := range y {
		mean += (y[i] - m[i]) * (y[i] - m[i]) / float64(len(y))
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

// fitFloored finds where the likelihood no longer rises with the scale, by bisection of
// its logarithm.
func (l *law) fitFloored(y, m []float64) float64 {
	rises := func(log float64) bool {
		sum := 0.0
		for i := range y {
			sd, _, share := l.sd(m[i], math.Exp(log))
			z := (y[i] - m[i]) / sd
			sum += share * (z*z - 1)
		}
		return sum > 0
	}
	lo, hi := math.Log(l.bounded(0)), math.Log(l.bounded(math.Inf(1)))
	for hi-lo > 1e-10 {
		if mid := (lo + hi) / 2; rises(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return l.bounded(math.Exp((lo + hi) / 2))
}

// logLik returns the log-likelihood of a channel, up to a constant.
func (l *law) logLik(y, m []float64, scale float64) float64 {
	sum := 0.0
	for i := range y {
		sd, _, _ := l.sd(m[i], scale)
		z := (y[i] - m[i]) / sd
		if l.kind == Student {
			sum -= (tDF+1)/2.0*math.Log1p(z*z/tDF) + math.Log(sd)
		} else {
			sum -= z*z/2 + math.Log(sd)
		}
	}
	return l.weight * sum
}

// Terms of one value: the derivative of its log-likelihood by the predicted value, and
// Fisher's information about that, about the logarithm of the scale, and about both.
type terms struct{ slope, info, scale, cross float64 }

func (l *law) terms(y, m, scale float64) terms {
	sd, byValue, byScale := l.sd(m, scale)
	z, w := (y-m)/sd, l.weight
	if l.kind == Student {
		return terms{slope: w * (tDF + 1) * z / (tDF + z*z) / sd, info: w * (tDF + 1) / (tDF + 3) / (sd * sd), scale: w * 2 * tDF / (tDF + 3)}
	}
	return terms{
		slope: w * (z/sd + (z*z-1)*byValue), info: w * (1/(sd*sd) + 2*byValue*byValue),
		scale: w * 2 * byScale * byScale, cross: w * 2 * byValue * byScale,
	}
}

// draw returns a measured value for a predicted one, from a standard normal number and,
// for Student noise, a chi-squared one with tDF degrees of freedom.
func (l *law) draw(m, scale, normal, chi2 float64) float64 {
	sd, _, _ := l.sd(m, scale)
	if l.kind == Student {
		normal /= math.Sqrt(chi2 / tDF)
	}
	return m + sd*normal
}
