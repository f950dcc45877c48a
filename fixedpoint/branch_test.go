package fixedpoint

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

func switched(t *testing.T, prob *Problem, br *Branch, i int, set *ContinueSettings) *Branch {
	t.Helper()
	other, err := SwitchBranch(prob, br, i, set)
	if err != nil {
		t.Fatal(err)
	}
	checked(t, prob, other)
	return other
}

func indexOf(t *testing.T, br *Branch, kind Kind, p float64) int {
	t.Helper()
	k := slices.IndexFunc(br.Special, func(s Special) bool {
		return s.Kind == kind && math.Abs(s.Refined.P[br.Param]-p) < 1e-6
	})
	if k < 0 {
		t.Fatalf("no %v at %g", kind, p)
	}
	return k
}

// The symmetric branch of the toggle switch loses its stability at a pitchfork to uv = 1,
// u + v = a.
func TestExactPitchfork(t *testing.T) {
	e := numtest.Toggle()
	prob := problemOf(e)
	set := &ContinueSettings{Min: 0, Max: 4}
	br := follow(t, prob, e.X0, e.P, set)
	other := switched(t, prob, br, indexOf(t, br, BranchPoint, 2), set)
	if other.StopBack != Bound || other.StopFront != Bound {
		t.Errorf("stops %v and %v", other.StopBack, other.StopFront)
	}
	for _, pt := range other.Points {
		numtest.Check(t, "uv", pt.X[0]*pt.X[1], 1, 1e-8, 0)
		numtest.Check(t, "u + v", pt.X[0]+pt.X[1], pt.P, 1e-8, 0)
		if pt.P > 2.001 && !pt.Stable {
			t.Errorf("a = %g: unstable", pt.P)
		}
	}
	ends := []float64{other.Points[0].X[0], other.Points[len(other.Points)-1].X[0]}
	slices.Sort(ends)
	numtest.CheckSlice(t, "ends", ends, []float64{2 - math.Sqrt(3), 2 + math.Sqrt(3)}, 1e-8, 0)
	if n := len(of(t, other, BranchPoint)); n != 1 || len(of(t, other, Fold)) != 0 {
		t.Errorf("%d branch points and %d folds on the pitchfork's branch", n, len(of(t, other, Fold)))
	}
	for _, pt := range br.Points {
		if pt.Stable != (pt.P < 2) {
			t.Errorf("symmetric branch: stable %v at a = %g", pt.Stable, pt.P)
		}
	}
}

// From the branch that turns at the pitchfork to the one that goes straight through.
func TestExactPitchforkFromTheOtherSide(t *testing.T) {
	e := numtest.Toggle()
	prob := problemOf(e)
	set := &ContinueSettings{Min: 0.5, Max: 4}
	br := follow(t, prob, []float64{2 + math.Sqrt(3), 2 - math.Sqrt(3)}, []float64{4}, set)
	if len(of(t, br, Fold)) != 0 {
		t.Error("the pitchfork is called a fold")
	}
	other := switched(t, prob, br, indexOf(t, br, BranchPoint, 2), set)
	for _, pt := range other.Points {
		numtest.Check(t, "u = v", pt.X[0], pt.X[1], 1e-8, 0)
	}
	numtest.Check(t, "end", other.Points[len(other.Points)-1].X[0], 1.37879670012955086, 1e-8, 0) // u + u³ = 4
}

// Transcritical points: the predator lives beyond u2 = 0, where its Hopf point is; and the trivial branch.
func TestExactTranscritical(t *testing.T) {
	e := numtest.PredatorPrey()
	prob := problemOf(e)
	set := &ContinueSettings{Min: 0, Max: 1, Stepping: Stepping{Domain: inBox(e)}}
	br := follow(t, prob, e.X0, e.P, set)
	predator := switched(t, prob, br, indexOf(t, br, BranchPoint, 0.821904345373990811), set)
	compare(t, e, predator, func(s numtest.SpecialPoint) bool { return s.X[0] == 1./3 })
	for _, pt := range predator.Points {
		numtest.Check(t, "u1", pt.X[0], 1./3, 1e-8, 0)
	}
	trivial := switched(t, prob, br, indexOf(t, br, BranchPoint, 0.6), set)
	for _, pt := range trivial.Points {
		numtest.CheckSlice(t, "trivial", pt.X, []float64{0, 0}, 0, 1e-9)
	}
}

func TestExactLorenzBranches(t *testing.T) {
	e := numtest.Lorenz()
	prob := problemOf(e)
	set := &ContinueSettings{Min: 0, Max: 30}
	br := follow(t, prob, e.X0, e.P, set)
	other := switched(t, prob, br, indexOf(t, br, BranchPoint, 1), set)
	compare(t, e, other, nil)
}

// circle is an isola x² + p² = 1 beside the branch x = 3.
func circle() *Problem {
	return &Problem{
		Dim: 1, Params: 1,
		F:    func(dst, x, p []float64) { dst[0] = (x[0]*x[0] + p[0]*p[0] - 1) * (x[0] - 3) },
		JacX: func(dst, x, p []float64) { dst[0] = 2*x[0]*(x[0]-3) + x[0]*x[0] + p[0]*p[0] - 1 },
		JacP: func(dst, x, p []float64) { dst[0] = 2 * p[0] * (x[0] - 3) },
	}
}

func TestExactClosedBranch(t *testing.T) {
	for _, start := range [][2]float64{{1, 0}, {0, 1}, {0.6, -0.8}} { // the second on a fold
		br := follow(t, circle(), start[:1], start[1:], nil)
		if br.StopBack != Closed || br.StopFront != Closed {
			t.Errorf("stops %v and %v", br.StopBack, br.StopFront)
		}
		// chords of steps of at most 0.1 rad are shorter by less than 0.1²/24
		length := br.Points[len(br.Points)-1].ArcLength
		numtest.Check(t, "length", length, 2*math.Pi, 0.01/24, 0)
		folds := of(t, br, Fold)
		if len(folds) != 2 {
			t.Fatalf("%d folds, start %v", len(folds), start)
		}
		p := []float64{folds[0].Refined.P[0], folds[1].Refined.P[0]}
		slices.Sort(p)
		numtest.CheckSlice(t, "folds", p, []float64{-1, 1}, 1e-8, 0)
	}
}

func TestExactIsolaFound(t *testing.T) {
	d, err := BifurcationDiagram(circle(), []float64{0}, Box{[]float64{-2}, []float64{4}}, 0,
		&DiagramSettings{ContinueSettings: ContinueSettings{Min: -3, Max: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Branches) != 2 || len(d.Warnings) != 0 {
		t.Fatalf("%d branches, warnings %v", len(d.Branches), d.Warnings)
	}
	closed := 0
	for _, br := range d.Branches {
		checked(t, circle(), br)
		if br.StopFront == Closed {
			closed++
		}
	}
	if closed != 1 {
		t.Errorf("%d closed branches", closed)
	}
}

// Branches that meet at branch points are found once each.
func TestExactConnectedBranches(t *testing.T) {
	for _, c := range []struct {
		e        numtest.Equilibrium
		lo, hi   float64
		branches int // counted in closed form
	}{
		{numtest.Toggle(), 0, 4, 2},          // symmetric and asymmetric
		{numtest.PredatorPrey(), 0, 1, 3},    // nothing, prey, both
		{numtest.Lorenz(), 0, 30, 2},         // rest, convection
		{numtest.CuspProblem(), -1, 1, 1},    //
		{numtest.CSTR(), 0, 0.2, 1},          //
		{numtest.TsodyksMarkram(), -2, 0, 1}, //
	} {
		prob := problemOf(c.e)
		d, err := BifurcationDiagram(prob, c.e.P, Box{c.e.Lo, c.e.Hi}, 0,
			&DiagramSettings{ContinueSettings: ContinueSettings{Min: c.lo, Max: c.hi}, Slices: 4})
		if err != nil {
			t.Error(err)
			continue
		}
		for _, br := range d.Branches {
			checked(t, prob, br)
		}
		if len(d.Branches) != c.branches {
			t.Errorf("%s: %d branches, want %d", c.e.Name, len(d.Branches), c.branches)
		}
	}
}

// The reactor with its second unknown's rate, the first's and an algebraic third: eigenvalues are those
// of the reduced system, so folds and Hopf points are the same.
func TestExactAlgebraicEquation(t *testing.T) {
	e := numtest.CSTR()
	prob := &Problem{
		Dim: 3, Params: 3, Mass: []float64{1, 1, 0},
		F: func(dst, x, p []float64) { // x[2] is the rate of the reaction
			dst[0] = -x[0] + x[2]
			dst[1] = -x[1] + p[1]*x[2] - p[2]*x[1]
			dst[2] = p[0]*(1-x[0])*math.Exp(x[1]) - x[2]
		},
	}
	br := follow(t, prob, []float64{0, 0, 0}, e.P, &ContinueSettings{Min: 0, Max: 0.2, Stepping: Stepping{Tol: 1e-9}})
	for i := range e.Points {
		x := e.Points[i].X
		e.Points[i].X = []float64{x[0], x[1], x[0]}
	}
	compare(t, e, br, nil)
}
