package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Settings of a fit. The zero value of a field stands for the default its comment states;
// nil Settings are all defaults.
type Settings struct {
	// Start is where the first local search starts: a value for each parameter, within
	// its bounds. Default: the middle of the bounds.
	Start []float64

	// Starts is the number of local searches. The others start at points that fill the
	// bounds evenly. Default 8.
	Starts int

	// Global is the number of evaluations of CMA-ES, after which one more local search
	// starts where it ended. Default 0: none.
	Global int

	// Iterations bounds those of a local search. Default 60.
	Iterations int

	// Independent takes errors of one channel for independent. Default: where those that
	// are left after the fit are correlated, the channel weighs less.
	Independent bool

	Seed    uint64 // of CMA-ES
	Workers int    // default: GOMAXPROCS

	// Done, if not nil, ends the fit and all that is asked of it once it is closed, after
	// the predictions that are under way: with ErrInterrupted.
	Done <-chan struct{}
}

// ErrInterrupted reports that Settings.Done was closed.
var ErrInterrupted = errors.New("calibrate: interrupted")

// A Start is one local search.
type Start struct {
	From, To []float64 // values of the parameters
	Cost     float64   // minus the logarithm of likelihood times prior at To; +Inf: no answer
}

// A Fit is the best point seen, and what is needed to ask further.
type Fit struct {
	Problem *Problem
	Values  []float64 // of the parameters, in order
	Cost    float64   // minus the logarithm of likelihood times prior

	// Waterfall holds the local searches, best first. One that ends far above the first
	// ended in a local minimum; where only one reaches the best, more starts are needed.
	Waterfall []Start

	Predicted   [][]float64 // by channel
	Scales      []float64   // of the noise, by channel
	Correlation []float64   // samples that say the same, by channel; 1: independent
	Settings    Settings
	Warnings    []error

	e *evaluator
	u []float64
}

// New fits the problem. It fails where the problem or the settings make no sense, where a
// start lies outside the bounds, and where no start has an answer.
func New(p *Problem, s *Settings) (*Fit, error) {
	set := Settings{}
	if s != nil {
		set = *s
	}
	if set.Starts == 0 {
		set.Starts = 8
	}
	if set.Iterations == 0 {
		set.Iterations = 60
	}
	e, err := newEvaluator(p, set.Workers, set.Done)
	if err != nil {
		return nil, err
	}
	first := make([]float64, len(e.free))
	for i := range first {
		first[i] = 0.5
	}
	if set.Start != nil {
		if first, err = e.units(set.Start); err != nil {
			return nil, err
		}
	}
	f := &Fit{Problem: p, Settings: set, e: e, Cost: math.Inf(1)}
	for _, u := range append([][]float64{first}, spread(len(e.free), set.Starts-1)...) {
		f.search(u)
	}
	if set.Global > 0 && len(e.free) > 0 {
		f.search(e.evolve(first, set.Global, set.Seed))
	}
	if e.interrupted() {
		return nil, ErrInterrupted
	}
	if math.IsInf(f.Cost, 1) {
		return nil, fmt.Errorf("calibrate: none of %d starts has an answer: the prediction fails or is not a number", len(f.Waterfall))
	}
	sort.SliceStable(f.Waterfall, func(i, k int) bool { return f.Waterfall[i].Cost < f.Waterfall[k].Cost })
	f.weigh()
	f.finish()
	if e.interrupted() {
		return nil, ErrInterrupted
	}
	return f, nil
}

// spread returns n points that fill the cube evenly: the additive sequence of Roberts,
// whose steps are powers of the root of x^(dim+1) = x + 1.
func spread(dim, n int) [][]float64 {
	root := 2.0
	for range 50 {
		root = math.Pow(1+root, 1/float64(dim+1))
	}
	us := make([][]float64, max(n, 0))
	for i := range us {
		for d := range dim {
			us[i] = append(us[i], math.Mod(0.5+float64(i+1)*math.Pow(root, -float64(d+1)), 1))
		}
	}
	return us
}

// search descends from u and keeps what it finds if that is the best.
func (f *Fit) search(u []float64) {
	to, m, cost := f.e.descend(u, nil, finest, f.Settings.Iterations)
	f.Waterfall = append(f.Waterfall, Start{f.e.values(nil, u), f.e.values(nil, to), cost})
	if cost < f.Cost {
		f.take(to, m, cost)
	}
}

// take makes a point the best.
func (f *Fit) take(u, m []float64, cost float64) {
	f.u, f.Cost, f.Values, f.Predicted = slices.Clone(u), cost, f.e.values(nil, u), nil
	f.e.channels(m, func(_ int, _ *law, _, m []float64) { f.Predicted = append(f.Predicted, slices.Clone(m)) })
	f.Scales = f.e.scales(m)
}

// weigh finds how many samples of each channel say the same, and searches again with
// channels that weigh accordingly.
func (f *Fit) weigh() {
	again := false
	for c := range f.e.laws {
		l, y := &f.e.laws[c], f.Problem.Channels[c].Y
		tau := 1.0
		if !f.Settings.Independent {
			tau = residualTime(f.Residuals(c))
		}
		f.Correlation = append(f.Correlation, tau)
		l.weight = 1 / tau
		again = again || tau > 1
		if tau > 1 {
			f.Warnings = append(f.Warnings, fmt.Errorf("calibrate: errors of %s are correlated over %.1f samples: it weighs as %.0f of its %d; means over longer times, or a model that follows more closely, mend it", f.Problem.Channels[c].Name, tau, float64(len(y))/tau, len(y)))
		}
	}
	if again {
		f.polish()
	}
}

// Residuals returns what the fit leaves of a channel: measured less predicted, over the
// standard deviation of the noise there (the scale of Student noise).
func (f *Fit) Residuals(channel int) []float64 {
	y, m := f.Problem.Channels[channel].Y, f.Predicted[channel]
	r := make([]float64, len(y))
	for i := range y {
		sd, _, _ := f.e.laws[channel].sd(m[i], f.Scales[channel])
		r[i] = (y[i] - m[i]) / sd
	}
	return r
}

// polish descends from the best point, whose cost is no longer right.
func (f *Fit) polish() {
	u, m, cost := f.e.descend(f.u, nil, finest, f.Settings.Iterations)
	f.take(u, m, cost)
}

// residualTime is the autocorrelation time of what a fit leaves, and 1 unless the first
// autocorrelation stands out of what independent errors show.
func residualTime(r []float64) float64 {
	mean, n := 0.0, float64(len(r))
	if n < 8 {
		return 1
	}
	for _, v := range r {
		mean += v / n
	}
	var c0, c1 float64
	for i, v := range r {
		c0 += (v - mean) * (v - mean)
		if i > 0 {
			c1 += (v - mean) * (r[i-1] - mean)
		}
	}
	if c0 == 0 || c1/c0 < 2.6/math.Sqrt(n) { // one in two hundred
		return 1
	}
	return min(max(1, AutocorrelationTime(r)), n/4)
}

// follows reports whether the residuals of a channel are no larger, but for chance, than its
// distances from its median, or small beside its values; absolute ones, which outliers do not
// rule. Fitted errors larger than the values, or those of less than one trial, follow nothing.
func (f *Fit) follows(c int) bool {
	const few, chance, small = 5, 1.5, 0.05
	if l := &f.e.laws[c]; (l.kind == Relative || l.kind == Binomial) && l.scale == 0 && f.Scales[c] > 1 {
		return false
	}
	y := slices.Sorted(slices.Values(f.Problem.Channels[c].Y))
	if len(y) < few {
		return true
	}
	fit, flat, size := 0.0, 0.0, 0.0
	for i, v := range f.Problem.Channels[c].Y {
		fit += math.Abs(v - f.Predicted[c][i])
		flat += math.Abs(v - y[len(y)/2])
		size += math.Abs(v)
	}
	if size == 0 {
		size = float64(len(y)) // what is always 0 is measured in ones
	}
	return fit <= max(chance*flat, small*size)
}

// finish warns of what makes the estimates suspect.
func (f *Fit) finish() {
	for c := range f.e.laws {
		l := &f.e.laws[c]
		if l.scale == 0 && f.Scales[c] <= scaleLeast*l.unit*1.01 {
			f.Warnings = append(f.Warnings, fmt.Errorf("calibrate: %s is fitted perfectly: intervals are those of noise of %.2g", f.Problem.Channels[c].Name, f.Scales[c]))
		}
	}
	for c := range f.e.laws {
		if f.follows(c) {
			continue
		}
		f.Warnings = append(f.Warnings, fmt.Errorf("calibrate: the fit does not follow %s, a constant would as well: no values inside the bounds show what was measured; look at the unit, the meaning and the time of the column, and at the residuals", f.Problem.Channels[c].Name))
	}
	const few = 10
	for c := range f.e.laws {
		l, n := &f.e.laws[c], 0.0
		for _, m := range f.Predicted[c] {
			_, _, share := l.sd(m, f.Scales[c])
			n += share * share
		}
		if floored := l.kind == Relative || l.kind == Binomial; floored && l.scale == 0 && n < few {
			f.Warnings = append(f.Warnings, fmt.Errorf("calibrate: the scale of the errors of %s rests on %.0f values, the others can only be what they are: intervals may be too narrow; give the scale, or more values where it moves", f.Problem.Channels[c].Name, n))
		}
	}
	for k, i := range f.e.free {
		p := &f.e.params[i]
		if f.u[k] <= 1e-9 || f.u[k] >= 1-1e-9 {
			f.Warnings = append(f.Warnings, fmt.Errorf("calibrate: %s ends at its bound %g; widen it if it can lie beyond", p.Name, f.Values[i]))
		}
	}
	w, near := f.Waterfall, 0
	for _, s := range w {
		if s.Cost-w[0].Cost < 0.5 {
			near++
		}
	}
	if near == 1 && len(w) > 2 {
		f.Warnings = append(f.Warnings, fmt.Errorf("calibrate: only one of %d starts reaches the best point; more starts may find a better one", len(w)))
	}
}
