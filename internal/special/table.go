package special

import "math"

// degree of the pieces of a table.
const degree = 7

// A piece is a polynomial in u in [−½, ½], lowest power first.
type piece [degree + 1]float64

// A table is a smooth function as equally wide polynomial pieces, centred on
// lo, lo + 1/scale, …. Tables are computed once, when the package is loaded, by
// interpolation in Chebyshev points, and only read afterwards.
type table struct {
	lo, scale float64
	pieces    []piece
}

// newTable tabulates f on [lo, hi]; f is asked half a piece beyond.
func newTable(lo, hi, scale float64, f func(float64) float64) table {
	n := int(math.Round((hi-lo)*scale)) + 1
	t := table{lo: lo, scale: scale, pieces: make([]piece, n)}
	for i := range t.pieces {
		t.pieces[i] = interpolate(func(u float64) float64 { return f(lo + (float64(i)+u)/scale) })
	}
	return t
}

// interpolate returns the polynomial through f at the Chebyshev points, and so
// nearly the best one.
func interpolate(f func(float64) float64) (p piece) {
	const n = degree + 1
	var y [n]float64
	for k := range y {
		y[k] = f(chebyshev[1][k] / 2)
	}
	// Powers of T_j(2u) by the three-term recurrence.
	prev, cur := piece{}, piece{1}
	for j := range n {
		var c float64
		for k := range y {
			c += y[k] * chebyshev[j][k]
		}
		c *= 2.0 / n
		if j == 0 {
			c /= 2
		}
		var next piece
		for i := range degree {
			p[i] += c * cur[i]
			next[i+1] = 4 * cur[i]
		}
		p[degree] += c * cur[degree]
		for i := range next {
			next[i] -= prev[i]
		}
		if j == 0 {
			next[1] = 2
		}
		prev, cur = cur, next
	}
	return p
}

// chebyshev[j][k] is T_j at the k-th Chebyshev point.
var chebyshev = func() (t [degree + 1][degree + 1]float64) {
	for j := range t {
		for k := range t {
			t[j][k] = math.Cos(float64(j) * math.Pi * (float64(k) + 0.5) / (degree + 1))
		}
	}
	return t
}()

// rounder rounds to a whole number: the sum with it has that in its low bits.
const rounder = 0x1.8p52

// at returns the value at x, which must lie in [lo, hi].
func (t *table) at(x float64) float64 {
	y := (x - t.lo) * t.scale
	k := y + rounder
	return t.pieces[uint32(math.Float64bits(k))].at(y - (k - rounder))
}

// grad returns the value and the derivative at x.
func (t *table) grad(x float64) (f, df float64) {
	y := (x - t.lo) * t.scale
	k := y + rounder
	p, u := &t.pieces[uint32(math.Float64bits(k))], y-(k-rounder)
	return p.at(u), t.scale * p.slope(u)
}

// at evaluates the polynomial in the order of Estrin, which keeps the chain of
// dependent operations short.
func (c *piece) at(u float64) float64 {
	u2 := u * u
	return c[0] + c[1]*u + (c[2]+c[3]*u)*u2 + (c[4]+c[5]*u+(c[6]+c[7]*u)*u2)*(u2*u2)
}

// slope returns the derivative of the polynomial by u.
func (c *piece) slope(u float64) float64 {
	u2 := u * u
	return c[1] + 2*c[2]*u + (3*c[3]+4*c[4]*u)*u2 + (5*c[5]+6*c[6]*u+7*c[7]*u2)*(u2*u2)
}
