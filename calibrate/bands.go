package calibrate

import (
	"math/rand/v2"
	"slices"
)

// A Band is what a channel would show, at each of its places, for the parameters of the
// posterior.
type Band struct {
	Median       []float64 // of the predicted value, in the unit of the channel
	Lo, Hi       []float64 // of the predicted value
	LoMeasured   []float64 // of a measured one, with its noise
	HiMeasured   []float64
	Confidence   float64 // that Lo to Hi and LoMeasured to HiMeasured each have, 0 to 1
	InsideNoises float64 // share of the measured values that lie in LoMeasured to HiMeasured
}

// Interval returns the interval of a parameter with equal tails.
func (p *Posterior) Interval(param int, confidence float64) (lo, median, hi float64) {
	v := make([]float64, len(p.Draws))
	for i, d := range p.Draws {
		v[i] = d[param]
	}
	slices.Sort(v)
	return quantile(v, (1-confidence)/2), quantile(v, 0.5), quantile(v, (1+confidence)/2)
}

// quantile of sorted values, by linear interpolation between the nearest two.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-2)
	if i < 0 {
		return sorted[0]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Bands returns the posterior predictive of each channel, at a confidence such as 0.9,
// from at most most draws. It fails with ErrInterrupted.
func (p *Posterior) Bands(confidence float64, most int, seed uint64) ([]Band, error) {
	e := p.f.e
	stride := max(1, len(p.Draws)/most)
	var us [][]float64
	var scales [][]float64
	for i := 0; i < len(p.Draws); i += stride {
		if u, err := e.units(p.Draws[i]); err == nil {
			us, scales = append(us, u), append(scales, p.Scales[i])
		}
	}
	ms := e.batch(us)
	if e.interrupted() {
		return nil, ErrInterrupted
	}
	r := rand.New(rand.NewPCG(seed, 0))
	var bands []Band
	at := 0
	for c := range e.laws {
		n := len(p.f.Problem.Channels[c].Y)
		b := Band{Confidence: confidence}
		for i := range n {
			b.add(&e.laws[c], c, at+i, ms, scales, r)
			if y := p.f.Problem.Channels[c].Y[i]; y >= b.LoMeasured[i] && y <= b.HiMeasured[i] {
				b.InsideNoises += 1 / float64(n)
			}
		}
		at += n
		bands = append(bands, b)
	}
	return bands, nil
}

// add appends the band of one measured value.
func (b *Band) add(l *law, c, at int, ms, scales [][]float64, r *rand.Rand) {
	var pure, noisy []float64
	for k, m := range ms {
		if m == nil {
			continue
		}
		chi2 := 0.0
		for range tDF {
			z := r.NormFloat64()
			chi2 += z * z
		}
		pure = append(pure, m[at])
		noisy = append(noisy, l.draw(m[at], scales[k][c], r.NormFloat64(), chi2))
	}
	slices.Sort(pure)
	slices.Sort(noisy)
	lo, hi := (1-b.Confidence)/2, (1+b.Confidence)/2
	b.Median = append(b.Median, quantile(pure, 0.5))
	b.Lo, b.Hi = append(b.Lo, quantile(pure, lo)), append(b.Hi, quantile(pure, hi))
	b.LoMeasured, b.HiMeasured = append(b.LoMeasured, quantile(noisy, lo)), append(b.HiMeasured, quantile(noisy, hi))
}
