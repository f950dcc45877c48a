package stability

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/fixedpoint"
)

// boundaries follows what lies between neighbours of the coarse grid.
func (m *mapper) boundaries() error {
	for i := 0; i <= fine; i += finest {
		for j := 0; j <= fine; j += finest {
			for _, to := range [2][2]int{{i + finest, j}, {i, j + finest}} {
				if to[0] > fine || to[1] > fine {
					continue
				}
				a, err := m.look(i, j)
				if err != nil {
					return err
				}
				b, err := m.look(to[0], to[1])
				if err != nil {
					return err
				}
				if err := m.between(a, b); err != nil {
					return err
				}
			}
		}
		m.set.reached(coarseShare + (curveShare-coarseShare)*float64(i+finest)/(fine+finest))
	}
	return nil
}

// between follows the boundary between two points, if there is one that is not known.
func (m *mapper) between(a, b *sight) error {
	folded, k := a.number() != b.number(), swings(a, b)
	if !folded && k < 0 && (a.verdict == b.verdict || a.verdict == Metastable || b.verdict == Metastable) {
		return nil
	}
	ex, ey := rim*(m.out.X.Hi-m.out.X.Lo), rim*(m.out.Y.Hi-m.out.Y.Lo)
	x := [2]float64{min(a.p[0], b.p[0]) - ex, max(a.p[0], b.p[0]) + ex}
	y := [2]float64{min(a.p[1], b.p[1]) - ey, max(a.p[1], b.p[1]) + ey}
	for i := range m.out.Boundaries {
		kind := m.out.Boundaries[i].Kind
		if (kind == HopfBoundary) == (k >= 0) && (kind == HalfSucceed) == (k < 0 && !folded) && m.out.Boundaries[i].crosses(x, y) {
			return nil
		}
	}
	if k >= 0 {
		m.hopf(a, b, k)
		return m.set.interrupted()
	}
	if folded {
		return m.fold(a, b)
	}
	return m.half(a, b)
}

const (
	rim        = 1e-6 // of a range, between a curve that ends at its edge and the edge
	aside      = 5e-5 // of the ranges, to look at what is next to a fold
	closeRoots = 0.3  // distance, in coordinates, of two equilibria that are about to meet
	mostCuts   = 40
	mostTries  = 3
	sureCuts   = 12 // after which the state that goes is next to the fold

	fewPoints = 5 // are no curve

	// foldTol is the size of the last correction along a fold: the state is where the residual has
	// no slope, so that its rounding moves the state most, and the parameters least.
	foldTol = 1e-6
)

// number is that of the equilibria, which is odd: a search that finds two stable states may miss the one
// between them.
func (l *sight) number() int { return len(l.states) | 1 }

// meeting returns where equilibria of the one are about to meet that are gone in the other: between
// two that are close, or, where one of them was missed, the one that goes, every few cuts.
func meeting(more, less *sight, cut int) (x []float64, ok bool) {
	if k, gap := closest(more.states); gap < closeRoots {
		return mix(more.states[k].x, more.states[k+1].x, 0.5), true
	}
	if len(more.states)%2 == 1 || cut < sureCuts || cut%4 != 0 {
		return nil, false
	}
	most := 0.0
	for _, s := range more.states {
		nearest := math.Inf(1)
		for _, o := range less.states {
			nearest = min(nearest, apart(s.x, o.x))
		}
		if nearest > most {
			most, x = nearest, s.x
		}
	}
	return x, x != nil
}

// fold follows the fold between a and b: bisection on the number of equilibria until those that
// meet are close.
func (m *mapper) fold(a, b *sight) error {
	tries := 0
	for cut := range mostCuts {
		more, less := a, b
		if b.number() > a.number() {
			more, less = b, a
		}
		if x, ok := meeting(more, less, cut); ok {
			if m.foldCurve(x, more) {
				return nil
			}
			if tries++; tries == mostTries {
				m.t.warn(fmt.Errorf("stability: a fold near %s = %.6g, %s = %.6g could not be followed: rounding hides it", m.out.X.Path, a.p[0], m.out.Y.Path, a.p[1]))
				return nil
			}
		}
		mid, err := m.lookAt(mix(a.p, b.p, 0.5))
		if err != nil {
			return err
		}
		switch {
		case mid.number() != a.number() && mid.number() != b.number(): // two folds: one of them
			b = mid
		case mid.number() == a.number():
			a = mid
		default:
			b = mid
		}
	}
	return nil
}

// closest returns the neighbours that are closest to each other.
func closest(states []state) (at int, gap float64) {
	gap = math.Inf(1)
	for i := range len(states) - 1 {
		if d := apart(states[i].x, states[i+1].x); d < gap {
			at, gap = i, d
		}
	}
	return at, gap
}

// apart is the distance of two equilibria in their coordinates.
func apart(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += math.Abs(v - y[i])
	}
	return sum
}

// foldCurve follows the fold next to x.
func (m *mapper) foldCurve(x []float64, at *sight) bool {
	st := m.t.stepping()
	st.Tol = foldTol
	cv, err := fixedpoint.FoldCurve(m.t.prob, x, at.p, [2]int{0, 1}, &fixedpoint.CurveSettings{
		Min: [2]float64{m.out.X.Lo, m.out.Y.Lo}, Max: [2]float64{m.out.X.Hi, m.out.Y.Hi}, Stepping: st,
	})
	if err != nil || len(cv.Points) < fewPoints {
		return false
	}
	b := Boundary{StopBack: cv.StopBack, StopFront: cv.StopFront}
	for _, pt := range cv.Points {
		b.X, b.Y = append(b.X, m.out.X.clamp(pt.P[0])), append(b.Y, m.out.Y.clamp(pt.P[1]))
	}
	m.split(b, cv)
	m.points(cv)
	if err := b.Err(); err != nil {
		m.t.warn(err)
	}
	return true
}

// split lists the curve, parted at its cusps: beyond one of them it is where the other state goes.
func (m *mapper) split(b Boundary, cv *fixedpoint.Curve) {
	cusps := []fixedpoint.Special{}
	for _, s := range cv.Special {
		if s.Kind == fixedpoint.Cusp {
			cusps = append(cusps, s)
		}
	}
	slices.SortFunc(cusps, func(a, b fixedpoint.Special) int { return cmp.Compare(a.Refined.ArcLength, b.Refined.ArcLength) })
	from, tip := 0, []float64(nil)
	for _, s := range append(cusps, fixedpoint.Special{After: len(b.X) - 1}) {
		part := Boundary{Kind: m.kind(cv.Points[(from+s.After+1)/2])}
		if tip != nil {
			part.X, part.Y = []float64{tip[0]}, []float64{tip[1]}
		}
		part.X, part.Y = append(part.X, b.X[from:s.After+1]...), append(part.Y, b.Y[from:s.After+1]...)
		if from = s.After + 1; s.Refined.P != nil {
			tip = s.Refined.P
			part.X, part.Y = append(part.X, tip[0]), append(part.Y, tip[1])
		}
		part.StopBack, part.StopFront = b.StopBack, b.StopFront
		if len(part.X) > 1 {
			m.out.Boundaries = append(m.out.Boundaries, part)
		}
	}
}

// kind tells the state that goes at a fold by the others that stay.
func (m *mapper) kind(at fixedpoint.CurvePoint) BoundaryKind {
	order := func(s state) float64 {
		if m.f.whole {
			return -s.success
		}
		return s.x[0]
	}
	p := at.P[:]
	here, err := m.state(at.X, p)
	if err != nil {
		return InnerFold
	}
	// next to the fold, on the side where the two that meet are gone
	n := len(at.X)
	wide := [2]float64{m.out.X.Hi - m.out.X.Lo, m.out.Y.Hi - m.out.Y.Lo}
	var there *sight
	for _, side := range [2]float64{aside, -aside} {
		l, err := m.lookAt([]float64{p[0] + side*at.Tangent[n+1]*wide[0], p[1] - side*at.Tangent[n]*wide[1]})
		if err == nil && (there == nil || len(l.states) < len(there.states)) {
			there = l
		}
	}
	if there == nil {
		return InnerFold
	}
	below, above := false, false
	for _, s := range there.states {
		below = below || order(s) < order(here)
		above = above || order(s) > order(here)
	}
	switch {
	case !below:
		return HealthyFold
	case !above:
		return CollapsedFold
	}
	return InnerFold
}

// half follows the curve on which half of the boots succeed between a and b, each with one
// state: the state and the first parameter as unknowns over the second.
func (m *mapper) half(a, b *sight) error {
	if a.verdict == Restless || b.verdict == Restless {
		return nil
	}
	for range 12 {
		mid, err := m.lookAt(mix(a.p, b.p, 0.5))
		if err != nil {
			return err
		}
		if len(mid.states) != len(a.states) {
			return nil // a region between them, too narrow for the grid
		}
		if mid.verdict == a.verdict {
			a = mid
		} else {
			b = mid
		}
	}
	for _, k := range [2]int{0, 1} { // the unknown parameter; the other is followed
		other := 1 - k
		prob := m.halfProblem(k)
		start := append(slices.Clone(a.states[0].x), a.p[k])
		axes := [2]Axis{m.out.X, m.out.Y}
		st := m.t.stepping()
		inside := st.Domain
		st.Domain = func(x, p []float64) bool {
			n := len(x) - 1
			par := []float64{0, 0}
			par[k], par[other] = x[n], p[0]
			return x[n] >= axes[k].Lo && x[n] <= axes[k].Hi && (inside == nil || inside(x[:n], par))
		}
		br, err := fixedpoint.Continue(prob, start, []float64{a.p[other]}, 0, &fixedpoint.ContinueSettings{Min: axes[other].Lo, Max: axes[other].Hi, Stepping: st})
		if err != nil || len(br.Points) < 2 {
			continue
		}
		c := Boundary{Kind: HalfSucceed, StopBack: br.StopBack, StopFront: br.StopFront}
		for _, pt := range br.Points {
			p := []float64{0, 0}
			p[k], p[other] = pt.X[len(pt.X)-1], pt.P
			l, err := m.lookAt(p)
			if err != nil {
				return err
			}
			if len(l.states) == 1 { // elsewhere another state makes it metastable
				c.X, c.Y = append(c.X, p[0]), append(c.Y, p[1])
			} else if len(c.X) > 0 {
				break
			}
		}
		if len(c.X) > 1 {
			m.out.Boundaries = append(m.out.Boundaries, c)
		}
		return nil
	}
	return nil
}

// halfProblem has the state and parameter k as unknowns.
func (m *mapper) halfProblem(k int) *fixedpoint.Problem {
	n := m.t.prob.Dim
	full := func(x, p []float64) []float64 {
		par := []float64{p[0], p[0]}
		par[k] = x[n]
		return par
	}
	prob := &fixedpoint.Problem{Dim: n + 1, Params: 1, ScaleP: []float64{m.t.prob.ScaleP[1-k]}}
	for range n {
		prob.Scale = append(prob.Scale, 1)
	}
	prob.Scale = append(prob.Scale, m.t.prob.ScaleP[k])
	prob.F = func(dst, x, p []float64) {
		par := full(x, p)
		m.t.prob.F(dst[:n], x[:n], par)
		s, err := m.state(x[:n], par)
		if err != nil {
			s.success = math.NaN()
		}
		dst[n] = s.success - healthySuccess
	}
	return prob
}
