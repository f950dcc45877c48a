package ode

import "fmt"

// Domain is implemented by problems whose f makes sense in a part of the space
// only. A step that ends where Inside is false is rejected and shortened: the
// solution is never clamped, so the error control and the invariants of f hold.
// Inside should allow for violations of the size of the tolerances, or steps along
// the border shrink to nothing; f must still give an answer, finite or not, at
// points outside.
type Domain interface {
	Inside(y []float64) bool
}

// Resizable is implemented by problems whose dimension changes, to avoid
// allocations when it does.
type Resizable interface {
	// MaxDim returns the largest dimension the problem can have.
	MaxDim() int
}

// enter puts the next break in force.
func (it *integration) enter() {
	it.y = it.scheduled.Enter(it.next, it.t, it.y)
	it.next++
}

// arrive does everything that happens at the instant it.t: it enters the breaks,
// records, and jumps. At the end of the interval it completes the integration. It
// returns the error of Consistent.
func (it *integration) arrive() error {
	first := it.next
	for it.next < len(it.breaks) && it.breaks[it.next] <= it.t {
		it.enter()
	}
	if first < it.next {
		if err := it.settle(); err != nil {
			return err
		}
	}
	if len(it.output) > 0 && it.output[0] == it.t {
		it.set.Record(it.t, it.y)
		it.output = it.output[1:]
	}
	for k := first; k < it.next; k++ {
		it.scheduled.Jump(k, it.t, it.y)
	}
	if first < it.next {
		if err := it.settle(); err != nil {
			return err
		}
	}
	it.watch.at(it.t, it.y, it.res)
	if it.t == it.t1 && it.res.Status == NotTerminated {
		it.res.Status = Complete
	}
	return nil
}

// settle adapts to the dimension and the parameters in force.
func (it *integration) settle() error {
	if n := it.p.Dim(); len(it.y) != n {
		panic(fmt.Sprintf("ode: Enter returns %d components of %d", len(it.y), n))
	}
	it.resize(len(it.y))
	for k := range it.atol {
		it.atol[k] = it.set.ATol
		if k < len(it.set.ATols) {
			it.atol[k] = it.set.ATols[k]
		}
	}
	it.obuf = grow(it.obuf, it.n)
	it.restart()
	if it.dae == nil {
		return nil
	}
	it.algebraic = it.algebraic[:0]
	for k, m := range it.dae.Mass() {
		if m == 0 {
			it.algebraic = append(it.algebraic, k)
		}
	}
	it.held = grow(it.held, len(it.algebraic))
	if err := it.dae.Consistent(it.t, it.y); err != nil {
		it.res.Status = Inconsistent
		return err
	}
	return nil
}
