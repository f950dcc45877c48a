package stability

import (
	"math"
	"slices"

	"github.com/metastable/metastable/internal/ode"
)

// A Loop is what a system does while the parameter of a bifurcation diagram goes slowly from
// one end of its range to the other and back: it stays on a stable branch as long as
// there is one, and jumps where it ends.
type Loop struct {
	Up, Down []LoopPoint
}

// A LoopPoint is a state on the way.
type LoopPoint struct {
	P    float64
	Row  []float64 // observables, as [Bifurcation.Columns] names them
	Jump bool      // the system jumped here from the point before
}

// Loop follows the diagram from its healthiest stable state at the lower end of the range up and
// from there down again. Where a branch loses its stability, a trajectory from there tells
// where the system goes. Where that is no equilibrium of the diagram (it oscillates, or grows
// without end) the way up ends, and the way down begins at the healthiest state of the upper end.
// Up and Down are nil where no stable state is at the end they start from.
func (d *Bifurcation) Loop(set *Settings) (*Loop, error) {
	l := &looper{d: d, set: set}
	for i := range d.Branches {
		for j := range d.Branches[i].Points {
			if d.Branches[i].Points[j].Stable {
				l.stable = append(l.stable, place{i, j})
			}
		}
	}
	out := &Loop{}
	at, ok := l.healthiest(d.Axis.Lo)
	if !ok {
		return out, nil
	}
	var err error
	var end place
	if out.Up, end, ok, err = l.sweep(at, 1); err != nil {
		return out, err
	}
	if !ok || l.point(end).P < d.Axis.Hi-1e-9*math.Abs(d.Axis.Hi) {
		if end, ok = l.healthiest(d.Axis.Hi); !ok {
			return out, nil
		}
	}
	out.Down, _, _, err = l.sweep(end, -1)
	return out, err
}

// A place is a point of a branch.
type place struct{ branch, point int }

type looper struct {
	d      *Bifurcation
	set    *Settings
	stable []place
}

func (l *looper) point(at place) *BranchPoint { return &l.d.Branches[at.branch].Points[at.point] }

// healthiest returns the stable point with the highest boot success at an end of the range.
func (l *looper) healthiest(p float64) (best place, ok bool) {
	success := slices.Index(l.d.Columns, "boot_success")
	for _, at := range l.stable {
		pt := l.point(at)
		if math.Abs(pt.P-p) > 1e-6*(l.d.Axis.Hi-l.d.Axis.Lo) || !bounded(pt.Row) {
			continue
		}
		if !ok || pt.Row[success] > l.point(best).Row[success] {
			best, ok = at, true
		}
	}
	return best, ok
}

// sweep follows stable points in the direction of the parameter until its range ends; ok is false
// where the system goes to no listed state.
func (l *looper) sweep(at place, sign float64) (way []LoopPoint, end place, ok bool, err error) {
	jump := false
	for range 2 * len(l.stable) {
		pt := l.point(at)
		way = append(way, LoopPoint{pt.P, pt.Row, jump})
		next, found := l.next(at, sign)
		if jump = !found; found {
			at = next
			continue
		}
		last := l.d.Axis.Hi
		if sign < 0 {
			last = l.d.Axis.Lo
		}
		if sign*(last-pt.P) <= 1e-6*(l.d.Axis.Hi-l.d.Axis.Lo) {
			return way, at, true, nil
		}
		if at, found, err = l.fall(at, sign); err != nil || !found {
			return way, at, false, err
		}
	}
	return way, at, false, nil
}

// next returns the neighbour on the branch that is stable and further on.
func (l *looper) next(at place, sign float64) (place, bool) {
	pts := l.d.Branches[at.branch].Points
	for _, step := range [2]int{1, -1} {
		k := at.point + step
		if k >= 0 && k < len(pts) && pts[k].Stable && sign*(pts[k].P-pts[at.point].P) > 0 {
			return place{at.branch, k}, true
		}
	}
	return at, false
}

// fall lets the system go from where its branch ends, a little further on, and returns the stable
// point further on that is next to where it comes to rest.
func (l *looper) fall(at place, sign float64) (place, bool, error) {
	const beyond = 1e-4 // of the range
	from := l.point(at)
	specials := l.d.Branches[at.branch].Special
	for i := range specials { // at the fold or the Hopf point itself
		if s := &specials[i]; s.After == at.point || s.After == at.point-1 {
			from = &s.BranchPoint
		}
	}
	p := l.d.Axis.clamp(from.P + sign*beyond*(l.d.Axis.Hi-l.d.Axis.Lo))
	m, err := l.d.family.member([]float64{p})
	if err != nil {
		return at, false, err
	}
	y := slices.Clone(from.State)
	if err := m.sys.Consistent(0, y); err != nil {
		return at, false, err
	}
	end, err := ode.Solve(m.sys, y, 0, forever, integration(m.sys, l.set))
	if err != nil {
		return at, false, err
	}
	if end.Status == ode.Interrupted {
		return at, false, ErrInterrupted
	}
	scale := m.sys.Scales()
	best, least := at, math.Inf(1)
	for _, q := range l.stable {
		pt := l.point(q)
		ahead := sign * (pt.P - p)
		if ahead < 0 || ahead > 0.1*(l.d.Axis.Hi-l.d.Axis.Lo) || !bounded(pt.State) {
			continue
		}
		// the closest state, of those the closest in the parameter
		far := distance(scale, pt.State, end.Y) + ahead/(l.d.Axis.Hi-l.d.Axis.Lo)
		if far < least {
			best, least = q, far
		}
	}
	return best, least < 0.5, nil
}
