package fixedpoint

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// follow continues and checks the branch, and fails the test without one.
func follow(t *testing.T, prob *Problem, x, p []float64, set *ContinueSettings) *Branch {
	t.Helper()
	br, err := Continue(prob, x, p, 0, set)
	if err != nil {
		t.Fatal(err)
	}
	checked(t, prob, br)
	return br
}

func checked(t *testing.T, prob *Problem, br *Branch) {
	t.Helper()
	if err := checkBranch(prob, br); err != nil {
		t.Error(err)
	}
	for _, w := range br.Warnings {
		t.Error(w)
	}
}

// of returns the special points of one kind, which must all be refined.
func of(t *testing.T, br *Branch, kind Kind) []Special {
	t.Helper()
	var out []Special
	for _, s := range br.Special {
		if s.Kind != kind {
			continue
		}
		if !s.Converged {
			t.Errorf("%v at %v is not refined", kind, s.Located.P)
		}
		out = append(out, s)
	}
	return out
}

// branchKinds are the kinds of special points of a branch by their names in package numtest.
var branchKinds = map[string]Kind{
	numtest.Fold: Fold, numtest.Hopf: Hopf, numtest.BranchPoint: BranchPoint, numtest.NeutralSaddle: NeutralSaddle,
}

// compare checks that the branch has exactly the known special points of e that pick accepts.
// Neutral saddles beyond those known are allowed: they are no change of the phase portrait.
func compare(t *testing.T, e numtest.Equilibrium, br *Branch, pick func(numtest.SpecialPoint) bool) {
	t.Helper()
	count := map[Kind]int{}
	for _, want := range e.Points {
		kind, ok := branchKinds[want.Kind]
		if !ok || want.Free != br.Param || pick != nil && !pick(want) {
			continue
		}
		count[kind]++
		k := slices.IndexFunc(br.Special, func(s Special) bool {
			return s.Kind == kind && math.Abs(s.Refined.P[want.Free]-want.P[want.Free]) <= 1e-4*max(1, math.Abs(want.P[want.Free])) &&
				distance(s.Refined.X, want.X) <= 1e-2*max(1, norm2(want.X))
		})
		if k < 0 {
			t.Errorf("%s: no %v at %v", e.Name, kind, want.P)
			continue
		}
		got := br.Special[k]
		// 1e-8 relative is what the references are asked for; zeros absolutely
		numtest.Check(t, e.Name+": "+kind.String(), got.Refined.P[want.Free], want.P[want.Free], 1e-8, 1e-10)
		if want.Omega != 0 {
			numtest.Check(t, e.Name+": ω²", got.Omega2, want.Omega*want.Omega, 1e-8, 0)
		}
	}
	for _, kind := range []Kind{Fold, Hopf, BranchPoint} {
		if got := len(of(t, br, kind)); got != count[kind] {
			t.Errorf("%s: %d points of kind %v, want %d", e.Name, got, kind, count[kind])
		}
	}
}

// inBox keeps a branch where the references of e are.
func inBox(e numtest.Equilibrium) func(x, p []float64) bool {
	return func(x, _ []float64) bool {
		for i, v := range x {
			if !(v >= e.Lo[i]-1e-9 && v <= e.Hi[i]+1e-9) {
				return false
			}
		}
		return true
	}
}

// knownBranches are problems whose known points, of those in pick, lie on the branch through
// the start.
var knownBranches = []struct {
	e      numtest.Equilibrium
	lo, hi float64
	pick   func(numtest.SpecialPoint) bool
}{
	{numtest.CuspProblem(), -1, 1, nil},
	{numtest.CSTR(), 0, 0.2, nil},
	{numtest.TsodyksMarkram(), -2, 0, nil},
	{numtest.Budworm(), 0.01, 1, nil},
	{numtest.Cessi(), 0.5, 2, nil},
	{numtest.TakensBogdanov(), -2, 2, nil},
	{numtest.PredatorPrey(), 0, 1, notHopf}, // Hopf points of this and the next are on
	{numtest.Lorenz(), 0, 30, notHopf},      // the other branch
	{numtest.Toggle(), 0, 4, nil},
}

func notHopf(s numtest.SpecialPoint) bool { return s.Kind != numtest.Hopf }

func TestExactKnownBranches(t *testing.T) {
	for _, c := range knownBranches {
		for _, differences := range []bool{false, true} {
			prob := problemOf(c.e)
			name := c.e.Name
			if differences {
				prob.JacX, prob.JacP = nil, nil
				name += " by differences"
			}
			t.Run(name, func(t *testing.T) {
				set := &ContinueSettings{Min: c.lo, Max: c.hi, Stepping: Stepping{Domain: inBox(c.e)}}
				if differences {
					set.Tol = 1e-9 // of a tangent with errors of 1e-10
				}
				compare(t, c.e, follow(t, prob, c.e.X0, c.e.P, set), c.pick)
			})
		}
	}
}

// The fold ends the healthy branch, and the branch ends where the queue is full.
func TestExactFIFORetries(t *testing.T) {
	for _, c := range []struct {
		mu, tau float64
		r       int
	}{{10, 5, 5}, {10, 3, 4}, {10, 1, 3}, {300, 1, 1}} {
		e := numtest.FIFORetries(c.mu, c.tau, c.r)
		prob := problemOf(e)
		prob.Scale, prob.ScaleP = []float64{c.mu}, []float64{c.mu, c.mu, c.tau}
		br := follow(t, prob, e.X0, e.P, &ContinueSettings{Min: 0.01 * c.mu, Max: 2 * c.mu, Stepping: Stepping{
			Domain: func(x, _ []float64) bool { return x[0] < c.mu },
		}})
		compare(t, e, br, nil)
		last := br.Points[len(br.Points)-1]
		if br.StopFront != DomainLeft {
			t.Errorf("%s: stops with %v", e.Name, br.StopFront)
		}
		numtest.Check(t, e.Name+": end", last.P, c.mu/float64(c.r+1), 1e-7, 0) // MinStep is 1e-9 in units of μ, the slope up to τμ
	}
}

// The same folds with steps ten times finer.
func TestConvergenceFinerSteps(t *testing.T) {
	for _, c := range knownBranches {
		set := ContinueSettings{Min: c.lo, Max: c.hi, Stepping: Stepping{Domain: inBox(c.e)}}
		coarse := follow(t, problemOf(c.e), c.e.X0, c.e.P, &set)
		set.InitialStep, set.MaxStep, set.MaxSteps = 0.001, 0.01, 20000
		set.MaxAngle = 0.03
		fine := follow(t, problemOf(c.e), c.e.X0, c.e.P, &set)
		sameSpecials(t, c.e.Name, coarse, fine, 1, 1)
	}
}

// sameSpecials compares the parameters, to 1e-10, of the special points of two branches whose
// parameter and rates differ by the factors.
func sameSpecials(t *testing.T, name string, a, b *Branch, param, rate float64) {
	t.Helper()
	if len(a.Special) != len(b.Special) {
		t.Errorf("%s: %d and %d special points", name, len(a.Special), len(b.Special))
		return
	}
	for i, s := range a.Special {
		o := b.Special[i]
		if s.Kind != o.Kind {
			t.Errorf("%s: %v and %v", name, s.Kind, o.Kind)
		}
		numtest.Check(t, name+": "+s.Kind.String(), o.Refined.P[a.Param], param*s.Refined.P[a.Param], 1e-10, 1e-14*param)
		numtest.Check(t, name+": ω²", o.Omega2, rate*rate*s.Omega2, 1e-9, 0)
	}
}

// Rates multiplied by a million.
func TestInvariantRates(t *testing.T) {
	const rate = 1e6
	for _, c := range knownBranches {
		set := ContinueSettings{Min: c.lo, Max: c.hi, Stepping: Stepping{Domain: inBox(c.e)}}
		a := follow(t, problemOf(c.e), c.e.X0, c.e.P, &set)
		b := follow(t, problemOf(c.e.Scaled(rate)), c.e.X0, c.e.P, &set)
		sameSpecials(t, c.e.Name, a, b, 1, rate)
	}
}

// Time in units of 1000 s: loads and capacities, which are rates, are 1000 times larger.
func TestInvariantSeconds(t *testing.T) {
	const factor = 1e3
	branch := func(f float64) *Branch {
		e := numtest.FIFORetries(10*f, 3/f, 4)
		prob := problemOf(e)
		prob.Scale, prob.ScaleP = []float64{10 * f}, []float64{10 * f, 10 * f, 3 / f}
		return follow(t, prob, e.X0, e.P, &ContinueSettings{Min: f, Max: 12 * f, Stepping: Stepping{
			Domain: func(x, _ []float64) bool { return x[0] < 10*f },
		}})
	}
	a, b := branch(1), branch(factor)
	if len(a.Special) != 1 || len(a.Points) != len(b.Points) {
		t.Errorf("%d special points; %d and %d points", len(a.Special), len(a.Points), len(b.Points))
	}
	sameSpecials(t, "FIFO retries", a, b, factor, factor)
}

// twoFolds is x' = p − x³ + 3a²x with folds at x = ±a, p = ∓2a³.
func twoFolds(a float64) *Problem {
	return &Problem{
		Dim: 1, Params: 1,
		F:    func(dst, x, p []float64) { dst[0] = p[0] - x[0]*x[0]*x[0] + 3*a*a*x[0] },
		JacX: func(dst, x, _ []float64) { dst[0] = 3*a*a - 3*x[0]*x[0] },
		JacP: func(dst, _, _ []float64) { dst[0] = 1 },
	}
}

// Two folds 1e-3 apart, in x or in p, within one step that has the same signs at both ends.
func TestExactTwoFoldsInOneStep(t *testing.T) {
	for _, a := range []float64{0.5e-3, math.Cbrt(0.25e-3)} {
		x0 := -0.25
		p0 := x0*x0*x0 - 3*a*a*x0
		br := follow(t, twoFolds(a), []float64{x0}, []float64{p0}, &ContinueSettings{Stepping: Stepping{
			InitialStep: 0.5, MaxStep: 0.5, MaxAngle: 0.5, Stop: func(x, _ []float64) bool { return x[0] > 0.8 || x[0] < -1 },
		}})
		folds := of(t, br, Fold)
		if len(folds) != 2 {
			t.Fatalf("a = %g: %d folds in %d points", a, len(folds), len(br.Points))
		}
		if folds[0].After != folds[1].After {
			t.Errorf("a = %g: the folds are in different steps", a)
		}
		// p is a double root's value: a relative accuracy of 1e-8 of a³ is below rounding of
		// x³ at the ends of the step, so p absolutely
		numtest.Check(t, "first fold", folds[0].Refined.X[0], -a, 1e-8, 0)
		numtest.Check(t, "second fold", folds[1].Refined.X[0], a, 1e-8, 0)
		numtest.Check(t, "first p", folds[0].Refined.P[0], 2*a*a*a, 1e-8, 1e-15)
		numtest.Check(t, "second p", folds[1].Refined.P[0], -2*a*a*a, 1e-8, 1e-15)
	}
}

// A start on a fold, and one beside it with no equilibrium at its parameter.
func TestExactStartOnFold(t *testing.T) {
	e := numtest.CuspProblem()
	for _, start := range [][2]float64{{-1 / math.Sqrt(3), 2 / (3 * math.Sqrt(3))}, {-0.577, 0.3849}, {-0.577, 0.385}} {
		br := follow(t, problemOf(e), []float64{start[0]}, []float64{start[1], 1}, &ContinueSettings{Min: -1, Max: 1})
		if br.StopBack != Bound || br.StopFront != Bound {
			t.Errorf("start %v: stops with %v and %v", start, br.StopBack, br.StopFront)
		}
		compare(t, e, br, nil)
	}
}

// The discrete fold differs from that of the differential equation by O(h²).
func TestConvergenceBratuFold(t *testing.T) {
	var last float64
	for _, n := range []int{7, 15, 31} {
		e := numtest.Bratu(n)
		prob := problemOf(e)
		prob.Scale = slices.Repeat([]float64{math.Sqrt(float64(n))}, n) // arc lengths that do not depend on n
		br := follow(t, prob, e.X0, e.P, &ContinueSettings{Min: 0, Max: 5, Stepping: Stepping{
			MaxStep: 0.3, Stop: func(x, _ []float64) bool { return x[n/2] > 2 },
		}})
		folds := of(t, br, Fold)
		if len(folds) != 1 {
			t.Fatalf("n = %d: %d folds", n, len(folds))
		}
		off := math.Abs(folds[0].Refined.P[0] - e.Points[0].P[0])
		if last > 0 && !numtest.Close(last/off, 4, 0.05, 0) { // next order h²: 1/64 of it at n = 7
			t.Errorf("n = %d: the error falls by %g", n, last/off)
		}
		last = off
	}
}
