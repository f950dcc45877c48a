package special

import "math"

// integrateShards is the integral for strong coupling, where Φ(s)^v is a step
// in z: by parts, ok is the mean of Φ(t), t = (h − √(1−r) s)/√r, over the
// largest s of v shards, whose density is v Φ(s)^{v−1} φ(s).
func (c *coupling) integrateShards(t *sums, grad bool) {
	a := 0.3 + c.logV
	b := levelStep * levelStep * (1 - c.r) / c.r
	h := 0.85 * levelStep / math.Sqrt(b+levelStep*levelStep*(1.45*1.45+a*a))
	lo := max(logPhiMin, c.vanish(depth)-1)
	hi := max(tailPoint(c.logV+depth), c.h*c.sqrtQ+reach)
	for j := math.Ceil(lo / h); j*h < hi; j++ {
		s := j * h
		x := (c.h - c.sqrtQ*s) / c.sqrtR
		l := logPhi(s)
		up, down := tails(x)
		e := h * invSqrt2Pi * fastExp((c.v-1)*l-s*s/2) // step · Φ(s)^{v−1} φ(s)
		t.ok += c.v * e * up
		t.fail += c.v * e * down
		if !grad {
			continue
		}
		// As sums over z, dz = (√(1−r)/√r) ds and φ(z) = φ(x).
		w := density(x) * c.sqrtQ / c.sqrtR
		t.d += w * e
		t.dd += w * e * density(s) * math.Exp(-l)
		t.dv += w * h * fastExp(c.v*l) * l
	}
}

// logPhi returns ln Φ(s), s ≥ logPhiMin.
func logPhi(s float64) float64 {
	if s > logPhiMax {
		return -upperTail(s)
	}
	return logPhiTable.at(s)
}

// tails returns Φ(x) and 1 − Φ(x), each with its relative accuracy for x > 0.
func tails(x float64) (up, down float64) {
	switch {
	case x > logPhiMax:
		down = upperTail(x)
		return 1 - down, down
	case x < logPhiMin:
		return 0, 1
	}
	a, p := expParts(logPhiTable.at(x))
	return a + a*p, (1 - a) - a*p
}
