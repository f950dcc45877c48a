package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A Timeline is the figure of one run: what was offered and what was served, the
// cache, the database, and the clients that wait, over one axis of time.
//
// All series have one value per entry of Times. Slices in a Timeline made by
// [NewTimeline] are its own.
type Timeline struct {
	Title    string
	Subtitle string // what the run is, in a sentence; empty: none

	Start time.Time // wall clock of t = 0, in the zone to show; zero: the axis shows the time elapsed
	Times []float64 // s since the start, non-decreasing; a time given twice is a jump

	Boots       []float64 // new sessions that want to start, 1/s
	Attempts    []float64 // boot attempts, retries among them, 1/s
	Admitted    []float64 // boot attempts the throttle lets through, 1/s
	Limit       []float64 // limit of the throttle, 1/s; +Inf while none is in force; nil: never
	BootSuccess []float64 // share of the admitted boots that succeed, 0…1
	Waiting     []float64 // clients waiting to retry; all 0: no panel

	Classes []ClassSeries // none: no panel
	Pools   []PoolSeries  // none: no panel of load

	Actions []Action     // marked and named where they fall within the axis
	Outages [][2]float64 // shaded, from and to in s since the start

	// Width and Height are the size of the picture in inches. A width is 6 to 40 and
	// 10 if 0; a height is 7 to 40 and if 0, 1 and 2 more per panel: 11 with all five.
	Width, Height float64
}

// Sizes of a picture in inches: less has no room for the letters, more no use.
const (
	minWidth  = 6.0
	minHeight = 7.0
	maxSize   = 40.0
)

// ClassSeries is what a [Timeline] shows of a query class.
type ClassSeries struct {
	Name    string
	HitRate []float64 // of one key, 0…1
}

// PoolSeries is what a [Timeline] shows of a database pool.
type PoolSeries struct {
	Name    string
	Load    []float64 // offered work over capacity
	Timeout []float64 // probability that the pool's mean query times out, 0…1
	Refused []float64 // probability that a query is refused at once, 0…1
}

// An Action is something done at a moment of the run.
type Action struct {
	At   float64 // s since the start
	Name string  // short: "throttle 400/s"
}

// NewTimeline returns a copy of t in which no series shares memory with t, its
// actions in order of time. It fails, naming the series and the index, when a
// series has not the length of Times or holds NaN or an infinity (Limit may hold
// +Inf), when times decrease or span nothing, when names are missing or double, and
// when a size is out of range.
func NewTimeline(t Timeline) (*Timeline, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	t.Times = slices.Clone(t.Times)
	t.Boots = slices.Clone(t.Boots)
	t.Attempts = slices.Clone(t.Attempts)
	t.Admitted = slices.Clone(t.Admitted)
	t.Limit = slices.Clone(t.Limit)
	t.BootSuccess = slices.Clone(t.BootSuccess)
	t.Waiting = slices.Clone(t.Waiting)
	t.Classes = slices.Clone(t.Classes)
	for i := range t.Classes {
		c := &t.Classes[i]
		c.HitRate = slices.Clone(c.HitRate)
	}
	t.Pools = slices.Clone(t.Pools)
	for i := range t.Pools {
		p := &t.Pools[i]
		p.Load, p.Timeout, p.Refused = slices.Clone(p.Load), slices.Clone(p.Timeout), slices.Clone(p.Refused)
	}
	t.Actions = slices.Clone(t.Actions)
	slices.SortStableFunc(t.Actions, func(a, b Action) int { return cmp.Compare(a.At, b.At) })
	t.Outages = slices.Clone(t.Outages)
	return &t, nil
}

// goodput returns the boots that succeed, 1/s.
func (t *Timeline) goodput() []float64 {
	g := make([]float64, len(t.Admitted))
	for i, a := range t.Admitted {
		g[i] = a * t.BootSuccess[i]
	}
	return g
}

// check returns the first fault that NewTimeline speaks of.
func (t *Timeline) check() error {
	if err := t.checkTimes(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, c := range t.columns() {
		if seen[c.name] {
			return fmt.Errorf("plots: two series are called %s", c.name)
		}
		seen[c.name] = true
		if strings.HasSuffix(c.name, ".") {
			return fmt.Errorf("plots: series %q has no name of a class or pool", c.name)
		}
		if len(c.values) != len(t.Times) {
			return fmt.Errorf("plots: %s has %d values for %d times", c.name, len(c.values), len(t.Times))
		}
		if i := slices.IndexFunc(c.values, c.bad); i >= 0 {
			return fmt.Errorf("plots: %s[%d] is %v", c.name, i, c.values[i])
		}
	}
	for i, a := range t.Actions {
		if !finite(a.At) || a.Name == "" {
			return fmt.Errorf("plots: action %d (%q at %v s) needs a name and a finite time", i, a.Name, a.At)
		}
	}
	for i, o := range t.Outages {
		if !finite(o[0]) || !finite(o[1]) || o[0] >= o[1] {
			return fmt.Errorf("plots: outage %d lasts from %v s to %v s: want finite times, the first the earlier", i, o[0], o[1])
		}
	}
	if t.Width != 0 && !(minWidth <= t.Width && t.Width <= maxSize) {
		return fmt.Errorf("plots: a picture %v inches wide: want %v to %v, or 0 for the default", t.Width, minWidth, maxSize)
	}
	if t.Height != 0 && !(minHeight <= t.Height && t.Height <= maxSize) {
		return fmt.Errorf("plots: a picture %v inches high: want %v to %v, or 0 for the default", t.Height, minHeight, maxSize)
	}
	return nil
}

func (t *Timeline) checkTimes() error {
	if len(t.Times) < 2 {
		return fmt.Errorf("plots: t_s has %d values: a figure needs 2", len(t.Times))
	}
	for i, v := range t.Times {
		if !finite(v) {
			return fmt.Errorf("plots: t_s[%d] is %v", i, v)
		}
		if i > 0 && v < t.Times[i-1] {
			return fmt.Errorf("plots: t_s[%d] is %v after %v: times must not decrease", i, v, t.Times[i-1])
		}
	}
	if t.Times[0] == t.Times[len(t.Times)-1] {
		return fmt.Errorf("plots: all of t_s is %v: a figure needs a span", t.Times[0])
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
