package stability

import (
	"fmt"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// What a flush does to a healthy system.
const (
	Absorbed Verdict = "absorbed" // it comes back to the healthy state
	Tips     Verdict = "tips"     // it ends in another state
)

// A Phase is what a system does over two parameters.
type Phase struct {
	X, Y       Axis
	Boundaries []Boundary
	Points     []PhasePoint
	Cells      []Cell  // with Pieces they cover the ranges
	Pieces     []Piece // of cells that a boundary parts

	// Certainty is Proved where the verdict at every point looked at rests on a proved number of
	// equilibria.
	Certainty fixedpoint.Certainty

	Looks    int     // points at which all equilibria were found, or trajectories
	Evals    int     // of the return map, or of the whole system, outside trajectories
	Warnings []error // what makes the diagram suspect and what would mend it
}

// A Boundary is a curve on which a state appears or goes, or a trigger just tips.
type Boundary struct {
	Kind BoundaryKind
	X, Y []float64

	// StopBack and StopFront say why it ends at its first and its last point.
	StopBack, StopFront fixedpoint.Stop
}

// Err returns an error where the curve is not complete; its points are good all the same.
func (b *Boundary) Err() error { return (&Branch{StopBack: b.StopBack, StopFront: b.StopFront}).Err() }

// A BoundaryKind is what happens on a boundary.
type BoundaryKind string

// Kinds of boundaries.
const (
	HealthyFold   BoundaryKind = "healthy fold"              // the state of the lowest load goes
	CollapsedFold BoundaryKind = "collapsed fold"            // that of the highest load goes
	InnerFold     BoundaryKind = "inner fold"                // one between them goes
	HalfSucceed   BoundaryKind = "half of the boots succeed" // of the only state
	HopfBoundary  BoundaryKind = "oscillations begin"        // Hopf points of a state
	FlushAbsorbed BoundaryKind = "largest flush absorbed"    // a larger one tips
	HealthyEnds   BoundaryKind = "the healthy state ends"    // in a diagram over flushes
)

// A PhasePoint is a point of codimension two on a boundary.
type PhasePoint struct {
	Kind      fixedpoint.Kind
	X, Y      float64
	Converged bool
}

// A Cell is a rectangle with one verdict: at its corners, or at its middle where it is of
// the smallest size.
type Cell struct {
	X, Y    [2]float64
	Verdict Verdict
}

// At returns the verdict of the cell or piece that holds the point; empty outside the ranges.
func (d *Phase) At(x, y float64) Verdict {
	for i := range d.Pieces {
		if d.Pieces[i].holds(x, y) {
			return d.Pieces[i].Verdict
		}
	}
	for _, c := range d.Cells {
		if x >= c.X[0] && x <= c.X[1] && y >= c.Y[0] && y <= c.Y[1] {
			return c.Verdict
		}
	}
	return ""
}

// Crosses reports whether a boundary passes through the rectangle.
func (d *Phase) Crosses(x, y [2]float64) bool {
	for i := range d.Boundaries {
		if d.Boundaries[i].crosses(x, y) {
			return true
		}
	}
	return false
}

// crosses clips each piece of the curve to the rectangle (Liang & Barsky, ACM Trans. Graph. 3
// (1984) 1).
func (b *Boundary) crosses(x, y [2]float64) bool {
	for i := range len(b.X) - 1 {
		if b.passes(i, x, y) {
			return true
		}
	}
	return false
}

// passes reports whether the piece of the curve after point i touches the rectangle.
func (b *Boundary) passes(i int, x, y [2]float64) bool {
	t0, t1 := 0.0, 1.0
	for _, c := range [2]struct {
		from, by float64
		in       [2]float64
	}{{b.X[i], b.X[i+1] - b.X[i], x}, {b.Y[i], b.Y[i+1] - b.Y[i], y}} {
		switch lo, hi := (c.in[0]-c.from)/c.by, (c.in[1]-c.from)/c.by; {
		case c.by == 0 && (c.from < c.in[0] || c.from > c.in[1]):
			t1 = -1
		case c.by == 0:
		default:
			t0, t1 = max(t0, min(lo, hi)), min(t1, max(lo, hi))
		}
	}
	return t0 <= t1
}

// PhaseDiagram maps the verdicts at the moment over two axes: it looks at a coarse grid,
// follows the folds that lie between its points as curves ([fixedpoint.FoldCurve]), likewise the
// curve on which less than half of the boots begin to succeed where that ends the
// healthy state without a fold, and refines the grid where regions meet.
//
// One axis may be [FlushAxis]: then the boundary is the largest flush that is absorbed over the
// other parameter ([LargestFlush]), and the regions are Absorbed, Tips and CertainToFail.
//
// A boundary that misses every edge of the coarse grid, an eighth of the range wide, is missed, and so
// are two folds that cross the same edge and no other. It fails as [NewFamily] does, with an error that is [fixedpoint.ErrStart] where nothing is found, and with the
// diagram so far and ErrInterrupted.
func PhaseDiagram(sc *model.Scenario, at model.Moment, x, y Axis, set *Settings) (*Phase, error) {
	d := &Phase{X: x, Y: y, Certainty: fixedpoint.Proved}
	if x.Path == FlushAxis || y.Path == FlushAxis {
		return d, d.flushes(sc, at, set)
	}
	f, err := NewFamily(sc, at, x, y)
	if err != nil {
		return nil, err
	}
	f.halt = set
	m := &mapper{f: f, out: d, set: set, seen: map[[2]int]*sight{}}
	m.t = &tracer{f: f, prob: f.problem(), out: &Bifurcation{Columns: f.kept[0].sys.Columns()}, set: set, bare: true}
	err = m.run()
	d.Evals = f.evals
	d.Warnings = append(d.Warnings, m.t.out.Warnings...)
	return d, err
}

// A mapper draws the phase diagram of a family over two parameters.
type mapper struct {
	f    *Family
	t    *tracer
	out  *Phase
	set  *Settings
	seen map[[2]int]*sight // by the point of the finest grid

	spectra bool // of the whole system decide on stability, also where the map is scalar
	waves   bool // a state was found that only its spectrum tells unstable
}

// A sight is what exists at one point.
type sight struct {
	p       []float64
	states  []state
	verdict Verdict

	certainty fixedpoint.Certainty
}

// A state is an equilibrium as far as a verdict needs it.
type state struct {
	x        []float64
	stable   bool
	unstable int // eigenvalues
	success  float64
}

const (
	coarse = 8 // cells of the coarse grid along each axis
	finest = 8 // cells of the finest grid in one of these
	fine   = coarse * finest

	finestWhole = 2 // of these are the side of the finest cell where a look takes long
)

func (m *mapper) run() error {
	if err := m.oscillates(); err != nil {
		return err
	}
	for i := 0; i <= fine; i += finest {
		for j := 0; j <= fine; j += finest {
			if _, err := m.look(i, j); err != nil {
				return err
			}
		}
		m.set.reached(coarseShare * float64(i+finest) / (fine + finest))
	}
	if err := m.boundaries(); err != nil {
		return err
	}
	for i := 0; i < fine; i += finest {
		for j := 0; j < fine; j += finest {
			if err := m.fill(i, j, finest, nil); err != nil {
				return err
			}
		}
		m.set.reached(curveShare + (1-curveShare)*float64(i+finest)/fine)
	}
	return nil
}

// Shares of a diagram that are drawn with the coarse grid, and with the curves as well.
const coarseShare, curveShare = 0.4, 0.8

// point returns the parameters at a point of the finest grid.
func (m *mapper) point(i, j float64) []float64 {
	return []float64{m.out.X.at(i / fine), m.out.Y.at(j / fine)}
}

// look finds what exists at a point of the finest grid.
func (m *mapper) look(i, j int) (*sight, error) {
	key := [2]int{i, j}
	if l := m.seen[key]; l != nil {
		return l, nil
	}
	l, err := m.lookAt(m.point(float64(i), float64(j)))
	if err == nil {
		m.seen[key] = l
		m.out.Certainty = min(m.out.Certainty, l.certainty)
	}
	return l, err
}

func (m *mapper) lookAt(p []float64) (*sight, error) {
	if err := m.set.interrupted(); err != nil {
		return nil, err
	}
	m.out.Looks++
	m.t.out.Certainty = fixedpoint.Proved
	l := &sight{p: p}
	xs, err := m.t.starts(p)
	if err != nil {
		return nil, fmt.Errorf("%w (%s = %.6g, %s = %.6g)", err, m.out.X.Path, p[0], m.out.Y.Path, p[1])
	}
	l.certainty = m.t.out.Certainty
	for _, x := range xs {
		s, err := m.state(x, p)
		if err != nil {
			return nil, err
		}
		l.states = append(l.states, s)
	}
	l.verdict = verdictOf(l.states)
	return l, nil
}

// state looks at an equilibrium.
func (m *mapper) state(x, p []float64) (state, error) {
	s := state{x: x}
	e, err := m.f.member(p)
	if err != nil {
		return s, err
	}
	if !m.f.whole {
		u := []float64{max(e.ax.rate(x[0]), 0)}
		if s.success, s.stable = e.m.Success(u), slope(e.m, u) <= 1; !s.stable {
			s.unstable = 1
		}
		if m.spectra && s.stable {
			spectrum, err := linearization(e.sys, e.m.State(u))
			if err != nil {
				return s, err
			}
			s.stable, s.unstable = spectrum.Unstable == 0, spectrum.Unstable
			m.waves = m.waves || !s.stable
		}
		return s, nil
	}
	y := fromCoordinates(e.sys, x)
	row := make([]float64, len(e.sys.Columns()))
	e.sys.Observe(row, 0, y)
	s.success = row[model.ColSuccess]
	spectrum, err := linearization(e.sys, y)
	if err != nil {
		return s, err
	}
	s.stable, s.unstable = stays(spectrum), spectrum.Unstable
	return s, nil
}

// verdictOf is [Result.Verdict] of the states.
func verdictOf(states []state) Verdict {
	stable, success := 0, 0.0
	for _, s := range states {
		if s.stable {
			stable++
			success = s.success
		}
	}
	return verdict(stable, success)
}

// fill covers the square of so many cells of the finest grid. A point has the verdict of one of those
// known, unless a boundary parts the two.
func (m *mapper) fill(i, j, size int, known [][2]int) error {
	x := [2]float64{m.point(float64(i), 0)[0], m.point(float64(i+size), 0)[0]}
	y := [2]float64{m.point(0, float64(j))[1], m.point(0, float64(j+size))[1]}
	corners := [][2]int{{i, j}, {i + size, j}, {i, j + size}, {i + size, j + size}}
	same := true
	var first Verdict
	for k, c := range corners {
		if m.seen[c] == nil {
			m.seen[c] = m.infer(m.point(float64(c[0]), float64(c[1])), known)
		}
		l, err := m.look(c[0], c[1])
		if err != nil {
			return err
		}
		if k == 0 {
			first = l.verdict
		}
		same = same && l.verdict == first
	}
	same = same && !m.out.Crosses(x, y)
	switch {
	case same:
		m.out.Cells = append(m.out.Cells, Cell{x, y, first})
	case size == 1 || m.f.whole && size == finestWhole:
		return m.part(x, y, corners, 0)
	default:
		for _, c := range [4][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
			if err := m.fill(i+c[0]*size/2, j+c[1]*size/2, size/2, corners); err != nil {
				return err
			}
		}
	}
	return nil
}

// infer returns what is known at p from a point that no boundary parts from it; nil if there is none.
func (m *mapper) infer(p []float64, known [][2]int) *sight {
	for _, k := range known {
		if l := m.seen[k]; !m.out.parts(p, l.p) {
			return &sight{p: p, verdict: l.verdict}
		}
	}
	return nil
}

// parts reports whether a boundary lies between two points.
func (d *Phase) parts(p, q []float64) bool {
	turn := func(a, b, c [2]float64) float64 {
		return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
	}
	from, to := [2]float64(p), [2]float64(q)
	for i := range d.Boundaries {
		b := &d.Boundaries[i]
		for k := range len(b.X) - 1 {
			u, v := [2]float64{b.X[k], b.Y[k]}, [2]float64{b.X[k+1], b.Y[k+1]}
			if turn(u, v, from)*turn(u, v, to) <= 0 && turn(from, to, u)*turn(from, to, v) <= 0 {
				return true
			}
		}
	}
	return false
}
