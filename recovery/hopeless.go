package recovery

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// ErrHopeless reports that not even a closed throttle brings the system up: what it
// carries without boots is too much.
var ErrHopeless = errors.New("recovery: the system does not come up even with nothing admitted")

// A Hopeless is ErrHopeless with what would help: each of these alone brings the system up
// within Settings.Longest while nothing is admitted.
type Hopeless struct {
	// Relief is what one pool would need; of several, each would do. Where no pool alone is
	// enough there is one entry without a name, for all of them alike.
	Relief []Relief

	// Everyone is whether shedding the requests of booted sessions too would do.
	Everyone bool
}

// Relief is what a pool would need, within 1 %.
type Relief struct {
	Pool       string
	Capacity   float64 // factor; +Inf: a hundred times as much is not enough
	Background float64 // share of the background load that may stay; 0: none is
}

// Unwrap returns ErrHopeless.
func (h *Hopeless) Unwrap() error { return ErrHopeless }

// Error names what would help.
func (h *Hopeless) Error() string {
	var would []string
	for _, r := range h.Relief {
		pool := r.Pool
		if pool == "" {
			pool = "every pool"
		}
		if !math.IsInf(r.Capacity, 1) {
			would = append(would, fmt.Sprintf("with %.3g times the capacity of %s", math.Ceil(100*r.Capacity)/100, pool))
		}
		if r.Background > 0 {
			would = append(would, fmt.Sprintf("with the background load of %s cut to %.3g %%", pool, math.Floor(1000*r.Background)/10))
		}
	}
	if h.Everyone {
		would = append(would, "with a throttle that sheds booted sessions too (throttle.priority: all)")
	}
	if len(would) == 0 {
		return ErrHopeless.Error() + ", nor with a hundred times the capacity, nor without background load"
	}
	return ErrHopeless.Error() + "; it would " + strings.Join(would, ", or ")
}

// hopeless finds what would help, or fails where a trajectory does.
func (s *Situation) hopeless(set *Settings) error {
	h := &Hopeless{}
	names := s.sys.Pools()
	for i, name := range names {
		r, err := s.relief(i, set)
		if err != nil {
			return err
		}
		if r.Pool = name; r.helps() {
			h.Relief = append(h.Relief, *r)
		}
	}
	if len(h.Relief) == 0 && len(names) > 1 {
		r, err := s.relief(-1, set)
		if err != nil {
			return err
		}
		if r.helps() {
			h.Relief = append(h.Relief, *r)
		}
	}
	all, err := s.Shedding(true)
	if err != nil {
		return err
	}
	if h.Everyone, err = all.comesUp(0, set.Longest); err != nil {
		return err
	}
	return h
}

func (r *Relief) helps() bool { return !math.IsInf(r.Capacity, 1) || r.Background > 0 }

// relief bisects what a pool would need, or all of them if the pool is −1.
func (s *Situation) relief(pool int, set *Settings) (*Relief, error) {
	const most, tol = 100.0, 0.01
	up := func(capacity, background float64) (bool, error) {
		eased := *s
		eased.sys = s.sys.Relieve(pool, capacity, background)
		return eased.comesUp(0, set.Longest)
	}
	r := &Relief{Capacity: math.Inf(1)}
	ok, err := up(most, 1)
	if err != nil {
		return nil, err
	}
	if ok {
		lo := 1.0
		for r.Capacity = most; r.Capacity > (1+tol)*lo; {
			mid := math.Sqrt(lo * r.Capacity)
			if ok, err = up(mid, 1); err != nil {
				return nil, err
			}
			if ok {
				r.Capacity = mid
			} else {
				lo = mid
			}
		}
	}
	if ok, err = up(1, 0); err != nil || !ok {
		return r, err
	}
	for hi := 1.0; hi-r.Background > tol; {
		mid := (r.Background + hi) / 2
		if ok, err = up(1, mid); err != nil {
			return nil, err
		}
		if ok {
			r.Background = mid
		} else {
			hi = mid
		}
	}
	return r, nil
}
