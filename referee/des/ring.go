package des

import "slices"

// points is the number of points of a node on the ring: the share of the keys on a node
// then varies by about 1/√points.
const points = 128

// assign returns the cache node of each key: nodes hold many points each on a ring of hashes,
// and a key belongs to the next point after its own hash (Karger et al. 1997, doi
// 10.1145/258533.258660). A spare that replaces a node takes over its points, so the
// assignment is one of places on the ring and stays.
func assign(keys, nodes int, salt uint64) []uint32 {
	of := make([]uint32, keys)
	if nodes == 1 {
		return of
	}
	type point struct {
		at   uint64
		node uint32
	}
	ring := make([]point, 0, nodes*points)
	for i := range nodes {
		for j := range points {
			ring = append(ring, point{mix(salt ^ mix(uint64(i)<<32|uint64(j))), uint32(i)})
		}
	}
	slices.SortFunc(ring, func(a, b point) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	// The first point at or after the start of each of equal arcs.
	const arcBits = 16
	arcs := make([]int32, 1<<arcBits)
	i := 0
	for a := range arcs {
		for i < len(ring) && ring[i].at < uint64(a)<<(64-arcBits) {
			i++
		}
		arcs[a] = int32(i)
	}
	for k := range of {
		h := mix(salt + mix(uint64(k)+1))
		i := int(arcs[h>>(64-arcBits)])
		for i < len(ring) && ring[i].at < h {
			i++
		}
		if i == len(ring) {
			i = 0
		}
		of[k] = ring[i].node
	}
	return of
}

// mix spreads the bits of x (the finalizer of SplitMix64: Steele, Lea and Flood 2014,
// doi 10.1145/2660193.2660195).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
