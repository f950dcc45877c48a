package model

import "math"

// shape is what one request of a class asks of the database as a function of the hit
// probability h of one key, with derivatives d… with respect to h. Nominal work is in
// work units; E[·] is over requests that miss something.
type shape struct {
	h            float64
	miss, dmiss  float64 // P: a request misses something
	calls, dcall float64 // queries that reach one shard per request
	w, dw        float64 // mean nominal work of such a query
	w2, dw2      float64 // its second moment
	ww, dww      float64 // E[w_i w_j] of the queries one request sends to two shards
	v, dv        float64 // shards asked
}

// shapeOf returns the shape at hit probability h of one key.
func (c *class) shapeOf(h float64) (s shape) {
	s.at(h, c)
	return s
}

// at makes s the shape of a class at hit probability h of one key.
//
// With m keys a request misses with probability P = 1 − h^m and fetches k keys:
// all m, or the missing ones, of which there are E[k] = m(1 − h)/P and
// E[k²] = E[k] (h + m(1 − h)).
func (s *shape) at(h float64, c *class) {
	*s = shape{h: h, miss: 1}
	ek, dek, e2, de2 := c.m, 0.0, c.m*c.m, 0.0
	if c.cached {
		below := power(h, c.m-1)
		s.miss, s.dmiss = 1-h*below, -c.m*below
		if c.missing {
			ek, dek = meanMissing(h, c.m, s.miss, s.dmiss)
			g := h + c.m*(1-h)
			e2, de2 = ek*g, dek*g+ek*(1-c.m)
		}
	}
	if c.scatter {
		s.calls, s.dcall = s.miss, s.dmiss
		s.w, s.dw = c.c0+c.c1*ek, c.c1*dek
		s.w2 = c.c0*c.c0 + 2*c.c0*c.c1*ek + c.c1*c.c1*e2
		s.dw2 = 2*c.c0*c.c1*dek + c.c1*c.c1*de2
		s.ww, s.dww = s.w2, s.dw2
		s.v = c.shards
		return
	}
	// keyed: the k keys fall on V different shards.
	n := c.shards
	if n == 1 {
		s.v = 1
	} else {
		miss := math.Log1p(-1 / n)
		left := math.Exp(ek * miss)
		s.v, s.dv = n*(1-left), -n*left*miss*dek
	}
	perCall := n / s.v
	dPer := -perCall / s.v * s.dv
	s.calls, s.dcall = s.miss*s.v/n, (s.dmiss*s.v+s.miss*s.dv)/n
	cost := c.c0 + c.c1
	s.w, s.dw = cost*ek/n*perCall, cost/n*(dek*perCall+ek*dPer)
	pairs, dpairs := (e2-ek)/(n*n), (de2-dek)/(n*n)
	one, done := ek/n, dek/n
	s.ww, s.dww = cost*cost*pairs*perCall, cost*cost*(dpairs*perCall+pairs*dPer)
	s.w2 = cost * cost * (one + pairs) * perCall
	s.dw2 = cost * cost * ((done+dpairs)*perCall + (one+pairs)*dPer)
}

// meanMissing returns E[k | a miss] = m(1 − h)/P and its derivative. Near h = 1 the
// quotient is replaced by its series: 1 + (m − 1)ε/2 + (m² − 1)ε²/12, ε = 1 − h.
func meanMissing(h, m, p, dp float64) (ek, dek float64) {
	e := 1 - h
	if math.Abs(e)*m < 1e-5 {
		return 1 + (m-1)*e/2 + (m*m-1)*e*e/12, -(m-1)/2 - (m*m-1)*e/6
	}
	ek = m * e / p
	return ek, -m/p - ek/p*dp
}

// power is h^e for e ≥ 0; whole exponents are multiplied out, which also extends
// them smoothly below h = 0.
func power(h, e float64) float64 {
	n := int(e)
	if float64(n) != e || n > 1024 {
		return math.Pow(max(h, 0), e)
	}
	r := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r *= h
		}
		h *= h
	}
	return r
}
