package stability

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/model"
)

// A Shock is a disturbance whose size is to be found.
type Shock struct {
	Kind ShockKind
	Over float64 // s that it lasts; 0 for FlushShock and StopShock, which need none
	Pool string  // for CapacityShock; empty: the first pool
}

// A ShockKind is what a shock does.
type ShockKind string

// Kinds of shocks. The first four can tip a healthy state, the others can bring a
// collapsed one home.
const (
	FlushShock    ShockKind = "flush"       // share of the cache's content lost at once
	RolloutShock  ShockKind = "rollout"     // share of the nodes restarted one after another
	CapacityShock ShockKind = "capacity"    // share of a pool's capacity lost
	TrafficShock  ShockKind = "traffic"     // factor on the boots, at least 1
	CutShock      ShockKind = "traffic_cut" // share of the boots that stay away
	ThrottleShock ShockKind = "throttle"    // share of the boots that a throttle keeps out
	StopShock     ShockKind = "stop"        // s during which no boots come
)

// ErrShock reports a shock that makes no sense.
var ErrShock = errors.New("stability: no such shock")

const (
	mostSurge    = 100         // factor on the traffic
	nothingLeft  = 1e-4        // of a capacity or of the traffic: stands for none
	longestStop  = 30 * 86400. // s
	shortestStop = 1.          // s
	lasts        = 1e8         // s: the longest shock
)

// A shockForm is how a kind of shock is measured and put on a timeline.
type shockForm struct {
	none    float64 // size of no shock
	least   float64 // to begin a search with
	most    func(*model.Scenario) float64
	ratio   bool // sizes are compared as ratios
	scan    bool // more may do less: without traffic no cache fills
	timed   bool // it needs Over
	entries func(s *situation, k Shock, size float64) (timeline []model.Entry, until float64)
}

func whole(*model.Scenario) float64 { return 1 }

// oneAction makes the entries of a shock that is one action.
func oneAction(action model.Action, value func(size float64) float64) func(*situation, Shock, float64) ([]model.Entry, float64) {
	return func(_ *situation, k Shock, size float64) ([]model.Entry, float64) {
		return []model.Entry{{Action: action, Value: value(size), Over: k.Over, Pool: k.Pool}}, k.Over
	}
}

func same(x float64) float64 { return x }

// rest is never quite nothing: an integration that begins again from queues that have
// decayed to the smallest of numbers finds no step.
func rest(x float64) float64 { return max(1-x, nothingLeft) }

var kinds = map[ShockKind]*shockForm{
	FlushShock: {most: whole, entries: oneAction(model.Flush, same)},
	RolloutShock: {
		most: func(sc *model.Scenario) float64 { // more would empty what is empty
			return 1 / max(1, sc.Cache.FlushesPerRestart)
		},
		timed: true, entries: oneAction(model.Rollout, same),
	},
	CapacityShock: {most: whole, timed: true, entries: oneAction(model.Capacity, rest)},
	TrafficShock: {
		none: 1, least: 1, ratio: true, timed: true, entries: oneAction(model.TrafficTo, same),
		most: func(*model.Scenario) float64 { return mostSurge },
	},
	CutShock: {most: whole, timed: true, scan: true, entries: oneAction(model.TrafficTo, rest)},
	ThrottleShock: {most: whole, timed: true, scan: true, entries: func(s *situation, k Shock, size float64) ([]model.Entry, float64) {
		limit := s.sc.Throttle.Limit
		return []model.Entry{
			{Action: model.ThrottleTo, Value: (1 - size) * min(limit, s.boots())},
			{At: k.Over, Action: model.ThrottleTo, Value: limit},
		}, k.Over
	}},
	StopShock: {
		least: shortestStop, ratio: true, scan: true,
		most: func(*model.Scenario) float64 { return longestStop },
		entries: func(_ *situation, _ Shock, size float64) ([]model.Entry, float64) {
			return []model.Entry{{Action: model.TrafficTo, Value: rest(1), Over: size}}, size
		},
	},
}

// boots is the traffic in boots/s.
func (s *situation) boots() float64 {
	return s.sys.Freeze(model.Moment{Traffic: -1, Throttle: -1}).Boots()
}

// scale and size go to the coordinate that is bisected and back.
func (f *shockForm) scale(size float64) float64 {
	if f.ratio {
		return math.Log(size)
	}
	return size
}

func (f *shockForm) size(x float64) float64 {
	if f.ratio {
		return math.Exp(x)
	}
	return x
}

// Most is the largest size that is tried: everything, a factor of 100, or 30 days.
func (k Shock) Most(sc *model.Scenario) float64 { return kinds[k.Kind].most(sc) }

// Timed reports whether shocks of the kind need the time that they last.
func (k ShockKind) Timed() bool { return kinds[k] != nil && kinds[k].timed }

// check reports what is wrong with the shock.
func (k Shock) check(sc *model.Scenario) error {
	f := kinds[k.Kind]
	switch {
	case f == nil:
		return fmt.Errorf("%w: %q", ErrShock, k.Kind)
	case f.timed && !(k.Over > 0 && k.Over <= lasts):
		return fmt.Errorf("%w: a %s over %g s", ErrShock, k.Kind, k.Over)
	case !f.timed && k.Over != 0:
		return fmt.Errorf("%w: a %s takes no time", ErrShock, k.Kind)
	case k.Pool != "" && k.Kind != CapacityShock:
		return fmt.Errorf("%w: a %s of one pool", ErrShock, k.Kind)
	case k.Pool != "" && !slices.ContainsFunc(sc.Pools, func(p model.Named[model.Pool]) bool { return p.Name == k.Pool }):
		return fmt.Errorf("%w: no pool is called %q", ErrShock, k.Pool)
	}
	return nil
}
