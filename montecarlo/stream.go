package montecarlo

import "math/rand/v2"

// Stream returns the random numbers of run index under a seed. Streams of different
// indices or seeds are independent for all practical purposes: both words that start
// the generator are hashes of both arguments.
func Stream(seed, index uint64) *rand.Rand {
	return rand.New(source(seed, index))
}

func source(seed, index uint64) rand.Source {
	h := mix(mix(seed) ^ index)
	return rand.NewPCG(h, mix(h^seed))
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood 2014,
// doi:10.1145/2660193.2660195): a bijection whose output bits depend on all input bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
