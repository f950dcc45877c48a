package des

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// random is one stream of random numbers.
type random struct {
	src *rand.PCG
	r   *rand.Rand
}

func newRandom(seed, run uint64) random {
	src := rand.NewPCG(seed, run)
	return random{src, rand.New(src)}
}

func (r random) uniform() float64 { return float64(r.src.Uint64()>>11) * 0x1p-53 }

func (r random) exp() float64 { return r.r.ExpFloat64() }

// whole returns an integer with mean x: x rounded up or down at random.
func (r random) whole(x float64) int {
	n := math.Floor(x)
	if x > n && r.uniform() < x-n {
		n++
	}
	return int(n)
}

// below returns an integer in 0…n−1.
func (r random) below(n int) int {
	hi, _ := bits.Mul64(r.src.Uint64(), uint64(n))
	return int(hi)
}

// gamma draws from the Gamma law of a shape > 0 and scale 1 (Marsaglia and Tsang 2000,
// doi 10.1145/358407.358414).
func (r random) gamma(shape float64) float64 {
	if shape < 1 {
		return r.gamma(shape+1) * math.Exp(-r.exp()/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-r.uniform()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// poisson draws from the Poisson law by its exponential gaps for small means, and by the
// normal law, whose error is far below the noise, for large ones.
func (r random) poisson(mean float64) int {
	if mean > 1000 {
		return int(max(0, math.Round(mean+math.Sqrt(mean)*r.r.NormFloat64())))
	}
	n := 0
	for t := r.exp(); t < mean; t += r.exp() {
		n++
	}
	return n
}

// law is a law of positive numbers with mean 1, given by its squared coefficient of
// variation: constant, exponential or Gamma.
type law struct{ scv float64 }

func (l law) draw(r random) float64 {
	switch l.scv {
	case 1:
		return r.exp()
	case 0:
		return 1
	}
	return r.gamma(1/l.scv) * l.scv
}

// alias draws an index from any discrete law with one random number (Walker 1977, in
// the form of Vose 1991, doi 10.1109/32.92917). Probabilities are exact to 2⁻³² of the mean one.
type alias []struct{ keep, other uint32 }

func newAlias(weights []float64) alias {
	n, sum := len(weights), 0.0
	for _, w := range weights {
		sum += w
	}
	a := make(alias, n)
	share := make([]float64, n)
	var small, large []uint32
	for i, w := range weights {
		share[i] = w / sum * float64(n)
		if share[i] < 1 {
			small = append(small, uint32(i))
		} else {
			large = append(large, uint32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a[s].keep, a[s].other = uint32(share[s]*0x1p32), l
		share[l] -= 1 - share[s]
		if share[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) {
		a[i].keep, a[i].other = math.MaxUint32, i
	}
	return a
}

func (a alias) draw(r random) uint32 {
	hi, lo := bits.Mul64(r.src.Uint64(), uint64(len(a)))
	if e := a[hi]; uint32(lo>>32) >= e.keep {
		return e.other
	}
	return uint32(hi)
}
