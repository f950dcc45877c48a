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
// a new value of the traffic or of the throttle moves it in place, one of another
// parameter compiles the scenario. A Family serves one goroutine at a time.
type Family struct {
	Axes []Axis

	sc    *model.Scenario // stands still, or as given where an axis is on its timeline
	at    model.Moment
	sys   *model.System // compiled, with the values in set
	set   []float64     // per axis, those of compiled parameters
	kept  []*member
	next  int
	share float64   // of the full traffic, unless an axis sets it
	axis  *loadAxis // of the compiled system; nil where the whole system is solved
	whole bool      // some member has no scalar return map
	evals int       // of the return map, or of the whole system
	halt  *Settings // once it is interrupted there are no members any more
}

// A member of a family is the system at one value of its parameters. With a scalar return map it
// becomes another one once there are keep others.
type member struct {
	p    []float64
	from *model.System    // compiled
	sys  *model.System    // frozen
	m    *model.ReturnMap // nil where the whole system is solved
	ax   loadScale

	x  []float64 // where excess was evaluated lately, and what it is there
	at []excess
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
	i := len(f.kept)
	if i < keep {
		f.kept = append(f.kept, &member{})
	} else if i, f.next = f.next, (f.next+1)%keep; f.whole {
		f.kept[i] = &member{} // others may hold the one before
	}
	return f.kept[i], f.move(f.kept[i], sys, p)
}

// move makes m the member at p of the compiled system.
func (f *Family) move(m *member, sys *model.System, p []float64) error {
	at := f.moment(p)
	m.p, m.x, m.at = m.p[:0], m.x[:0], m.at[:0]
	if m.m != nil && m.from == sys {
		sys.Refreeze(m.sys, at)
	} else {
		m.from, m.sys, m.m = sys, sys.Freeze(at), nil
	}
	if f.axis != nil {
		var err error
		if m.m == nil {
			if m.m, err = model.NewReturnMap(m.sys); err != nil {
				return err
			}
		}
		traffic := f.share
		if at.Traffic >= 0 {
			traffic = at.Traffic
		}
		m.ax = f.axis.at(traffic)
	}
	m.p = append(m.p, p...)
	return nil
}

// moment returns the moment at p.
func (f *Family) moment(p []float64) model.Moment {
	at := f.at
	for i, a := range f.Axes {
		switch a.Path {
		case TrafficAxis:
			at.Traffic = max(p[i], 0)
		case ThrottleAxis:
			at.Throttle = max(p[i], 0)
		}
	}
	return at
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
	before := f.sys
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
	sys, err := f.sc.Recompile(before)
	if err != nil {
		return nil, err
	}
	f.sys, f.share, f.axis = sys, share(sys, f.at), newLoadAxis(sys, f.sc, f.at)
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
		p.F = func(dst, x, par []float64) { dst[0] = f.excess(x[0], par).value }
		p.JacX = func(dst, x, par []float64) { dst[0] = f.slope(x[0], par) }
		p.JacP = f.slopes
		return p
	}
	f.wholeProblem(p)
	return p
}

// An excess is the logarithm of what comes back over what went in, and its derivatives by the
// coordinate, the traffic and the throttle, if these are known.
type excess struct {
	value, x, traffic, throttle float64
	known                       bool
}

// excess is evaluated once for Newton's method, its derivatives and the tests along a curve: the
// latest are kept.
func (f *Family) excess(x float64, par []float64) excess {
	m, err := f.member(par)
	if err != nil {
		nan := math.NaN()
		return excess{nan, nan, nan, nan, true}
	}
	if i := slices.Index(m.x, x); i >= 0 {
		return m.at[i]
	}
	u := m.ax.rate(x)
	e := f.excessAt(m, math.Abs(u))
	step, shift := m.ax.slopes(x)
	byRate := e.x
	if u < 0 { // it goes on smoothly, for differences near no load
		o := f.excessAt(m, 0)
		e.value, e.traffic, e.throttle = 2*o.value-e.value, 2*o.traffic-e.traffic, 2*o.throttle-e.throttle
	}
	e.x, e.traffic = byRate*step, e.traffic+byRate*shift
	if len(m.x) == keep {
		m.x, m.at = m.x[:0], m.at[:0]
	}
	m.x, m.at = append(m.x, x), append(m.at, e)
	return e
}

// excessAt is excess at a rate, with its derivative by the rate in place of that by the coordinate.
func (f *Family) excessAt(m *member, u float64) excess {
	f.evals++
	r, known := m.m.Slope(u)
	if !known {
		var out [1]float64
		m.m.Map(out[:], []float64{u})
		r.Value = out[0]
	}
	in, back := u+m.ax.small, r.Value+m.ax.small
	return excess{math.Log(back / in), r.Rate/back - 1/in, r.Traffic / back, r.Throttle / back, known}
}

// slope is the derivative of excess by the coordinate.
func (f *Family) slope(x float64, par []float64) float64 {
	if e := f.excess(x, par); e.known {
		return e.x
	}
	diff := func(h float64) float64 { return f.excess(x+h, par).value - f.excess(x-h, par).value }
	return (8*diff(stencil) - diff(2*stencil)) / (12 * stencil)
}

// slopes stores the derivatives of excess by the parameters in dst; those that are not known are
// central differences.
func (f *Family) slopes(dst, x, par []float64) {
	e := f.excess(x[0], par)
	for k, a := range f.Axes {
		switch {
		case e.known && a.Path == TrafficAxis && par[k] > 0:
			dst[k] = e.traffic
		case e.known && a.Path == ThrottleAxis && par[k] > 0:
			dst[k] = e.throttle
		default:
			h := math.Cbrt(0x1p-52) * max(a.Hi-a.Lo, math.Abs(par[k]))
			hi, lo := slices.Clone(par), slices.Clone(par)
			hi[k], lo[k] = par[k]+h, par[k]-h
			dst[k] = (f.excess(x[0], hi).value - f.excess(x[0], lo).value) / (hi[k] - lo[k])
		}
	}
}

// stencil is the step of differences of order four in the coordinate. The map bends within 0.1 of
// it and is good to 1e-11: truncation and rounding are 1e-8 of the slope there.
const stencil = 3e-3
