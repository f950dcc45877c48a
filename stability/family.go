package stability

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// An Axis is a parameter and the range over which it varies.
type Axis struct {
	// Path is a numeric parameter as [model.Scenario.SetFloat] takes it, in SI units, or one
	// of the axes below.
	Path   string
	Lo, Hi float64
}

// Axes that are no parameters of the scenario.
const (
	TrafficAxis  = "traffic"  // of the moment, as a share of the full rate
	ThrottleAxis = "throttle" // limit on admitted boots at the moment, boots/s
	FlushAxis    = "flush"    // share of the cache's content lost at one instant; for phase diagrams
)

// ErrAxis reports an axis that cannot be varied.
var ErrAxis = errors.New("stability: no such range")

// check reports what is wrong with the range.
func (a Axis) check() error {
	switch {
	case math.IsNaN(a.Lo) || math.IsNaN(a.Hi) || math.IsInf(a.Lo, 0) || math.IsInf(a.Hi, 0):
		return fmt.Errorf("%w: %s from %g to %g is not finite", ErrAxis, a.Path, a.Lo, a.Hi)
	case a.Lo == a.Hi:
		return fmt.Errorf("%w: %s from %g to %g is empty", ErrAxis, a.Path, a.Lo, a.Hi)
	case a.Lo > a.Hi:
		return fmt.Errorf("%w: %s from %g to %g begins above its end", ErrAxis, a.Path, a.Lo, a.Hi)
	case a.Lo < 0 && (a.Path == TrafficAxis || a.Path == ThrottleAxis || a.Path == FlushAxis):
		return fmt.Errorf("%w: %s from %g must not be negative", ErrAxis, a.Path, a.Lo)
	case a.Hi > 1 && a.Path == FlushAxis:
		return fmt.Errorf("%w: flush up to %g is more than the whole cache", ErrAxis, a.Hi)
	}
	return nil
}

// at returns the value a fraction of the way along the axis.
func (a Axis) at(f float64) float64 { return a.Lo + f*(a.Hi-a.Lo) }

// Today returns where on the axis the scenario is at the moment: +Inf for a throttle that is not
// there, NaN for flushes.
func (a Axis) Today(sc *model.Scenario, at model.Moment) (float64, error) {
	if a.Path == FlushAxis {
		return math.NaN(), nil
	}
	if compiled(a.Path) {
		still, err := Still(sc, at)
		if err != nil {
			return 0, err
		}
		if strings.HasPrefix(a.Path, "timeline") {
			still = sc
		}
		paths := still.Paths()
		i := slices.IndexFunc(paths, func(p model.Path) bool { return p.Path == a.Path })
		if i < 0 {
			return 0, fmt.Errorf("stability: no parameter %s", a.Path)
		}
		if paths[i].Value == "none" || paths[i].Value == "never" {
			return math.Inf(1), nil
		}
		return model.Quantity(paths[i].Value, paths[i].Unit)
	}
	sys, err := sc.Compile()
	if err != nil {
		return 0, err
	}
	if a.Path == TrafficAxis {
		return share(sys, at), nil
	}
	return sys.Freeze(at).Throttle(0), nil
}

// clamp returns the value of the axis closest to v.
func (a Axis) clamp(v float64) float64 { return min(max(v, a.Lo), a.Hi) }

// A Family is a frozen scenario over one or two parameters. What was frozen lately is kept:
// a new value of the traffic or of the throttle takes microseconds, one of another
// parameter compiles the scenario. A Family serves one goroutine at a time.
type Family struct {
	Axes []Axis

	sc    *model.Scenario // stands still, or as given where an axis is on its timeline
	at    model.Moment
	sys   *model.System // compiled, with the values in set
	set   []float64     // per axis, those of compiled parameters
	kept  []*member
	next  int
	axis  *loadAxis // of the compiled system; nil where the whole system is solved
	whole bool      // some member has no scalar return map
	evals int       // of the return map, or of the whole system
	halt  *Settings // once it is interrupted there are no members any more
}

// A member of a family is the system at one value of its parameters.
type member struct {
	p   []float64
	sys *model.System
	m   *model.ReturnMap // nil where the whole system is solved
	ax  loadScale

	x, f []float64 // where excess was evaluated lately, and its values
}

// keep is the number of members kept: a point and its neighbours for differences in two
// parameters, twice.
const keep = 16

// NewFamily makes the family of the scenario at the moment over the axes. It fails with
// [ErrAxis] on a range that makes no sense, and where a parameter does not exist, is
// not a number, or may not take a value at the end of its range.
func NewFamily(sc *model.Scenario, at model.Moment, axes ...Axis) (*Family, error) {
	f := &Family{Axes: slices.Clone(axes), sc: sc.Clone(), at: at, set: make([]float64, len(axes))}
	timeline := false
	for i, a := range axes {
		if err := a.check(); err != nil {
			return nil, err
		}
		for _, b := range axes[:i] {
			if a.Path == b.Path {
				return nil, fmt.Errorf("%w: %s is on both axes", ErrAxis, a.Path)
			}
		}
		timeline = timeline || strings.HasPrefix(a.Path, "timeline")
		f.set[i] = math.NaN()
	}
	if !timeline {
		still, err := Still(sc, at)
		if err != nil {
			return nil, err
		}
		f.sc = still
		f.at = model.Moment{Traffic: -1, Throttle: -1}
	}
	for _, way := range []float64{1, 0.381966, 0} { // a whole number shows within the range
		p := make([]float64, len(axes))
		for i, a := range axes {
			p[i] = a.at(way)
		}
		if _, err := f.member(p); err != nil {
			return nil, err
		}
		f.whole = f.whole || f.kept[len(f.kept)-1].m == nil
	}
	return f, nil
}

// compiled reports whether a new value of the axis means a new compilation.
func compiled(path string) bool {
	return path != TrafficAxis && path != ThrottleAxis && path != FlushAxis
}

// member returns the system at the values p.
func (f *Family) member(p []float64) (*member, error) {
	for _, m := range f.kept {
		if slices.Equal(m.p, p) {
			return m, f.halt.interrupted()
		}
	}
	if err := f.halt.interrupted(); err != nil {
		return nil, err
	}
	sys, err := f.compile(p)
	if err != nil {
		return nil, err
	}
	at := f.at
	for i, a := range f.Axes {
		switch a.Path {
		case TrafficAxis:
			at.Traffic = max(p[i], 0)
		case ThrottleAxis:
			at.Throttle = max(p[i], 0)
		}
	}
	m := &member{p: slices.Clone(p), sys: sys.Freeze(at)}
	if f.axis != nil {
		if m.m, err = model.NewReturnMap(m.sys); err != nil {
			return nil, err
		}
		m.ax = f.axis.at(share(sys, at))
	}
	if len(f.kept) < keep {
		f.kept = append(f.kept, m)
	} else {
		f.kept[f.next] = m
		f.next = (f.next + 1) % keep
	}
	return m, nil
}

// compile returns the system with the compiled parameters at p.
func (f *Family) compile(p []float64) (*model.System, error) {
	stale := f.sys == nil
	for i, a := range f.Axes {
		stale = stale || compiled(a.Path) && f.set[i] != p[i]
	}
	if !stale {
		return f.sys, nil
	}
	f.sys = nil
	for i, a := range f.Axes {
		if !compiled(a.Path) || f.set[i] == p[i] {
			continue
		}
		if err := f.sc.SetFloat(a.Path, p[i]); err != nil {
			return nil, err
		}
		f.set[i] = p[i]
	}
	sys, err := f.sc.Compile()
	if err != nil {
		return nil, err
	}
	f.sys, f.axis = sys, newLoadAxis(sys, f.sc, f.at)
	return sys, nil
}

// problem returns the equilibria of the family as a problem for fixedpoint, in the
// coordinates of a [loadScale] where the return map is scalar, in those of [wholeProblem]
// otherwise. Where a parameter may not have its value it evaluates to NaN.
func (f *Family) problem() *fixedpoint.Problem {
	p := &fixedpoint.Problem{Params: len(f.Axes)}
	for _, a := range f.Axes {
		p.ScaleP = append(p.ScaleP, a.Hi-a.Lo)
	}
	if !f.whole {
		p.Dim = 1
		p.F = func(dst, x, par []float64) { dst[0] = f.excess(x[0], par) }
		p.JacX = func(dst, x, par []float64) {
			near := f.excess(x[0]+stencil, par) - f.excess(x[0]-stencil, par)
			far := f.excess(x[0]+2*stencil, par) - f.excess(x[0]-2*stencil, par)
			dst[0] = (8*near - far) / (12 * stencil)
		}
		return p
	}
	f.wholeProblem(p)
	return p
}

// excess is the logarithm of what comes back over what went in. Newton's method, its differences and
// the tests along a curve ask for the same values again: the latest are kept.
func (f *Family) excess(x float64, par []float64) float64 {
	m, err := f.member(par)
	if err != nil {
		return math.NaN()
	}
	if i := slices.Index(m.x, x); i >= 0 {
		return m.f[i]
	}
	u := m.ax.rate(x)
	v := f.excessAt(m, math.Abs(u))
	if u < 0 { // it goes on smoothly, for differences near no load
		v = 2*f.excessAt(m, 0) - v
	}
	if len(m.x) == keep {
		m.x, m.f = m.x[:0], m.f[:0]
	}
	m.x, m.f = append(m.x, x), append(m.f, v)
	return v
}

// excessAt is excess at a rate.
func (f *Family) excessAt(m *member, u float64) float64 {
	f.evals++
	var out [1]float64
	m.m.Map(out[:], []float64{u})
	return math.Log((out[0] + m.ax.small) / (u + m.ax.small))
}

// stencil is the step of differences of order four in the coordinate. The map bends within 0.1 of
// it and is good to 1e-11: truncation and rounding are 1e-8 of the slope there.
const stencil = 3e-3
