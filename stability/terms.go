package stability

import (
	"math"

	"github.com/metastable/metastable/model"
)

// A Vulnerability is a moment in the terms of Bronson et al. (HotOS 2021) and Huang et
// al. (OSDI 2022).
type Vulnerability struct {
	Boots float64 // boots/s now

	// Advertised is the advertised capacity (boots/s): the traffic that the healthy state
	// bears. Hidden is the hidden capacity (boots/s): the traffic below which the system
	// comes home from anywhere. Both under the throttle of the moment.
	Advertised, Hidden Limit

	State Zone

	// Degrees are the degrees of vulnerability: the triggers that just tip the healthy
	// state. None where there is no healthy state.
	Degrees []Critical

	// Recovery are the shocks that just bring the other stable states home.
	Recovery []Critical
}

// A Zone is where a system is between its two capacities.
type Zone string

// Zones.
const (
	StableZone     Zone = "stable"     // below the hidden capacity
	VulnerableZone Zone = "vulnerable" // above it: healthy, or in a metastable failure once tipped
	OverloadedZone Zone = "overloaded" // above the advertised capacity: it fails without a trigger
	UndecidedZone  Zone = "undecided"  // within the bracket of a capacity
)

// Describe computes the terms at the moment, with triggers that last for over seconds.
// It fails as [Headroom], [SafeTraffic] and [CriticalShocks] do.
func Describe(sc *model.Scenario, at model.Moment, over float64, set *Settings) (*Vulnerability, error) {
	sys, err := sc.Compile()
	if err != nil {
		return nil, err
	}
	full := at
	full.Traffic = 1
	rate := sys.Freeze(full).Boots()
	now := share(sys, at)
	v := &Vulnerability{Boots: now * rate}
	if v.Advertised, err = Headroom(sys, at, set); err != nil {
		return nil, err
	}
	if v.Hidden, err = SafeTraffic(sys, at, set); err != nil {
		return nil, err
	}
	v.Advertised.Bracket = v.Advertised.times(v.Boots)
	v.Hidden.Bracket = v.Hidden.times(rate)
	v.State = zone(v.Boots, v.Hidden.Bracket, v.Advertised.Bracket)
	_, all, err := CriticalShocks(sc, at, over, set)
	for _, c := range all {
		if c.Healthy {
			v.Degrees = append(v.Degrees, c)
		} else {
			v.Recovery = append(v.Recovery, c)
		}
	}
	return v, err
}

func zone(boots float64, hidden, advertised Bracket) Zone {
	switch {
	case boots >= advertised.Hi:
		return OverloadedZone
	case boots <= min(hidden.Lo, advertised.Lo):
		return StableZone
	case boots >= hidden.Hi && boots <= advertised.Lo:
		return VulnerableZone
	}
	return UndecidedZone
}

func (b Bracket) times(x float64) Bracket {
	if math.IsInf(b.Hi, 1) {
		return Bracket{b.Lo * x, b.Hi}
	}
	return Bracket{b.Lo * x, b.Hi * x}
}
