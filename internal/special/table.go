package special

import "math"

// degree of the pieces of a table.
const degree = 9

// A piece is a polynomial in u in [−1, 1], lowest power first.
type piece [degree + 1]float64

// A table is a smooth function on [lo, hi] as equally wide polynomial pieces.
// Tables are computed once, when the package is loaded, by interpolation in
// Chebyshev points, and only read afterwards.
type table struct {
	lo, scale float64 // piece = int((x − lo)·scale)
	pieces    []piece
}

// newTable tabulates f on [lo, hi].
func newTable(lo, hi float64, pieces int, f func(float64) float64) table {
	t := table{lo: lo, scale: float64(pieces) / (hi - lo), pieces: make([]piece, pieces)}
	half := (hi - lo) / float64(pieces) / 2
	for i := range t.pieces {
		mid := lo + (2*float64(i)+1)*half
		t.pieces[i] = interpolate(func(u float64) float64 { return f(mid + half*u) })
	}
	return t
}

// interpolate returns the polynomial through f at the Chebyshev points.
func interpolate(f func(float64) float64) piece {
	const n = degree + 1
	var p piece
	var cheb [n]float64
	for k := range n {
		theta := math.Pi * (float64(k) + 0.5) / n
		y := f(math.Cos(theta))
		for j := range cheb {
			cheb[j] += 2.0 / n * y * math.Cos(float64(j)*theta)
		}
	}
	cheb[0] /= 2
	// Powers of T_j by the three-term recurrence.
	prev, cur := piece{}, piece{1}
	for j := range n {
		for i := range p {
			p[i] += cheb[j] * cur[i]
		}
		next := piece{}
		for i := range degree {
			next[i+1] = 2 * cur[i]
		}
		for i := range next {
			next[i] -= prev[i]
		}
		if j == 0 {
			next[1] = 1
		}
		prev, cur = cur, next
	}
	return p
}

// at returns the value at x, which must lie in [lo, hi).
func (t *table) at(x float64) float64 {
	y := (x - t.lo) * t.scale
	i := int(y)
	return t.pieces[i].at(2*(y-float64(i)) - 1)
}

// grad returns the value and the derivative at x.
func (t *table) grad(x float64) (f, df float64) {
	y := (x - t.lo) * t.scale
	i := int(y)
	f, df = t.pieces[i].grad(2*(y-float64(i)) - 1)
	return f, 2 * t.scale * df
}

// at evaluates the polynomial in the order of Estrin, which keeps the chain of
// dependent operations short.
func (c *piece) at(u float64) float64 {
	u2 := u * u
	u4 := u2 * u2
	lo := c[0] + c[1]*u + (c[2]+c[3]*u)*u2
	hi := c[4] + c[5]*u + (c[6]+c[7]*u)*u2
	return lo + (hi+(c[8]+c[9]*u)*u4)*u4
}

// grad returns the polynomial and its derivative by u.
func (c *piece) grad(u float64) (f, df float64) {
	u2 := u * u
	u4 := u2 * u2
	lo := c[1] + 2*c[2]*u + (3*c[3]+4*c[4]*u)*u2
	hi := 5*c[5] + 6*c[6]*u + (7*c[7]+8*c[8]*u)*u2
	return c.at(u), lo + (hi+9*c[9]*u4)*u4
}
