package fixedpoint

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrNoSwitch means that the tangents at a branch point do not tell the branches apart.
var ErrNoSwitch = errors.New("fixedpoint: the branches do not cross at this point")

// SwitchBranch follows, in both directions, the other branch through the i-th special point
// of br, which must be a refined [BranchPoint] of prob. Its tangent solves the algebraic
// bifurcation equation (Keller 1977; Kuznetsov, Elements of Applied Bifurcation Theory,
// section 10.2). The branch point is a point of the new branch. Nil settings are all defaults.
func SwitchBranch(prob *Problem, br *Branch, i int, set *ContinueSettings) (*Branch, error) {
	if i < 0 || i >= len(br.Special) {
		return nil, fmt.Errorf("fixedpoint: special point %d is not in [0, %d)", i, len(br.Special))
	}
	sp := br.Special[i]
	if sp.Kind != BranchPoint || !sp.Converged {
		return nil, fmt.Errorf("fixedpoint: special point %d is a %v, want a refined branch point", i, sp.Kind)
	}
	c, err := newContinuation(prob, sp.Refined.X, sp.Refined.P, br.Param, set)
	if err != nil {
		return nil, err
	}
	y := make([]float64, c.n)
	c.eq.pack(y, sp.Refined.X, sp.Refined.P)
	t := interpolatedTangent(br, sp)
	other, err := c.otherTangent(y, t)
	if err != nil {
		return nil, err
	}
	return c.branch(y, other)
}

// interpolatedTangent returns about the tangent of the branch at its special point.
func interpolatedTangent(br *Branch, sp Special) []float64 {
	a, b := br.Points[sp.After], br.Points[sp.After+1]
	f := (sp.Refined.ArcLength - a.ArcLength) / (b.ArcLength - a.ArcLength)
	t := slices.Clone(a.Tangent)
	for i := range t {
		t[i] += f * (b.Tangent[i] - a.Tangent[i])
	}
	normalise(t)
	return t
}

// otherTangent returns, at a branch point, the tangent of the branch that is not along t.
func (c *continuation) otherTangent(y, t []float64) ([]float64, error) {
	n := c.eq.n
	t2, w, ok := c.secondTangent(y, t)
	if !ok {
		return nil, ErrNoSwitch
	}
	// t within the two-dimensional null space
	t1 := slices.Clone(t)
	m := make([]float64, (n+1)*(n+1))
	c.jacobian(m, y)
	copy(m[n*(n+1):], t2)
	if right, _, ok := nullVectors(m, n+1, 1); ok {
		copy(t1, right)
	}
	if dot(t1, t) < 0 {
		for i := range t1 {
			t1[i] = -t1[i]
		}
	}
	form := func(u, v []float64) float64 {
		d := make([]float64, n*(n+1))
		c.eq.second(d, y, u)
		var sum float64
		for i := range n {
			sum += w[i] * dot(d[i*(n+1):(i+1)*(n+1)], v)
		}
		return sum
	}
	// the roots of c11 α² + 2 c12 αβ + c22 β² = 0; (1, 0) is about one of them
	c11, c12, c22 := form(t1, t1), form(t1, t2), form(t2, t2)
	disc := c12*c12 - c11*c22
	size := max(math.Abs(c11), math.Abs(c12), math.Abs(c22))
	if !(disc > 1e-12*size*size) {
		return nil, ErrNoSwitch
	}
	root := c12 + math.Copysign(math.Sqrt(disc), c12)
	a1, b1 := -c22, root // β = 0 for neither unless root is 0
	a2, b2 := -root, c11
	alpha, beta := a1, b1
	if math.Abs(b1)*math.Hypot(a2, b2) < math.Abs(b2)*math.Hypot(a1, b1) { // further from t1
		alpha, beta = a2, b2
	}
	other := make([]float64, n+1)
	axpy(other, alpha, t1)
	axpy(other, beta, t2)
	normalise(other)
	if other[n] < 0 {
		for i := range other {
			other[i] = -other[i]
		}
	}
	return other, nil
}
