package recovery

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/internal/ode"
)

// A Controller sets the throttle again and again by what it sees. It may remember what
// it saw: each run wants one of its own.
type Controller interface {
	// Name names it.
	Name() string

	// Next returns the limit (boots/s) to set, from the limit in force and what is seen.
	Next(limit float64, seen Seen) float64
}

// Seen is what a controller sees.
type Seen struct {
	Success float64 // share of what was admitted that succeeds
	Delay   float64 // s: work in system over capacity, of the slowest pool
	Timeout float64 // s: of that pool
	Demand  float64 // boots/s, without retries
}

// AIMD adds Add of the demand to the limit while at least 98 % succeed, and halves it
// otherwise: additive increase, multiplicative decrease (Chiu and Jain 1989).
type AIMD struct{ Add float64 }

// Gain implements Tunable.
func (c AIMD) Gain() float64 { return c.Add }

// WithGain implements Tunable.
func (AIMD) WithGain(gain float64) Tunable { return AIMD{Add: gain} }

// Name implements Controller.
func (c AIMD) Name() string { return fmt.Sprintf("AIMD, +%g %%", 100*c.Add) }

// Next implements Controller.
func (c AIMD) Next(limit float64, s Seen) float64 {
	if s.Success >= 0.98 {
		return limit + c.Add*s.Demand
	}
	return limit / 2
}

// PI is a proportional-integral controller on the delay at the database: it holds
// it at a tenth of the time-out.
type PI struct {
	P, I float64 // of the demand per relative error
	last float64
}

// Gain implements Tunable: what it raises at most while the delay stays as it is.
func (c *PI) Gain() float64 { return c.I }

// WithGain implements Tunable; P changes with I.
func (c *PI) WithGain(gain float64) Tunable { return &PI{P: c.P * gain / c.I, I: gain} }

// Name implements Controller.
func (*PI) Name() string { return "PI on delay" }

// Next implements Controller.
func (c *PI) Next(limit float64, s Seen) float64 {
	target := 0.1 * s.Timeout
	e := max(-1, (target-s.Delay)/target)
	next := limit + s.Demand*(c.P*(e-c.last)+c.I*e)
	c.last = e
	return max(0.01*s.Demand, next)
}

// CoDel sheds more and more, by the square root of the number of times in a row, while
// the delay at the database is above a twentieth of the time-out, and gives back Add of
// the demand a time while it is below (after Nichols and Jacobson 2012,
// whose queue drops what it holds; here the throttle sheds what comes).
type CoDel struct {
	Add   float64
	count float64
}

// Gain implements Tunable.
func (c *CoDel) Gain() float64 { return c.Add }

// WithGain implements Tunable.
func (*CoDel) WithGain(gain float64) Tunable { return &CoDel{Add: gain} }

// Name implements Controller.
func (*CoDel) Name() string { return "CoDel-like shedding" }

// Next implements Controller.
func (c *CoDel) Next(limit float64, s Seen) float64 {
	if s.Delay <= 0.05*s.Timeout {
		c.count = 0
		return limit + c.Add*s.Demand
	}
	c.count++
	return limit * max(0.1, 1-0.1*math.Sqrt(c.count))
}

// Drive lets a controller set the throttle every so many seconds, 1 to Settings.Longest,
// for Longest seconds; the limit that it starts from is the demand. The throttle counts as
// off while the limit is at least the attempts; Home is the time from which on that holds
// and service is full. It fails where a trajectory does.
func Drive(s *Situation, c Controller, every float64, set *Settings) (*Driven, error) {
	d, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	return s.with(d).drive(c, every, d, false)
}

// drive is Drive, or, if asked, only until the system relapses.
func (s *Situation) drive(c Controller, every float64, d *Settings, untilRelapse bool) (*Driven, error) {
	if !(every >= 1 && every <= d.Longest) {
		return nil, fmt.Errorf("recovery: a controller that acts every %g s", every)
	}
	out := &Driven{Home: math.Inf(1)}
	limit, end := s.row[colBoots], s.t+d.Longest
	down := !s.up()
	lost, waiting := 0.0, s.row[colWaiting]
	begin := s.t
	for at := s; at.t < end; {
		seen := at.seen()
		limit = c.Next(limit, seen)
		next, missing, err := at.holdAndCount(limit, min(every, end-at.t))
		if err != nil {
			return nil, err
		}
		lost += missing
		if failing := next.row[colSuccess] < 0.5; failing && !down {
			out.Relapses++
			down = true
			if untilRelapse {
				break
			}
		} else if next.up() {
			down = false
		}
		row := next.row
		switch full := row[colAdmitted]*row[colSuccess] >= fullService*row[colBoots] && limit >= row[colAttempts]; {
		case !full:
			out.Home = math.Inf(1)
		case math.IsInf(out.Home, 1):
			out.Home = next.t - begin
		}
		at = next
		waiting = row[colWaiting] - s.row[colWaiting]
	}
	out.Lost = max(0, lost-waiting)
	return out, nil
}

// Driven is how a controller does.
type Driven struct {
	Home     float64 // s: service full and nobody held back from then on; +Inf: not
	Relapses int     // times that the system, once up, went below half
	Lost     float64 // clients that gave up
}

// seen returns what a controller sees of the situation.
func (s *Situation) seen() Seen {
	out := Seen{Success: s.row[colSuccess], Demand: s.row[colBoots], Timeout: 1}
	for _, p := range s.pools {
		if delay := s.row[p.inSystem] / p.capacity; delay >= out.Delay {
			out.Delay, out.Timeout = delay, p.timeout
		}
	}
	return out
}

// A poolColumn is what a controller needs to know of a pool.
type poolColumn struct {
	inSystem          int // column
	capacity, timeout float64
}

// holdAndCount is hold with the boots that do not succeed meanwhile.
func (s *Situation) holdAndCount(limit, d float64) (*Situation, float64, error) {
	sys, err := s.sys.Control(s.t, Plan{{s.t, limit}}.points())
	if err != nil {
		return nil, 0, err
	}
	missing, t0, before := 0.0, s.t, s.row[colBoots]-s.row[colAdmitted]*s.row[colSuccess]
	row, y := make([]float64, len(s.row)), make([]float64, sys.MaxDim())
	set := s.settings()
	set.Step = func(p *ode.Interpolant) {
		sys.Observe(row, p.T1, p.At(y[:p.Dim()], p.T1))
		now := row[colBoots] - row[colAdmitted]*row[colSuccess]
		missing += (p.T1 - t0) * (before + now) / 2
		t0, before = p.T1, now
	}
	next, err := s.run(sys, d, set)
	return next, missing, err
}

// Shedding returns the situation with a throttle that sheds every request alike, those of
// booted sessions too, or boots first, which spares them; whatever the scenario says of its
// priority.
func (s *Situation) Shedding(all bool) (*Situation, error) {
	return s.at(s.sys.Shed(all), s.t, s.y)
}

// Controllers are the ones that a schedule is compared with.
func Controllers() []Tunable {
	return []Tunable{AIMD{Add: 0.01}, AIMD{Add: 0.05}, &PI{P: 0.1, I: 0.02}, &CoDel{Add: 0.05}}
}
