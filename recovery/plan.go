package recovery

import (
	"errors"
	"slices"

	"github.com/metastable/metastable/model"
)

// A Step sets the throttle to Limit (boots/s, +Inf for none) at T (s since the
// scenario's start).
type Step struct{ T, Limit float64 }

// A Plan is a sequence of steps of the throttle in order of time.
type Plan []Step

func (p Plan) points() []model.Point {
	out := make([]model.Point, len(p))
	for i, s := range p {
		out[i] = model.Point{T: s.T, Value: s.Limit}
	}
	return out
}

// ErrNoPlan reports that the limits tried lead to no plan that comes home in time.
var ErrNoPlan = errors.New("recovery: no plan found that is home in time")

// A state is a plant at a time, to be driven by one number, the limit.
type state interface {
	time() float64

	// hold returns the state after d seconds with the control at limit.
	hold(limit, d float64) (state, error)

	// safe reports whether nothing goes wrong with the control at limit from now on.
	safe(limit float64) (bool, error)
}

// staircase returns the plan through the limits, in order, each held for the shortest
// multiple of MinHold after which the next one is safe, raised by the margin, for all of
// the group. It fails with ErrNoPlan once the plan cannot end within so many seconds.
func staircase(group []state, limits []float64, set *Settings, within float64) (Plan, error) {
	begin := group[0].time()
	t, plan := begin, Plan{}
	for i, limit := range limits[:len(limits)-1] {
		plan = append(plan, Step{t, limit})
		next, n, err := advance(group, limit, limits[i+1]*(1+set.Margin), set, within-(t-begin))
		if err != nil {
			return nil, err
		}
		group, t = next, t+float64(n)*set.MinHold
	}
	return append(plan, Step{t, limits[len(limits)-1]}), nil
}

// advance holds the group at limit for the least number of times MinHold after which
// next is safe for all, and returns it as it is then, and that number.
func advance(group []state, limit, next float64, set *Settings, within float64) ([]state, int, error) {
	most := int(within / set.MinHold)
	holds := make([]*holding, len(group))
	least := make([]int, len(group))
	err := parallel(len(group), set.Workers, func(i int) (err error) {
		holds[i] = &holding{from: group[i], limit: limit, unit: set.MinHold}
		least[i], err = holds[i].first(next, most)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	n := slices.Max(least)
	if n > most {
		return nil, 0, ErrNoPlan
	}
	out := make([]state, len(group))
	return out, n, parallel(len(group), set.Workers, func(i int) (err error) {
		out[i], err = holds[i].after(n)
		return err
	})
}

// A holding is a state whose control is held, with the states after multiples of a
// unit of time that were looked at.
type holding struct {
	from        state
	limit, unit float64
	times       []int
	states      []state
}

// after returns the state after n units.
func (h *holding) after(n int) (state, error) {
	from, done := h.from, 0
	for i, m := range h.times {
		if m == n {
			return h.states[i], nil
		}
		if m < n && m > done {
			from, done = h.states[i], m
		}
	}
	s, err := from.hold(h.limit, float64(n-done)*h.unit)
	if err == nil {
		h.times, h.states = append(h.times, n), append(h.states, s)
	}
	return s, err
}

// first returns the least number of units, from 1 on, after which next is safe; most + 1
// if it is never. That a state which was held longer is no less safe is taken for
// granted.
func (h *holding) first(next float64, most int) (int, error) {
	safe := func(n int) (bool, error) {
		s, err := h.after(n)
		if err != nil {
			return false, err
		}
		return s.safe(next)
	}
	lo, hi := 0, 1
	for ; ; lo, hi = hi, 2*hi {
		hi = min(hi, max(most, 1))
		ok, err := safe(hi)
		if err != nil {
			return 0, err
		}
		if ok {
			break
		}
		if hi >= most {
			return most + 1, nil
		}
	}
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		ok, err := safe(mid)
		if err != nil {
			return 0, err
		}
		if ok {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, nil
}

// last returns the longest time up to most, to within tol, that the control may be held
// at limit so that back is still safe afterwards; 0 if it is not safe even now. That
// holding longer is never safer is taken for granted.
func last(s state, limit, back, most, tol float64) (float64, error) {
	lo, hi, at := 0.0, most, s
	for x := most; ; x = (lo + hi) / 2 {
		next, err := at.hold(limit, x-lo)
		if err != nil {
			return lo, err
		}
		ok, err := next.safe(back)
		switch {
		case err != nil:
			return lo, err
		case ok:
			lo, at = x, next
		default:
			hi = x
		}
		if lo == most || hi-lo <= tol {
			return lo, nil
		}
	}
}

// bound brackets the largest limit up to most that is safe now, to within tol relative
// to it, or 1e-6 of most.
func bound(s state, most, tol float64) (lo, hi float64, err error) {
	hi = most
	for x := most; ; x = (lo + hi) / 2 {
		ok, err := s.safe(x)
		switch {
		case err != nil:
			return lo, hi, err
		case ok:
			lo = x
		default:
			hi = x
		}
		if lo == most || hi-lo <= max(tol*hi, 1e-6*most) {
			return lo, hi, nil
		}
	}
}
