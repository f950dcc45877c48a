package recovery

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Watch says what has to be seen between one step of a plan and the next.
type Watch struct {
	Step
	Until float64 // s since the scenario's start: when the next step is due, or Watch after the last

	// Expect are the observables at Until, as Situation.Columns names them, in the first
	// situation; Least and Most hold nine tenths of all situations.
	Expect, Least, Most []float64

	// TooLarge is a limit (boots/s) that leads to a relapse where this one does not: a
	// quarter above the largest safe one. +Inf if none is safe and too large, as there
	// is none where the demand is met.
	TooLarge float64

	// Sign is the time in seconds after a step to TooLarge at which a tenth of what is
	// admitted fails, +Inf if that is never so.
	Sign float64

	// TakeBack is the time in seconds after a step to TooLarge until which going back to
	// the limit before still saves, the system being up Watch later; Watch if it does
	// even then. 0 for the first step.
	TakeBack float64

	// Bound is a share of what is admitted that succeeds at least while one watches, in the
	// first situation with the throttle left here, by comparison; see [model.System.StaysUp].
	// Where it is NaN the step rests on trajectories alone, and Unbounded says why.
	Bound     float64
	Unbounded error
}

var errNoBound = errors.New("the state is not far enough on the safe side for a comparison")

// Guarantee says what vouches for the steps of a plan: comparison, where the bound of each
// after the first is that of a system that is up, or trajectories, and why.
func Guarantee(watches []Watch) string {
	for _, w := range watches[min(1, len(watches)-1):] {
		if !(w.Bound >= upSuccess) {
			return fmt.Sprintf("trajectories (%v)", w.Unbounded)
		}
	}
	return "comparison"
}

// compare bounds what follows a step.
func (w *Watch) compare(s *Situation, watch float64) error {
	sys, err := s.sys.Control(s.t, Plan{w.Step}.points())
	if err != nil {
		return err
	}
	w.Bound, w.Unbounded = sys.StaysUp(s.t, s.t+watch, s.y)
	if w.Unbounded == nil && !(w.Bound >= upSuccess) {
		w.Unbounded = errNoBound
	}
	return nil
}

// Watches returns what to watch at each step of a plan that brings the situations home.
func Watches(situations []*Situation, plan Plan, set *Settings) ([]Watch, error) {
	d, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(situations) == 0 || len(plan) == 0 || plan[0].T != situations[0].t {
		return nil, fmt.Errorf("recovery: nothing to watch: %d situations, %d steps", len(situations), len(plan))
	}
	rows := make([][][]float64, len(situations)) // by situation and step
	err = parallel(len(rows), d.Workers, func(i int) (err error) {
		rows[i], err = situations[i].with(d).observe(plan, d.Watch)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]Watch, len(plan))
	for i := range out {
		out[i] = Watch{Step: plan[i], Until: plan[i].T + d.Watch, Expect: rows[0][i], TooLarge: math.Inf(1), Sign: math.Inf(1)}
		if i+1 < len(plan) {
			out[i].Until = plan[i+1].T
		}
		out[i].Least, out[i].Most = band(rows, i)
	}
	var at state = situations[0].with(d)
	for i := range plan {
		if i > 0 {
			if at, err = at.hold(plan[i-1].Limit, plan[i].T-plan[i-1].T); err != nil {
				return nil, err
			}
			if err := out[i].tooLarge(at.(*Situation), plan[i-1].Limit, d); err != nil {
				return nil, err
			}
		}
		if err := out[i].compare(at.(*Situation), d.Watch); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// observe returns the observables before each next step, and watch after the last one.
func (s *Situation) observe(plan Plan, watch float64) ([][]float64, error) {
	rows := make([][]float64, len(plan))
	var at state = s
	for i, step := range plan {
		until := step.T + watch
		if i+1 < len(plan) {
			until = plan[i+1].T
		}
		var err error
		if at, err = at.hold(step.Limit, until-step.T); err != nil {
			return nil, err
		}
		rows[i] = at.(*Situation).row
	}
	return rows, nil
}

// band returns the quantiles of 5 % and 95 % of each observable at a step.
func band(rows [][][]float64, step int) (least, most []float64) {
	n := len(rows[0][step])
	least, most = make([]float64, n), make([]float64, n)
	column := make([]float64, len(rows))
	for k := range n {
		for i := range rows {
			column[i] = rows[i][step][k]
		}
		slices.Sort(column)
		least[k] = stat.Quantile(0.05, stat.Empirical, column, nil)
		most[k] = stat.Quantile(0.95, stat.Empirical, column, nil)
	}
	return least, most
}

// tooLarge finds how a step that is too large shows, and until when it can be taken back
// to the limit before.
func (w *Watch) tooLarge(s *Situation, before float64, set *Settings) error {
	most := 10 * before
	if _, hi, err := bound(s, most, 0.02); err != nil || hi == most {
		return err
	} else {
		w.TooLarge = round2(1.25 * hi)
	}
	var err error
	if w.Sign, err = s.failing(w.TooLarge, set.Watch); err != nil {
		return err
	}
	w.TakeBack, err = last(saved{s}, w.TooLarge, before, set.Watch, 5)
	return err
}

// failing returns the time in seconds until a tenth of what is admitted fails, with the
// throttle at limit; +Inf if it does not while one watches.
func (s *Situation) failing(limit, watch float64) (float64, error) {
	at, err := s.turn(limit, watch, -1)
	return at - s.t, err
}

// saved is a situation that is safe under a limit if it is up after the watch, whatever
// happens before.
type saved struct{ *Situation }

func (s saved) hold(limit, d float64) (state, error) {
	next, err := s.Situation.hold(limit, d)
	if err != nil {
		return nil, err
	}
	return saved{next.(*Situation)}, nil
}

func (s saved) safe(limit float64) (bool, error) {
	f, err := s.follow(Plan{{s.t, limit}}, s.watch, false)
	return err == nil && f.success >= upSuccess, err
}
