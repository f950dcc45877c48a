package special

import "math"

// Shards is [Scatter] for one number of shards: F(s) = 1 − Φ(s)^v is tabulated, so
// that a node of the rule costs one polynomial. It is only read and may be shared.
type Shards struct {
	v, logV   float64
	zero, one float64 // F is 1 below and 0 above, to e^{−shardsDepth}
	fail      table
}

const (
	// shardsDepth is the exponent by which Φ^v and 1 − Φ^v are left out.
	shardsDepth = 37
	// shardsRare is the f below which the general rule takes over: above, no node
	// of the rare window lies beyond shardsMax, √(Φ⁻¹(f)² + reach²).
	shardsRare  = 1e-17
	shardsMax   = 12
	shardsScale = 32
)

// NewShards tabulates for v shards, 1 ≤ v ≤ 1e6.
func NewShards(v float64) *Shards {
	s := &Shards{v: v, logV: math.Log(v)}
	c := coupling{v: v, logV: s.logV}
	s.zero, s.one = c.vanish(shardsDepth), tailPoint(s.logV+shardsDepth)
	s.fail = newTable(s.zero-1./shardsScale, shardsMax, shardsScale, func(x float64) float64 {
		return -math.Expm1(v * logPhi(x))
	})
	return s
}

// Scatter returns what the function of that name does, with the same accuracy of
// fail and an absolute error of ok.
func (s *Shards) Scatter(f, r float64) (ok, fail float64) {
	if f < shardsRare || !(f < 1) || s.v == 1 || !(r >= independent) || r >= 1 {
		return Scatter(f, r, s.v)
	}
	c := newCoupling(f, r, s.v)
	k, found := c.level()
	if !found {
		return Scatter(f, r, s.v)
	}
	l := &levels[k]
	lo, hi := -float64(reach), (s.one-c.c0)/c.c1
	if c.rare {
		lo, hi = c.windowRare()
	}
	from, to := max(l.index(lo), -l.n), min(l.index(min(hi, (shardsMax-c.c0)/c.c1))+1, l.n+1)
	if cut := min(l.index((s.zero-c.c0)/c.c1), l.n+1); cut > from {
		from = cut
		fail = l.tail[l.n-cut+1] // of the nodes below: the rule is even
	}
	if from >= to {
		return max(0, 1-fail), fail
	}
	y0, y1 := (c.c0-s.fail.lo)*s.fail.scale, c.c1*s.fail.scale
	pieces, w := s.fail.pieces, l.w[l.n+from:l.n+to]
	for i, z := range l.z[l.n+from : l.n+to] {
		y := y0 + y1*z
		k := y + rounder
		fail += w[i] * pieces[uint32(math.Float64bits(k))].at(y-(k-rounder))
	}
	return max(0, 1-fail), fail
}
