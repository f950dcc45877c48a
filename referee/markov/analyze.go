package markov

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Separated is how many times longer a chain must stay in either of its states than it takes
// it to come into one of them for [Result.Metastable].
const Separated = 10

// Settings of [Analyze]. The zero value, and nil, stand for the defaults.
type Settings struct {
	// Healthy and Failed say where the chain is well inside one of its two states.
	// Default: the likeliest half of the stationary law on each of the sides that the
	// slowest mode separates; the side of state 0 is the healthy one.
	Healthy, Failed func(state int) bool
}

// A State is one of the two states that a chain lingers in.
type State struct {
	QuasiLaw        // on its side of the separatrix
	Core     []bool // the chain is well inside
}

// A TimeLaw is the law of the time from the quasi-stationary law of one state to the core
// of the other.
type TimeLaw struct {
	Mean, SD float64 // s
	Rate     float64 // of its exponential tail, 1/s
	Weight   float64 // of the tail: P(T > t) → Weight e^{−Rate t}
}

// Longer returns P(T > t) by the tail of the law; what decays faster is left out.
func (l *TimeLaw) Longer(t float64) float64 { return math.Min(1, l.Weight*math.Exp(-l.Rate*t)) }

// A Result is what is known about a chain.
type Result struct {
	Stationary      []float64
	Spectrum        *Spectrum
	Healthy, Failed State
	Committor       []float64 // probability that the failed core comes before the healthy one
	Failing         []bool    // the side of the separatrix: Committor ≥ ½
	Fall, Recover   TimeLaw

	// Settle is the mean time (s) until the chain is in one of both cores, from the worst
	// start; Separation is the shorter of the mean times to fall and to recover over it:
	// metastability as Bovier, Eckhoff, Gayrard & Klein (2002), doi:10.1007/s002200200609,
	// define it.
	Settle, Separation float64
	Metastable         bool    // Separation ≥ Separated
	Residual           float64 // the largest of the eigenproblems' residuals
	Warnings           []error // why the answer is suspect
}

// ErrOneState warns that a chain has no two states that it lingers in: the sides, and all
// that is said about them, are arbitrary.
var ErrOneState = errors.New("markov: the chain does not linger in two states")

// Analyze finds the two states that an irreducible chain lingers in, and how it passes
// between them. It fails with [ErrUnreachable] where the chain falls apart.
func Analyze(c *Chain, set *Settings) (*Result, error) {
	if set == nil {
		set = &Settings{}
	}
	if c.n < 2 {
		return nil, errors.New("markov: one state has no other")
	}
	e, r := newElimination(c), &Result{}
	if err := e.factor(c, everywhere, 0); err != nil {
		return nil, err
	}
	r.Stationary = e.stationary()
	var err error
	if r.Spectrum, err = c.spectrum(e, r.Stationary); err != nil {
		return nil, err
	}
	if err := r.cores(c, e, set); err != nil {
		return nil, err
	}
	if err := r.sides(c, e); err != nil {
		return nil, err
	}
	if r.Fall, err = passage(c, e, &r.Healthy, &r.Failed); err != nil {
		return nil, err
	}
	if r.Recover, err = passage(c, e, &r.Failed, &r.Healthy); err != nil {
		return nil, err
	}
	r.judge()
	return r, nil
}

// cores finds the cores, if they are not given, from the factors that the spectrum left.
func (r *Result) cores(c *Chain, e *elimination, set *Settings) error {
	if set.Healthy != nil && set.Failed != nil {
		r.Healthy.Core, r.Failed.Core = members(c, set.Healthy), members(c, set.Failed)
		return nil
	}
	if (set.Healthy == nil) != (set.Failed == nil) {
		return errors.New("markov: one core is given without the other")
	}
	x := e.slowest(r.Stationary)
	far := x[0]
	for _, v := range x {
		if math.Abs(v-x[0]) > math.Abs(far-x[0]) {
			far = v
		}
	}
	near, beyond := slices.Clone(r.Stationary), slices.Clone(r.Stationary)
	for i := range x {
		if math.Abs(x[i]-x[0]) > math.Abs(far-x[0])/2 {
			near[i] = 0
		} else {
			beyond[i] = 0
		}
	}
	if slices.Max(near) == 0 || slices.Max(beyond) == 0 {
		return errors.New("markov: one of the states is rarer than 1e-308")
	}
	normalize(near)
	normalize(beyond)
	r.Healthy.Core, r.Failed.Core = half(near), half(beyond)
	return nil
}

func members(c *Chain, in func(int) bool) []bool {
	set := make([]bool, c.n)
	for i := range set {
		set[i] = in(i)
	}
	return set
}

// half returns the fewest states that hold half of a law.
func half(law []float64) []bool {
	order := make([]int, len(law))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case law[i] > law[j]:
			return -1
		case law[i] < law[j]:
			return 1
		}
		return 0
	})
	core, sum := make([]bool, len(law)), 0.0
	for _, i := range order {
		if sum += law[i]; law[i] > 0 {
			core[i] = true
		}
		if sum >= .5 {
			break
		}
	}
	return core
}

// sides finds the committor, the separatrix and the quasi-stationary laws beside it.
func (r *Result) sides(c *Chain, e *elimination) (err error) {
	inside := func(set []bool) func(int) bool { return func(i int) bool { return set[i] } }
	if r.Committor, err = e.committor(c, inside(r.Healthy.Core), inside(r.Failed.Core)); err != nil {
		return err
	}
	settle := make([]float64, c.n)
	for i := range settle {
		if !r.Healthy.Core[i] && !r.Failed.Core[i] {
			settle[i] = 1
		}
	}
	e.solve(settle)
	r.Settle = slices.Max(settle)
	r.Failing = make([]bool, c.n)
	for i, q := range r.Committor {
		r.Failing[i] = q >= .5
	}
	part := func(i int) int {
		if r.Failing[i] {
			return 1
		}
		return 0
	}
	if err := e.factor(c, part, 0); err != nil {
		return err
	}
	r.Healthy.QuasiLaw, r.Failed.QuasiLaw = *e.quasi(part, 0), *e.quasi(part, 1)
	return nil
}

// passage is the law of the time from one state to the core of another.
func passage(c *Chain, e *elimination, from, to *State) (TimeLaw, error) {
	target := func(i int) bool { return to.Core[i] }
	outside := only(func(i int) bool { return !to.Core[i] })
	if err := e.factor(c, outside, 0); err != nil {
		return TimeLaw{}, err
	}
	mean, second := e.hitting(target)
	law := TimeLaw{Mean: dot(from.Law, mean)}
	law.SD = math.Sqrt(math.Max(0, dot(from.Law, second)-law.Mean*law.Mean))
	left := e.quasi(outside, 0)
	right := second // ∝ (−Q)⁻² 1, on its way to the right eigenvector
	scale := slices.Max(right)
	for i := range right {
		right[i] /= scale
	}
	e.solve(right)
	law.Rate = left.Rate
	law.Weight = dot(from.Law, right) / dot(left.Law, right)
	return law, nil
}

// judge says how far the answer can be trusted.
func (r *Result) judge() {
	for _, x := range []float64{r.Spectrum.Residual, r.Healthy.Residual, r.Failed.Residual} {
		r.Residual = math.Max(r.Residual, x)
	}
	if !(r.Residual < 1e-6) {
		r.Warnings = append(r.Warnings, fmt.Errorf("markov: an eigenproblem is left with a residual of %.1g", r.Residual))
	}
	r.Separation = math.Min(r.Fall.Mean, r.Recover.Mean) / r.Settle
	r.Metastable = r.Separation >= Separated
	if !r.Metastable {
		r.Warnings = append(r.Warnings, ErrOneState)
	}
}
