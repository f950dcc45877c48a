package calibrate

import (
	"fmt"
	"math"
)

// A Problem is what is to be fitted.
type Problem struct {
	Params   []Param
	Channels []Channel

	// New makes a Predictor for the use of one goroutine.
	New func() Predictor
}

// A Predictor stores in dst what the channels would show, one after the other in order,
// at the parameters p, in order. An error or a NaN says that there is no answer there.
type Predictor func(dst, p []float64) error

// A Param is a number to be found.
type Param struct {
	Name   string  // such as pools.main.capacity
	Lo, Hi float64 // bounds, finite; equal: the parameter is fixed
	Log    bool    // searched on a logarithmic scale, for which Lo > 0
	Prior  Law     // nil: even over the bounds, of the logarithm if Log
}

// A Law is a probability distribution, such as those of gonum's distuv.
type Law interface {
	LogProb(x float64) float64
}

// A Channel is what was measured of one quantity, in order of time.
type Channel struct {
	Name  string
	X     []float64 // where: times or loads; for figures
	Y     []float64
	Noise Noise
}

// A NoiseKind is a law of measurement errors.
type NoiseKind int

const (
	Gaussian NoiseKind = iota // standard deviation: Scale
	Relative                  // standard deviation: Scale times the predicted value
	Student                   // t with 4 degrees of freedom times Scale: outliers weigh little
	Binomial                  // standard deviation: Scale √(m(1 − m)), m the predicted share; 1/Scale² trials
)

// NoiseKinds are the names of the kinds, in order.
var NoiseKinds = [...]string{"gaussian", "relative", "student", "binomial"}

// String returns the name.
func (k NoiseKind) String() string { return NoiseKinds[k] }

// Noise is the law of the errors of a channel.
type Noise struct {
	Kind  NoiseKind
	Scale float64 // 0: fitted

	// Floor is a standard deviation that Relative and Binomial noise have beside Scale,
	// whatever the value: values that can only be 0, or 1, say nothing of the scale.
	// Default 0.001 of the largest measured value for Relative, 0.001 for Binomial.
	Floor float64
}

// A space is the free parameters of a problem in the unit cube.
type space struct {
	params []Param
	free   []int
}

func newSpace(params []Param) (*space, error) {
	s := &space{params: params}
	seen := map[string]bool{}
	for i, p := range params {
		finite := !math.IsInf(p.Lo, 0) && !math.IsInf(p.Hi, 0)
		switch {
		case seen[p.Name]:
			return nil, fmt.Errorf("calibrate: parameter %s is given twice", p.Name)
		case !(p.Lo <= p.Hi) || !finite:
			return nil, fmt.Errorf("calibrate: parameter %s: bounds %g to %g: want finite ones, lowest first", p.Name, p.Lo, p.Hi)
		case p.Log && p.Lo <= 0:
			return nil, fmt.Errorf("calibrate: parameter %s: a logarithmic scale from %g: want above 0", p.Name, p.Lo)
		case p.Lo < p.Hi:
			s.free = append(s.free, i)
		}
		seen[p.Name] = true
	}
	return s, nil
}

// value returns parameter i at u in 0…1.
func (p *Param) value(u float64) float64 {
	switch {
	case u <= 0:
		return p.Lo
	case u >= 1:
		return p.Hi
	case p.Log:
		return p.Lo * math.Exp(u*math.Log(p.Hi/p.Lo))
	}
	return p.Lo + u*(p.Hi-p.Lo)
}

// unit is the inverse of value.
func (p *Param) unit(v float64) float64 {
	if p.Log {
		return math.Log(v/p.Lo) / math.Log(p.Hi/p.Lo)
	}
	return (v - p.Lo) / (p.Hi - p.Lo)
}

// slope returns the logarithm of dv/du.
func (p *Param) slope(v float64) float64 {
	if p.Log {
		return math.Log(v * math.Log(p.Hi/p.Lo))
	}
	return math.Log(p.Hi - p.Lo)
}

// values stores all parameters in dst.
func (s *space) values(dst, u []float64) []float64 {
	dst = dst[:0]
	k := 0
	for i := range s.params {
		if k < len(s.free) && s.free[k] == i {
			dst = append(dst, s.params[i].value(u[k]))
			k++
			continue
		}
		dst = append(dst, s.params[i].Lo)
	}
	return dst
}

// units returns the free parameters of values in the cube. It fails outside the bounds.
func (s *space) units(values []float64) ([]float64, error) {
	if len(values) != len(s.params) {
		return nil, fmt.Errorf("calibrate: a start with %d values: want %d, one for each parameter", len(values), len(s.params))
	}
	var u []float64
	for i, v := range values {
		p := &s.params[i]
		if !(v >= p.Lo && v <= p.Hi) {
			return nil, fmt.Errorf("calibrate: parameter %s starts at %g, outside its bounds %g to %g", p.Name, v, p.Lo, p.Hi)
		}
		if p.Lo < p.Hi {
			u = append(u, p.unit(v))
		}
	}
	return u, nil
}

// logPrior returns the logarithm of the density of the priors in the cube.
func (s *space) logPrior(u []float64) float64 {
	l := 0.0
	for k, i := range s.free {
		p := &s.params[i]
		if p.Prior != nil {
			v := p.value(u[k])
			l += p.Prior.LogProb(v) + p.slope(v)
		}
	}
	return l
}

func (p *Problem) check() error {
	n := 0
	for _, c := range p.Channels {
		if c.X != nil && len(c.X) != len(c.Y) {
			return fmt.Errorf("calibrate: channel %s has %d places and %d values", c.Name, len(c.X), len(c.Y))
		}
		if c.Noise.Kind < Gaussian || c.Noise.Kind > Binomial || !(c.Noise.Scale >= 0) || !(c.Noise.Floor >= 0) {
			return fmt.Errorf("calibrate: channel %s: no such noise: %+v", c.Name, c.Noise)
		}
		for i, y := range c.Y {
			if math.IsNaN(y) || math.IsInf(y, 0) {
				return fmt.Errorf("calibrate: channel %s, value %d is %g", c.Name, i, y)
			}
		}
		n += len(c.Y)
	}
	if n == 0 {
		return fmt.Errorf("calibrate: there are no measured values")
	}
	return nil
}
