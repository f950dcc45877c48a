package telemetry

import (
	"math"
	"strconv"
	"strings"
)

// absent cells hold no value. In lower case.
var absent = map[string]bool{
	"": true, "nan": true, "null": true, "none": true, "nil": true, "n/a": true, "na": true,
	"-": true, "--": true, "–": true, "—": true, "undefined": true, "no data": true,
}

func isAbsent(cell string) bool {
	if cell == "" {
		return true
	}
	if len(cell) > len("undefined") || cell[0] >= '0' && cell[0] <= '9' {
		return false
	}
	return absent[strings.ToLower(cell)]
}

// infinities as programs write them. In lower case.
var infinities = map[string]float64{
	"inf": math.Inf(1), "+inf": math.Inf(1), "-inf": math.Inf(-1), "infinity": math.Inf(1), "+infinity": math.Inf(1),
	"-infinity": math.Inf(-1), "∞": math.Inf(1), "+∞": math.Inf(1), "-∞": math.Inf(-1),
}

// trim takes off white space, also the spaces that typesetters use.
func trim(cell string) string { return strings.Trim(cell, " \t\r\n\u00a0\u202f\u2009\ufeff") }

// number splits a cell into a number and what follows it. decimalComma says how the
// file writes fractions; the other sign then groups digits by three, as spaces and
// apostrophes may. grouped says that commas did.
func number(cell string, decimalComma bool) (v float64, rest string, grouped, ok bool) {
	if v, ok := infinities[strings.ToLower(cell)]; ok {
		return v, "", false, true
	}
	end := numberEnd(cell)
	text, rest := strings.TrimRight(cell[:end], " \u00a0\u202f\u2009"), trim(cell[end:])
	text = strings.Replace(text, "\u2212", "-", 1) // the typesetter's minus
	point, group := ".", ","
	if decimalComma {
		point, group = ",", "."
	}
	for _, g := range []string{group, " ", "\u00a0", "\u202f", "\u2009", "'", "’"} {
		if !strings.Contains(text, g) {
			continue
		}
		if !inThrees(text, g, point) {
			return 0, "", false, false
		}
		text = strings.ReplaceAll(text, g, "")
		grouped = grouped || g == ","
	}
	if decimalComma {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(v, 0) { // too large is infinite
		return 0, "", false, false
	}
	return v, rest, grouped, true
}

// numberEnd returns the length of the number at the start, with its separators.
func numberEnd(s string) int {
	digits := false
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits = true
		case strings.ContainsRune(".,", r):
		case strings.ContainsRune("+-\u2212", r):
			if i > 0 {
				return i
			}
		case strings.ContainsRune(" '’\u00a0\u202f\u2009", r):
			next := strings.TrimLeft(s[i:], " '’\u00a0\u202f\u2009")
			if !digits || next == "" || next[0] < '0' || next[0] > '9' {
				return i
			}
		case (r == 'e' || r == 'E') && digits:
			return i + exponent(s[i:])
		default:
			return i
		}
	}
	return len(s)
}

// exponent returns the length of one such as e-3, or 0.
func exponent(s string) int {
	i := 1
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	start := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == start {
		return 0
	}
	return i
}

// inThrees reports whether the separator groups the digits before the point by three.
func inThrees(text, group, point string) bool {
	whole, fraction, _ := strings.Cut(strings.TrimLeft(text, "+-"), point)
	if strings.Contains(fraction, group) {
		return false
	}
	parts := strings.Split(whole, group)
	if len(parts) == 1 {
		return true
	}
	if n := len(parts[0]); n == 0 || n > 3 || strings.Trim(parts[0], "0") == "" {
		return false
	}
	for _, p := range parts[1:] {
		if len(p) != 3 || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return true
}

// separated reports whether a cell has a sign that decimalComma can learn from.
func separated(cell string) bool { return strings.ContainsAny(cell, ".,") }

// decimalComma decides from cells whether fractions have a comma. doubt says that all
// commas could as well group digits.
func decimalComma(cells []string) (comma, doubt bool) {
	groups, points := 0, 0
	for _, cell := range cells {
		cell = trim(cell)
		text := cell[:numberEnd(cell)]
		c, p := strings.LastIndexByte(text, ','), strings.LastIndexByte(text, '.')
		switch {
		case c < 0 && p >= 0:
			if strings.Count(text, ".") == 1 && !inThrees(text, ".", ",") {
				points++ // "0.5" is no group
			}
		case c < 0:
		case p >= 0:
			return c > p, false
		case !inThrees(text, ",", "."):
			return true, false // "1,5"
		default:
			groups++
		}
	}
	return false, groups > 0 && points == 0
}
