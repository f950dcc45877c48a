package telemetry

import (
	"fmt"
	"math"
)

// Rated says what [Rate] did.
type Rated struct {
	Step     float64 // s
	Resets   int     // counters that fell: they started again at 0
	Started  int     // series that begin after the first sample of all: they started at 0
	Gaps     int     // stretches without samples: how the counter grew in them is not known
	Left     float64 // growth over gaps, which is in no rate
	Unknown  int     // bins that are empty because of a gap
	Counters int
}

// String returns one line.
func (r Rated) String() string {
	return fmt.Sprintf("rate of %d counters over %g s: %d resets, %d started later from 0; %d gaps leave %d bins empty and %g uncounted",
		r.Counters, r.Step, r.Resets, r.Started, r.Gaps, r.Unknown, r.Left)
}

// Rate turns counters into the rate of their sum: means (unit/s) over bins
// [k·step, (k+1)·step), each at the start of its bin. The series are of one quantity, one
// for each process or node that counted.
//
// A counter that falls was reset: it grew by what it shows. A series that begins after
// the first sample of all is a process that started then, or that replaced another: its
// first value is growth, over the step of the series before it. Between samples a
// counter grows evenly. In a gap (see [Series.Gaps]) growth is known but not when: bins
// that it touches are empty. A counter that has ended adds nothing.
//
// It fails for a step that is not positive, for no series with two samples, for negative
// counters, and for more than a million bins.
func Rate(name string, counters []Series, step float64) (Series, Rated, error) {
	did := Rated{Step: step, Counters: len(counters)}
	if !(step > 0) || math.IsInf(step, 0) {
		return Series{}, did, fmt.Errorf("a step of %v s: want above 0", step)
	}
	first, last, typical := math.Inf(1), math.Inf(-1), math.NaN()
	for i := range counters {
		c := &counters[i]
		if n := len(c.T); n > 0 {
			first, last = min(first, c.T[0]), max(last, c.T[n-1])
		}
		if d := c.Step(); d < typical || math.IsNaN(typical) {
			typical = d
		}
	}
	switch {
	case math.IsNaN(typical):
		return Series{}, did, fmt.Errorf("%s: no series has two samples, so there is no rate", name)
	case (last-first)/step > maxBins:
		return Series{}, did, fmt.Errorf("a step of %v s makes more than %d bins", step, maxBins)
	}
	bins := int((last-first)/step) + 2
	g := &growth{
		step: step, first: first, last: last, from: math.Floor(first / step),
		sum: make([]float64, bins), covered: make([]bool, bins), unknown: make([]bool, bins),
	}
	for i := range counters {
		c := &counters[i]
		if len(c.T) == 0 {
			continue
		}
		if c.V[0] < 0 {
			return Series{}, did, fmt.Errorf("%s: a counter of %v at %v s: want at least 0", c.Name, c.V[0], c.T[0])
		}
		own := c.Step()
		if math.IsNaN(own) {
			own = typical
		}
		if c.T[0] > first {
			did.Started++
			g.add(max(first, c.T[0]-own), c.T[0], c.V[0])
		}
		for k := 1; k < len(c.T); k++ {
			if c.V[k] < 0 {
				return Series{}, did, fmt.Errorf("%s: a counter of %v at %v s: want at least 0", c.Name, c.V[k], c.T[k])
			}
			grown := c.V[k] - c.V[k-1]
			if grown < 0 {
				did.Resets++
				grown = c.V[k]
			}
			if c.T[k]-c.T[k-1] > 1.5*own {
				did.Gaps++
				did.Left += grown
				g.forget(c.T[k-1], c.T[k])
				continue
			}
			g.add(c.T[k-1], c.T[k], grown)
		}
	}
	s := g.series(&did)
	s.Name, s.Column, s.Unit, s.Elapsed = name, name, rateUnit(counters[0].Unit), counters[0].Elapsed
	return s, did, nil
}

// rateUnit is the unit of a rate; seconds per second are a share.
func rateUnit(unit string) string {
	switch unit {
	case "":
		return "1/s"
	case "s":
		return "1"
	}
	return unit + "/s"
}

// growth of all counters, by bin.
type growth struct {
	step        float64
	first, last float64   // of all samples (s)
	from        float64   // index of the first bin
	sum         []float64 // growth
	covered     []bool    // by some counter
	unknown     []bool
}

// add spreads growth evenly over a time.
func (g *growth) add(from, to, grown float64) {
	g.overlaps(from, to, func(k int, part float64) {
		g.sum[k] += grown * part / (to - from)
		g.covered[k] = true
	})
}

// forget marks bins whose growth is not known.
func (g *growth) forget(from, to float64) {
	g.overlaps(from, to, func(k int, _ float64) { g.unknown[k] = true })
}

// overlaps calls visit for each bin that a time touches, with the length (s) in it.
func (g *growth) overlaps(from, to float64, visit func(k int, part float64)) {
	for k := max(0, int(math.Floor(from/g.step)-g.from)); k < len(g.sum); k++ {
		lo := (g.from + float64(k)) * g.step
		if lo >= to {
			return
		}
		if part := min(to, lo+g.step) - max(from, lo); part > 0 {
			visit(k, part)
		}
	}
}

// series returns the rates. A bin at either end counts for the part of it that the
// samples cover.
func (g *growth) series(did *Rated) Series {
	var s Series
	for k, sum := range g.sum {
		lo := (g.from + float64(k)) * g.step
		part := min(g.last, lo+g.step) - max(g.first, lo)
		switch {
		case g.unknown[k]:
			did.Unknown++
		case g.covered[k] && part > 1e-6*g.step: // less is rounding
			s.T = append(s.T, lo)
			s.V = append(s.V, sum/part)
		}
	}
	s.Cells, s.Samples = len(s.T), len(s.T)
	return s
}
