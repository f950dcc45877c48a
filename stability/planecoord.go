package stability

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

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
	p.cut(c)
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

// cut ends the family where its values turn back, if the system rests under none of the loads
// beyond: there entries outlive [model.Lifetime] before one of them is evicted.
func (p *Plane) cut(c *coordinate) {
	turn, way := len(c.family), 0.0
	for k := 1; k < turn; k++ {
		step := c.family[k].value - c.family[k-1].value
		if math.Abs(step) <= 1e-9*math.Abs(c.family[k].value) {
			continue
		}
		if step*way < 0 {
			turn = k
		}
		way = step
	}
	var back [1]float64
	for _, s := range c.family[turn:] {
		if p.m.Map(back[:], []float64{s.u}); back[0] >= s.u {
			return
		}
	}
	c.family = c.family[:turn]
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
