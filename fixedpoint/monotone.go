package fixedpoint

import (
	"fmt"
	"math"
	"slices"
)

// A Monotone is a continuous map G on a box whose values over a sub-box can be bounded. Sought
// are its fixed points x = G(x), or its zeros. Exactly one of three ways gives the bounds:
//
//   - Map with Sign, where the sign of every partial derivative is known: the extremes
//     over a box are at corners;
//   - Mixed, a decomposition G(x) = g(x, x) with g increasing in its first and
//     decreasing in its second argument (mixed-monotone map: Coogan & Arcak, HSCC 2015);
//   - Bound, an interval extension of one's own.
//
// Values are widened by the stated error of evaluation, then outward to the next float.
type Monotone struct {
	// Dim is the number n of unknowns.
	Dim int

	// Zeros: sought are the solutions of G(x) = 0 instead.
	Zeros bool

	// Map stores G(x) in dst. Sign[i][j] is the sign of ∂G_i/∂x_j everywhere in the
	// region: +1, −1, or 0 where G_i does not depend on x_j. (It may also vanish in places.)
	Map  func(dst, x []float64)
	Sign [][]int8

	// Mixed stores g(up, down) in dst.
	Mixed func(dst, up, down []float64)

	// Bound stores bounds of G over the box [lo, hi] in dstLo and dstHi. They tighten to
	// G(x) as the box shrinks to x.
	Bound func(dstLo, dstHi, lo, hi []float64)

	// Point, if not nil, stores G(x) in dst: beside Mixed or Bound, of which it takes one or two
	// evaluations, where no bounds are needed.
	Point func(dst, x []float64)

	// Slope, if not nil, stores bounds of ∂G_i/∂x_j over the box [lo, hi] in dstLo[i*n+j] and
	// dstHi[i*n+j]. With it boxes are decided sooner, and uniqueness is proved. An
	// element that is not finite says that the bound is not known there.
	Slope func(dstLo, dstHi, lo, hi []float64)

	// Err bounds the error of each computed value, or bound, relative to it, by rounding and
	// whatever Map approximates; proofs hold as far as it does. ErrAbs is an absolute
	// error on top of that. Defaults: Err 1e-14 if both are 0.
	Err, ErrAbs float64
}

func (m *Monotone) check() error {
	n := m.Dim
	if n < 1 {
		return fmt.Errorf("fixedpoint: Dim %d is not positive", n)
	}
	ways := 0
	for _, given := range []bool{m.Map != nil, m.Mixed != nil, m.Bound != nil} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return fmt.Errorf("fixedpoint: %d of Map, Mixed and Bound given, want one", ways)
	}
	if (m.Map != nil) != (m.Sign != nil) {
		return fmt.Errorf("fixedpoint: Map and Sign belong together")
	}
	if m.Sign != nil && len(m.Sign) != n {
		return fmt.Errorf("fixedpoint: %d rows of signs, want %d", len(m.Sign), n)
	}
	for i, row := range m.Sign {
		if len(row) != n {
			return fmt.Errorf("fixedpoint: Sign[%d] has length %d, want %d", i, len(row), n)
		}
		for j, s := range row {
			if s < -1 || s > 1 {
				return fmt.Errorf("fixedpoint: Sign[%d][%d] = %d is none of −1, 0, +1", i, j, s)
			}
		}
	}
	if !(m.Err >= 0 && m.Err < 1) {
		return fmt.Errorf("fixedpoint: Err %g outside [0, 1)", m.Err)
	}
	if !(m.ErrAbs >= 0) || math.IsInf(m.ErrAbs, 0) {
		return fmt.Errorf("fixedpoint: ErrAbs %g is not a number >= 0", m.ErrAbs)
	}
	return nil
}

// injective reports whether the signs alone leave room for one fixed point at most:
// if every cycle of dependences has an odd number of decreasing ones, all principal
// minors of I − ∂G/∂x are at least 1, and x − G(x) is injective on a box (Gale & Nikaidô,
// Math. Ann. 159 (1965) 81).
func (m *Monotone) injective() bool {
	if m.Sign == nil || m.Zeros || m.Dim > 8 { // cycles are enumerated
		return false
	}
	onPath := make([]bool, m.Dim)
	var negative func(first, i int, sign int8) bool
	negative = func(first, i int, sign int8) bool {
		for j := first; j < m.Dim; j++ {
			s := sign * m.Sign[i][j]
			if s == 0 || onPath[j] && j != first {
				continue
			}
			if j == first {
				if s > 0 {
					return false
				}
				continue
			}
			onPath[j] = true
			ok := negative(first, j, s)
			onPath[j] = false
			if !ok {
				return false
			}
		}
		return true
	}
	for i := range m.Dim { // cycles whose least member is i
		if !negative(i, i, 1) {
			return false
		}
	}
	return true
}

// An enclosure evaluates bounds of a Monotone and counts evaluations.
type enclosure struct {
	*Monotone
	rel, abs float64
	evals    int

	rows     [][]int // rows of Sign that are equal share their corners
	x, y     []float64
	memo     map[float64]float64 // values of Map, one-dimensional
	jLo, jHi []float64
}

func newEnclosure(m *Monotone) *enclosure {
	n := m.Dim
	e := &enclosure{Monotone: m, rel: m.Err, abs: m.ErrAbs, x: make([]float64, n), y: make([]float64, n)}
	if e.rel == 0 && e.abs == 0 {
		e.rel = 1e-14
	}
	for i, row := range m.Sign {
		k := slices.IndexFunc(e.rows, func(same []int) bool { return slices.Equal(m.Sign[same[0]], row) })
		if k < 0 {
			e.rows = append(e.rows, nil)
			k = len(e.rows) - 1
		}
		e.rows[k] = append(e.rows[k], i)
	}
	if n == 1 && m.Map != nil {
		e.memo = make(map[float64]float64)
	}
	if m.Slope != nil {
		e.jLo, e.jHi = make([]float64, n*n), make([]float64, n*n)
	}
	return e
}

// image stores bounds of G over b in lo and hi.
func (e *enclosure) image(lo, hi []float64, b Box) {
	switch {
	case e.Bound != nil:
		e.evals++
		e.Bound(lo, hi, b.Lo, b.Hi)
	case e.Mixed != nil:
		e.evals += 2
		e.Mixed(lo, b.Lo, b.Hi)
		e.Mixed(hi, b.Hi, b.Lo)
	case e.memo != nil:
		from, to := b.Lo[0], b.Hi[0]
		if e.Sign[0][0] < 0 {
			from, to = to, from
		}
		lo[0], hi[0] = e.scalar(from), e.scalar(to)
	default:
		for _, rows := range e.rows {
			e.corner(lo, b.Lo, b.Hi, rows)
			e.corner(hi, b.Hi, b.Lo, rows)
		}
	}
	for i := range lo {
		lo[i] = outward(lo[i], -e.rel*math.Abs(lo[i])-e.abs, math.Inf(-1))
		hi[i] = outward(hi[i], e.rel*math.Abs(hi[i])+e.abs, math.Inf(1))
	}
}

// outward moves v by the given error and on to the next float; what is no number is
// unbounded.
func outward(v, by, to float64) float64 {
	if math.IsNaN(v) {
		return to
	}
	return math.Nextafter(v+by, to)
}

// corner stores the values of the given rows at the corner where increasing dependences
// are at up and decreasing ones at down.
func (e *enclosure) corner(dst, up, down []float64, rows []int) {
	for j, s := range e.Sign[rows[0]] {
		e.x[j] = up[j]
		if s < 0 {
			e.x[j] = down[j]
		}
	}
	e.evals++
	e.Map(e.y, e.x)
	for _, i := range rows {
		dst[i] = e.y[i]
	}
}

// scalar is Map in one dimension. Boxes share ends, and many stay where they are.
func (e *enclosure) scalar(x float64) float64 {
	if v, ok := e.memo[x]; ok {
		return v
	}
	e.evals++
	e.x[0] = x
	e.Map(e.y, e.x)
	e.memo[x] = e.y[0]
	return e.y[0]
}

// value stores G(x) in dst, without its error.
func (e *enclosure) value(dst, x []float64) {
	e.evals++
	switch {
	case e.Map != nil:
		e.Map(dst, x)
	case e.Point != nil:
		e.Point(dst, x)
	case e.Mixed != nil:
		e.Mixed(dst, x, x)
	default:
		e.Bound(dst, e.y, x, x)
		for i, hi := range e.y {
			dst[i] = dst[i]/2 + hi/2
		}
	}
}

// residual stores x − G(x) in dst, or G(x) where zeros are sought.
func (e *enclosure) residual(dst, x, _ []float64) {
	e.value(dst, x)
	if e.Zeros {
		return
	}
	for i, v := range x {
		dst[i] = v - dst[i]
	}
}

// residualOver stores bounds of the residual over b in lo and hi.
func (e *enclosure) residualOver(lo, hi []float64, b Box) {
	e.image(lo, hi, b)
	if e.Zeros {
		return
	}
	for i := range lo {
		lo[i], hi[i] = math.Nextafter(b.Lo[i]-hi[i], math.Inf(-1)), math.Nextafter(b.Hi[i]-lo[i], math.Inf(1))
	}
}

// slopes stores bounds of the Jacobian of the residual over b in jLo and jHi and reports
// whether they are known.
func (e *enclosure) slopes(b Box) bool {
	if e.Slope == nil {
		return false
	}
	e.evals++
	e.Slope(e.jLo, e.jHi, b.Lo, b.Hi)
	if !finite(e.jLo) || !finite(e.jHi) {
		return false
	}
	if e.Zeros {
		return true
	}
	for k := range e.jLo {
		e.jLo[k], e.jHi[k] = -e.jHi[k], -e.jLo[k]
	}
	for i := range e.Dim {
		k := i*e.Dim + i
		e.jLo[k], e.jHi[k] = math.Nextafter(1+e.jLo[k], math.Inf(-1)), math.Nextafter(1+e.jHi[k], math.Inf(1))
	}
	return true
}
