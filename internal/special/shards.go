package special

import "math"

// Shards is [Scatter] for one number of shards v. By parts,
//
//	ok = ∫ v Φ(s)^{v−1} φ(s) Φ((h − √(1−r) s)/√r) ds,   h = Φ⁻¹(1 − f),
//
// the mean of a smooth function over the largest s of v standard normal numbers: a
// Gauss rule for its law takes half the nodes of the trapezoidal rule, each without
// an exponential, and no window. It is only read and may be shared.
type Shards struct {
	v     float64
	sd    float64     // of the largest
	rules []gaussRule // from few nodes to many
}

// A gaussRule serves where Φ is at most steep, see [Shards.rule].
type gaussRule struct {
	steep float64
	s, w  []float64
}

// shardsRules are the numbers of nodes and how far each of them keeps what
// [Shards.Scatter] promises, measured over f, r and v.
var shardsRules = [...]struct {
	n     int
	steep float64
}{{16, 0.5}, {24, 0.72}, {32, 0.95}, {40, 1.15}}

// shardsRare is the f, or 1 − f, below which the general rule serves.
const shardsRare = 1e-16

// NewShards finds the rules for v shards, 1 < v ≤ 1e6.
func NewShards(v float64) *Shards {
	d := largest(v)
	s := &Shards{v: v, sd: math.Sqrt(d.b[1])}
	for _, r := range shardsRules {
		x, w := d.gauss(r.n)
		s.rules = append(s.rules, gaussRule{r.steep, x, w})
	}
	return s
}

// Scatter returns what the function of that name does, ok to an absolute 1e−13 and
// fail to a relative 2e−9 or an absolute 1e−18. Rounding is relative to the smaller of them.
func (s *Shards) Scatter(f, up, r float64) (ok, fail float64) {
	l, at := s.rule(f, up, r)
	if l == nil {
		return Scatter(f, up, r, s.v)
	}
	return l.scatter(&at)
}

func (l *gaussRule) scatter(at *stretch) (ok, fail float64) {
	if at.h < 0 { // Φ(x) is 1 − Φ(−x)
		ok = l.upper(-at.h*at.root, at.slope)
		return ok, max(0, 1-ok)
	}
	fail = l.upper(at.h*at.root, -at.slope)
	return max(0, 1-fail), fail
}

// upper returns the mean of 1 − Φ(from + slope s).
func (l *gaussRule) upper(from, slope float64) (mean float64) {
	y0, y1 := (from-upperMin)*upperScale, slope*upperScale
	pieces, w := upperTable.pieces, l.w
	for i, si := range l.s[:len(w)] {
		y := y0 + y1*si
		k := y + rounder
		if n := uint32(math.Float64bits(k)); n < uint32(len(pieces)) {
			mean += w[i] * pieces[n].at(y-(k-rounder))
		} else if y < 0 {
			mean += w[i]
		}
	}
	return mean
}

// ScatterGrad returns Scatter and the derivatives of ok by f and r, to 1e−9 of
// themselves or an absolute 1e−11; to 1e−6 where f or 1 − f is below 1e−9.
func (s *Shards) ScatterGrad(f, up, r float64) (ok, fail, df, dr float64) {
	l, at := s.rule(f, up, r)
	if l == nil {
		ok, fail, df, dr, _ = ScatterGrad(f, up, r, s.v)
		return ok, fail, df, dr
	}
	ok, fail = l.scatter(&at)
	for i, si := range l.s {
		x := at.h*at.root - at.slope*si
		e := l.w[i] * invSqrt2Pi * fastExp(-x*x/2)
		df += e
		dr += e * (si/at.slope - x)
	}
	return ok, fail, -df * at.root / density(at.h), dr / (2 * r)
}

// A stretch is the argument of Φ, h root − slope s.
type stretch struct {
	h, root, slope float64 // root = 1/√r
}

// rule returns the rule to use, or nil where none will do. What a rule has to
// resolve grows with the slope of Φ over one sd of its law, and towards the tails.
func (s *Shards) rule(f, up, r float64) (*gaussRule, stretch) {
	if !(f >= shardsRare && up >= shardsRare && r > 0 && r < 1) {
		return nil, stretch{}
	}
	root := 1 / math.Sqrt(r)
	at := stretch{h: -failQuantile(f, up), root: root, slope: math.Sqrt(1-r) * root}
	steep := s.sd * at.slope * (1 + at.h*at.h/160)
	for i := range s.rules {
		if steep <= s.rules[i].steep {
			return &s.rules[i], at
		}
	}
	return nil, at
}

// upperTable is 1 − Φ(x): below it is 1, above it is left out.
var upperTable = newTable(upperMin, upperMax, upperScale, func(x float64) float64 {
	if x < 0 {
		return 1 - upperTail(-x)
	}
	return upperTail(x)
})

const (
	upperMin   = -9
	upperMax   = 12
	upperScale = 16
)
