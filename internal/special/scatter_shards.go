package special

import "math"

// integrateShards is the integral for strong coupling, where Φ(s)^v is a step
// in z: by parts, ok is the mean of Φ(t), t = (h − √(1−r) s)/√r, over the
// largest s of v shards, whose density is v Φ(s)^{v−1} φ(s).
func (c *coupling) integrateShards(t *sums) {
	a := 0.3 + c.logV
	b := levelStep * levelStep * (1 - c.r) / c.r
	h := 0.85 * levelStep / math.Sqrt(b+levelStep*levelStep*(1.45*1.45+a*a))
	lo := max(logPhiMin, c.vanish(depth)-1)
	hi := max(tailPoint(c.logV+depth), c.h*c.sqrtQ+reach)
	for j := math.Ceil(lo / h); j*h < hi; j++ {
		s := j * h
		l := -upperTail(math.Abs(s)) // ln Φ(s)
		if s < logPhiMax {
			l = logPhiTable.at(s)
		}
		d := density(s) * math.Exp(-l) // (ln Φ)′
		x := (c.h - c.sqrtQ*s) / c.sqrtR
		e := h * math.Exp(c.v*l) // step · Φ(s)^v
		tail := upperTail(math.Abs(x))
		up, down := 1-tail, tail
		if x < 0 {
			up, down = tail, 1-tail
		}
		t.ok += c.v * e * d * up
		t.fail += c.v * e * d * down
		// As sums over z, dz = (√(1−r)/√r) ds and φ(z) = φ(x).
		e *= density(x) * c.sqrtQ / c.sqrtR
		t.d += e * d
		t.zd -= e * d * x
		t.dd += e * d * d
		t.dv += e * l
	}
}
