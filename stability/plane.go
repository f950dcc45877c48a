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
	copy(p.state, m.State([]float64{0}))
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
