package stability

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// A Bifurcation is the equilibria over a range of one parameter.
type Bifurcation struct {
	Axis     Axis
	Columns  []string // observables of [BranchPoint.Row]
	Branches []Branch

	// Certainty is Proved where at each of the Slices, values of the parameter, every
	// equilibrium is proved to be on a branch. An isola between two slices may be missing all the
	// same.
	Certainty fixedpoint.Certainty
	Slices    []float64

	Evals    int     // of the return map, or of the whole system
	Warnings []error // what makes the diagram suspect and what would mend it

	family *Family
}

// A Branch is equilibria next to each other.
type Branch struct {
	Points  []BranchPoint
	Special []SpecialPoint // in the order of the points

	// StopBack and StopFront say why the branch ends at its first and its last point.
	StopBack, StopFront fixedpoint.Stop
}

// Err returns an error where the branch is not complete; its points are good all the same.
func (b *Branch) Err() error { return errors.Join(b.StopBack.Err(), b.StopFront.Err()) }

// A BranchPoint is an equilibrium of a branch.
type BranchPoint struct {
	P        float64    // the parameter, SI
	State    []float64  // of the whole system
	Row      []float64  // observables
	Leading  complex128 // eigenvalue with the largest real part, 1/s
	Unstable int        // eigenvalues of the whole system with a positive real part
	Stable   bool

	x []float64 // coordinates of the family
}

// A SpecialPoint is a fold or a Hopf point of a branch.
type SpecialPoint struct {
	BranchPoint
	Kind      fixedpoint.Kind
	After     int     // index of the last point of the branch before
	Omega     float64 // at a Hopf point: the frequency, radians/s
	Converged bool    // refined; otherwise it is only located between two points

	full []float64 // all parameters of the family
}

// slices are the values of the parameter, as shares of the range, at which all
// equilibria are looked for. Few where each takes several trajectories.
var (
	manySlices = []float64{0.01, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99}
	fewSlices  = []float64{0.1, 0.5, 0.9}
)

// curveTol is the size of the last correction along a curve: differences of the
// return map are no better.
const curveTol = 1e-8

// Bifurcate finds the branches of equilibria at the moment over the range of the axis,
// connected or not: at several values of the parameter it finds all equilibria
// ([Equilibria]) and follows those that are on no branch yet, in both directions,
// by pseudo-arclength continuation ([fixedpoint.Continue]). Stability is that of the whole
// system. Folds and Hopf points are refined.
//
// It fails with an error that is [ErrAxis] or [fixedpoint.ErrStart] where there is no such
// range or no equilibrium in it, and with the branches so far and ErrInterrupted. A branch
// that could not be followed to its end is no error: see [Branch.Err].
func Bifurcate(sc *model.Scenario, at model.Moment, axis Axis, set *Settings) (*Bifurcation, error) {
	f, err := NewFamily(sc, at, axis)
	if err != nil {
		return nil, err
	}
	f.halt = set
	d := &Bifurcation{Axis: axis, Columns: f.kept[0].sys.Columns(), Certainty: fixedpoint.Proved, family: f}
	t := &tracer{f: f, prob: f.problem(), out: d, set: set, p: []float64{math.NaN()}}
	err = t.trace(0)
	d.Evals = f.evals
	if err == nil && len(d.Branches) == 0 {
		err = fmt.Errorf("%w: none with %s from %.6g to %.6g", fixedpoint.ErrStart, axis.Path, axis.Lo, axis.Hi)
	}
	return d, err
}

// A tracer follows the branches of a family in one of its parameters.
type tracer struct {
	f    *Family
	prob *fixedpoint.Problem
	out  *Bifurcation
	set  *Settings
	p    []float64 // the other parameters
	bare bool      // folds are all that is wanted: no spectra of the whole system
}

// trace finds the branches over axis k of the family.
func (t *tracer) trace(k int) error {
	shares := manySlices
	if t.f.whole {
		shares = fewSlices
	}
	for _, s := range shares {
		if err := t.set.interrupted(); err != nil {
			return err
		}
		p := slices.Clone(t.p)
		p[k] = t.f.Axes[k].at(s)
		t.out.Slices = append(t.out.Slices, p[k])
		starts, err := t.starts(p)
		if err != nil {
			return err
		}
		for _, x := range starts {
			if t.known(x, p, k) {
				continue
			}
			err := t.follow(x, p, k)
			if err := t.set.interrupted(); err != nil {
				return err // what was being followed has no end
			}
			if err != nil {
				t.warn(err)
			}
		}
	}
	return nil
}

func (t *tracer) warn(err error) {
	for _, w := range t.out.Warnings {
		if w.Error() == err.Error() {
			return
		}
	}
	t.out.Warnings = append(t.out.Warnings, err)
}

// starts returns all equilibria at p in the coordinates of the problem.
func (t *tracer) starts(p []float64) ([][]float64, error) {
	m, err := t.f.member(p)
	if err != nil {
		return nil, err
	}
	var out [][]float64
	if !t.f.whole && m.m.Signs() {
		if flowing(m.m) == 0 {
			return [][]float64{{m.ax.coordinate(0)}}, nil
		}
		set, err := roots(m.m, t.set)
		if err != nil {
			return nil, err
		}
		t.f.evals += 2 * set.Evals
		if set.Certainty != fixedpoint.Proved {
			t.out.Certainty = fixedpoint.Searched
		}
		for i := range set.Equilibria {
			out = append(out, []float64{m.ax.coordinate(set.Equilibria[i].X[0])})
		}
		return out, nil
	}
	t.out.Certainty = fixedpoint.Searched
	r, err := t.search(m)
	if err != nil {
		return nil, err
	}
	for _, w := range r.Warnings {
		t.warn(w)
	}
	t.f.evals += r.Evals
	for i := range r.Equilibria {
		e := &r.Equilibria[i]
		switch {
		case t.f.whole:
			out = append(out, toCoordinates(m.sys, e.State))
		case e.Rates != nil:
			out = append(out, []float64{m.ax.coordinate(e.Rates[0])})
		default:
			t.warn(fmt.Errorf("stability: the state with %s = %.6g that the return map does not show is left out", t.f.Axes[0].Path, p[0]))
		}
	}
	return out, nil
}

// search finds the equilibria of a member. For a map of many points, where a proof each takes too
// long, a search of the return map will do if it finds an odd number, as there is. Where it does not,
// as it misses a tipping point close to the healthy state, a proof is still quicker than trajectories.
func (t *tracer) search(m *member) (*Result, error) {
	at := model.Moment{Traffic: -1, Throttle: -1}
	rm, err := model.NewReturnMap(m.sys)
	if !t.bare || err != nil || flowing(rm) < rm.Rates() {
		return Equilibria(m.sys, at, t.set)
	}
	var r *Result
	for _, find := range []func(*model.ReturnMap, *Settings) (*fixedpoint.Set, error){search, roots} {
		set, err := find(rm, t.set)
		if err != nil {
			return nil, err
		}
		set.Undecided = nil // folds are met on purpose, and nothing here is called proved
		r = &Result{Columns: m.sys.Columns()}
		if r.take(set, rm, m.sys); len(r.Equilibria)%2 == 1 {
			r.sort()
			return r, nil
		}
	}
	err = r.explore(m.sys, m.sys, at, t.set)
	r.sort()
	return r, err
}

// known reports whether the equilibrium x at p lies on a branch.
func (t *tracer) known(x, p []float64, k int) bool {
	for i := range t.out.Branches {
		pts := t.out.Branches[i].Points
		for j := range len(pts) - 1 {
			a, b := &pts[j], &pts[j+1]
			if (a.P < p[k]) == (b.P < p[k]) {
				continue
			}
			guess := mix(a.x, b.x, (p[k]-a.P)/(b.P-a.P))
			if r, err := fixedpoint.Newton(t.prob, guess, p, nil); err == nil && !r.Status.Early() {
				guess = r.X
			}
			if t.same(x, guess) {
				return true
			}
		}
	}
	return false
}

// same reports whether two points are one.
func (t *tracer) same(x, y []float64) bool {
	return distance(slices.Repeat([]float64{1}, len(x)), x, y) < 1e-4
}

// mix returns a + f (b − a).
func mix(a, b []float64, f float64) []float64 {
	out := slices.Clone(a)
	for i := range out {
		out[i] += f * (b[i] - a[i])
	}
	return out
}

// stepping are the steps along branches and curves.
func (t *tracer) stepping() fixedpoint.Stepping {
	const rounding = 1e-9
	inside := func(m *member, x []float64) bool { return m.ax.rate(x[0])*m.ax.slope >= -rounding }
	if t.f.whole {
		inside = func(m *member, x []float64) bool { return m.sys.Inside(fromCoordinates(m.sys, x)) }
	}
	return fixedpoint.Stepping{
		Tol:  curveTol,
		Stop: func(_, _ []float64) bool { return t.set.interrupted() != nil },
		Domain: func(x, p []float64) bool {
			m, err := t.f.member(p)
			return err == nil && inside(m, x)
		},
	}
}

// follow adds the branch through x.
func (t *tracer) follow(x, p []float64, k int) error {
	a := t.f.Axes[k]
	br, err := fixedpoint.Continue(t.prob, x, p, k, &fixedpoint.ContinueSettings{Min: a.Lo, Max: a.Hi, Stepping: t.stepping()})
	if err != nil {
		return err
	}
	for _, b := range t.out.Branches {
		if t.twins(&b, br) {
			return nil
		}
	}
	for _, w := range br.Warnings {
		t.warn(w)
	}
	b := Branch{StopBack: br.StopBack, StopFront: br.StopFront}
	full := slices.Clone(p)
	for i := range br.Points {
		full[k] = br.Points[i].P
		b.Points = append(b.Points, t.point(br.Points[i].X, full, k))
	}
	for _, s := range br.Special {
		if s.Kind != fixedpoint.Fold {
			continue // the map has no others; those of the whole system follow from its spectra
		}
		b.Special = append(b.Special, SpecialPoint{
			BranchPoint: t.point(s.Refined.X, s.Refined.P, k), Kind: s.Kind, After: s.After, Converged: s.Converged, full: s.Refined.P,
		})
	}
	if !t.bare {
		t.hopf(&b, p, k)
	}
	if err := t.set.interrupted(); err != nil {
		return err
	}
	t.out.Branches = append(t.out.Branches, b)
	return nil
}

// twins reports whether two branches have the same ends.
func (t *tracer) twins(a *Branch, b *fixedpoint.Branch) bool {
	n, m := len(a.Points)-1, len(b.Points)-1
	meet := func(i, j int) bool {
		return math.Abs(a.Points[i].P-b.Points[j].P) <= 1e-9*math.Abs(a.Points[i].P) && t.same(a.Points[i].x, b.Points[j].X)
	}
	return meet(0, 0) && meet(n, m) || meet(0, m) && meet(n, 0)
}

// point looks at an equilibrium of the family.
func (t *tracer) point(x, p []float64, k int) BranchPoint {
	pt := BranchPoint{P: p[k], x: slices.Clone(x), Leading: complex(math.NaN(), math.NaN())}
	if t.bare {
		return pt
	}
	m, err := t.f.member(p)
	if err != nil {
		return pt
	}
	pt.Row = make([]float64, len(t.out.Columns))
	if t.f.whole {
		pt.State = fromCoordinates(m.sys, x)
	} else {
		p = slices.Clone(p)
		t.tighten(pt.x, p, k)
		if m, err = t.f.member(p); err != nil {
			return pt
		}
		x, pt.P = pt.x, p[k]
		pt.State = m.m.State([]float64{max(m.ax.rate(x[0]), 0)})
	}
	m.sys.Observe(pt.Row, 0, pt.State)
	spectrum, err := linearization(m.sys, pt.State)
	if err != nil {
		t.warn(err)
		return pt
	}
	pt.Leading, pt.Unstable = spectrum.Eigenvalues[0], spectrum.Unstable
	pt.Stable = stays(spectrum)
	return pt
}

// tighten takes away what curveTol leaves of the residual, by the shortest steps in x and p[k].
func (t *tracer) tighten(x, p []float64, k int) {
	width := t.prob.ScaleP[k]
	var f, fx, up, down [1]float64
	t.prob.JacX(fx[:], x, p)
	h := stencil * stencil * width
	near := slices.Clone(p)
	near[k] = p[k] + h
	t.prob.F(up[:], x, near)
	near[k] = p[k] - h
	t.prob.F(down[:], x, near)
	fp := (up[0] - down[0]) / (2 * h) * width
	for range 2 {
		t.prob.F(f[:], x, p)
		step := f[0] / (fx[0]*fx[0] + fp*fp)
		if !(math.Abs(step)*math.Hypot(fx[0], fp) <= 100*curveTol) {
			return
		}
		x[0] -= step * fx[0]
		p[k] -= step * fp * width
	}
}

// linearization is the spectrum of the whole system at a state.
func linearization(s *model.System, y []float64) (*fixedpoint.Spectrum, error) {
	n := s.Dim()
	jac, scale := make([]float64, n*n), scales(s)
	s.Linearize(make([]float64, n), 0, y)
	s.Jacobian(jac)
	return spectrumOf(s, scale, y, jac, idlers(s, scale, y, jac))
}
