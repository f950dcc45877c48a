package montecarlo

import (
	"errors"
	"fmt"
	"slices"
)

// A PointResult is what is kept of the runs at one point. It takes as much memory for any
// number of runs, and what it says does not depend on their order.
type PointResult struct {
	Index int   // of the point in the sweep
	Point Point // what the point sets

	Runs   int              // all of them
	Counts [Classes]int     // by class
	Values [Measures]*Tally // of the runs with an answer; nil before the first
	Failed int              // runs without an answer, in no class

	// FirstFailed is the least draw that failed, and Failure why; empty without one.
	FirstFailed int
	Failure     string
}

func (r *PointResult) add(draw int, o *Outcome) {
	r.Runs++
	if o.Err != nil {
		r.fail(1, draw, o.Err.Error())
		return
	}
	r.Counts[o.Class]++
	for m, x := range o.Measures {
		if r.Values[m] == nil {
			r.Values[m] = &Tally{}
		}
		r.Values[m].Add(x)
	}
}

func (r *PointResult) fail(n, draw int, why string) {
	if n > 0 && (r.Failed == 0 || draw < r.FirstFailed) {
		r.FirstFailed, r.Failure = draw, why
	}
	r.Failed += n
}

// merge counts the runs of o.
func (r *PointResult) merge(o *PointResult) {
	r.Runs += o.Runs
	r.fail(o.Failed, o.FirstFailed, o.Failure)
	for c, n := range o.Counts {
		r.Counts[c] += n
	}
	for m, t := range o.Values {
		switch {
		case t == nil:
		case r.Values[m] == nil:
			r.Values[m] = t
		default:
			r.Values[m].Merge(t)
		}
	}
}

// Merge puts the results of the parts of one sweep together, in any order of the parts; it
// uses up its arguments. A run that is in two parts counts twice.
func Merge(parts ...[]*PointResult) []*PointResult {
	at := map[int]*PointResult{}
	var out []*PointResult
	for _, part := range parts {
		for _, r := range part {
			if at[r.Index] != nil {
				at[r.Index].merge(r)
				continue
			}
			at[r.Index] = r
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *PointResult) int { return a.Index - b.Index })
	return out
}

// Probability returns that of any of the classes, with Wilson's interval over the runs with
// an answer. If some have none, the bounds are those of the two extremes: that all of
// them would be in the classes, and that none would.
func (r *PointResult) Probability(confidence float64, of ...Class) Interval {
	hits, n := 0, r.Runs-r.Failed
	for _, c := range of {
		hits += r.Counts[c]
	}
	i := Wilson(hits, n, confidence)
	if r.Failed > 0 {
		i.Lo = Wilson(hits, r.Runs, confidence).Lo
		i.Hi = Wilson(hits+r.Failed, r.Runs, confidence).Hi
	}
	return i
}

// Collapse returns the probability of collapse; see Probability.
func (r *PointResult) Collapse(confidence float64) Interval {
	return r.Probability(confidence, Collapsed)
}

// Warnings say what makes the results suspect.
func (r *PointResult) Warnings() []error {
	if r.Failed == 0 {
		return nil
	}
	why := errors.New(r.Failure)
	return []error{fmt.Errorf("montecarlo: point %d: %d of %d runs have no answer, the first draw %d: %w", r.Index, r.Failed, r.Runs, r.FirstFailed, why)}
}
