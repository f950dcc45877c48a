package plots

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"
)

// A timeAxis marks seconds since the start of a run: with clock times when the start
// is known, else with the time elapsed in the unit that suits the span.
type timeAxis struct {
	start time.Time // wall clock of 0 s with its zone; zero: elapsed time
	most  int       // most ticks
}

const day = 86400 // s

// timeStep returns the least customary step that divides span (s) into at most most
// parts.
func timeStep(span float64, most int) float64 {
	if span <= float64(most) {
		return niceStep(span, most)
	}
	for _, s := range []float64{
		1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
		3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600, day, 2 * day, 7 * day, 14 * day, 28 * day,
	} {
		if span <= s*float64(most) {
			return s
		}
	}
	return day * niceStep(span/day, most)
}

// Ticks implements plot.Ticker.
func (a timeAxis) Ticks(lo, hi float64) []plot.Tick {
	step := timeStep(hi-lo, a.most)
	if a.start.IsZero() || step < 1 {
		unit, _ := elapsedUnit(hi - lo)
		var ticks []plot.Tick
		for i := math.Ceil(lo / step); i*step <= hi; i++ {
			ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step/unit, 'g', 6, 64)})
		}
		return ticks
	}
	return a.clockTicks(lo, hi, step)
}

// clockTicks counts steps from the last local midnight before lo, on the local clock:
// where summer time begins or ends, ticks stay on full hours.
func (a timeAxis) clockTicks(lo, hi, step float64) []plot.Tick {
	y, m, d := a.at(lo).Date()
	var ticks []plot.Tick
	for i := 0; ; i++ {
		t := time.Date(y, m, d, 0, 0, i*int(step), 0, a.start.Location())
		v := t.Sub(a.start).Seconds()
		if v > hi {
			return ticks
		}
		if v >= lo {
			ticks = append(ticks, plot.Tick{Value: v, Label: clockLabel(t, step, hi-lo)})
		}
	}
}

// at returns the wall clock at v seconds.
func (a timeAxis) at(v float64) time.Time {
	return a.start.Add(time.Duration(v * float64(time.Second)))
}

// clockLabel writes a tick: the date where a day begins and the axis is longer than
// one, else the time of day to the precision of the step.
func clockLabel(t time.Time, step, span float64) string {
	switch {
	case span > day && t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
		return t.Format("2 Jan")
	case step < 60:
		return t.Format("15:04:05")
	default:
		return t.Format("15:04")
	}
}

// elapsedUnit returns the unit of an axis without a clock, in seconds, and its name.
func elapsedUnit(span float64) (unit float64, name string) {
	switch {
	case span > 4*day:
		return day, "days"
	case span > 5*3600:
		return 3600, "hours"
	case span > 5*60:
		return 60, "minutes"
	}
	return 1, "seconds"
}

// label names the axis over lo…hi.
func (a timeAxis) label(lo, hi float64) string {
	if a.start.IsZero() || timeStep(hi-lo, a.most) < 1 {
		_, name := elapsedUnit(hi - lo)
		return "time since the start (" + name + ")"
	}
	from, to := a.at(lo), a.at(hi)
	days := from.Format("2 January 2006")
	// Midnight belongs to the day that ends with it.
	if last := to.Add(-time.Second); last.YearDay() != from.YearDay() || last.Year() != from.Year() {
		days += " to " + last.Format("2 January 2006")
	}
	return "local time, " + days + " (UTC" + utcOffset(from) + ")"
}

// utcOffset writes the zone as +01:00, with a minus sign rather than a hyphen; UTC
// itself is empty.
func utcOffset(t time.Time) string {
	_, offset := t.Zone()
	switch s := t.Format("-07:00"); {
	case offset == 0:
		return ""
	case offset < 0:
		return "−" + s[1:]
	default:
		return s
	}
}

// stamp writes the moment v for a list: clock time, or elapsed time as h:mm:ss.
func (a timeAxis) stamp(v float64) string {
	if !a.start.IsZero() {
		return a.at(v).Format("15:04:05")
	}
	s := int(math.Round(v))
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
