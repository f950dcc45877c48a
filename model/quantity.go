package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A suffix scales the number before it by 10^shift · times.
type suffix struct {
	text  string
	shift int // applied to the decimal digits, so that 25% is 0.25 to the last bit
	times float64
	write bool // in canonical spellings; others are only read
}

var (
	durationSuffixes = []suffix{{"s", 0, 1, true}, {"", 0, 1, false}, {"ms", -3, 1, true}, {"m", 0, 60, true}, {"h", 0, 3600, true}, {"d", 0, 86400, true}}
	metricSuffixes   = []suffix{{"", 0, 1, true}, {"k", 3, 1, true}, {"M", 6, 1, true}, {"G", 9, 1, true}}
	shareSuffixes    = []suffix{{"", 0, 1, true}, {"%", -2, 1, false}}
	rateSuffixes     = []suffix{
		{"/s", 0, 1, true},
		{"k/s", 3, 1, true},
		{"M/s", 6, 1, true},
		{"G/s", 9, 1, true},
		{"", 0, 1, false},
		{"k", 3, 1, false},
		{"M", 6, 1, false},
		{"G", 9, 1, false},
		{"/m", 0, 1. / 60, false},
		{"k/m", 3, 1. / 60, false},
		{"M/m", 6, 1. / 60, false},
		{"G/m", 9, 1. / 60, false},
		{"/h", 0, 1. / 3600, false},
		{"k/h", 3, 1. / 3600, false},
		{"M/h", 6, 1. / 3600, false},
		{"G/h", 9, 1. / 3600, false},
	}
)

// units lists, for every unit of the tags, the suffixes a number may carry (the
// first is the canonical one) and how errors speak of it.
var units = map[string]struct {
	suffixes []suffix
	noun     string
	example  string
}{
	"s":      {durationSuffixes, "a duration", "30s or 5m"},
	"time":   {durationSuffixes, "a time", `90m (since the start) or "1:30" (clock)`},
	"1/s":    {rateSuffixes, "a rate per second", "400/s"},
	"work/s": {rateSuffixes, "a rate in work units per second", "8000/s"},
	"work":   {metricSuffixes, "a number of work units", "20k"},
	"count":  {metricSuffixes, "a count", "20 or 20M"},
	"1":      {metricSuffixes, "a number", "1.5"},
	"share":  {shareSuffixes, "a share", "0.25 or 25%"},
}

// splitNumber cuts a decimal number off the front of text: its digits, its
// exponent and what follows.
func splitNumber(text string) (digits string, exp int, rest string, ok bool) {
	i, count := 0, 0
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		i++
	}
	for dot := false; i < len(text); i++ {
		if text[i] == '.' && !dot {
			dot = true
			continue
		}
		if text[i] < '0' || text[i] > '9' {
			break
		}
		count++
	}
	digits, rest = text[:i], text[i:]
	if count == 0 {
		return "", 0, "", false
	}
	if rest == "" || rest[0] != 'e' && rest[0] != 'E' {
		return digits, 0, rest, true
	}
	j := 1
	if j < len(rest) && (rest[j] == '-' || rest[j] == '+') {
		j++
	}
	for j < len(rest) && rest[j] >= '0' && rest[j] <= '9' {
		j++
	}
	exp, err := strconv.Atoi(rest[1:j])
	return digits, exp, rest[j:], err == nil
}

// parseQuantity reads a number with a suffix of the unit, as an SI value.
func parseQuantity(text, unit string) (float64, bool) {
	digits, exp, rest, ok := splitNumber(text)
	if !ok {
		return 0, false
	}
	for _, s := range units[unit].suffixes {
		if s.text != rest {
			continue
		}
		v, err := strconv.ParseFloat(digits+"e"+strconv.Itoa(exp+s.shift), 64)
		if err != nil {
			return 0, false
		}
		if s.times < 1 { // dividing by a whole number is exact where multiplying by its inverse is not
			return v / math.Round(1/s.times), true
		}
		return v * s.times, true
	}
	return 0, false
}

// formatQuantity returns the shortest spelling that parseQuantity reads back as
// v to the last bit.
func formatQuantity(v float64, unit string) string {
	best := ""
	for i, s := range units[unit].suffixes {
		scaled := v / (math.Pow10(s.shift) * s.times)
		if !s.write || i > 0 && math.Abs(scaled) < 1 {
			continue
		}
		format := byte('f')
		if a := math.Abs(scaled); a != 0 && (a < 1e-6 || a >= 1e15) {
			format = 'e'
		}
		text := strconv.FormatFloat(scaled, format, -1, 64) + s.text
		if back, ok := parseQuantity(text, unit); i == 0 || ok && back == v && len(text) < len(best) {
			best = text
		}
	}
	return best
}

// parseClock reads h:mm or h:mm:ss as seconds since midnight.
func parseClock(text string) (float64, bool) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, false
	}
	total := 0
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil || i > 0 && (n > 59 || len(p) != 2) {
			return 0, false
		}
		total = total*60 + int(n)
	}
	if len(parts) == 2 {
		total *= 60
	}
	return float64(total), true
}

// An interval is a range of allowed values.
type interval struct {
	lo, hi         float64
	loOpen, hiOpen bool
}

func parseInterval(tag string) interval {
	if tag == "" {
		return interval{lo: math.Inf(-1), hi: math.Inf(1)}
	}
	lo, hi, _ := strings.Cut(tag[1:len(tag)-1], ",")
	r := interval{loOpen: tag[0] == '(', hiOpen: tag[len(tag)-1] == ')'}
	var err1, err2 error
	r.lo, err1 = strconv.ParseFloat(lo, 64)
	r.hi, err2 = strconv.ParseFloat(hi, 64)
	if err1 != nil || err2 != nil {
		panic("model: bad range tag " + tag)
	}
	return r
}

func (r interval) contains(v float64) bool {
	return (v > r.lo || !r.loOpen && v == r.lo) && (v < r.hi || !r.hiOpen && v == r.hi)
}

// describe says the interval in words. Upper bounds so high that nobody meets
// them by accident are named only to those who did.
func (r interval) describe(v float64) string {
	lo, hi := ">= ", "<= "
	if r.loOpen {
		lo = "> "
	}
	if r.hiOpen {
		hi = "< "
	}
	text := ""
	if !math.IsInf(r.lo, 0) {
		text = " " + lo + number(r.lo)
	}
	if !math.IsInf(r.hi, 0) && (r.hi <= 1e6 || v > r.hi) {
		if text != "" {
			text += " and"
		}
		text += " " + hi + number(r.hi)
	}
	return text
}

func number(v float64) string {
	return strings.NewReplacer("e+0", "e", "e+", "e").Replace(fmt.Sprintf("%g", v))
}

// spelledUnits are the units of time as people also write them.
var spelledUnits = strings.NewReplacer(
	"minutes", "m", "minute", "m", "mins", "m", "min", "m",
	"seconds", "s", "second", "s", "secs", "s", "sec", "s",
	"hours", "h", "hour", "h", "hrs", "h", "hr", "h", "days", "d", "day", "d",
)

// repair returns the quantity that text nearly is: in another case, without
// separators, with its unit spelled out, or in several units (1h10m).
func repair(text, unit string) string {
	bare := strings.NewReplacer(" ", "", "_", "", ",", "").Replace(text)
	for _, t := range []string{bare, strings.ToLower(bare), strings.ToUpper(bare), spelledUnits.Replace(strings.ToLower(bare))} {
		if _, ok := parseQuantity(t, unit); ok {
			return fmt.Sprintf("; did you mean %q?", t)
		}
		if _, isTime := parseQuantity("1h", unit); !isTime {
			continue
		}
		if d, err := time.ParseDuration(t); err == nil {
			return fmt.Sprintf("; did you mean %q?", formatQuantity(d.Seconds(), unit))
		}
	}
	return ""
}
