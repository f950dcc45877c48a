package fixedpoint

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// DiagramSettings control [BifurcationDiagram].
type DiagramSettings struct {
	// ContinueSettings hold for each branch; Min and Max are required. Branches end where they leave the box
	// of the diagram, besides Domain.
	ContinueSettings

	// Slices is the number of values of the parameter, evenly spaced over the inner of the range,
	// at which all equilibria are searched for. Default 16.
	Slices int

	// Search controls these searches.
	Search SearchSettings
}

// A Diagram is all branches found over a range of one parameter.
type Diagram struct {
	Branches []*Branch
	Warnings []error // those of the searches, and branches that could not be followed
}

// BifurcationDiagram finds the branches of prob over the range of parameter param within the box,
// connected or not: at each slice of the parameter it searches for all equilibria, deflating
// those on known branches ([Equilibria]), and follows what is new in both directions and over
// its branch points (deflated continuation: Farrell, Beentjes & Birkisson 2016). An isola
// between two slices is missed.
//
// An error means that there is no diagram: settings that make no sense, or no equilibrium at any
// slice (an error that is [ErrStart]).
func BifurcationDiagram(prob *Problem, p []float64, box Box, param int, set *DiagramSettings) (*Diagram, error) {
	if set == nil {
		return nil, errors.New("fixedpoint: a diagram needs a range of its parameter")
	}
	d := &diagram{prob: prob, param: param, set: *set, out: &Diagram{}}
	if d.set.Slices == 0 {
		d.set.Slices = 16
	}
	if d.set.Slices < 1 {
		return nil, fmt.Errorf("fixedpoint: Slices = %d, must be positive", d.set.Slices)
	}
	if lo, hi := set.Min, set.Max; !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return nil, fmt.Errorf("fixedpoint: parameter %d has the range [%g, %g], want a finite one", param, lo, hi)
	}
	if param < 0 || param >= prob.Params {
		return nil, fmt.Errorf("fixedpoint: parameter %d is not in [0, %d)", param, prob.Params)
	}
	if err := box.check(prob.Dim); err != nil {
		return nil, err
	}
	d.set.Domain = func(x, p []float64) bool {
		for i, v := range x {
			slack := 1e-9 * (box.Hi[i] - box.Lo[i])
			if !(v >= box.Lo[i]-slack && v <= box.Hi[i]+slack) {
				return false
			}
		}
		return set.Domain == nil || set.Domain(x, p)
	}
	at := slices.Clone(p)
	for i := range d.set.Slices {
		f := (float64(i) + 0.5) / float64(d.set.Slices)
		at[param] = set.Min + f*(set.Max-set.Min)
		if err := d.slice(at, box); err != nil {
			return nil, err
		}
	}
	if len(d.out.Branches) == 0 {
		return nil, fmt.Errorf("%w: none in the box for parameter %d in [%g, %g]", ErrStart, param, set.Min, set.Max)
	}
	return d.out, nil
}

type diagram struct {
	prob  *Problem
	param int
	set   DiagramSettings
	out   *Diagram
}

// slice finds and follows what is new at the parameters p.
func (d *diagram) slice(p []float64, box Box) error {
	search := d.set.Search
	search.Starts = slices.Clone(search.Starts)
	for _, br := range d.out.Branches {
		for i := range len(br.Points) - 1 {
			a, b, v := br.Points[i], br.Points[i+1], p[d.param]
			if (a.P < v) == (b.P < v) {
				continue
			}
			x, f := slices.Clone(a.X), (v-a.P)/(b.P-a.P)
			for j := range x {
				x[j] += f * (b.X[j] - a.X[j])
			}
			search.Starts = append(search.Starts, x)
		}
	}
	found, err := Equilibria(d.prob, p, box, &search)
	if err != nil {
		return err
	}
	d.out.Warnings = append(d.out.Warnings, found.Warnings...)
	for _, e := range found.Equilibria {
		if d.known(e.X, p) || !d.set.Domain(e.X, p) {
			continue
		}
		br, err := Continue(d.prob, e.X, p, d.param, &d.set.ContinueSettings)
		if err != nil {
			d.out.Warnings = append(d.out.Warnings, err)
			continue
		}
		d.add(br)
	}
	return nil
}

// add lists a branch and those that cross it.
func (d *diagram) add(br *Branch) {
	d.out.Branches = append(d.out.Branches, br)
	for i, sp := range br.Special {
		if sp.Kind != BranchPoint || !sp.Converged {
			continue
		}
		other, err := SwitchBranch(d.prob, br, i, &d.set.ContinueSettings)
		if err != nil {
			d.out.Warnings = append(d.out.Warnings, err)
			continue
		}
		// a point away from the crossing tells whether it is known
		var k int
		for _, k = range []int{0, len(other.Points) - 1} {
			if distance(other.Points[k].X, sp.Refined.X) > 1e-6*max(1, norm2(sp.Refined.X)) {
				break
			}
		}
		p := slices.Clone(other.Base)
		p[d.param] = other.Points[k].P
		if !d.known(other.Points[k].X, p) {
			d.add(other)
		}
	}
}

// known reports whether the equilibrium x lies on a branch already found.
func (d *diagram) known(x, p []float64) bool {
	for _, br := range d.out.Branches {
		if br.contains(d.prob, x, p) {
			return true
		}
	}
	return false
}

// contains reports whether the equilibrium x at the parameters p lies on the branch: whether the
// point of the branch in the plane through it is the same.
func (b *Branch) contains(prob *Problem, x, p []float64) bool {
	set := b.Settings
	set.Min, set.Max = math.Inf(-1), math.Inf(1)
	c, err := newContinuation(prob, x, p, b.Param, &set)
	if err != nil {
		return false
	}
	target := make([]float64, c.n)
	c.eq.pack(target, x, p)
	tol := 1e-6 * max(1, norm2(target))
	nodes := make([]*node, len(b.Points))
	for i, pt := range b.Points {
		y := make([]float64, c.n)
		c.eq.pack(y, pt.X, p)
		y[c.n-1] = pt.P / c.eq.sp[b.Param]
		nodes[i] = &node{y: y, t: pt.Tangent, s: pt.ArcLength}
		if distance(y, target) <= tol {
			return true
		}
	}
	for i := range len(nodes) - 1 {
		lo, hi := nodes[i], nodes[i+1]
		h := distance(lo.y, hi.y)
		if distance(lo.y, target) > 1.5*h || distance(hi.y, target) > 1.5*h {
			continue
		}
		chord := make([]float64, c.n)
		for j := range chord {
			chord[j] = (hi.y[j] - lo.y[j]) / h
		}
		f := (dot(chord, target) - dot(chord, lo.y)) / h
		if !(f > 0 && f < 1) {
			continue
		}
		y := make([]float64, c.n)
		hermite(y, c.normal, lo, hi, f)
		if _, ok := c.correct(y, chord, target); ok && distance(y, target) <= tol {
			return true
		}
	}
	return false
}
