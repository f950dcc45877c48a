package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
)

// A value is a measure that lies in a bracket.
type value struct {
	lo, hi float64
	proved bool
	note   string // why it is as it is; empty if that is plain
}

func exactly(x float64, proved bool, note string) value { return value{x, x, proved, note} }

// A measured is a scenario at a moment, and what has been found of it.
type measured struct {
	sc   *model.Scenario
	sys  *model.System
	at   model.Moment
	over float64
	set  *stability.Settings
	all  *stability.Result // nil: not yet
}

// A measure is something that requirements are about.
type measure struct {
	name    string
	unit    string // as model.Path has it; empty: holds or not
	args    func(*model.Scenario) []string
	doc     string
	example string
	find    func(m *measured, arg string, set *stability.Settings) (value, error)
}

// measures are listed in the help of check in this order.
var measures = []measure{
	{"absorbs.flush", "share", nil, "largest share of the cache that may be lost at once", "absorbs.flush >= 25%", absorbs(stability.FlushShock)},
	{"absorbs.rollout", "share", nil, "largest share of the nodes restarted during --over", "absorbs.rollout >= 10%", absorbs(stability.RolloutShock)},
	{"absorbs.capacity", "share", pools, "largest share of a pool's capacity lost during --over", "absorbs.capacity >= 20%", absorbs(stability.CapacityShock)},
	{"absorbs.traffic", "1", nil, "largest factor on the traffic during --over", "absorbs.traffic >= 1.5", absorbs(stability.TrafficShock)},
	{"recovers.traffic_cut", "share", nil, "smallest cut of the traffic during --over that brings a collapsed system home", "recovers.traffic_cut <= 80%", recovers(stability.CutShock)},
	{"recovers.throttle", "share", nil, "smallest share that a throttle keeps out during --over, likewise", "recovers.throttle <= 50%", recovers(stability.ThrottleShock)},
	{"recovers.stop", "s", nil, "shortest time without traffic, likewise", "recovers.stop <= 10m", recovers(stability.StopShock)},
	{"headroom", "1", nil, "factor on the traffic at which the healthy state ends", "headroom >= 1.3", limit(stability.Headroom, asItIs)},
	{"safe_traffic", "share", nil, "share of the full rate below which no collapsed state exists", "safe_traffic >= 50%", limit(stability.SafeTraffic, asItIs)},
	{"advertised_capacity", "1/s", nil, "traffic at which the healthy state ends", "advertised_capacity >= 2k/s", limit(stability.Headroom, (*measured).boots)},
	{"hidden_capacity", "1/s", nil, "traffic below which no collapsed state exists", "hidden_capacity >= 300/s", limit(stability.SafeTraffic, (*measured).rate)},
	{"throttle_line", "1/s", nil, "largest throttle under which the healthy state is the only one", "throttle_line >= 400/s", limit(stability.ThrottleLine, asItIs)},
	{"cold_load", "1", pools, "load with empty caches over the capacity of a pool", "cold_load <= 1", coldLoad},
	{"tipping.hit_rate", "share", classes, "hit rate of one key at the tipping point; 0 if it comes home from anywhere", "tipping.hit_rate <= 95%", tippingHitRate},
	{"safe", "", nil, "the healthy state is the only one, and from empty caches it comes back", "safe", safe},
	{"stable", "", nil, "the same, as HotOS'21 and OSDI'22 call it", "stable", safe},
	{"healthy", "", nil, "there is a healthy state", "healthy", holds(hasHealthy)},
}

func pools(sc *model.Scenario) (names []string) {
	for _, p := range sc.Pools {
		names = append(names, p.Name)
	}
	return names
}

// classes are those with a hit rate.
func classes(sc *model.Scenario) (names []string) {
	for _, c := range sc.Classes {
		if c.Value.Cached {
			names = append(names, c.Name)
		}
	}
	return names
}

// describeMeasures is the list in the help.
func describeMeasures() string {
	var b strings.Builder
	for _, m := range measures {
		name := m.name
		if m.args != nil {
			name += map[bool]string{true: "[.CLASS]", false: "[.POOL]"}[m.name == "tipping.hit_rate"]
		}
		fmt.Fprintf(&b, "  %-26s %s\n", name, m.doc)
	}
	return strings.TrimRight(b.String(), "\n")
}

const noHealthy = "there is no healthy state"

// absorbs is the largest shock absorbed; without an argument by the weakest pool.
func absorbs(kind stability.ShockKind) func(*measured, string, *stability.Settings) (value, error) {
	return func(m *measured, arg string, set *stability.Settings) (value, error) {
		shock := stability.Shock{Kind: kind, Pool: arg}
		if kind.Timed() {
			shock.Over = m.over
		}
		targets := []string{arg}
		if kind == stability.CapacityShock && arg == "" {
			targets = pools(m.sc)
		}
		worst := value{lo: math.Inf(1), hi: math.Inf(1)}
		for _, shock.Pool = range targets {
			tr, err := stability.LargestAbsorbed(m.sc, m.at, shock, set)
			switch {
			case errors.Is(err, stability.ErrNoHealthy):
				return exactly(0, false, noHealthy), nil
			case err != nil:
				return value{}, err
			}
			if math.IsInf(tr.Hi, 1) && kind != stability.TrafficShock {
				tr.Hi = tr.Lo // there is no larger one
			}
			if tr.Lo <= worst.lo {
				worst = value{lo: tr.Lo, hi: tr.Hi}
			}
		}
		return worst, nil
	}
}

// recovers is the smallest shock that brings every collapsed state home.
func recovers(kind stability.ShockKind) func(*measured, string, *stability.Settings) (value, error) {
	return func(m *measured, _ string, set *stability.Settings) (value, error) {
		r, all, err := stability.CriticalShocks(m.sc, m.at, m.over, set)
		if err != nil {
			return value{}, err
		}
		worst := exactly(0, r.Certainty == fixedpoint.Proved, "there is no collapsed state")
		for _, c := range all {
			switch {
			case c.Healthy || c.Shock.Kind != kind:
				continue
			case c.Err != nil:
				return value{}, c.Err
			case math.IsInf(c.Trigger.Hi, 1):
				return exactly(math.Inf(1), false, "none brings it home"), nil
			case c.Trigger.Hi > worst.hi:
				worst = value{lo: c.Trigger.Lo, hi: c.Trigger.Hi}
			}
		}
		if !hasHealthy(r) {
			return exactly(math.Inf(1), false, noHealthy), nil
		}
		return worst, nil
	}
}

// limit is a limit times a unit.
func limit(find func(*model.System, model.Moment, *stability.Settings) (stability.Limit, error), times func(*measured) float64) func(*measured, string, *stability.Settings) (value, error) {
	return func(m *measured, _ string, set *stability.Settings) (value, error) {
		l, err := find(m.sys, m.at, set)
		if err != nil {
			return value{}, err
		}
		x := times(m)
		return value{lo: x * l.Lo, hi: x * l.Hi, proved: l.Certainty == fixedpoint.Proved}, nil
	}
}

func asItIs(*measured) float64 { return 1 }

// boots is the traffic of the moment in boots/s, rate the full one.
func (m *measured) boots() float64 { return m.sys.Freeze(m.at).Boots() }

func (m *measured) rate() float64 {
	full := m.at
	full.Traffic = 1
	return m.sys.Freeze(full).Boots()
}

func coldLoad(m *measured, arg string, _ *stability.Settings) (value, error) {
	cold, err := stability.ColdLoad(m.sys, m.at)
	if err != nil {
		return value{}, err
	}
	if i := slices.Index(m.sys.Pools(), arg); i >= 0 {
		return exactly(cold[i], true, ""), nil
	}
	return exactly(slices.Max(cold), true, ""), nil
}

// states returns the equilibria of the moment, found once.
func (m *measured) states(set *stability.Settings) (*stability.Result, error) {
	if m.all != nil {
		return m.all, nil
	}
	r, err := stability.Equilibria(m.sys, m.at, set)
	if err == nil {
		m.all = r
	}
	return r, err
}

func tippingHitRate(m *measured, arg string, set *stability.Settings) (value, error) {
	r, err := m.states(set)
	if err != nil {
		return value{}, err
	}
	proved := r.Certainty == fixedpoint.Proved
	tip := r.Tipping()
	switch {
	case r.Verdict() == stability.AlwaysSafe:
		return exactly(0, proved, "it comes home from anywhere"), nil
	case !hasHealthy(r):
		return exactly(math.Inf(1), proved, noHealthy), nil
	case tip == nil:
		return value{}, errors.New("no tipping point was found")
	}
	names := classes(m.sc)
	if arg != "" {
		names = []string{arg}
	}
	worst := math.Inf(-1)
	for _, name := range names {
		worst = max(worst, r.Value(tip, "hit_rate."+name))
	}
	if math.IsInf(worst, -1) {
		return value{}, errors.New("no class is cached")
	}
	return exactly(worst, proved, ""), nil
}

func holds(test func(*stability.Result) bool) func(*measured, string, *stability.Settings) (value, error) {
	return func(m *measured, _ string, set *stability.Settings) (value, error) {
		r, err := m.states(set)
		if err != nil {
			return value{}, err
		}
		return exactly(one(test(r)), r.Certainty == fixedpoint.Proved, string(r.Verdict())), nil
	}
}

// safe holds where the healthy state is the only one and a system without content comes
// back to it: it might circle around others.
func safe(m *measured, arg string, set *stability.Settings) (value, error) {
	v, err := holds(func(r *stability.Result) bool { return r.Verdict() == stability.AlwaysSafe })(m, arg, set)
	if err != nil || v.lo == 0 {
		return v, err
	}
	back, err := stability.TimeBack(m.sys, m.at, m.all, set)
	if err == nil && math.IsInf(back, 1) {
		v.lo, v.hi, v.note = 0, 0, "from empty caches it does not come back"
	}
	return v, err
}

// hasHealthy reports whether the stable state of the lowest load is healthy.
func hasHealthy(r *stability.Result) bool {
	for i := range r.Equilibria {
		if e := &r.Equilibria[i]; e.Stable {
			return r.Value(e, "boot_success") >= 0.5
		}
	}
	return false
}
