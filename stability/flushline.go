package stability

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// A patient is a frozen system that is healthy, and the states in which a flush can leave it.
type patient struct {
	sys     *model.System
	healthy []float64 // nil: there is no healthy state
	others  [][]float64
	radius  float64 // what counts as close to a state: a twentieth of the distance between any two
	content int     // components of the state that hold content of the cache
	set     *Settings
}

// patient returns the system at p, proved to have these states or not.
func (t *tracer) patient(p float64) (*patient, error) {
	compiled, err := t.f.compile([]float64{p})
	if err != nil {
		return nil, err
	}
	sys := compiled.Freeze(t.f.moment([]float64{p}))
	xs, err := t.starts([]float64{p})
	if err != nil {
		return nil, err
	}
	pt := &patient{sys: sys, set: t.set, radius: 0.05, content: contents(sys)}
	scale := sys.Scales()
	mp := &mapper{f: t.f, t: t}
	var unstable [][]float64
	for _, x := range xs { // in order of the load
		s, err := mp.state(x, []float64{p})
		if err != nil {
			return nil, err
		}
		y := t.point(x, []float64{p}, 0).State
		switch {
		case !s.stable:
			unstable = append(unstable, y)
		case pt.healthy == nil && s.success >= healthySuccess:
			pt.healthy = y
		default:
			pt.others = append(pt.others, y)
		}
	}
	if pt.healthy == nil {
		return pt, nil
	}
	for _, y := range append(unstable, pt.others...) {
		pt.radius = min(pt.radius, distance(scale, y, pt.healthy)/20)
	}
	return pt, nil
}

// absorbs reports whether the system comes back from a flush, as [LargestFlush] means it, but for
// the tolerances.
func (pt *patient) absorbs(flush float64) (bool, error) {
	if len(pt.others) == 0 {
		return true, nil
	}
	y := slices.Clone(pt.healthy)
	for i := range y[:pt.content] {
		y[i] *= 1 - flush
	}
	if err := pt.sys.Consistent(0, y); err != nil {
		return false, err
	}
	scale := pt.sys.Scales()
	is := integration(pt.sys, pt.set)
	is.RTol, is.ATol = coarser*is.RTol, coarser*is.ATol
	for i := range is.ATols {
		is.ATols[i] *= coarser
	}
	for _, to := range append([][]float64{pt.healthy}, pt.others...) {
		is.Events = append(is.Events, ode.Event{Terminal: true, Ends: true, Value: func(t float64, y []float64) float64 {
			if t <= 0 {
				return 1
			}
			return distance(scale, to, y) - pt.radius
		}})
	}
	end, err := ode.Solve(pt.sys, y, 0, forever, is)
	switch {
	case err != nil:
		return false, err
	case end.Status == ode.EventTerminated:
		return end.Events[0].Event == 0, nil
	case end.Status == ode.Interrupted:
		return false, ErrInterrupted
	}
	return false, fmt.Errorf("%w of a flush of %.6g after %.3g s: %s", ErrNoOutcome, flush, end.T, end.Status)
}

// errFixedTTL reports content whose age a state does not tell.
var errFixedTTL = errors.New("stability: no diagram over flushes with ttl_law fixed; {stages: k} comes close")

// A flushPoint is the largest flush absorbed at one value of the other parameter.
type flushPoint struct {
	p, flush float64
	where    side
}

// A side tells where the largest flush lies.
type side int

const (
	inRange side = iota // in the range of the axis
	allOf               // all of the range is absorbed
	noneOf              // nothing of it is
	unwell              // there is no healthy state
)

const (
	flushCells = 512  // columns of the diagram, narrower than what a picture shows
	firstCuts  = 16   // of the range of the other parameter
	bend       = 4e-3 // of the range: how far the curve may be from a chord
	flushTol   = 1e-3 // of the range: width of brackets
	edgeTol    = 1e-4 // of the range: where a side ends
	deepest    = 9    // halvings of a first cut
	coarser    = 10   // times the tolerance of other trajectories: a hundredth of flushTol
)

// A flushLine traces the largest flush over one parameter.
type flushLine struct {
	t      *tracer
	out    *Phase
	p, by  Axis // the other parameter, and the flush
	points []flushPoint
	known  []flushPoint // those in range, as they were found
}

// flushes draws the diagram with the flush on one axis.
func (d *Phase) flushes(sc *model.Scenario, at model.Moment, set *Settings) error {
	l := &flushLine{out: d, p: d.X, by: d.Y}
	if d.X.Path == FlushAxis {
		l.p, l.by = d.Y, d.X
	}
	if err := l.by.check(); err != nil {
		return err
	}
	f, err := NewFamily(sc, at, l.p)
	if err != nil {
		return err
	}
	if sys, err := f.compile([]float64{l.p.Hi}); err == nil && !math.IsInf(sys.Lag(), 1) {
		return errFixedTTL
	}
	f.halt = set
	l.t = &tracer{f: f, prob: f.problem(), set: set, out: &Bifurcation{Certainty: fixedpoint.Proved}}
	err = l.trace()
	d.Evals, d.Certainty = f.evals, l.t.out.Certainty
	d.Warnings = append(d.Warnings, l.t.out.Warnings...)
	if err != nil && !errors.Is(err, ErrInterrupted) {
		return err
	}
	l.boundaries()
	l.cells()
	if d.X.Path == FlushAxis {
		d.swap()
	}
	return err
}

// swap exchanges the axes of what was drawn.
func (d *Phase) swap() {
	for i := range d.Boundaries {
		d.Boundaries[i].X, d.Boundaries[i].Y = d.Boundaries[i].Y, d.Boundaries[i].X
	}
	for i := range d.Cells {
		d.Cells[i].X, d.Cells[i].Y = d.Cells[i].Y, d.Cells[i].X
	}
}

// trace finds the points of the curve: at even distances, between neighbours where it bends,
// and where it enters and leaves the diagram.
func (l *flushLine) trace() error {
	for i := range firstCuts + 1 {
		pt, err := l.at(l.p.at(float64(i) / firstCuts))
		if err != nil {
			return err
		}
		if i > 0 {
			if err := l.refine(l.points[len(l.points)-1], pt, 0); err != nil {
				return err
			}
		}
		l.points = append(l.points, pt)
		l.t.set.reached(float64(i) / firstCuts)
	}
	return nil
}

// refine adds what is needed between two neighbours.
func (l *flushLine) refine(a, b flushPoint, depth int) error {
	apart := a.where != b.where
	wide := l.p.Hi - l.p.Lo
	if apart && b.p-a.p <= edgeTol*wide || !apart && (a.where != inRange || depth == deepest) {
		return nil
	}
	mid, err := l.at((a.p + b.p) / 2)
	if err != nil {
		return err
	}
	if !apart && mid.where == inRange && math.Abs(mid.flush-(a.flush+b.flush)/2) <= bend*(l.by.Hi-l.by.Lo) {
		l.points = append(l.points, mid)
		return nil
	}
	if err := l.refine(a, mid, depth+1); err != nil {
		return err
	}
	l.points = append(l.points, mid)
	return l.refine(mid, b, depth+1)
}

// guess is the polynomial through the closest known points at p, a line beyond them, within the range; NaN
// without any.
func (l *flushLine) guess(p float64) float64 {
	const most = 4
	slices.SortFunc(l.known, func(a, b flushPoint) int { return cmp.Compare(math.Abs(a.p-p), math.Abs(b.p-p)) })
	near := l.known[:min(most, len(l.known))]
	sides := func(a flushPoint) bool { return (a.p < p) != (near[0].p < p) }
	switch {
	case len(near) == 0:
		return math.NaN()
	case !slices.ContainsFunc(near, sides):
		near = near[:min(2, len(near))]
	}
	sum := 0.0
	for i, a := range near {
		w := a.flush
		for k, b := range near {
			if k != i {
				w *= (p - b.p) / (a.p - b.p)
			}
		}
		sum += w
	}
	return l.by.clamp(sum)
}

// at brackets the largest flush absorbed at p, from a guess if there is one.
func (l *flushLine) at(p float64) (flushPoint, error) {
	out := flushPoint{p: p}
	if err := l.t.set.interrupted(); err != nil {
		return out, err
	}
	pt, err := l.t.patient(p)
	if err != nil {
		return out, err
	}
	if pt.healthy == nil {
		out.where, out.flush = unwell, l.by.Lo
		return out, nil
	}
	wide := l.by.Hi - l.by.Lo
	lo, hi := math.NaN(), math.NaN() // known to be absorbed, and not to be
	try := func(flush float64) error {
		l.out.Looks++
		ok, err := pt.absorbs(flush)
		if ok {
			lo = flush
		} else {
			hi = flush
		}
		return err
	}
	guess := l.guess(p)
	least := flushTol / 2 * wide
	for down, up := least, least; math.IsNaN(lo) || math.IsNaN(hi); {
		x := guess - down
		if down *= 4; !math.IsNaN(lo) {
			x, up = guess+up, up*4
		}
		if x <= 0 { // nothing is absorbed
			lo = 0
			continue
		}
		if !(x > l.by.Lo && x < l.by.Hi) {
			break
		}
		if err := try(x); err != nil {
			return out, err
		}
	}
	if math.IsNaN(hi) {
		if err := try(l.by.Hi); err != nil {
			return out, err
		}
		if math.IsNaN(hi) {
			out.where, out.flush = allOf, l.by.Hi
			return out, nil
		}
	}
	if math.IsNaN(lo) {
		if err := try(l.by.Lo); err != nil {
			return out, err
		}
		if math.IsNaN(lo) {
			out.where, out.flush = noneOf, l.by.Lo
			return out, nil
		}
	}
	for hi-lo > flushTol*wide*(1+1e-9) {
		if err := try((lo + hi) / 2); err != nil {
			return out, err
		}
	}
	out.flush = (lo + hi) / 2
	l.known = append(l.known, out)
	return out, nil
}

// boundaries draws the curve and the edges of the health.
func (l *flushLine) boundaries() {
	var c Boundary
	end := func() {
		if len(c.X) > 1 {
			c.Kind, c.StopBack, c.StopFront = FlushAbsorbed, fixedpoint.Bound, fixedpoint.Bound
			l.out.Boundaries = append(l.out.Boundaries, c)
		}
		c = Boundary{}
	}
	for i, pt := range l.points {
		before := i > 0 && l.points[i-1].where == inRange
		after := i+1 < len(l.points) && l.points[i+1].where == inRange
		if pt.where == inRange || before || after {
			c.X, c.Y = append(c.X, pt.p), append(c.Y, pt.flush)
		}
		if pt.where != inRange && before {
			end()
			if after {
				c.X, c.Y = append(c.X, pt.p), append(c.Y, pt.flush)
			}
		}
		if i > 0 && (pt.where == unwell) != (l.points[i-1].where == unwell) {
			p := (pt.p + l.points[i-1].p) / 2
			l.out.Boundaries = append(l.out.Boundaries, Boundary{
				Kind: HealthyEnds, X: []float64{p, p}, Y: []float64{l.by.Lo, l.by.Hi},
				StopBack: fixedpoint.Bound, StopFront: fixedpoint.Bound,
			})
		}
	}
	end()
}

// cells parts each column of the diagram at the curve, as far as it was traced.
func (l *flushLine) cells() {
	for i := range flushCells {
		x := [2]float64{l.p.at(float64(i) / flushCells), l.p.at(float64(i+1) / flushCells)}
		mid := (x[0] + x[1]) / 2
		if len(l.points) == 0 || mid > l.points[len(l.points)-1].p {
			break
		}
		flush, well := l.interpolate(mid)
		if !well {
			l.out.Cells = append(l.out.Cells, Cell{x, [2]float64{l.by.Lo, l.by.Hi}, CertainToFail})
			continue
		}
		for _, c := range []Cell{{x, [2]float64{l.by.Lo, flush}, Absorbed}, {x, [2]float64{flush, l.by.Hi}, Tips}} {
			if c.Y[1] > c.Y[0] {
				l.out.Cells = append(l.out.Cells, c)
			}
		}
	}
}

// interpolate returns the largest flush at p, between the first point and the last; well is false where there is
// no healthy state.
func (l *flushLine) interpolate(p float64) (flush float64, well bool) {
	k, exact := slices.BinarySearchFunc(l.points, p, func(pt flushPoint, p float64) int { return cmp.Compare(pt.p, p) })
	if exact || k == 0 {
		return l.points[k].flush, l.points[k].where != unwell
	}
	a, b := l.points[k-1], l.points[k]
	f := (p - a.p) / (b.p - a.p)
	near := a
	if f > 0.5 {
		near = b
	}
	return a.flush + f*(b.flush-a.flush), near.where != unwell
}
