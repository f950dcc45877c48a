package special

import "math"

// block is how many nodes are summed at a time: first all their logarithms,
// then all their exponentials, so that a processor overlaps the nodes.
const block = 16

// sum adds the nodes to t.ok and t.fail and, for the gradient, to all of t.
func (c *coupling) sum(t *sums, z, w []float64, grad bool) {
	for len(w) > 0 {
		n := min(block, len(w))
		if grad {
			c.addGrad(t, z[:n], w[:n])
		} else {
			c.add(t, z[:n], w[:n])
		}
		z, w = z[n:], w[n:]
	}
}

// add adds up to block nodes to t.ok and t.fail.
func (c *coupling) add(t *sums, z, w []float64) {
	var x [block]float64
	y0, y1 := (c.c0-logPhiMin)*logPhiScale, c.c1*logPhiScale
	pieces := logPhiTable.pieces
	for i, zi := range z {
		y := y0 + y1*zi
		k := y + rounder
		var l float64
		if n := uint32(math.Float64bits(k)); n < uint32(len(pieces)) {
			l = pieces[n].at(y - (k - rounder))
		} else {
			l, _ = c.outside(zi)
		}
		l *= c.v
		if l < expMin {
			l = expMin
		}
		x[i%block] = l
	}
	ok, fail := t.ok, t.fail
	for i, wi := range w {
		a, p := expParts(x[i%block])
		a *= wi
		p *= a
		ok += a + p
		fail += (wi - a) - p
	}
	t.ok, t.fail = ok, fail
}

// addGrad adds up to block nodes to all of t.
func (c *coupling) addGrad(t *sums, z, w []float64) {
	var ls, ds [block]float64
	y0, y1 := (c.c0-logPhiMin)*logPhiScale, c.c1*logPhiScale
	pieces := logPhiTable.pieces
	for i, zi := range z {
		y := y0 + y1*zi
		k := y + rounder
		if n := uint32(math.Float64bits(k)); n < uint32(len(pieces)) {
			u := y - (k - rounder)
			ls[i%block], ds[i%block] = pieces[n].at(u), logPhiScale*pieces[n].slope(u)
		} else {
			ls[i%block], ds[i%block] = c.outside(zi)
		}
	}
	g := *t
	for i, wi := range w {
		l, d := ls[i%block], ds[i%block]
		x := c.v * l
		if x < expMin {
			x = expMin
		}
		a, p := expParts(x)
		a *= wi
		p *= a
		e := a + p
		g.ok += e
		g.fail += (wi - a) - p
		g.dv += e * l
		e *= d
		g.d += e
		g.dd += e * d
	}
	*t = g
}

// outside returns ln Φ(s) and its derivative where they are not in the table.
func (c *coupling) outside(z float64) (l, d float64) {
	s := c.c0 + c.c1*z
	switch {
	case s < 0: // Φ^v = 0
		return expMin, 0
	case !c.rare: // Φ^v = 1
		return 0, 0
	}
	return -upperTail(s), density(s)
}
