package fixedpoint

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrUnexplained is the warning that stability changes within a step in a way that the special
// points found there do not explain. A smaller MaxStep finds them.
var ErrUnexplained = errors.New("fixedpoint: stability changes without a special point")

// ErrNotRefined is the warning that a special point is only located: within its interval. It
// may be degenerate, or two of them one.
var ErrNotRefined = errors.New("fixedpoint: special point not refined")

// specials finds, refines and stores the special points between the nodes.
func (c *continuation) specials(br *Branch, nodes []*node) {
	d := &detector{tracer: c.tracer, tests: numTests, consistent: explains}
	for i := range len(nodes) - 1 {
		a, b := nodes[i], nodes[i+1]
		lost := d.lost
		var found []Special
		for _, e := range d.step(a, b, 0) {
			at, in := d.locate(e)
			sp := c.refine(in, at)
			sp.After = i
			found = append(found, sp)
		}
		found = c.distinct(found, b.s-a.s)
		for _, sp := range found {
			if !sp.Converged && sp.Kind != NeutralSaddle { // which change nothing
				br.Warnings = append(br.Warnings, fmt.Errorf("%w: %v at %g", ErrNotRefined, sp.Kind, sp.Located.P[br.Param]))
			}
		}
		if d.lost > lost {
			br.Warnings = append(br.Warnings, fmt.Errorf("%w: arc lengths %g to %g", ErrUnexplained, a.s, b.s))
		}
		br.Special = append(br.Special, found...)
	}
	sortSpecials(br.Special)
}

func sortSpecials(s []Special) {
	slices.SortStableFunc(s, func(a, b Special) int {
		return cmp.Compare(a.Refined.ArcLength, b.Refined.ArcLength)
	})
}

// explains reports whether the events can account for the change in the number of unstable
// eigenvalues: one eigenvalue at folds and branch points, two at Hopf points.
func explains(a, b *node, events []event) bool {
	most, parity := 0, 0
	for _, e := range events {
		switch e.test {
		case testFold, testBranch:
			most, parity = most+1, parity+1
		case testPair: // a Hopf point or a neutral saddle
			most += 2
		}
	}
	lowA, highA := unstable(a.eig)
	lowB, highB := unstable(b.eig)
	if lowA != highA || lowB != highB {
		return true // an end is a special point itself
	}
	change := lowB - lowA
	if change < 0 {
		change = -change
	}
	return change <= most && (change-parity)%2 == 0
}

// refine solves the augmented system of an event located at a node.
func (c *continuation) refine(e event, at *node) Special {
	sp := Special{Interval: [2]float64{e.lo.s, e.hi.s}, Located: c.location(at.y, at)}
	sp.Refined = sp.Located
	var y []float64
	switch e.test {
	case testFold:
		sp.Kind = Fold
		y, sp.Converged = c.refineFold(at)
	case testBranch:
		sp.Kind = BranchPoint
		y, sp.Converged = c.refineBranchPoint(at)
	case testPair:
		var kappa float64
		y, kappa, sp.Converged = c.refineHopf(at)
		sp.Omega2 = kappa * c.eq.rate * c.eq.rate
		sp.Kind = Hopf
		if kappa <= 0 {
			sp.Kind = NeutralSaddle
		}
	}
	if sp.Converged {
		sp.refined(c.location(y, at), distance(y[:c.n], at.y) <= 1e-3*max(1, norm2(at.y)))
	}
	return sp
}

// refined makes l the refined location if it is near the one located and in the interval, which
// grows by what rounding may hide of the change of sign.
func (sp *Special) refined(l Location, near bool) {
	slack := 1e-6 * max(1, l.ArcLength)
	sp.Converged = near && l.ArcLength >= sp.Interval[0]-slack && l.ArcLength <= sp.Interval[1]+slack
	if !sp.Converged {
		return
	}
	sp.Refined = l
	sp.Interval[0], sp.Interval[1] = min(sp.Interval[0], l.ArcLength), max(sp.Interval[1], l.ArcLength)
}

// location describes y, with the arc length of its projection onto the tangent at a node nearby.
func (w *walk) location(y []float64, at *node) Location {
	x, p := w.s.at(y)
	s := at.s
	for i, t := range at.t {
		s += t * (y[i] - at.y[i])
	}
	return Location{X: x, P: p, ArcLength: s}
}

func (c *continuation) refineFold(at *node) ([]float64, bool) {
	jac := make([]float64, c.eq.n*c.eq.n)
	c.eq.scaled.jacobian(jac, c.eq.n, at.y)
	right, left, ok := nullVectors(jac, c.eq.n, 1)
	if !ok {
		return nil, false
	}
	y := slices.Clone(at.y)
	return y, newton(newFolds(c.eq.scaled, right, left), y, c.tol)
}

func (c *continuation) refineHopf(at *node) (y []float64, kappa float64, ok bool) {
	_, a, b := criticalPair(at.eig)
	kappa = real(a * b)
	if slices.Contains(c.eq.prob.Mass, 0) {
		return c.refinePair(at, kappa)
	}
	right, left, ok := nullOfSquare(c.eq.scaled, at.y, kappa)
	if !ok {
		return at.y, kappa, false
	}
	y = append(slices.Clone(at.y), kappa)
	h := newHopfs(c.eq.scaled, right, left)
	h.combine(y)
	if !newton(h, y, c.tol) {
		return at.y, kappa, false
	}
	return y, y[c.n], true
}

// nullOfSquare returns the null vectors of J² + κ, of rank n − 2.
func nullOfSquare(s *scaled, y []float64, kappa float64) (right, left []float64, ok bool) {
	h := newHopfs(s, make([]float64, 2*s.n), make([]float64, 2*s.n))
	s.jacobian(h.jac, s.n, y)
	h.squared(kappa)
	return nullVectors(h.m, s.n, 2)
}

func (c *continuation) refineBranchPoint(at *node) ([]float64, bool) {
	n := c.eq.n
	t2, left, ok := c.secondTangent(at.y, at.t)
	if !ok {
		return nil, false
	}
	y := append(slices.Clone(at.y), 0)
	g := newBranchPoints(c.eq.scaled, slices.Concat(at.t, t2), left)
	if !newton(g, y, c.tol) || !(y[n+1] < 1e3*c.tol && y[n+1] > -1e3*c.tol) {
		return nil, false
	}
	return y, true
}

// secondTangent returns, at a branch point y, a null vector of [F_u F_q] orthogonal to the
// tangent t, and the left null vector.
func (c *continuation) secondTangent(y, t []float64) (t2, left []float64, ok bool) {
	n := c.eq.n
	m := make([]float64, (n+1)*(n+1))
	c.jacobian(m, y)
	copy(m[n*(n+1):], t)
	right, left, ok := nullVectors(m, n+1, 1)
	if !ok {
		return nil, nil, false
	}
	left = left[:n]
	normalise(left)
	return right, left, true
}

// distinct removes folds that are branch points: on the branch that turns at a pitchfork
// both test functions change sign.
func (c *continuation) distinct(found []Special, step float64) []Special {
	return slices.DeleteFunc(found, func(f Special) bool {
		if f.Kind != Fold {
			return false
		}
		return slices.ContainsFunc(found, func(g Special) bool {
			d := f.Located.ArcLength - g.Refined.ArcLength
			return g.Kind == BranchPoint && max(d, -d) <= 1e-3*step
		})
	})
}

// refinePair is refineHopf with algebraic equations: F = 0 and the sum of the pair, whose
// derivatives are differences.
func (c *continuation) refinePair(at *node, kappa float64) ([]float64, float64, bool) {
	g := &pairPoint{c.eq}
	y := slices.Clone(at.y)
	if !newton(g, y, c.tol) {
		return at.y, kappa, false
	}
	_, a, b := g.pair(y)
	return y, real(a * b), true
}

// pairPoint is F = 0 with a pair of eigenvalues of sum zero.
type pairPoint struct{ *equilibria }

func (g *pairPoint) pair(y []float64) (sum float64, a, b complex128) {
	g.scaled.jacobian(g.jac, g.n, y)
	return criticalPair(g.spectra.of(g.jac))
}

func (g *pairPoint) residual(dst, y []float64) {
	g.scaled.residual(dst, y)
	dst[g.n], _, _ = g.pair(y)
}

func (g *pairPoint) jacobian(dst, y []float64) {
	g.scaled.jacobian(dst, g.n+1, y)
	gradient(dst[g.n*(g.n+1):], y, func(y []float64) float64 {
		sum, _, _ := g.pair(y)
		return sum
	})
}

// gradient stores central differences of f, smooth with values of order 1, at y in dst.
func gradient(dst, y []float64, f func(y []float64) float64) {
	at := slices.Clone(y)
	for j, v := range y {
		h := stepFor * max(1, math.Abs(v))
		at[j] = v + h
		up := f(at)
		at[j] = v - h
		dst[j] = (up - f(at)) / (2 * h)
		at[j] = v
	}
}
