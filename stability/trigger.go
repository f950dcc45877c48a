package stability

import (
	"errors"
	"fmt"
	"math"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// A Trigger is the size of a disturbance that a system just absorbs, in shares of the
// cache: the degree of vulnerability of Huang et al. (OSDI 2022).
type Trigger struct {
	// Bracket: the largest size seen to be absorbed and the smallest seen not to be; Hi
	// is +Inf where the largest there is, at most 1, is absorbed.
	Bracket

	Runs int // trajectories
}

// ErrNoOutcome reports a trajectory that neither comes back to the healthy equilibrium
// nor ends in another state.
var ErrNoOutcome = errors.New("stability: no outcome")

// LargestFlush brackets the largest share of the cache's content that may be lost at
// one instant, at the moment, and is absorbed.
//
// Absorbed means that the trajectory from the healthy equilibrium comes back to it,
// closer than a twentieth of its distance to the nearest other equilibrium, and
// closer than 1e-3 in each component, relative to it or to model.System.Scales. Not
// absorbed means that it comes as close to another stable equilibrium, or has grown
// without end after 30 years. Traffic and everything else stay as at the moment. That
// more is worse is taken for granted.
//
// It fails with ErrNoHealthy, and with the bracket so far and ErrNoOutcome or
// ErrInterrupted.
func LargestFlush(sc *model.Scenario, at model.Moment, set *Settings) (*Trigger, error) {
	return largest(sc, at, set, 1, 0, func(size float64) model.Entry {
		return model.Entry{Action: model.Flush, Value: size}
	})
}

// LargestStep is LargestFlush for one step of a rollout that restarts a share of the
// nodes one after another during so many seconds.
func LargestStep(sc *model.Scenario, at model.Moment, over float64, set *Settings) (*Trigger, error) {
	if !(over > 0 && !math.IsInf(over, 1)) {
		return nil, fmt.Errorf("stability: a rollout step over %g s", over)
	}
	most := 1 / max(1, sc.Cache.FlushesPerRestart) // more would empty what is empty
	return largest(sc, at, set, most, over, func(size float64) model.Entry {
		return model.Entry{Action: model.Rollout, Value: size, Over: over}
	})
}

// largest bisects on the size of the entry, up to most; it lasts for over seconds.
func largest(sc *model.Scenario, at model.Moment, set *Settings, most, over float64, entry func(float64) model.Entry) (*Trigger, error) {
	d, err := newDisturbance(sc, at, set)
	if err != nil {
		return nil, err
	}
	d.over = over
	tr := &Trigger{Bracket: Bracket{0, math.Inf(1)}}
	for size := most; ; size = (tr.Lo + tr.Hi) / 2 {
		if err := set.interrupted(); err != nil {
			return tr, err
		}
		ok, err := d.absorbs(entry(size))
		tr.Runs++
		if err != nil {
			return tr, fmt.Errorf("%w (size %.6g)", err, size)
		}
		if ok {
			tr.Lo = size
		} else {
			tr.Hi = size
		}
		if tr.Lo == most || tr.Hi-tr.Lo <= set.tol(1e-3) {
			return tr, nil
		}
	}
}

// A disturbance is a still scenario and the states in which a run of it can end.
type disturbance struct {
	sc      *model.Scenario
	set     *Settings
	over    float64   // s until the disturbance has passed
	healthy []float64 // state
	others  [][]float64
	runaway bool
	radius  float64 // what counts as close to a state
	scale   []float64
}

func newDisturbance(sc *model.Scenario, at model.Moment, set *Settings) (*disturbance, error) {
	still, err := Still(sc, at)
	if err != nil {
		return nil, err
	}
	still.Duration = forever
	sys, err := still.Compile()
	if err != nil {
		return nil, err
	}
	r, err := Equilibria(sys, model.Moment{Traffic: -1, Throttle: -1}, set)
	if err != nil {
		return nil, err
	}
	start, err := sys.Start()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoHealthy, err)
	}
	d := &disturbance{sc: still, set: set, runaway: r.Runaway, radius: 1e-3, scale: sys.Scales()}
	for i := range r.Equilibria {
		e := &r.Equilibria[i]
		switch {
		case distance(d.scale, start, e.State) < merge && e.Stable && r.Value(e, "boot_success") >= healthySuccess:
			d.healthy = e.State
		case e.Stable:
			d.others = append(d.others, e.State)
		}
	}
	if d.healthy == nil {
		return nil, ErrNoHealthy
	}
	for i := range r.Equilibria {
		if y := r.Equilibria[i].State; distance(d.scale, y, d.healthy) > merge {
			d.radius = min(d.radius, distance(d.scale, y, d.healthy)/20)
		}
	}
	return d, nil
}

// absorbs reports whether the system comes back from the entry.
func (d *disturbance) absorbs(e model.Entry) (bool, error) {
	sc := d.sc.Clone()
	sc.Timeline = []model.Entry{e}
	sys, err := sc.Compile()
	if err != nil {
		return false, err
	}
	y, err := sys.Start()
	if err != nil {
		return false, err
	}
	is := integration(sys, d.set)
	for _, to := range append([][]float64{d.healthy}, d.others...) {
		is.Events = append(is.Events, ode.Event{
			Terminal: true,
			Value: func(t float64, y []float64) float64 {
				if t <= d.over {
					return 1
				}
				return distance(d.scale, to, y) - d.radius
			},
		})
	}
	sys.Reset()
	end, err := ode.Solve(sys, y, 0, sys.Span(), is)
	switch {
	case err != nil:
		return false, err
	case end.Status == ode.EventTerminated:
		return end.Events[0].Event == 0, nil
	case end.Status == ode.Interrupted:
		return false, ErrInterrupted
	case end.Status == ode.Complete && d.runaway && growing(sys, end.Y):
		return false, nil
	}
	return false, fmt.Errorf("%w after %.3g s: %s", ErrNoOutcome, end.T, end.Status)
}
