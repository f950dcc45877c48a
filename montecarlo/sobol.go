package montecarlo

import (
	"fmt"
	"math/bits"
)

// Bits of a coordinate that the direction numbers determine.
const sobolBits = 32

// MaxSobolDim is the largest dimension of a [Sobol] sequence.
const MaxSobolDim = len(directions) + 1

// Sobol is a Sobol' sequence in the unit cube with the direction numbers of Joe and Kuo
// 2008 (doi:10.1137/070709359), plain or with the digits scrambled. It does not change
// and may be shared.
type Sobol struct {
	v         [][sobolBits]uint32 // per dimension, direction numbers, top bit first
	scrambled bool
	key       []uint64 // per dimension
}

// NewSobol returns the plain sequence of the dimension, 1 to MaxSobolDim.
func NewSobol(dim int) (*Sobol, error) {
	if dim < 1 || dim > MaxSobolDim {
		return nil, fmt.Errorf("montecarlo: a Sobol sequence of dimension %d, want 1 to %d", dim, MaxSobolDim)
	}
	s := &Sobol{v: make([][sobolBits]uint32, dim)}
	for k := range sobolBits {
		s.v[0][k] = 1 << (sobolBits - 1 - k) // van der Corput
	}
	for j := 1; j < dim; j++ {
		s.v[j] = directionNumbers(directions[j-1].poly, directions[j-1].m)
	}
	return s, nil
}

// directionNumbers extends the first direction integers by the recurrence of the
// polynomial (Bratley and Fox 1988, doi:10.1145/42288.214372, equation 2).
func directionNumbers(poly uint32, m []uint32) (v [sobolBits]uint32) {
	degree := len(m)
	for k := range sobolBits {
		if k < degree {
			v[k] = m[k] << (sobolBits - 1 - k)
			continue
		}
		x := v[k-degree] ^ v[k-degree]>>degree
		for i := 1; i < degree; i++ {
			if poly>>(degree-i)&1 == 1 {
				x ^= v[k-i]
			}
		}
		v[k] = x
	}
	return v
}

// Scramble returns the sequence with nested uniform scrambling (Owen 1995,
// doi:10.1007/978-1-4612-2552-2_19): each digit is flipped by a random bit that belongs
// to the digits before it. Each point is then uniform in the open unit cube, any
// first 2^k of them remain a net, and means over different seeds are unbiased.
func (s *Sobol) Scramble(seed uint64) *Sobol {
	c := &Sobol{v: s.v, scrambled: true, key: make([]uint64, len(s.v))}
	for j := range c.key {
		c.key[j] = mix(mix(seed) ^ uint64(j))
	}
	return c
}

// At stores point i of the sequence in dst, as long as the dimension, in the order of Gray codes.
func (s *Sobol) At(dst []float64, i uint32) {
	gray := i ^ i>>1
	for j := range s.v {
		var x uint32
		for g := gray; g != 0; g &= g - 1 {
			x ^= s.v[j][bits.TrailingZeros32(g)]
		}
		if !s.scrambled {
			dst[j] = float64(x) / (1 << sobolBits)
			continue
		}
		dst[j] = scramble(x, s.key[j])
	}
}

// scramble flips the digits of x and adds random ones below them.
func scramble(x uint32, key uint64) float64 {
	y := x
	for k := range sobolBits {
		before := uint64(x)>>(sobolBits-k)<<6 | uint64(k) // the k digits above, and how many
		y ^= uint32(mix(key^mix(before))>>63) << (sobolBits - 1 - k)
	}
	const below = 20 // with one half in the last place: never 0 or 1
	rest := mix(key^mix(uint64(x)<<6|sobolBits)) >> (64 - below)
	return (float64(uint64(y)<<below|rest) + 0.5) / (1 << (sobolBits + below))
}
