package fixedpoint

import (
	"fmt"
	"math"
	"slices"
)

// SearchSettings control [Equilibria]. The zero value of a field stands for the default its
// comment states; nil settings are all defaults.
type SearchSettings struct {
	// Starts are points to begin from, before those that cover the box.
	Starts [][]float64

	// MaxStarts bounds the points of a low-discrepancy sequence to begin from. Default
	// 100 times the dimension.
	MaxStarts int

	// Barren ends the search after so many points in succession from which no new equilibrium
	// was found. Default 20 times the dimension.
	Barren int

	// Log spreads the points evenly in the logarithm; every lower bound must be positive.
	Log bool

	// Merge is the distance, in units of max(Scale, |x|), within which two results are
	// one equilibrium. Default 1e-6.
	Merge float64

	// Newton controls the iterations.
	Newton *Settings

	// Done, if not nil, ends the search at the next start once it is closed.
	Done <-chan struct{}
}

func (s *SearchSettings) withDefaults(n int) SearchSettings {
	var d SearchSettings
	if s != nil {
		d = *s
	}
	if d.MaxStarts == 0 {
		d.MaxStarts = 100 * n
	}
	if d.Barren == 0 {
		d.Barren = 20 * n
	}
	if d.Merge == 0 {
		d.Merge = 1e-6
	}
	return d
}

func (s *SearchSettings) check(n int, box Box) error {
	switch {
	case s.MaxStarts < 0:
		return fmt.Errorf("fixedpoint: MaxStarts %d is negative", s.MaxStarts)
	case s.Barren < 0:
		return fmt.Errorf("fixedpoint: Barren %d is negative", s.Barren)
	case !(s.Merge > 0 && s.Merge < 1):
		return fmt.Errorf("fixedpoint: Merge %g outside (0, 1)", s.Merge)
	case s.Log && !(slices.Min(box.Lo) > 0):
		return fmt.Errorf("fixedpoint: Log needs positive lower bounds, not %v", box.Lo)
	}
	for i, x := range s.Starts {
		if len(x) != n || !finite(x) {
			return fmt.Errorf("fixedpoint: Starts[%d] %v is no point of dimension %d", i, x, n)
		}
	}
	return nil
}

// Equilibria searches the box for all solutions of F(x, par) = 0. From each start it
// runs [Newton] and then, as long as that finds more, Newton's method on F times the
// shifted deflation operator Π(1/|x − r|² + 1) over the known equilibria r, distances in
// widths of the box, which keeps away from them: Farrell, Birkisson & Funke, SIAM J.
// Sci. Comput. 37 (2015) A2026. What it converges to is verified by Newton's method on F
// itself, and listed if it is in the box.
//
// The result is Searched, whatever was found. It fails on input that makes no sense.
func Equilibria(p *Problem, par []float64, box Box, settings *SearchSettings) (*Set, error) {
	if err := p.check(nil, par); err != nil {
		return nil, err
	}
	if err := box.check(p.Dim); err != nil {
		return nil, err
	}
	s := settings.withDefaults(p.Dim)
	if err := s.check(p.Dim, box); err != nil {
		return nil, err
	}
	newton, err := s.Newton.withDefaults()
	if err != nil {
		return nil, err
	}
	d := &search{SearchSettings: s, it: newIteration(p, par), box: box, set: &Set{}}
	d.it.Settings = newton
	for _, x := range s.Starts {
		if closed(s.Done) {
			break
		}
		d.from(x)
	}
	barren, last, x := 0, 0, make([]float64, p.Dim)
	for k := 0; k < s.MaxStarts && barren < s.Barren && !closed(s.Done); k++ {
		d.spread(x, k)
		barren++
		if d.from(x) {
			barren, last = 0, k+1
		}
	}
	if s.MaxStarts > 0 && 2*last > s.MaxStarts {
		d.set.Warnings = append(d.set.Warnings, fmt.Errorf(
			"start %d of at most %d still found a new equilibrium: more starts may find more", last, s.MaxStarts))
	}
	d.set.sort()
	return d.set, nil
}

// A search is the state of one call of Equilibria.
type search struct {
	SearchSettings
	it  *iteration
	box Box
	set *Set
}

// spread stores point k of the additive recurrence with the powers of the root of
// φ^{n+1} = φ + 1 (Roberts 2018, The unreasonable effectiveness of quasirandom
// sequences), moved to the box; point 0 is its middle.
func (d *search) spread(x []float64, k int) {
	n := len(x)
	phi := 2.0
	for range 40 { // converges by a factor (n+1) and more each time
		phi = math.Pow(1+phi, 1/float64(n+1))
	}
	for i := range x {
		_, u := math.Modf(0.5 + float64(k)*math.Pow(phi, -float64(i+1)))
		lo, hi := d.box.Lo[i], d.box.Hi[i]
		if d.Log {
			x[i] = lo * math.Pow(hi/lo, u)
		} else {
			x[i] = lo + (hi-lo)*u
		}
	}
}

// from searches from one start and reports whether an equilibrium is new.
func (d *search) from(x []float64) bool {
	found := d.verify(x)
	for {
		at, ok := d.deflated(x)
		if !ok || !d.verify(at) {
			return found
		}
		found = true
	}
}

// residualLimit is the largest scaled residual of an equilibrium, as in [Result].
const residualLimit = 1e-10

// verify runs Newton's method on F from x and lists what it finds if that is in the
// box and new.
func (d *search) verify(x []float64) bool {
	r := d.it.run(x)
	d.set.Evals += r.Evals
	if r.Status != Converged || !(r.Residual <= residualLimit) {
		return false
	}
	for i, v := range r.X { // an equilibrium on the boundary may be found just beyond it
		slack := (r.Error + 1e-12) * d.it.weight(i)
		if v < d.box.Lo[i]-slack || v > d.box.Hi[i]+slack {
			return false
		}
	}
	for _, e := range d.set.Equilibria {
		if d.it.p.distance(e.X, r.X) <= max(d.Merge, 4*(e.Error+r.Error)) {
			return false
		}
	}
	spectrum, err := d.it.p.spectrumAt(d.it.jac)
	if err != nil {
		d.set.Warnings = append(d.set.Warnings, fmt.Errorf("equilibrium %v: no eigenvalues: %w", r.X, err))
	}
	d.set.Equilibria = append(d.set.Equilibria, Equilibrium{
		X: r.X, Error: r.Error, Residual: r.Residual, Spectrum: spectrum, Warnings: r.Warnings,
	})
	return true
}

// distance is the largest over the unknowns in units of max(Scale, |x|).
func (p *Problem) distance(a, b []float64) float64 {
	var m float64
	for i := range a {
		m = max(m, math.Abs(a[i]-b[i])/max(p.scale(i), math.Abs(a[i]), math.Abs(b[i])))
	}
	return m
}

const (
	deflatedIterations = 60
	longestStep        = 0.5 // of a deflated iteration, in widths of the box
	nearEnough         = 1e-4
)

// deflated runs the deflated iteration until Newton's correction for F alone is short.
// The deflated correction is the one for F times 1/(1 − ∇m·Δ/m), m the operator.
func (d *search) deflated(x0 []float64) ([]float64, bool) {
	it := d.it
	it.res = &Result{}
	defer func() { d.set.Evals += it.res.Evals }()
	copy(it.x, x0)
	for range deflatedIterations {
		if !it.evaluate() || !it.linearize() || !it.correction(it.step, it.f) {
			return nil, false
		}
		if d.relative(it.step) <= nearEnough {
			return slices.Clone(it.x), true
		}
		along := d.logGradient(it.x, it.step)
		if math.IsNaN(along) || along == 1 {
			return nil, false // at a known equilibrium
		}
		tau := 1 / (1 - along)
		if length := math.Abs(tau) * d.relative(it.step); length > longestStep {
			tau *= longestStep / length
		}
		outside := 0.0
		for i := range it.x {
			it.x[i] += tau * it.step[i]
			width := d.box.Hi[i] - d.box.Lo[i]
			outside = max(outside, (d.box.Lo[i]-it.x[i])/width, (it.x[i]-d.box.Hi[i])/width)
		}
		if outside > 1 {
			return nil, false
		}
	}
	return nil, false
}

// relative is the largest element of v in widths of the box.
func (d *search) relative(v []float64) float64 {
	var m float64
	for i, s := range v {
		m = max(m, math.Abs(s)/(d.box.Hi[i]-d.box.Lo[i]))
	}
	return m
}

// logGradient returns ∇m·v/m at x.
func (d *search) logGradient(x, v []float64) float64 {
	var sum float64
	for _, e := range d.set.Equilibria {
		var square, along float64
		for i := range x {
			w := d.box.Hi[i] - d.box.Lo[i]
			u := (x[i] - e.X[i]) / w
			square += u * u
			along += u * v[i] / w
		}
		sum -= 2 * along / (square * (1 + square))
	}
	return sum
}
