package stability

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// ErrNoPlane reports states that do not make a plane.
var ErrNoPlane = errors.New("stability: no phase portrait")

// A Plane is a frozen system reduced to two of its states, to look at: everything else
// is as it would be at rest given the two. It tells the direction in which the two
// move, and where they stand still exactly; how long the rest takes to settle, it does
// not.
//
// A hit rate stands for the contents of all bins, and a number of waiting clients for
// all stages of backoff: those with that hit rate, or that number, among the contents
// and clients at rest under some load of the return map; beyond its last ones, in
// proportion. The other equations of the whole system, those of queues and sessions
// among them, are solved. So the equilibria of the plane are those of the whole system.
type Plane struct {
	X, Y   string // columns of the observables
	Lo, Hi [2]float64

	frozen *model.System
	m      *model.ReturnMap
	of     [2]*coordinate
	free   []int // components that are solved for
	queues []int // those of them that are work in a queue
	state  []float64
	scale  []float64
	last   []float64 // solution of the free ones, to start from
	jac    []float64
	dt     []float64
}

// A coordinate is one of the two states.
type coordinate struct {
	column int
	parts  []int // components of the state
	queue  bool
	weight []float64 // of each part in the observable
	family []sample
	kept   map[float64]sample // by value, of late
}

// A sample is the parts of a coordinate at rest under a load.
type sample struct {
	u, value float64
	parts    []float64
}

// NewPlane reduces the system at the moment to two columns of the observables:
// hit_rate.CLASS, in_system.POOL or waiting_clients. Empty ones stand for the first of
// these, in this order, that moves with the load. It fails with ErrNoPlane on other columns, and where the return map
// of the system is not scalar.
func NewPlane(sys *model.System, at model.Moment, x, y string) (*Plane, error) {
	frozen := sys.Freeze(at)
	m, err := model.NewReturnMap(frozen)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoPlane, err)
	case m.Dim() != 1:
		return nil, fmt.Errorf("%w: the return map is not scalar, so the rest does not follow from two states", ErrNoPlane)
	}
	p := &Plane{frozen: frozen, m: m, state: frozen.NewState(), scale: scales(frozen)}
	p.jac, p.dt = make([]float64, frozen.Dim()*frozen.Dim()), make([]float64, frozen.Dim())
	if x, y, err = p.columns(x, y); err != nil {
		return nil, err
	}
	p.X, p.Y = x, y
	rest := m.State([]float64{0})
	if !bounded(rest) {
		return nil, fmt.Errorf("%w: nothing is at rest", ErrNoPlane)
	}
	copy(p.state, rest)
	taken := map[int]bool{}
	for i, name := range []string{x, y} {
		c, err := p.coordinate(name)
		if err != nil {
			return nil, err
		}
		p.of[i] = c
		for _, k := range c.parts {
			taken[k] = true
		}
		p.Lo[i], p.Hi[i] = c.family[0].value, c.family[len(c.family)-1].value
		if strings.HasPrefix(name, "hit_rate.") {
			p.Lo[i], p.Hi[i] = 0, 1
		}
		if p.Lo[i] = max(p.Lo[i], empty*p.Hi[i]); p.Hi[i] != 1 {
			p.Hi[i] *= 1 + room
		}
	}
	for k := range frozen.Dim() {
		if !taken[k] {
			p.free = append(p.free, k)
		}
	}
	for _, name := range frozen.Columns() {
		if strings.HasPrefix(name, "in_system.") && name != x && name != y {
			parts, _ := p.parts(name)
			p.queues = append(p.queues, parts...)
		}
	}
	return p, nil
}

// columns fills in the defaults.
func (p *Plane) columns(x, y string) (string, string, error) {
	var defaults []string
	for _, want := range []string{"hit_rate.", "in_system.", "waiting_clients"} {
		for _, name := range p.frozen.Columns() {
			if strings.HasPrefix(name, want) && name != x && name != y && p.moves(name) {
				defaults = append(defaults, name)
			}
		}
	}
	for _, name := range []*string{&x, &y} {
		if *name == "" {
			if len(defaults) == 0 {
				return "", "", fmt.Errorf("%w: fewer than two states move", ErrNoPlane)
			}
			*name, defaults = defaults[0], defaults[1:]
		}
	}
	if x == y {
		return "", "", fmt.Errorf("%w: %s is given twice", ErrNoPlane, x)
	}
	return x, y, nil
}

func (p *Plane) moves(name string) bool {
	parts, _ := p.parts(name)
	return len(parts) > 0
}

// parts returns the components of the state that make up an observable and move with
// the load, and their weights: hit rates, clients and queues are sums of them.
func (p *Plane) parts(name string) (parts []int, weights []float64) {
	column := slices.Index(p.frozen.Columns(), name)
	kind, _, _ := strings.Cut(name, ".")
	if column < 0 || !slices.Contains([]string{"hit_rate", "waiting_clients", "in_system"}, kind) {
		return nil, nil
	}
	low, high := p.m.State([]float64{0}), p.m.State([]float64{p.most()})
	y, row := p.frozen.NewState(), make([]float64, len(p.frozen.Columns()))
	p.frozen.Observe(row, 0, y)
	none := row[column]
	for i := range y {
		y[i] = 1
		if p.frozen.Observe(row, 0, y); row[column] != none && low[i] != high[i] {
			parts, weights = append(parts, i), append(weights, row[column]-none)
		}
		y[i] = 0
	}
	return parts, weights
}

// most is the largest load of the return map.
func (p *Plane) most() float64 {
	_, hi := p.m.Box()
	return hi[0]
}

const (
	sampled     = 400 // loads of a family
	sampleSpan  = 12  // decades
	mostKept    = 1000
	planeTol    = 1e-10 // of the free components
	familySteps = 60
	room        = 0.03 // beyond the largest that the family has
	empty       = 1e-6 // of the range: nothing at all is a singular point of queues
)

// coordinate samples the family of an observable, so finely that its value grows by
// little from one to the next.
func (p *Plane) coordinate(name string) (*coordinate, error) {
	c := &coordinate{column: slices.Index(p.frozen.Columns(), name), kept: map[float64]sample{}}
	c.parts, c.weight = p.parts(name)
	c.queue = strings.HasPrefix(name, "in_system.")
	if len(c.parts) == 0 {
		return nil, fmt.Errorf("%w: %s is no state that moves: want hit_rate.CLASS of a cached class, waiting_clients or in_system.POOL", ErrNoPlane, name)
	}
	for k := range sampled {
		u := p.most() * math.Pow(10, -sampleSpan*float64(sampled-1-k)/(sampled-1))
		if s := p.sample(c, u); bounded(s.parts) {
			c.family = append(c.family, s)
		}
	}
	if n := len(c.family); n == 0 || c.family[0].value == c.family[n-1].value {
		return nil, fmt.Errorf("%w: %s does not depend on the load", ErrNoPlane, name)
	}
	p.refine(c)
	if c.family[0].value > c.family[len(c.family)-1].value {
		slices.Reverse(c.family)
	}
	if len(c.parts) > 1 && !c.rises() {
		return nil, fmt.Errorf("%w: one number of %s stands for several loads, so it does not tell the rest", ErrNoPlane, name)
	}
	return c, nil
}

// rises reports whether the values follow the order of the samples, up to rounding.
func (c *coordinate) rises() bool {
	slack := 1e-9 * (c.family[len(c.family)-1].value - c.family[0].value)
	most := c.family[0].value
	for _, s := range c.family {
		if s.value < most-slack {
			return false
		}
		most = max(most, s.value)
	}
	return true
}

// refine puts samples between those that are far from each other.
func (p *Plane) refine(c *coordinate) {
	const coarse = 0.01 // of the range
	far := coarse * math.Abs(c.family[len(c.family)-1].value-c.family[0].value)
	for i := 0; i+1 < len(c.family); {
		a, b := c.family[i], c.family[i+1]
		mid := math.Sqrt(a.u * b.u)
		if math.Abs(a.value-b.value) <= far || mid <= a.u*(1+1e-12) {
			i++
			continue
		}
		c.family = slices.Insert(c.family, i+1, p.sample(c, mid))
	}
}

// sample returns the parts of a coordinate at rest under a load.
func (p *Plane) sample(c *coordinate, u float64) sample {
	y := p.m.State([]float64{u})
	row := make([]float64, len(p.frozen.Columns()))
	p.frozen.Observe(row, 0, y)
	s := sample{u: u, value: row[c.column]}
	for _, k := range c.parts {
		s.parts = append(s.parts, y[k])
	}
	return s
}

// at returns the parts at a value of the coordinate: of the state at rest with that
// value, found by bisection on the load between two samples; beyond the samples in
// proportion.
func (p *Plane) at(c *coordinate, value float64) sample {
	if s, ok := c.kept[value]; ok {
		return s
	}
	k, _ := slices.BinarySearchFunc(c.family, value, func(s sample, v float64) int { return cmp.Compare(s.value, v) })
	var s sample
	switch {
	case k == 0:
		s = c.family[0].scaled(value)
	case k == len(c.family):
		s = p.beyond(c, value)
	default:
		s = p.between(c, c.family[k-1], c.family[k], value)
	}
	if len(c.kept) > mostKept {
		clear(c.kept)
	}
	c.kept[value] = s
	return s
}

// between finds the state with the value between two samples by regula falsi with the
// Illinois rule and bisection; what rounding leaves of the difference is made up in
// proportion.
func (p *Plane) between(c *coordinate, a, b sample, value float64) sample {
	fa, fb := a.value-value, b.value-value
	for k := range familySteps {
		f := fa / (fa - fb)
		if k%4 == 3 {
			f = 0.5
		}
		s := p.sample(c, a.u*math.Pow(b.u/a.u, f))
		if math.Abs(b.u-a.u) <= 1e-15*a.u || s.u == a.u || s.u == b.u {
			break
		}
		switch {
		case s.value == value:
			return s
		case s.value < value:
			a, fa, fb = s, s.value-value, fb/2
		default:
			b, fb, fa = s, s.value-value, fa/2
		}
		if b.value-a.value <= 1e-13*math.Abs(value) {
			break
		}
	}
	return a.towards(b, value)
}

// beyond returns parts above those of the family: contents on the way to full, other
// things in proportion.
func (p *Plane) beyond(c *coordinate, value float64) sample {
	top := c.family[len(c.family)-1]
	if !strings.HasPrefix(p.frozen.Columns()[c.column], "hit_rate.") {
		return top.scaled(value)
	}
	y := slices.Clone(p.state)
	for _, k := range c.parts {
		y[k] = 1
	}
	normalize(p.frozen, y)
	full := sample{u: top.u, value: 1}
	for _, k := range c.parts {
		full.parts = append(full.parts, y[k])
	}
	return top.towards(full, value)
}

// scaled returns the sample with another value, its parts in proportion.
func (s sample) scaled(value float64) sample {
	f := 0.0
	if value != 0 {
		f = value / s.value
	}
	out := sample{u: s.u, value: value}
	for _, v := range s.parts {
		out.parts = append(out.parts, f*v)
	}
	return out
}

// towards returns the sample with the value on the line from a to b.
func (a sample) towards(b sample, value float64) sample {
	f := (value - a.value) / (b.value - a.value)
	out := sample{u: a.u, value: value}
	for i, v := range a.parts {
		out.parts = append(out.parts, v+f*(b.parts[i]-v))
	}
	return out
}

// Lift stores in dst the state of the whole system at a point of the plane.
func (p *Plane) Lift(dst []float64, q [2]float64) error {
	copy(dst, p.state)
	queue := math.NaN()
	for i, c := range p.of {
		s := p.at(c, q[i])
		for j, v := range s.parts {
			dst[c.parts[j]] = v
		}
		if c.queue {
			queue = s.u
		}
	}
	if p.last != nil && p.solve(dst, p.last) == nil {
		return nil
	}
	return p.solve(dst, p.guess(dst, queue))
}

// Rate returns how fast the two states change at a point of the plane, per second; NaN
// where the rest has no state of rest.
func (p *Plane) Rate(q [2]float64) [2]float64 {
	y := slices.Clone(p.state)
	if p.Lift(y, q) != nil {
		return [2]float64{math.NaN(), math.NaN()}
	}
	f := make([]float64, len(y))
	p.frozen.Eval(f, 0, y)
	var out [2]float64
	for i, c := range p.of {
		for j, k := range c.parts {
			out[i] += c.weight[j] * f[k]
		}
	}
	return out
}

// solve finds the free components of y by Newton's method from a start.
func (p *Plane) solve(y, start []float64) error {
	n := len(p.free)
	f := make([]float64, len(y))
	scale := make([]float64, n)
	for i, k := range p.free {
		scale[i] = p.scale[k]
	}
	full := slices.Clone(y)
	put := func(x []float64) {
		for i, k := range p.free {
			full[k] = x[i]
		}
	}
	r, err := fixedpoint.Newton(&fixedpoint.Problem{
		Dim: n, Scale: scale,
		F: func(dst, x, _ []float64) {
			put(x)
			p.frozen.Eval(f, 0, full)
			for i, k := range p.free {
				dst[i] = f[k]
			}
		},
		JacX: func(dst, x, _ []float64) {
			put(x)
			p.frozen.Linearize(p.dt, 0, full)
			p.frozen.Jacobian(p.jac)
			for i, k := range p.free {
				for j, l := range p.free {
					dst[i*n+j] = p.jac[k*len(y)+l]
				}
			}
		},
	}, start, nil, &fixedpoint.Settings{Tol: planeTol, MaxIterations: 30})
	if err != nil {
		return err
	}
	if err := r.Status.Err(); err != nil {
		return err
	}
	put(r.X)
	if !p.frozen.Inside(full) {
		return ErrNoPlane
	}
	copy(y, full)
	p.last = r.X
	return nil
}

// guess returns the free components at rest under a load: that of the queue if it is
// one of the two states, else that at which as much work comes to the queues as leaves
// them: more load, longer queues, more work done.
func (p *Plane) guess(y []float64, queue float64) []float64 {
	full, f := slices.Clone(y), make([]float64, len(y))
	x := make([]float64, len(p.free))
	rest := func(u float64) {
		state := p.m.State([]float64{u})
		for i, k := range p.free {
			full[k], x[i] = state[k], state[k]
		}
	}
	if !math.IsNaN(queue) {
		rest(queue)
		return x
	}
	lo, hi := math.Log(p.most())-sampleSpan*math.Ln10, math.Log(p.most())
	for range familySteps {
		mid := (lo + hi) / 2
		rest(math.Exp(mid))
		p.frozen.Eval(f, 0, full)
		gain := 0.0
		for _, k := range p.queues {
			gain += f[k]
		}
		if gain > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return x
}
