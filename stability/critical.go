package stability

import (
	"errors"
	"math"

	"github.com/metastable/metastable/model"
)

// A Critical is the smallest shock of a kind that drives the system out of a stable
// state: the minimal critical shock. Of a collapsed state that is the smallest that
// brings it home, or at least away.
type Critical struct {
	State   int // index in Result.Equilibria
	Healthy bool
	Shock   Shock

	// Trigger: at Lo the state is kept, at Hi it is left; nil or only begun where Err
	// says why.
	Trigger *Trigger
	Err     error
}

// CriticalShocks finds the minimal critical shocks of every stable state at the moment:
// of the healthy one, every kind that can tip it, of each pool the capacity; of the
// others, every kind that can bring them home. Those that take time last for over
// seconds.
// Shutting a system off may do less than letting it half on, which fills its caches:
// the shocks that bring home are looked for from small ones on in sixteenths of the
// largest, and a window narrower than that is missed.
//
// It fails with ErrShock, and with what it has and ErrInterrupted.
func CriticalShocks(sc *model.Scenario, at model.Moment, over float64, set *Settings) (*Result, []Critical, error) {
	tipping := []Shock{{Kind: FlushShock}, {Kind: RolloutShock, Over: over}, {Kind: TrafficShock, Over: over}}
	for _, p := range sc.Pools {
		tipping = append(tipping, Shock{Kind: CapacityShock, Over: over, Pool: p.Name})
	}
	if err := tipping[1].check(sc); err != nil {
		return nil, nil, err
	}
	home := []Shock{{Kind: CutShock, Over: over}, {Kind: ThrottleShock, Over: over}, {Kind: StopShock}}
	s, err := newSituation(sc, at, set)
	if err != nil {
		return nil, nil, err
	}
	var all []Critical
	for i := range s.states {
		shocks := home
		if i == s.healthy {
			shocks = tipping
		}
		for _, shock := range shocks {
			c := Critical{State: s.index[i], Healthy: i == s.healthy, Shock: shock}
			c.Trigger, c.Err = s.withstands(i, shock, math.NaN())
			if errors.Is(c.Err, ErrInterrupted) {
				return s.all, all, c.Err
			}
			all = append(all, c)
		}
	}
	return s.all, all, nil
}
