package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
)

// A varied is a parameter and its range, as --vary names it.
type varied struct {
	stability.Axis
	n    int    // number of values
	unit string // as model.Path has it
}

// parseVary reads PATH=LO..HI:n, values as scenario files spell them; n may be left out.
func parseVary(sc *model.Scenario, text string, n int) (*varied, error) {
	const want = "want PATH=LO..HI:n, such as traffic=20%..100%:17"
	path, span, ok := strings.Cut(text, "=")
	if at := strings.LastIndexByte(span, ':'); ok && at >= 0 {
		var err error
		if n, err = strconv.Atoi(span[at+1:]); err != nil || n < 2 || n > 10000 {
			return nil, usage("--vary %s: %q values, want a whole number from 2 to 10000; %s", text, span[at+1:], want)
		}
		span = span[:at]
	}
	lo, hi, dots := strings.Cut(span, "..")
	if !ok || !dots {
		return nil, usage("--vary %s: %s", text, want)
	}
	v := &varied{Axis: stability.Axis{Path: path}, n: n}
	switch path {
	case stability.TrafficAxis:
		v.unit = "share"
	case stability.ThrottleAxis:
		v.unit = "1/s"
	default:
		if _, err := sc.Get(path); err != nil {
			return nil, usage("--vary %s: %w", text, err)
		}
		paths := sc.Paths()
		i := slices.IndexFunc(paths, func(p model.Path) bool { return p.Path == path })
		if i < 0 || paths[i].Unit == "" {
			return nil, usage("--vary %s: %s is not a number", text, path)
		}
		v.unit = paths[i].Unit
	}
	for _, end := range []struct {
		text string
		x    *float64
	}{{lo, &v.Lo}, {hi, &v.Hi}} {
		x, err := model.Quantity(end.text, v.unit)
		if err != nil {
			return nil, usage("--vary %s: %w", text, err)
		}
		*end.x = x
	}
	return v, v.possible(sc, text)
}

// possible reports the first of the values that the parameter may not have.
func (v *varied) possible(sc *model.Scenario, text string) error {
	if v.Path == stability.TrafficAxis || v.Path == stability.ThrottleAxis || !(v.Lo < v.Hi) {
		return nil // any share and any limit; an empty range is told from others below
	}
	c := sc.Clone()
	for i := range v.n {
		x := v.Lo + (v.Hi-v.Lo)*float64(i)/float64(v.n-1)
		if err := c.SetFloat(v.Path, x); err != nil {
			return usage("--vary %s: %w", text, err)
		}
	}
	return nil
}

// column names the values in a table.
func (v *varied) column() string {
	switch v.unit {
	case "share":
		return v.Path + "_share"
	case "1/s", "work/s":
		return v.Path + "_per_s"
	case "s", "time":
		return v.Path + "_s"
	}
	return v.Path
}

// label names the values at an axis.
func (v *varied) label() string {
	switch {
	case v.Path == stability.TrafficAxis:
		return "traffic (% of the full rate)"
	case v.Path == stability.ThrottleAxis:
		return "limit on admitted boots (1/s)"
	case v.unit == "share":
		return v.Path + " (%)"
	case v.unit == "1/s", v.unit == "work/s":
		return v.Path + " (1/s)"
	case v.unit == "s", v.unit == "time":
		return v.Path + " (s)"
	}
	return v.Path
}
