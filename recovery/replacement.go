package recovery

import (
	"errors"
	"math"

	"github.com/metastable/metastable/model"
)

// A Replacement is how patiently the control plane replaces cache nodes that are away, and
// the rollout that is found with it.
type Replacement struct {
	HoldDown float64  // s that it waits for a node
	Pace     float64  // nodes it replaces per second at most; +Inf: no limit
	Rollout  *Rollout // nil where none is absorbed
}

// Replacements plans the rollout with every hold-down, the scenario's own and those of 1, 2
// and 3 mean outages that are longer, at every pace, the scenario's own and those that
// replace all nodes in 1, 3 and 8 hours that are slower. The scenario's own two come first,
// then the other paces with its hold-down, then the longer hold-downs, each in order. See
// FindRollout, which says what it fails with; where it finds none there is no error here.
func Replacements(sc *model.Scenario, from float64, set *Settings) ([]Replacement, error) {
	d, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	holds, paces := []float64{sc.Cache.HoldDown}, []float64{sc.Cache.Pace}
	for _, outages := range []float64{1, 2, 3} {
		if hold := outages * sc.Cache.Outage; hold > sc.Cache.HoldDown && !math.IsInf(hold, 1) {
			holds = append(holds, hold)
		}
	}
	for _, hours := range []float64{1, 3, 8} {
		if pace := round2(float64(sc.Cache.Nodes) / (3600 * hours)); pace < sc.Cache.Pace {
			paces = append(paces, pace)
		}
	}
	var out []Replacement
	for _, hold := range holds {
		for _, pace := range paces {
			out = append(out, Replacement{HoldDown: hold, Pace: pace})
		}
	}
	one := *d
	one.Workers = 1
	return out, parallel(len(out), d.Workers, func(i int) (err error) {
		with := sc.Clone()
		with.Cache.HoldDown, with.Cache.Pace = out[i].HoldDown, out[i].Pace
		out[i].Rollout, err = FindRollout(with, from, &one)
		if errors.Is(err, ErrNoRollout) {
			return nil
		}
		return err
	})
}

// Soonest returns the index of the replacement with which the rollout is done first, of
// equals the first; −1 where none has a rollout.
func Soonest(of []Replacement) int {
	best := -1
	for i, r := range of {
		if r.Rollout != nil && (best < 0 || r.Rollout.End < of[best].Rollout.End) {
			best = i
		}
	}
	return best
}
