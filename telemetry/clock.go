package telemetry

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A timeKind is how a time is written.
type timeKind int

const (
	noTime  timeKind = iota
	epoch            // a number since 1970, in s, ms, us or ns
	zoned            // a date with its offset
	naive            // a date without
	elapsed          // a number since the start of the recording
)

var zonedLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -0700 MST", "2006-01-02 15:04:05 -0700 -0700",
	"2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05 GMT", "2006-01-02 15:04:05Z0700",
	"Mon, 02 Jan 2006 15:04:05 -0700", "Mon, 02 Jan 2006 15:04:05 GMT", "02/Jan/2006:15:04:05 -0700",
}

var naiveLayouts = []string{
	"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04",
	"2006/01/02 15:04:05", "2006/01/02 15:04", "02.01.2006 15:04:05", "02.01.2006 15:04", "2006-01-02",
	"Jan 2, 2006 3:04:05 PM", "Jan 2, 2006, 3:04:05 PM", "Mon Jan _2 15:04:05 2006", "20060102T150405",
	"1/2/2006 15:04:05", "1/2/2006 15:04", "1/2/2006 3:04:05 PM", "1/2/2006, 3:04:05 PM", "1/2/2006 3:04 PM",
	"2/1/2006 15:04:05", "2/1/2006 15:04", "2/1/2006, 15:04:05",
}

// epochUnits by size: the ranges of 1973 to 2103 do not meet.
var epochUnits = []struct {
	name string
	per  float64 // units in a second
}{{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}

const firstEpoch, lastEpoch = 1e8, 4.2e9

// A clock reads the times of one table.
type clock struct {
	zone       *time.Location // nil: UTC
	unit       float64        // s in a unit of elapsed times
	comma      bool           // numbers have a decimal comma
	kind       timeKind       // of the first time; epoch, zoned and naive are one to it
	dayFirst   bool           // 31/12/2006
	monthFirst bool           // 12/31/2006, for sure
	descending bool

	layout  string // the last one that fitted
	zoned   bool   // whether that one has an offset
	epoch   int    // index of the unit of the first epoch, from 1
	last    float64
	started bool
}

// A reading is a time with what was done to read it.
type reading struct {
	t    float64
	kind timeKind
	did  []Kind
}

// read makes sense of a cell; ok is false where it is no time, or not one like those
// before it (a date among times since the start).
func (c *clock) read(cell string) (r reading, ok bool) {
	r, ok = c.parse(cell)
	if !ok {
		return r, false
	}
	if c.kind == noTime {
		c.kind = r.kind
	}
	if (c.kind == elapsed) != (r.kind == elapsed) {
		return r, false
	}
	c.last, c.started = r.t, true
	return r, true
}

func (c *clock) parse(cell string) (reading, bool) {
	if cell == "" {
		return reading{}, false
	}
	if r, ok := c.number(cell); ok {
		return r, true
	}
	if cell[0] < '0' || cell[0] > '9' {
		if cell[0] < 'A' || cell[0] > 'Z' {
			return reading{}, false
		}
	}
	if len(cell) < len("1/2/2006 15:04") && len(cell) != len("2006-01-02") || len(cell) > 80 {
		return reading{}, false
	}
	cell, _, _ = strings.Cut(cell, " m=") // of Go's monotonic clock
	if c.layout != "" {
		if r, ok := c.date(c.layout, c.zoned, cell); ok {
			return r, true
		}
	}
	for _, layout := range zonedLayouts {
		if r, ok := c.date(layout, true, cell); ok {
			return r, true
		}
	}
	for _, layout := range naiveLayouts {
		if strings.HasPrefix(layout, "1/2/") && c.dayFirst {
			continue
		}
		if r, ok := c.date(layout, false, cell); ok {
			return r, true
		}
	}
	return reading{}, false
}

// slashes learns from a date such as 12/31/2006 which number is the month.
func (c *clock) slashes(cell string) {
	first, rest, _ := strings.Cut(cell, "/")
	second, _, ok := strings.Cut(rest, "/")
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(second)
	if !ok || errA != nil || errB != nil || a > 31 || b > 31 {
		return
	}
	c.dayFirst = c.dayFirst || a > 12
	c.monthFirst = c.monthFirst || b > 12
}

// number reads an epoch by its size, and any other number as seconds since the start.
func (c *clock) number(cell string) (reading, bool) {
	if c.comma {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	if strings.Trim(cell, "0123456789+-.eE") != "" {
		return reading{}, false
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return reading{}, false
	}
	return c.numeric(v, cell)
}

// numeric is number for one that is read; the text keeps digits that v has not.
func (c *clock) numeric(v float64, text string) (reading, bool) {
	for i, u := range epochUnits {
		if v < firstEpoch*u.per || v > lastEpoch*u.per || c.kind == elapsed {
			continue
		}
		r := reading{t: v / u.per, kind: epoch}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && u.per > 1 {
			per := int64(u.per)
			r.t = float64(n/per) + float64(n%per)/u.per
		}
		if c.epoch == 0 {
			c.epoch = i + 1
		}
		if c.epoch != i+1 {
			r.did = append(r.did, EpochUnit)
		}
		return r, true
	}
	if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v*c.unit) > 1e15 {
		return reading{}, false
	}
	return reading{t: v * c.unit, kind: elapsed}, true
}

func (c *clock) date(layout string, hasZone bool, cell string) (reading, bool) {
	t, err := time.Parse(layout, cell)
	if err != nil || t.Year() < 1900 || t.Year() > 2200 {
		return reading{}, false
	}
	c.layout, c.zoned = layout, hasZone
	if hasZone {
		return reading{t: seconds(t), kind: zoned}, true
	}
	r := reading{t: seconds(t), kind: naive}
	if strings.HasPrefix(layout, "1/2/") && !c.monthFirst {
		r.did = append(r.did, DayOrMonth)
	}
	if c.zone == nil {
		r.did = append(r.did, Naive)
		return r, true
	}
	var kind Kind
	if r.t, kind = c.place(t); kind != "" {
		r.did = append(r.did, kind)
	}
	return r, true
}

// place finds when a clock on the wall of the zone shows the time. In a repeated hour
// it takes the pass that keeps the times in order.
func (c *clock) place(wall time.Time) (float64, Kind) {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), c.zone)
	const clockFace = "2006-01-02 15:04:05"
	face := wall.Format(clockFace)
	if t.Format(clockFace) != face {
		_, offset := t.Add(-12 * time.Hour).Zone() // of the clock before
		return seconds(wall) - float64(offset), NoSuchTime
	}
	first, second := t, t
	for _, shift := range []time.Duration{-time.Hour, time.Hour, -30 * time.Minute, 30 * time.Minute} {
		other := t.Add(shift)
		if other.Format(clockFace) != face {
			continue
		}
		if other.Before(t) {
			first = other
		} else {
			second = other
		}
	}
	late := c.started && c.last > seconds(first)
	if c.descending {
		late = !c.started || c.last >= seconds(second)
	}
	if late && !second.Equal(first) {
		return seconds(second), RepeatedHour
	}
	return seconds(first), ""
}

// seconds since 1970, to a fraction of a microsecond.
func seconds(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }
