package stability

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// A Trigger is the size of a disturbance that a state just withstands: of a healthy
// state the degree of vulnerability of Huang et al. (OSDI 2022).
type Trigger struct {
	// Bracket: the largest size seen to be absorbed and the smallest seen not to be; Hi
	// is +Inf where the largest there is, [Shock.Most], is absorbed.
	Bracket

	Runs int // trajectories
}

// ErrNoOutcome reports a trajectory that neither comes back to the state it left nor
// ends in another one.
var ErrNoOutcome = errors.New("stability: no outcome")

// LargestAbsorbed brackets the largest shock, in the unit of its kind, that the
// healthy state absorbs at the moment.
//
// Absorbed means that the trajectory from the healthy equilibrium comes back to it,
// closer than a twentieth of the distance between any two equilibria, and closer than
// 1e-3 in each component, relative to it or to model.System.Scales. Not absorbed means
// that it comes as close to another stable equilibrium. Traffic and everything else stay
// as at the moment. That more is worse is
// taken for granted, but where the largest shock is absorbed a half, a quarter and an
// eighth of it are tried as well.
//
// It fails with ErrShock on a shock that makes no sense, with ErrNoHealthy, and with
// ErrNoOutcome or ErrInterrupted and the bracket so far, nil while the states are not known.
func LargestAbsorbed(sc *model.Scenario, at model.Moment, shock Shock, set *Settings) (*Trigger, error) {
	if err := shock.check(sc); err != nil {
		return nil, err
	}
	return absorbedNear(sc, at, shock, math.NaN(), set)
}

// LargestFlush is LargestAbsorbed for the share of the cache's content that is lost at
// one instant.
func LargestFlush(sc *model.Scenario, at model.Moment, set *Settings) (*Trigger, error) {
	return LargestAbsorbed(sc, at, Shock{Kind: FlushShock}, set)
}

// A situation is a still scenario and the states in which a run of it can end.
type situation struct {
	sc      *model.Scenario
	set     *Settings
	sys     *model.System
	all     *Result
	states  []*Equilibrium // the stable ones
	index   []int          // their places in all
	healthy int            // among them; -1: none
	radius  float64        // what counts as close to a state
	scale   []float64
}

// newSituation finds the states at the moment.
func newSituation(sc *model.Scenario, at model.Moment, set *Settings) (*situation, error) {
	still, err := Still(sc, at)
	if err != nil {
		return nil, err
	}
	still.Duration = forever
	sys, err := still.Compile()
	if err != nil {
		return nil, err
	}
	sys = sys.Bounded()
	r, err := Equilibria(sys, model.Moment{Traffic: -1, Throttle: -1}, set)
	if err != nil {
		return nil, err
	}
	s := &situation{sc: still, set: set, sys: sys, all: r, healthy: -1, radius: 1e-3, scale: sys.Scales()}
	start, err := sys.Start()
	for i := range r.Equilibria {
		e := &r.Equilibria[i]
		for k := range i {
			s.radius = min(s.radius, distance(s.scale, r.Equilibria[k].State, e.State)/20)
		}
		if !e.Stable {
			continue
		}
		if err == nil && distance(s.scale, start, e.State) < merge && r.Value(e, "boot_success") >= healthySuccess {
			s.healthy = len(s.states)
		}
		s.states, s.index = append(s.states, e), append(s.index, i)
	}
	return s, nil
}

// withstands bisects on the size of a shock from the given state, from the largest one
// on, or from a guess (not NaN) in steps that grow. Where more may do less it begins
// between the first of parts that is not absorbed and the one before.
func (s *situation) withstands(state int, shock Shock, guess float64) (*Trigger, error) {
	k := kinds[shock.Kind]
	least, most := k.scale(k.least), k.scale(shock.Most(s.sc))
	tr := &Trigger{Bracket: Bracket{k.none, math.Inf(1)}}
	lo, hi, tol := least, math.Inf(1), s.set.tol(1e-3)
	x, step, warm := most, 4*tol, !math.IsNaN(guess)
	switch {
	case k.scan:
		step = (most - least) / parts
		x = least + step
	case warm:
		x = min(max(k.scale(guess), lo+tol), most)
	}
	for part := 1.0; ; {
		if err := s.set.interrupted(); err != nil {
			return tr, err
		}
		size := k.size(x)
		if x == most {
			size = shock.Most(s.sc)
		}
		ok, err := s.stays(state, shock, size)
		tr.Runs++
		if err != nil {
			return tr, fmt.Errorf("%w (%s of %.6g)", err, shock.Kind, size)
		}
		switch {
		case !ok && lo == most: // after all
			lo, tr.Lo = least, k.none
			hi, tr.Hi = x, size
		case !ok:
			hi, tr.Hi = x, size
		case lo < most:
			lo, tr.Lo = x, size
		}
		switch {
		case lo == most && (k.scan || part < smallestPart), hi-lo <= tol:
			return tr, nil
		case lo == most:
			part /= 2
			x = least + part*(most-least)
		case math.IsInf(hi, 1) && most-lo < 1.5*step:
			x = most
		case math.IsInf(hi, 1):
			x = lo + step
		case warm && tr.Lo == k.none && hi-step > lo:
			x = hi - step
		default:
			x = (lo + hi) / 2
		}
		if !k.scan {
			step *= 4
		}
	}
}

const (
	// smallestPart ends the look at a half, a quarter, … of the largest shock, which show
	// whether it is absorbed because it does more than a smaller one.
	smallestPart = 0.2

	parts = 16 // of the largest shock, where more may do less
)

// stays reports whether the system comes back from a shock to the state it was in.
func (s *situation) stays(state int, shock Shock, size float64) (bool, error) {
	sc := s.sc.Clone()
	until := 0.0
	sc.Timeline, until = kinds[shock.Kind].entries(s, shock, size)
	sys, err := sc.Compile()
	if err != nil {
		return false, err
	}
	sys = sys.Bounded()
	y, err := s.begin(sys, state)
	if err != nil {
		return false, err
	}
	is := integration(sys, s.set)
	for _, to := range s.states {
		is.Events = append(is.Events, ode.Event{
			Terminal: true,
			Value: func(t float64, y []float64) float64 {
				if t <= until {
					return 1
				}
				return distance(s.scale, to.State, y) - s.radius
			},
		})
	}
	end, err := ode.Solve(sys, y, 0, sys.Span(), is)
	switch {
	case err != nil:
		return false, err
	case end.Status == ode.EventTerminated:
		return end.Events[0].Event == state, nil
	case end.Status == ode.Interrupted:
		return false, ErrInterrupted
	}
	return false, fmt.Errorf("%w after %.3g s: %s", ErrNoOutcome, end.T, end.Status)
}

// begin returns the state to start from.
func (s *situation) begin(sys *model.System, state int) ([]float64, error) {
	if state == s.healthy {
		y, err := sys.Start()
		sys.Reset()
		return y, err
	}
	if !math.IsInf(sys.Lag(), 1) {
		return nil, errors.New("stability: with ttl_law fixed only the healthy state can be disturbed: the age of its content cannot be told from a state alone; {stages: k} comes close")
	}
	sys.Reset()
	y := slices.Clone(s.states[state].State)
	return y, sys.Consistent(0, y)
}
