package recovery

import (
	"fmt"
	"math"
)

// An EdgePoint is a moment on the way home.
type EdgePoint struct {
	T       float64   // s since the scenario's start
	Limit   float64   // boots/s in force from T on
	Row     []float64 // observables, as Situation.Columns names them
	Largest float64   // boots/s: the largest limit that is safe at T, within 2 %; +Inf where there is none, 0 where not up
}

// Edge returns n ≥ 2 moments along a plan, evenly spread from its begin to a quarter of
// Settings.Watch after its last step, with the largest limit that would be safe at each: the
// line that the plan must not cross. The plan begins at the time of the situation. It fails
// on another plan, and where a trajectory does.
func Edge(s *Situation, plan Plan, n int, set *Settings) ([]EdgePoint, error) {
	d, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	if n < 2 || len(plan) == 0 || plan[0].T != s.t {
		return nil, fmt.Errorf("recovery: %d moments of a plan of %d steps", n, len(plan))
	}
	end := plan[len(plan)-1].T + d.Watch/4
	out := make([]EdgePoint, n)
	states := make([]*Situation, n)
	var at state = s.with(d)
	step := 0
	for i := range out {
		t := s.t + (end-s.t)*float64(i)/float64(n-1)
		for {
			until := t
			if step+1 < len(plan) {
				until = min(until, plan[step+1].T)
			}
			if at, err = at.hold(plan[step].Limit, until-at.time()); err != nil {
				return nil, err
			}
			if step+1 == len(plan) || plan[step+1].T > t {
				break
			}
			step++
		}
		states[i] = at.(*Situation)
		out[i] = EdgePoint{T: t, Limit: plan[step].Limit, Row: states[i].row}
	}
	return out, parallel(n, d.Workers, func(i int) (err error) {
		out[i].Largest, err = states[i].largest()
		return err
	})
}

// largest returns the largest limit that is safe, within 2 %, +Inf where every one is.
func (s *Situation) largest() (float64, error) {
	if !s.up() {
		return 0, nil
	}
	most := 20 * max(s.row[colBoots], s.row[colAdmitted])
	lo, _, err := bound(s, most, 0.02)
	if lo == most {
		return math.Inf(1), err
	}
	return lo, err
}
