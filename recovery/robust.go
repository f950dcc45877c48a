package recovery

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// hardest is the number of situations for which Robust chooses the limits.
const hardest = 8

// Robust returns a plan that brings home all but a share of 1 − Share of the situations,
// each with its own parameters and its own state at the same time; see Find. The limits
// are the best for the hardest of those that have to come home, by the time that each
// would need alone; the holds are then such that each next step is safe for all. Home
// is that of the plan, Lost the mean over the hardest.
//
// A situation that does not come up whatever the throttle counts as one that is not
// brought home. It fails with ErrHopeless or ErrNoPlan if there are too many of them, and
// on situations at different times. The plan is empty, and Drains +Inf, where none of
// those that have to come home needs a throttle.
func Robust(situations []*Situation, set *Settings) (*Recovery, error) {
	d, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(situations) == 0 {
		return nil, errors.New("recovery: no situations")
	}
	group := make([]*Situation, len(situations))
	for i, s := range situations {
		if s.t != situations[0].t {
			return nil, errors.New("recovery: situations at different times")
		}
		group[i] = s.with(d)
	}
	must, drains, demand, err := ranked(group, d)
	if err != nil {
		return nil, err
	}
	r := &Recovery{Drains: drains}
	if len(must) == 0 {
		return r, nil
	}
	if err := r.search(must[max(0, len(must)-hardest):], demand, d); err != nil {
		return nil, err
	}
	limits := make([]float64, len(r.Plan))
	for i, step := range r.Plan {
		limits[i] = step.Limit
	}
	if r.Plan, err = staircase(states(must), limits, d, d.Longest); err != nil {
		return nil, err
	}
	r.Home, r.Tried = r.Plan[len(r.Plan)-1].T-group[0].t, nil
	return r, nil
}

// ranked returns the situations that have to come home and do not without a throttle, the
// hardest last, the least limit that drains one of them and the largest demand.
func ranked(group []*Situation, set *Settings) (must []*Situation, drains, demand float64, err error) {
	type need struct{ drains, demand, home float64 }
	needs := make([]need, len(group))
	err = parallel(len(group), set.Workers, func(i int) error {
		s, n := group[i], &needs[i]
		free, err := s.follow(Plan{{s.t, math.Inf(1)}}, set.Longest, false)
		if err != nil {
			return err
		}
		n.demand = free.demand
		if free.home() {
			n.drains = math.Inf(1)
			return nil
		}
		n.home = math.Inf(1)
		if n.drains, err = s.drains(free.demand, set); errors.Is(err, ErrHopeless) {
			n.drains = -1
			return nil
		}
		if err != nil {
			return err
		}
		usual := shape{choices[0][0], choices[1][0], choices[2][0]}
		c, err := try([]*Situation{s}, usual.limits(set, n.drains, n.demand), set, set.Longest)
		if c != nil {
			n.home = c.Home
		}
		return err
	})
	if err != nil {
		return nil, 0, 0, err
	}
	order := make([]int, len(group))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(needs[a].home, needs[b].home) })
	drains = math.Inf(1)
	for _, i := range order[:len(order)-int((1-set.Share)*float64(len(order)))] {
		switch {
		case needs[i].drains < 0:
			return nil, 0, 0, ErrHopeless
		case needs[i].home > 0:
			must = append(must, group[i])
			drains, demand = min(drains, needs[i].drains), max(demand, needs[i].demand)
		}
	}
	return must, drains, demand, nil
}

// Check runs the plan from other situations than those it was made for and returns how many
// come home. Where with 95 % confidence the share of them is below Settings.Share, it adds a
// warning.
func (r *Recovery) Check(fresh []*Situation, set *Settings) (home int, err error) {
	d, err := set.withDefaults()
	if err != nil {
		return 0, err
	}
	vs, err := Verify(fresh, r.Plan, d)
	if err != nil {
		return 0, err
	}
	for _, v := range vs {
		if !math.IsInf(v.Home, 1) {
			home++
		}
	}
	if n := len(fresh); home < n {
		const above = 0.975 // of the two-sided interval of Clopper and Pearson
		most := distuv.Beta{Alpha: float64(home + 1), Beta: float64(n - home)}.Quantile(above)
		if most < d.Share {
			r.Warnings = append(r.Warnings, fmt.Errorf("recovery: of %d other situations %d come home, fewer than the share of %g that was asked for; plan for more", n, home, d.Share))
		}
	}
	return home, nil
}

// A Verdict is how a plan does in one situation.
type Verdict struct {
	Home    float64 // s after the situation: no throttle and service full; +Inf: not home
	Relapse float64 // s since the scenario's start: when the system, once up, goes down; +Inf if it does not
	Lost    float64 // clients that gave up
	Success float64 // share of what is admitted that succeeds at the end
}

// Verify runs a plan from each of the situations for Settings.Longest seconds and returns a
// verdict for each. The plan may leave the throttle on; then it is not home. It fails on a
// plan without steps, and where a trajectory does.
func Verify(situations []*Situation, plan Plan, set *Settings) ([]Verdict, error) {
	d, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(plan) == 0 {
		return nil, errors.New("recovery: a plan without steps")
	}
	out := make([]Verdict, len(situations))
	return out, parallel(len(out), d.Workers, func(i int) error {
		s := situations[i].with(d)
		f, err := s.follow(plan, d.Longest, false)
		if err != nil {
			return err
		}
		out[i] = Verdict{math.Inf(1), f.relapse, f.lost, f.success}
		if off := plan[len(plan)-1]; f.home() && math.IsInf(off.Limit, 1) {
			out[i].Home = max(f.full, off.T) - s.t
		}
		return nil
	})
}
