package recovery

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// A Wave restarts Share of the cache nodes, one after another, during Over seconds from
// At (s since the scenario's start) on.
type Wave struct{ At, Share, Over float64 }

// A Rollout is a schedule of waves that restarts every node once and is absorbed.
type Rollout struct {
	Waves []Wave
	End   float64 // s since the scenario's start: the last wave has passed
	Least float64 // the smallest share of what is admitted that succeeds, at any time
	Runs  int     // trajectories
}

// ErrNoRollout reports that no schedule tried is absorbed within the scenario's duration.
var ErrNoRollout = errors.New("recovery: no rollout found that is absorbed before the end of the run")

// ErrNoCache reports that no class is cached: there are no nodes to restart.
var ErrNoCache = errors.New("recovery: no class is cached: there are no cache nodes to restart")

var (
	waveShares = []float64{1, 0.5, 0.25, 0.1, 0.05}
	waveTimes  = []float64{600, 1200, 1800, 2700, 3600, 5400, 7200, 3 * 3600, 4 * 3600, 6 * 3600, 8 * 3600} // s
)

// waveWait is the time in seconds after which a wave that is not absorbed is tried again.
const waveWait = 900

// FindRollout returns a schedule that restarts all nodes from the time from (s) on with equal
// waves: of sizes from all nodes at once to a twentieth, that which is done soonest with
// each wave as early and as short as is absorbed. Absorbed means that at every instant, to
// the end of the scenario, 90 % of what is admitted succeeds, also with the wave larger
// by Settings.Margin. The timeline of the scenario does not count. It fails with
// ErrNoRollout, with ErrNoCache, on a time outside the run, and where a trajectory does.
func FindRollout(sc *model.Scenario, from float64, set *Settings) (*Rollout, error) {
	d, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	if !(from >= 0 && from < sc.Duration) {
		return nil, fmt.Errorf("recovery: a rollout from %g s in a run of %g s", from, sc.Duration)
	}
	if !slices.ContainsFunc(sc.Classes, func(c model.Named[model.Class]) bool { return c.Value.Cached }) {
		return nil, ErrNoCache
	}
	tried := make([]*Rollout, len(waveShares))
	err = parallel(len(tried), d.Workers, func(i int) (err error) {
		tried[i], err = waves(sc, from, waveShares[i], d)
		return err
	})
	if err != nil {
		return nil, err
	}
	var best *Rollout
	for _, r := range tried {
		if r != nil && (best == nil || r.End < best.End) {
			best = r
		}
	}
	if best == nil {
		return nil, ErrNoRollout
	}
	return best, nil
}

// waves returns the schedule in waves of a size, nil if there is none.
func waves(sc *model.Scenario, from, share float64, set *Settings) (*Rollout, error) {
	most := 1 / max(1, sc.Cache.FlushesPerRestart) // more would empty what is empty
	if share > most {
		return nil, nil
	}
	r := &Rollout{End: from, Least: 1}
	for left := 1.0; left > 1e-9; {
		size := min(share, left)
		found := false
		for _, over := range waveTimes {
			if r.End+over > sc.Duration {
				break
			}
			bold := append(r.Waves, Wave{r.End, min(most, size*(1+set.Margin)), over})
			least, err := leastSuccess(sc, bold, set)
			r.Runs++
			if err != nil {
				return nil, err
			}
			if least >= upSuccess {
				bold[len(bold)-1].Share = size
				r.Waves, r.End, r.Least = bold, r.End+over, min(r.Least, least)
				left -= size
				found = true
				break
			}
		}
		if !found {
			r.End += waveWait
		}
		if r.End >= sc.Duration {
			return nil, nil
		}
	}
	return r, nil
}

// leastSuccess runs the scenario with the waves and returns the smallest share of what is
// admitted that succeeds; once that is too small it does not run on.
func leastSuccess(base *model.Scenario, waves []Wave, set *Settings) (float64, error) {
	sc := base.Clone()
	sc.Timeline = nil
	for _, w := range waves {
		sc.Timeline = append(sc.Timeline, model.Entry{At: w.At, Over: w.Over, Action: model.Rollout, Value: w.Share})
	}
	sys, err := sc.Compile()
	if err != nil {
		return 0, err
	}
	y, err := sys.Start()
	if err != nil {
		return 0, fmt.Errorf("recovery: no initial state: %w", err)
	}
	sys.Reset()
	s := &Situation{scales: sys.Scales(), done: set.Done}
	least, row := 1.0, make([]float64, len(sys.Columns()))
	is := s.settings()
	is.Events = []ode.Event{{Terminal: true, Direction: -1, Value: func(t float64, y []float64) float64 {
		sys.Observe(row, t, y)
		least = min(least, row[colSuccess])
		return row[colSuccess] - upSuccess
	}}}
	end, err := ode.Solve(sys, y, 0, sys.Span(), is)
	switch {
	case err != nil:
		return 0, fmt.Errorf("recovery: %w", err)
	case end.Status == ode.EventTerminated:
		return math.Min(least, upSuccess-1e-9), nil
	case end.Status != ode.Complete:
		return 0, fmt.Errorf("recovery: a rollout: %s", end.Status)
	}
	return least, nil
}
