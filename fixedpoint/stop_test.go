package fixedpoint

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// Every branch keeps the points up to where it stops, and says why.
func TestExactStops(t *testing.T) {
	e := numtest.CuspProblem()
	prob := problemOf(e)
	for _, c := range []struct {
		name string
		set  ContinueSettings
		want Stop
		end  func(Point) bool
	}{
		{"bound", ContinueSettings{Min: -2, Max: 0.1}, Bound, func(pt Point) bool { return pt.P == 0.1 }},
		{"step limit", ContinueSettings{Stepping: Stepping{MaxSteps: 7}}, StepLimit, func(pt Point) bool { return pt.P < 0.2 }},
		{
			"domain",
			ContinueSettings{Stepping: Stepping{Domain: func(x, _ []float64) bool { return x[0] < 0.25 }}},
			DomainLeft,
			func(pt Point) bool { return pt.X[0] < 0.25 && pt.X[0] > 0.25-1e-8 },
		},
		{
			"user",
			ContinueSettings{Stepping: Stepping{Stop: func(x, _ []float64) bool { return x[0] > 0 }}},
			UserStop,
			func(pt Point) bool { return pt.X[0] > 0 && pt.X[0] < 0.11 },
		},
	} {
		br := follow(t, prob, e.X0, e.P, &c.set)
		if last := br.Points[len(br.Points)-1]; br.StopFront != c.want || !c.end(last) {
			t.Errorf("%s: %v at %+v", c.name, br.StopFront, last)
		}
		if (br.Err() != nil) != (br.StopFront == StepLimit || br.StopBack == StepLimit) {
			t.Errorf("%s: %v, %v: %v", c.name, br.StopBack, br.StopFront, br.Err())
		}
	}
}

// x' = p − |x|, not smooth at 0: the branch ends there with what is found, marked.
func TestExactPartialBranch(t *testing.T) {
	prob := &Problem{Dim: 1, Params: 1, F: func(dst, x, p []float64) { dst[0] = p[0] - math.Abs(x[0]) }}
	br := follow(t, prob, []float64{-0.5}, []float64{0.5}, &ContinueSettings{Min: -1, Max: 1})
	if br.StopBack != NoConvergence || br.StopFront != Bound || br.Err() == nil {
		t.Errorf("stops %v and %v, %v", br.StopBack, br.StopFront, br.Err())
	}
	// the Jacobian is a difference over ε^{1/3} = 6e-6, wrong across the corner
	numtest.Check(t, "last x", br.Points[0].X[0], 0, 0, 6.1e-6)
}

// A parameter for which F is not a number.
func TestExactNotANumber(t *testing.T) {
	prob := &Problem{Dim: 1, Params: 1, F: func(dst, x, p []float64) { dst[0] = math.Log(x[0]) + x[0] - math.Sqrt(p[0]) }}
	br := follow(t, prob, []float64{1}, []float64{1}, &ContinueSettings{Min: -1, Max: 2})
	if br.StopBack != NoConvergence || br.StopFront != Bound {
		t.Errorf("stops %v and %v", br.StopBack, br.StopFront)
	}
	if last := br.Points[0].P; !(last >= 0 && last < 1e-4) {
		t.Errorf("stops at %g, want the edge at 0", last)
	}
}

// A problem that from some evaluation on has no values any more, as one that is interrupted: curves end
// where they are, while they step and while they look for points of codimension two.
func TestInvariantNoMoreValues(t *testing.T) {
	e := numtest.TsodyksMarkram()
	prob := problemOf(e)
	hopf := known(t, e, numtest.Hopf)
	x, p := gelfandFold(t)
	for _, c := range []struct {
		prob  *Problem
		curve func(*Problem) (*Curve, error)
	}{
		{gelfand(), func(prob *Problem) (*Curve, error) {
			return FoldCurve(prob, x, p, [2]int{0, 1}, &CurveSettings{Min: [2]float64{0, 0.02}, Max: [2]float64{20, 1}})
		}},
		{prob, func(prob *Problem) (*Curve, error) {
			return HopfCurve(prob, hopf.X, hopf.P, hopf.Omega*hopf.Omega, [2]int{0, 1}, &CurveSettings{Min: [2]float64{-4, 2}, Max: [2]float64{0, 4}})
		}},
	} {
		left := math.MaxInt
		ends := *c.prob
		ends.JacX = func(dst, x, p []float64) {
			c.prob.JacX(dst, x, p)
			if left--; left < 0 {
				dst[0] = math.NaN()
			}
		}
		whole, err := c.curve(&ends)
		if err != nil {
			t.Fatal(err)
		}
		all := math.MaxInt - left
		for k := 1; k < all; k += 1 + all/40 {
			left = k
			cv, err := c.curve(&ends)
			if err == nil && len(cv.Points) > len(whole.Points) {
				t.Errorf("%d points after %d Jacobians, %d in all", len(cv.Points), k, len(whole.Points))
			}
		}
	}
}

func TestErrors(t *testing.T) {
	e := numtest.CuspProblem()
	prob := problemOf(e)
	two := [2]int{0, 1}
	for _, c := range []struct {
		name, message string
		call          func() error
	}{
		{"empty range", "[1, -3]", func() error {
			_, err := Continue(prob, e.X0, e.P, 0, &ContinueSettings{Min: 1, Max: -3})
			return err
		}},
		{"start outside", "starts at -1", func() error {
			_, err := Continue(prob, e.X0, e.P, 0, &ContinueSettings{Min: 0, Max: 1})
			return err
		}},
		{"parameter", "parameter 2 ", func() error { _, err := Continue(prob, e.X0, e.P, 2, nil); return err }},
		{"negative parameter", "parameter -1 ", func() error { _, err := Continue(prob, e.X0, e.P, -1, nil); return err }},
		{"dimension", "dimension 2", func() error { _, err := Continue(prob, []float64{0, 0}, e.P, 0, nil); return err }},
		{"step", "MaxStep = -0.5", func() error {
			_, err := Continue(prob, e.X0, e.P, 0, &ContinueSettings{Stepping: Stepping{MaxStep: -0.5}})
			return err
		}},
		{"order of steps", "MinStep = 0.2", func() error {
			_, err := Continue(prob, e.X0, e.P, 0, &ContinueSettings{Stepping: Stepping{MinStep: 0.2, InitialStep: 0.1}})
			return err
		}},
		{"angle", "MaxAngle = 2", func() error {
			_, err := Continue(prob, e.X0, e.P, 0, &ContinueSettings{Stepping: Stepping{MaxAngle: 2}})
			return err
		}},
		{"tolerance", "Tol = NaN", func() error {
			_, err := Continue(prob, e.X0, e.P, 0, &ContinueSettings{Stepping: Stepping{Tol: math.NaN()}})
			return err
		}},
		{"parameter twice", "parameter 1 given twice", func() error {
			_, err := FoldCurve(prob, []float64{0}, e.P, [2]int{1, 1}, nil)
			return err
		}},
		{"omega2", "omega2 = -1", func() error { _, err := HopfCurve(prob, e.X0, e.P, -1, two, nil); return err }},
		{"domain", "outside Domain", func() error {
			_, err := Continue(prob, e.X0, e.P, 0, &ContinueSettings{Stepping: Stepping{Domain: func(x, _ []float64) bool { return x[0] > 0 }}})
			return err
		}},
		{"switch", "special point 0", func() error { _, err := SwitchBranch(prob, &Branch{}, 0, nil); return err }},
		{"switch at a fold", "is a fold", func() error {
			_, err := SwitchBranch(prob, &Branch{Special: []Special{{Kind: Fold}}}, 0, nil)
			return err
		}},
		{"diagram without range", "[0, 0]", func() error {
			_, err := BifurcationDiagram(prob, e.P, Box{e.Lo, e.Hi}, 0, &DiagramSettings{})
			return err
		}},
		{"diagram's parameter", "parameter 5 ", func() error {
			_, err := BifurcationDiagram(prob, e.P, Box{e.Lo, e.Hi}, 5, &DiagramSettings{ContinueSettings: ContinueSettings{Min: -1, Max: 1}})
			return err
		}},
	} {
		if err := c.call(); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.message)
		}
	}
}

// A start on a branch point has no tangent to follow.
func TestErrorBranchPoint(t *testing.T) {
	e := numtest.Lorenz()
	if _, err := Continue(problemOf(e), []float64{0, 0, 0}, []float64{1, 10, 8. / 3}, 0, nil); err == nil {
		t.Error("no error")
	}
}

// No equilibrium, or no fold, near the start.
func TestErrorStart(t *testing.T) {
	none := &Problem{Dim: 1, Params: 2, F: func(dst, x, p []float64) { dst[0] = 1 + x[0]*x[0] + p[0]*p[0] }}
	if _, err := Continue(none, []float64{0.3}, []float64{0.2, 0}, 0, nil); !errors.Is(err, ErrStart) {
		t.Errorf("equilibrium: %v", err)
	}
	if _, err := FoldCurve(none, []float64{0.3}, []float64{0.2, 0}, [2]int{0, 1}, nil); !errors.Is(err, ErrStart) {
		t.Errorf("fold: %v", err)
	}
	_, err := BifurcationDiagram(none, []float64{0, 0}, Box{[]float64{-1}, []float64{1}}, 0,
		&DiagramSettings{ContinueSettings: ContinueSettings{Min: -1, Max: 1}})
	if !errors.Is(err, ErrStart) {
		t.Errorf("diagram: %v", err)
	}
}

// The checker sees what it is for.
func TestInvariantCheckerFails(t *testing.T) {
	e := numtest.CSTR()
	prob := problemOf(e)
	for name, spoil := range map[string]func(*Branch){
		"residual":   func(b *Branch) { b.Points[3].X[0] += 1e-6 },
		"stability":  func(b *Branch) { b.Points[3].Stable = !b.Points[3].Stable },
		"count":      func(b *Branch) { b.Points[3].Unstable += 2 },
		"gap":        func(b *Branch) { b.Points = append(b.Points[:10:10], b.Points[20:]...) },
		"lost fold":  func(b *Branch) { b.Special = b.Special[1:] },
		"kind":       func(b *Branch) { b.Special[0].Kind = Hopf },
		"interval":   func(b *Branch) { b.Special[0].Interval[1] = b.Special[0].Interval[0] - 1e-3 },
		"tangent":    func(b *Branch) { b.Points[3].Tangent[0] *= -1 },
		"arc length": func(b *Branch) { b.Points[3].ArcLength += 0.1 },
		"ω²":         func(b *Branch) { b.Special[len(b.Special)-1].Omega2 *= 1.01 },
	} {
		br := follow(t, prob, e.X0, e.P, &ContinueSettings{Min: 0, Max: 0.2})
		spoil(br)
		if checkBranch(prob, br) == nil {
			t.Errorf("%s: not seen", name)
		}
	}
}
