package fixedpoint

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ContinueSettings control the continuation of equilibria in one parameter.
type ContinueSettings struct {
	// Min and Max bound the parameter. Both 0: no bounds.
	Min, Max float64

	Stepping
}

// A Point is an equilibrium of a branch.
type Point struct {
	X []float64
	P float64 // the parameter of the branch

	// Tangent is the unit tangent in units of Scale and ScaleP, the parameter last. It points
	// to the front.
	Tangent []float64

	Eigenvalues []complex128 // of ∂F/∂x
	Unstable    int          // eigenvalues with a positive real part
	Stable      bool         // Unstable is 0

	// ArcLength from the first point, in units of Scale and ScaleP.
	ArcLength float64
}

// A Branch is a curve of equilibria over one parameter.
type Branch struct {
	Param int       // index of the parameter
	Base  []float64 // all parameters at the start; element Param is that of the start

	// Points run from the back to the front: at the start the front is the direction in
	// which the parameter increases. On a closed branch the last point is the first
	// again.
	Points  []Point
	Special []Special // in order of arc length

	// StopBack and StopFront say why the branch ends at its first and at its last point.
	StopBack, StopFront Stop

	// Warnings say what makes the branch suspect.
	Warnings []error

	Work     Work
	Settings ContinueSettings // as used, with defaults
}

// Err returns an error if the branch is incomplete in a direction; its points are good all
// the same.
func (b *Branch) Err() error {
	return errors.Join(b.StopBack.Err(), b.StopFront.Err())
}

// ErrStart means that Newton's method does not converge from the start of a continuation.
var ErrStart = errors.New("fixedpoint: no equilibrium near the start")

// Continue follows the equilibria of prob through parameter param in both directions from an
// equilibrium near x, at the parameters p, by pseudo-arclength continuation (Keller 1977).
// Folds, branch points, Hopf points and neutral saddles are located as changes of sign
// of test functions, also several within one step, and refined by Newton's method on minimally
// augmented systems. Nil settings are all defaults.
//
// An error means that there is no branch: settings that make no sense, or no equilibrium near x
// ([ErrStart]). A branch that ends early is no error: see [Branch.Err].
func Continue(prob *Problem, x, p []float64, param int, set *ContinueSettings) (*Branch, error) {
	c, err := newContinuation(prob, x, p, param, set)
	if err != nil {
		return nil, err
	}
	y := make([]float64, c.n)
	c.eq.pack(y, x, p)
	if !c.land(y, y[c.n-1]) {
		return nil, fmt.Errorf("%w: x = %v, p = %v", ErrStart, x, p)
	}
	if c.outside(y) {
		return nil, fmt.Errorf("%w: %v is outside Domain", ErrStart, c.eq.x)
	}
	t, err := c.firstTangent(y)
	if err != nil {
		return nil, err
	}
	if t[c.n-1] < 0 {
		for i := range t {
			t[i] = -t[i]
		}
	}
	return c.branch(y, t)
}

// A continuation computes branches over one parameter.
type continuation struct {
	*walk
	eq   *equilibria
	base []float64
	set  ContinueSettings
}

func newContinuation(prob *Problem, x, p []float64, param int, set *ContinueSettings) (*continuation, error) {
	var st ContinueSettings
	if set != nil {
		st = *set
	}
	st.Stepping = st.withDefaults()
	if err := st.check(); err != nil {
		return nil, err
	}
	s, err := newScaled(prob, x, p, param)
	if err != nil {
		return nil, err
	}
	if st.Min == 0 && st.Max == 0 {
		st.Min, st.Max = math.Inf(-1), math.Inf(1)
	}
	if err := checkRange(param, st.Min, st.Max, p[param]); err != nil {
		return nil, err
	}
	eq := newEquilibria(s)
	w := &walk{
		tracer: newTracer(eq, st.Tol), Stepping: st.Stepping, s: s,
		bounds: []bound{{s.n, st.Min / s.sp[param], st.Max / s.sp[param]}},
	}
	return &continuation{walk: w, eq: eq, base: slices.Clone(p), set: st}, nil
}

// land moves y to the equilibrium at parameter q by Newton's method; where that fails, as it
// may on a fold, to a nearby point of the branch.
func (c *continuation) land(y []float64, q float64) bool {
	e := make([]float64, c.n)
	e[c.n-1] = 1
	try := slices.Clone(y)
	try[c.n-1] = q
	if _, ok := c.correct(try, e, slices.Clone(try)); ok {
		copy(y, try)
		return true
	}
	return c.onto(y)
}

// branch follows the branch through y with tangent t.
func (c *continuation) branch(y, t []float64) (*Branch, error) {
	start := &node{y: y, t: t}
	ref := slices.Clone(t)
	if det, ok := c.tangent(ref, y, t); ok {
		start.det = det
	}
	c.finish(start, nil)
	return c.assemble(c.both(start))
}

func (c *continuation) assemble(nodes []*node, back, front Stop) (*Branch, error) {
	br := &Branch{
		Param: c.eq.active[0], Base: c.base, StopBack: back, StopFront: front, Settings: c.set,
		Points: make([]Point, len(nodes)),
	}
	for i, nd := range nodes {
		br.Points[i] = c.point(nd)
	}
	c.specials(br, nodes)
	br.Work = c.eq.work
	return br, nil
}

func (c *continuation) point(nd *node) Point {
	x, p := c.eq.at(nd.y)
	pt := Point{
		X: x, P: p[c.eq.active[0]], Tangent: nd.t, ArcLength: nd.s, Unstable: countUnstable(nd.eig),
		Eigenvalues: make([]complex128, len(nd.eig)),
	}
	for i, v := range nd.eig {
		pt.Eigenvalues[i] = v * complex(c.eq.rate, 0)
	}
	pt.Stable = pt.Unstable == 0
	return pt
}
