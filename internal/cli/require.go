package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
)

// A requirement is a quantity and a bound on it, such as absorbs.flush >= 25%.
type requirement struct {
	text string
	what *measure
	arg  string  // pool or class; empty: the worst
	op   string  // empty for measures that are true or false
	than float64 // SI units
}

// comparisons are the operators, longer ones before their beginnings.
var comparisons = []string{">=", "<=", ">", "<"}

// parseRequirement reads MEASURE or MEASURE COMPARISON VALUE.
func parseRequirement(sc *model.Scenario, text string) (*requirement, error) {
	fail := func(format string, args ...any) (*requirement, error) {
		return nil, usage("--require '%s': %w", text, fmt.Errorf(format, args...))
	}
	r := &requirement{text: strings.Join(strings.Fields(text), " ")}
	name, value := r.text, ""
	if i := strings.IndexAny(r.text, "<>=!"); i >= 0 {
		k := slices.IndexFunc(comparisons, func(op string) bool { return strings.HasPrefix(r.text[i:], op) })
		if k < 0 {
			return fail("want >=, >, <= or <")
		}
		r.op = comparisons[k]
		name, value = strings.TrimSpace(r.text[:i]), strings.TrimSpace(r.text[i+len(r.op):])
	}
	if err := r.find(sc, name); err != nil {
		return fail("%w", err)
	}
	switch {
	case r.what.unit == "" && r.op != "":
		return fail("%s holds or not, and has no value to compare", name)
	case r.what.unit == "":
		return r, nil
	case r.op == "":
		return fail("want a comparison, such as %s", r.what.example)
	}
	than, err := model.Quantity(value, r.what.unit)
	if err == nil && (math.IsNaN(than) || math.IsInf(than, 0)) {
		err = errors.New("want a number that is finite")
	}
	if err != nil {
		return fail("%w, as in %s", err, r.what.example)
	}
	if r.what.unit == "share" && than > 1 && r.what.name != "safe_traffic" {
		return fail("%s is more than the whole; did you mean %s%%?", value, value)
	}
	r.than = than
	return r, nil
}

// find looks the measure up: by its name, or by its name and that of a pool or class.
func (r *requirement) find(sc *model.Scenario, name string) error {
	var names []string
	for i := range measures {
		m := &measures[i]
		names = append(names, m.name)
		if name == m.name {
			r.what = m
			return nil
		}
		arg, ok := strings.CutPrefix(name, m.name+".")
		if !ok || m.args == nil {
			continue
		}
		r.what, r.arg = m, arg
		if known := m.args(sc); !slices.Contains(known, arg) {
			return fmt.Errorf("%s has no %q, but %s", m.name, arg, strings.Join(known, ", "))
		}
		return nil
	}
	return fmt.Errorf("nothing is called %q%s", name, didYouMean(nearest(name, names), "; see metastable check --help"))
}

// An answer is whether a requirement holds.
type answer int

const (
	open answer = iota // its bracket straddles the bound
	yes
	no
)

// judge compares the bracket with the bound: the value lies at or above lo, and below hi
// unless the two are one.
func (r *requirement) judge(v value) answer {
	point := v.lo == v.hi
	atLeast := func() answer {
		switch {
		case v.lo >= r.than:
			return yes
		case v.hi < r.than || v.hi == r.than && !point:
			return no
		}
		return open
	}
	above := func() answer {
		switch {
		case v.lo > r.than:
			return yes
		case v.hi <= r.than:
			return no
		}
		return open
	}
	switch r.op {
	case ">=":
		return atLeast()
	case ">":
		return above()
	case "<=":
		return opposite[above()]
	case "<":
		return opposite[atLeast()]
	}
	if v.lo > 0 {
		return yes
	}
	return no
}

var opposite = map[answer]answer{yes: no, no: yes, open: open}
