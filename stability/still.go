package stability

import (
	"errors"
	"fmt"
	"math"

	"github.com/metastable/metastable/model"
)

// Still returns the scenario as it stands still at the moment: with the parameters,
// the capacities and the throttle then in force, constant traffic, nothing on its
// timeline, and the healthy equilibrium to start from. What one puts on its timeline
// meets the system as [model.System.Freeze] has it.
func Still(sc *model.Scenario, at model.Moment) (*model.Scenario, error) {
	sys, err := sc.Compile()
	if err != nil {
		return nil, err
	}
	factor := share(sys, at)
	c := sc.Clone()
	c.Timeline, c.Uncertainty, c.Initial = nil, nil, model.Initial{Kind: "healthy"}
	c.Traffic.Profile = model.Profile{Points: []model.Point{{T: 0, Value: factor}}}
	c.Traffic.Repeat = math.Inf(1)
	c.Throttle.Limit = sys.Freeze(at).Throttle(0)
	capacity := map[string]float64{}
	for _, e := range sc.Timeline {
		if e.At > at.Time {
			break
		}
		if e.Priority != "" {
			c.Throttle.Priority = e.Priority
		}
		switch e.Action {
		case model.Change:
			for _, a := range e.Change {
				if err := c.Set(a.Path, a.Value); err != nil {
					return nil, err
				}
			}
		case model.Capacity:
			pool := e.Pool
			if pool == "" {
				pool = c.Pools[0].Name
			}
			if capacity[pool] = e.Value; e.Over > 0 && e.At+e.Over <= at.Time {
				capacity[pool] = 1
			}
		}
	}
	for i := range c.Pools {
		p := &c.Pools[i]
		factor, changed := capacity[p.Name]
		if changed && p.Value.ServiceCurve != nil {
			return nil, fmt.Errorf("stability: the capacity of pool %s, which has a service curve, is changed at the moment", p.Name)
		}
		if changed {
			p.Value.Capacity *= factor
		}
	}
	return c, nil
}

// ErrNoHealthy reports that there is no healthy state to disturb.
var ErrNoHealthy = errors.New("stability: there is no healthy state at the moment")
