package trajectory

import (
	"fmt"
	"math"
)

// Settings control a run. The zero value of a field stands for the default its
// comment states; nil Settings are all defaults.
type Settings struct {
	// RTol is the relative tolerance of the integration. Default 1e-6.
	RTol float64

	// ATol is the absolute tolerance, times model.System.Scales: a share of the keys,
	// a work unit, the clients of a tenth of a second. Default RTol/10.
	ATol float64

	// Every is the time between rows in seconds: rows are at 0, Every, 2 Every, …
	// and at the end of the run. Default: a round value that gives 100 to 200 rows.
	Every float64

	// Times are the times of the rows in seconds, strictly increasing within the
	// run. They override Every.
	Times []float64

	// Average, if positive, makes each row the mean of the observables over the
	// window of that many seconds that ends at its time, cut at the start of the
	// run. Column 0 stays the time. Default 0: values of the instant.
	Average float64

	// Detail asks for the Detail of the result.
	Detail bool

	// State, if not nil, is called with the state of each row of Detail, while the
	// parameters of that time are in force; y is valid during the call.
	State func(t float64, y []float64)

	// MaxSteps bounds the steps tried. Default 1,000,000.
	MaxSteps int

	// Progress, if not nil, is called with the time reached after each step.
	Progress func(t float64)

	// Done, if not nil, stops the run before the next step once it is closed.
	Done <-chan struct{}
}

const maxRows = 1_000_000 // what a table can sensibly hold

// withDefaults returns a copy of s with every default filled in and Times set, for a
// run between two times.
func (s *Settings) withDefaults(from, to float64) (Settings, error) {
	var d Settings
	if s != nil {
		d = *s
	}
	if d.RTol == 0 {
		d.RTol = 1e-6
	}
	if d.ATol == 0 {
		d.ATol = d.RTol / 10
	}
	if d.MaxSteps == 0 {
		d.MaxSteps = 1_000_000
	}
	if !(d.Average >= 0) || math.IsInf(d.Average, 1) {
		return d, fmt.Errorf("trajectory: Average %g is not a time in seconds", d.Average)
	}
	if d.Times != nil {
		d.Every = 0
		return d, checkTimes(d.Times, from, to)
	}
	span := to - from
	if d.Every == 0 {
		d.Every = pleasant(span / 200)
	}
	if !(d.Every > 0 && span/d.Every < maxRows) {
		return d, fmt.Errorf("trajectory: Every %g s: want a positive time that gives at most %d rows in %g s", d.Every, maxRows, span)
	}
	d.Times = grid(span, d.Every)
	for i := range d.Times {
		d.Times[i] += from
	}
	return d, nil
}

func checkTimes(ts []float64, from, to float64) error {
	for i, t := range ts {
		if !(t >= from && t <= to) {
			return fmt.Errorf("trajectory: Times[%d] = %g s outside the run, %g to %g s", i, t, from, to)
		}
		if i > 0 && t <= ts[i-1] {
			return fmt.Errorf("trajectory: Times[%d] = %g s does not exceed the time before it, %g s", i, t, ts[i-1])
		}
	}
	return nil
}

// grid returns 0, every, 2 every, … and span.
func grid(span, every float64) []float64 {
	var ts []float64
	for i := 0; ; i++ {
		t := float64(i) * every
		if t >= span*(1-1e-12) { // no second row at the end from rounding
			return append(ts, span)
		}
		ts = append(ts, t)
	}
}

// pleasant returns the smallest time of a round number of seconds, minutes, hours or
// days that is at least t.
func pleasant(t float64) float64 {
	const minute, hour, day = 60, 3600, 86400
	scale := math.Pow(10, math.Floor(math.Log10(t)))
	if t > day {
		scale = day * math.Pow(10, math.Floor(math.Log10(t/day)))
	}
	steps := []float64{1, 2, 5, 10}
	if 10 < t && t <= day {
		scale = 1
		steps = []float64{
			15, 20, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 20 * minute, 30 * minute,
			hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day,
		}
	}
	for _, s := range steps {
		if s*scale >= t*(1-1e-9) {
			return s * scale
		}
	}
	return t
}
