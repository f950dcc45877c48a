package recovery

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
)

// A Remedy is a change of the system that may keep it from tipping, or bring it home
// sooner.
type Remedy struct {
	Name    string
	Changes []model.Assignment
}

// An Effect is what a system, with a remedy in force from the start, does.
type Effect struct {
	Remedy // zero for the system as it is

	Verdict  stability.Verdict
	Tipping  float64         // hit rate at the tipping point, of the first cached class; NaN where there is none
	Absorbs  float64         // the largest share of the cache's content that may be lost at once
	Safe     stability.Limit // share of the full traffic below which no collapsed state exists
	Headroom stability.Limit // factor on the traffic of the moment

	// Down is whether the scenario's own run is in an outage at the moment, and Home and
	// Lost what Find promises from there: s, and clients. Home is +Inf where no plan is found, Lost then
	// NaN.
	Down       bool
	Home, Lost float64

	Warnings []error // what could not be computed, and why
}

// Remedies are those that change something in the scenario.
func Remedies(sc *model.Scenario) []Remedy {
	var out []Remedy
	add := func(name string, changes ...model.Assignment) {
		if len(changes) > 0 {
			out = append(out, Remedy{name, changes})
		}
	}
	classes := func(key, value string, applies func(c *model.Class) bool) (all []model.Assignment) {
		for i := range sc.Classes {
			if c := &sc.Classes[i]; c.Value.Cached && applies(&c.Value) {
				all = append(all, model.Assignment{Path: "classes." + c.Name + "." + key, Value: value})
			}
		}
		return all
	}
	pools := func(key string, value func(p *model.Pool) (string, bool)) (all []model.Assignment) {
		for i := range sc.Pools {
			p := &sc.Pools[i]
			if v, ok := value(&p.Value); ok {
				all = append(all, model.Assignment{Path: "pools." + p.Name + "." + key, Value: v})
			}
		}
		return all
	}
	times := func(factor float64, of func(p *model.Pool) float64) func(p *model.Pool) (string, bool) {
		return func(p *model.Pool) (string, bool) {
			x := factor * of(p)
			return strconv.FormatFloat(x, 'g', -1, 64), x > 0 && !math.IsInf(x, 1)
		}
	}
	timeout := func(p *model.Pool) float64 { return p.Timeout }

	add("read only what is missing", classes("fetch", "missing", func(c *model.Class) bool { return c.Fetch == "all" && c.KeysPerRequest > 1 })...)
	add("ask only the owning shards", classes("route", "keyed", func(c *model.Class) bool { return c.Route == "scatter" })...)
	add("one fetch per missing key", classes("coalesce", "true", func(c *model.Class) bool { return !c.Coalesce })...)
	add("keep what is cached on errors", classes("on_error", "keep", func(c *model.Class) bool { return c.OnError == "delete" })...)
	add("late answers fill the cache", classes("late_fill", "true", func(c *model.Class) bool { return !c.LateFill })...)
	add("twice the capacity", pools("capacity", times(2, func(p *model.Pool) float64 { return p.Capacity }))...)
	add("propagate deadlines", pools("drop_expired", func(p *model.Pool) (string, bool) {
		return "true", !p.DropExpired && !math.IsInf(p.Timeout, 1)
	})...)
	add("half the time-out", pools("timeout", times(0.5, timeout))...)
	add("twice the time-out", pools("timeout", times(2, timeout))...)
	add("a tenth of the queue", pools("queue_limit", times(0.1, func(p *model.Pool) float64 { return p.QueueLimit }))...)
	if sc.Clients.Backoff != nil && sc.Clients.RetryBudget > 0.1 {
		add("a retry budget of a tenth", model.Assignment{Path: "clients.retry_budget", Value: "0.1"})
		add("half the clients give up", model.Assignment{Path: "clients.give_up", Value: "0.5"})
	}
	if len(classes("cached", "", func(*model.Class) bool { return true })) == 0 {
		return out // no cache: nothing to do with its nodes
	}
	if sc.Cache.Outage > 0 && sc.Cache.HoldDown < 3*sc.Cache.Outage {
		add("replace nodes after three mean outages", model.Assignment{Path: "cache.hold_down", Value: strconv.FormatFloat(3*sc.Cache.Outage, 'g', -1, 64)})
	}
	if sc.Cache.FlushesPerRestart > 0 {
		add("warm nodes before they serve", model.Assignment{Path: "cache.flushes_per_restart", Value: "0"})
	}
	return out
}

// ErrInterrupted reports that Settings.Done was closed.
var ErrInterrupted = errors.New("recovery: interrupted")

// Weigh returns the effect of each remedy at a moment (s since the scenario's start): that of
// none first, then the best first, by what is absorbed, then by the safe traffic, then by
// the time home. What cannot be computed is a warning of the effect; it fails on a remedy that
// the scenario refuses, and with ErrInterrupted. Remedies
// are in force from the start of the scenario; those that change nothing that an effect
// shows (a slower replacement, say, without a rollout) show none.
func Weigh(sc *model.Scenario, at float64, remedies []Remedy, set *Settings) ([]Effect, error) {
	d, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	one := *d
	one.Workers = 1
	var count sync.Mutex
	var done float64
	out := make([]Effect, 1+len(remedies))
	err = parallel(len(out), d.Workers, func(i int) error {
		if i > 0 {
			out[i].Remedy = remedies[i-1]
		}
		if err := out[i].weigh(sc, at, &one); err != nil {
			return err
		}
		select {
		case <-d.Done: // what was cut short is no answer
			return ErrInterrupted
		default:
		}
		if d.Progress != nil {
			count.Lock()
			defer count.Unlock()
			done++
			d.Progress(done)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out[1:], func(a, b Effect) int { return b.compare(&a) })
	return out, nil
}

// compare orders effects: those that absorb more, then that are safe at more traffic,
// then that come home sooner, are greater.
func (e *Effect) compare(o *Effect) int {
	for _, pair := range [][2]float64{{e.Absorbs, o.Absorbs}, {e.Safe.Lo, o.Safe.Lo}, {-e.Home, -o.Home}} {
		if pair[0] > pair[1] {
			return 1
		}
		if pair[0] < pair[1] {
			return -1
		}
	}
	return 0
}

func (e *Effect) weigh(base *model.Scenario, at float64, set *Settings) error {
	sc := base.Clone()
	for _, c := range e.Changes {
		if err := sc.Set(c.Path, c.Value); err != nil {
			return fmt.Errorf("recovery: %s: %w", e.Name, err)
		}
	}
	sys, err := sc.Compile()
	if err != nil {
		return fmt.Errorf("recovery: %s: %w", e.Name, err)
	}
	note := func(what string, err error) {
		if err != nil {
			e.Warnings = append(e.Warnings, fmt.Errorf("%s: %w", what, err))
		}
	}
	moment := model.Moment{Time: at, Traffic: -1, Throttle: math.Inf(1)}
	look := &stability.Settings{Done: set.Done}
	e.Tipping, e.Absorbs, e.Home, e.Lost = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	r, err := stability.Equilibria(sys, moment, look)
	note("equilibria", err)
	if err == nil {
		e.Verdict = r.Verdict()
		if tip := r.Tipping(); tip != nil {
			for _, c := range sc.Classes {
				if c.Value.Cached {
					e.Tipping = r.Value(tip, "hit_rate."+c.Name)
					break
				}
			}
		}
	}
	if tr, err := stability.LargestFlush(sc, moment, look); err != nil {
		note("flush", err)
	} else {
		e.Absorbs = tr.Lo
	}
	e.Safe, err = stability.SafeTraffic(sys, moment, look)
	note("safe traffic", err)
	e.Headroom, err = stability.Headroom(sys, moment, look)
	note("headroom", err)
	return e.home(sc, at, set, note)
}

// home finds the way home from the scenario's own run with the remedy.
func (e *Effect) home(sc *model.Scenario, at float64, set *Settings, note func(string, error)) error {
	s, err := At(sc, at, set.Longest+set.Watch, set.Done)
	if err != nil {
		note("its run", err)
		return nil
	}
	row := s.Observe()
	e.Down = row[colAdmitted]*row[colSuccess] < fullService*row[colBoots]
	r, err := Find(s, set)
	switch {
	case errors.Is(err, ErrHopeless), errors.Is(err, ErrNoPlan):
		e.Home = math.Inf(1)
	case err != nil:
		note("the way home", err)
	default:
		e.Home, e.Lost = r.Home, r.Lost
	}
	return nil
}
