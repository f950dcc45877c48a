package fixedpoint

import "math"

// An event is a change of sign of a test function between two nodes next to each other on a curve.
type event struct {
	test   int
	lo, hi *node
}

// A detector finds the events of a curve.
type detector struct {
	*tracer
	tests int
	// consistent reports whether events explain what happens from a to b; nil: always.
	consistent func(a, b *node, events []event) bool
	// lost counts the steps whose events could not be explained.
	lost int
}

// maxHalvings bounds how often a step is halved when its events do not explain the change
// from its begin to its end.
const maxHalvings = 6

// maxSplits bounds how often the parts of a step with a change of sign are searched for more.
const maxSplits = 4

// step returns all events between two nodes in order of the test functions.
func (d *detector) step(a, b *node, depth int) []event {
	m := d.between(a, b, 0.5)
	var events []event
	for k := range d.tests {
		events = append(events, d.search(a, m, b, k, maxSplits)...)
	}
	if d.consistent == nil || d.consistent(a, b, events) {
		return events
	}
	if m == nil || depth == maxHalvings {
		d.lost++
		return events
	}
	return append(d.step(a, m, depth+1), d.step(m, b, depth+1)...)
}

// search returns the changes of sign of one test function from a over m, if not nil, to b. A step
// with one is split, so that it does not hide two more.
func (d *detector) search(a, m, b *node, k, splits int) []event {
	switch {
	case m == nil || splits == 0:
		if differ(a, b, k) {
			return []event{{k, a, b}}
		}
		return nil
	case differ(a, m, k) || differ(m, b, k):
		return append(d.search(a, d.between(a, m, 0.5), m, k, splits-1),
			d.search(m, d.between(m, b, 0.5), b, k, splits-1)...)
	}
	return d.dip(a, m, b, k)
}

// dip returns the changes of sign of one test function from a over m to b, where it has the same sign at
// all three. Where it dips towards zero between, it is followed by parabolas.
func (d *detector) dip(a, m, b *node, k int) []event {
	enough := 0.5 // a dip worth a look is deep, one that is being followed may end slowly
	for range 20 {
		theta, low := vertex(a, m, b, k)
		least := min(math.Abs(a.tests[k]), math.Abs(m.tests[k]), math.Abs(b.tests[k]))
		if !(low < enough*least) {
			return nil
		}
		enough = 0.95
		c := d.between(a, b, theta)
		if c == nil {
			return nil
		}
		switch {
		case differ(m, c, k) && c.s < m.s:
			return []event{{k, a, c}, {k, c, m}}
		case differ(m, c, k):
			return []event{{k, m, c}, {k, c, b}}
		case c.s < m.s && math.Abs(c.tests[k]) < math.Abs(m.tests[k]): // keep the three around the lowest
			m, b = c, m
		case c.s < m.s:
			a = c
		case math.Abs(c.tests[k]) < math.Abs(m.tests[k]):
			a, m = m, c
		default:
			b = c
		}
		if least < 1e-9*max(math.Abs(a.tests[k]), math.Abs(b.tests[k])) {
			return nil // touches zero
		}
	}
	return nil
}

func differ(a, b *node, k int) bool { return (a.tests[k] < 0) != (b.tests[k] < 0) }

// vertex returns where the parabola through the size of test k at three nodes is
// lowest within the step, as a fraction of it, and its value there; +Inf without such a place.
func vertex(a, m, b *node, k int) (theta, low float64) {
	x := (m.s - a.s) / (b.s - a.s)
	sign := math.Copysign(1, m.tests[k])
	fa, fm, fb := sign*a.tests[k], sign*m.tests[k], sign*b.tests[k]
	// Newton's form fa + x c1 + x (x − x_m) c2
	c1 := (fm - fa) / x
	c2 := (fb-fm)/(1-x) - c1
	if !(c2 > 0) {
		return 0, math.Inf(1)
	}
	theta = (x - c1/c2) / 2
	if !(theta > 0 && theta < 1) {
		return 0, math.Inf(1)
	}
	theta = min(max(theta, 0.02), 0.98)
	if math.Abs(theta-x) < 1e-6 {
		theta = x + 1e-3
	}
	return theta, fa + theta*c1 + theta*(theta-x)*c2
}

// locate narrows an event by the secant method, with a bisection where that stalls, to 1e-5 of
// its step, and returns the end that is closer to zero. Much closer to a branch point, where the
// bordered systems become singular, rounding would hide the change.
func (d *detector) locate(e event) (at *node, in event) {
	width := max(1e-5*math.Abs(e.hi.s-e.lo.s), 1e-7*max(1, norm2(e.lo.y)))
	k := e.test
	stalled := 0
	for range 60 {
		if math.Abs(e.hi.s-e.lo.s) <= width {
			break
		}
		f0, f1 := e.lo.tests[k], e.hi.tests[k]
		theta := f0 / (f0 - f1)
		// a step past the zero makes the other end follow
		if past := 0.3 * width / math.Abs(e.hi.s-e.lo.s); theta < 0.5 {
			theta += past
		} else {
			theta -= past
		}
		if stalled > 1 || !(theta > 1e-9 && theta < 1-1e-9) {
			theta, stalled = 0.5, 0
		}
		nd := d.between(e.lo, e.hi, theta)
		if nd == nil {
			break
		}
		before := math.Abs(e.hi.s - e.lo.s)
		if differ(e.lo, nd, k) {
			e.hi = nd
		} else {
			e.lo = nd
		}
		if math.Abs(e.hi.s-e.lo.s) > before/2 {
			stalled++
		}
	}
	if math.Abs(e.lo.tests[k]) < math.Abs(e.hi.tests[k]) {
		return e.lo, e
	}
	return e.hi, e
}
