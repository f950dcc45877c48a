package fixedpoint

import (
	"fmt"
	"math"
	"slices"
)

// CurveSettings control the continuation of special points in two parameters.
type CurveSettings struct {
	// Min and Max bound the two parameters. A range with Min = Max = 0 has no bounds.
	Min, Max [2]float64

	Stepping
}

// A CurvePoint is a fold or a Hopf point.
type CurvePoint struct {
	X []float64  // the unknowns
	P [2]float64 // the two parameters

	// Omega2 is, on a curve of Hopf points, ω² of the pair ±iω; negative where the curve goes on as one
	// of neutral saddles, beyond a Bogdanov–Takens point.
	Omega2 float64

	// Tangent is the unit tangent in units of Scale and ScaleP: the unknowns, the two
	// parameters and, on a curve of Hopf points, ω² in units of [Curve.Rate]².
	Tangent []float64

	ArcLength float64
}

// A Curve is a curve of folds or of Hopf points in two parameters.
type Curve struct {
	Kind   Kind      // Fold or Hopf
	Params [2]int    // indices of the parameters
	Base   []float64 // all parameters, as given; a point replaces two of them
	Rate   float64   // unit of eigenvalues, 1/time

	// Points run from the back to the front: at the start the front is where the first
	// parameter increases. On a closed curve the last point is the first again.
	Points  []CurvePoint
	Special []Special // cusps, Bogdanov–Takens and zero-Hopf points in order of arc length

	StopBack, StopFront Stop

	Work     Work
	Settings CurveSettings // as used, with defaults
}

// FoldCurve follows the fold near (x, p) through the parameters params, in both directions,
// as solutions of a minimally augmented system, and refines the cusps, Bogdanov–Takens
// and zero-Hopf points on it. Nil settings are all defaults.
//
// An error means that there is no curve: settings that make no sense, or no fold near x
// ([ErrStart]).
func FoldCurve(prob *Problem, x, p []float64, params [2]int, set *CurveSettings) (*Curve, error) {
	w, cv, err := newCurve(prob, x, p, params, set)
	if err != nil {
		return nil, err
	}
	n := w.s.n
	y := make([]float64, n+2)
	w.s.pack(y, x, p)
	jac := make([]float64, n*n)
	w.s.jacobian(jac, n, y)
	right, left, ok := nullVectors(jac, n, 1)
	if !ok {
		return nil, fmt.Errorf("%w: no fold at x = %v, p = %v", ErrStart, x, p)
	}
	cv.Kind = Fold
	return w.curve(cv, &foldCurve{newFolds(w.s, right, left), newEigenvalues(n, prob.Mass)}, y)
}

// HopfCurve is [FoldCurve] for the Hopf point near (x, p) with eigenvalues ±i√omega2. Beyond a
// Bogdanov–Takens point the curve goes on as one of neutral saddles. omega2 must be
// positive, Dim at least 2, and Mass without zeros.
func HopfCurve(prob *Problem, x, p []float64, omega2 float64, params [2]int, set *CurveSettings) (*Curve, error) {
	if !(omega2 > 0) {
		return nil, fmt.Errorf("fixedpoint: omega2 = %g, must be positive", omega2)
	}
	if prob.Dim < 2 || slices.Contains(prob.Mass, 0) {
		return nil, fmt.Errorf("fixedpoint: curves of Hopf points need two unknowns and no algebraic equations")
	}
	w, cv, err := newCurve(prob, x, p, params, set)
	if err != nil {
		return nil, err
	}
	n := w.s.n
	y := make([]float64, n+3)
	w.s.pack(y, x, p)
	y[n+2] = omega2 / (w.s.rate * w.s.rate)
	right, left, ok := nullOfSquare(w.s, y, y[n+2])
	if !ok {
		return nil, fmt.Errorf("%w: no Hopf point at x = %v, p = %v", ErrStart, x, p)
	}
	cv.Kind = Hopf
	h := &hopfCurve{newHopfs(w.s, right, left), newEigenvalues(n, nil)}
	h.combine(y)
	return w.curve(cv, h, y)
}

func newCurve(prob *Problem, x, p []float64, params [2]int, set *CurveSettings) (*walk, *Curve, error) {
	var st CurveSettings
	if set != nil {
		st = *set
	}
	st.Stepping = st.withDefaults()
	if err := st.check(); err != nil {
		return nil, nil, err
	}
	if params[0] == params[1] {
		return nil, nil, fmt.Errorf("fixedpoint: parameter %d given twice", params[0])
	}
	s, err := newScaled(prob, x, p, params[:]...)
	if err != nil {
		return nil, nil, err
	}
	w := &walk{Stepping: st.Stepping, s: s}
	for i, k := range params {
		if st.Min[i] == 0 && st.Max[i] == 0 {
			st.Min[i], st.Max[i] = math.Inf(-1), math.Inf(1)
		}
		if err := checkRange(k, st.Min[i], st.Max[i], p[k]); err != nil {
			return nil, nil, err
		}
		w.bounds = append(w.bounds, bound{s.n + i, st.Min[i] / s.sp[k], st.Max[i] / s.sp[k]})
	}
	return w, &Curve{Params: params, Base: slices.Clone(p), Rate: s.rate, Settings: st}, nil
}

// A codim2 is a curve on which special points of codimension 2 lie.
type codim2 interface {
	curve
	// kind returns what a change of sign of a test function at a node is, and ω² over rate²
	// there; ok is false for one that means nothing.
	kind(test int, nd *node) (k Kind, kappa float64, ok bool)
}

// curve follows the curve from near y.
func (w *walk) curve(cv *Curve, c codim2, y []float64) (*Curve, error) {
	w.tracer = newTracer(c, w.Tol)
	n := w.s.n
	if !w.onto(y) {
		return nil, fmt.Errorf("%w: the system of the %v does not converge", ErrStart, cv.Kind)
	}
	if w.outside(y) {
		return nil, fmt.Errorf("%w: %v is outside Domain", ErrStart, w.s.x)
	}
	t, err := w.firstTangent(y)
	if err != nil {
		return nil, err
	}
	if t[n] < 0 {
		for i := range t {
			t[i] = -t[i]
		}
	}
	start := &node{y: y, t: t}
	c.finish(start, nil)
	nodes, back, front := w.both(start)
	cv.StopBack, cv.StopFront = back, front
	for _, nd := range nodes {
		x, p := w.s.at(nd.y)
		pt := CurvePoint{X: x, P: [2]float64{p[cv.Params[0]], p[cv.Params[1]]}, Tangent: nd.t, ArcLength: nd.s}
		if cv.Kind == Hopf {
			pt.Omega2 = nd.y[n+2] * w.s.rate * w.s.rate
		}
		cv.Points = append(cv.Points, pt)
	}
	cv.Special = w.codim2(c, nodes)
	cv.Work = w.s.work
	return cv, nil
}
