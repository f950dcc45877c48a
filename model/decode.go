package model

import (
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Parse reads a scenario file. name stands for the file in errors; files holds
// the CSV files it refers to, by paths relative to it, and may be nil when it
// refers to none. Parse does nothing but read: defaults are filled in, every
// quantity becomes its SI value, and CSV columns become points.
//
// The error, if any, is a [ParseErrors]: all problems found (at most 20), each
// with file, line, column, key, what was found and what is allowed.
func Parse(name string, data []byte, files fs.FS) (*Scenario, error) {
	root, err := parseYAML(data)
	if err != nil {
		return nil, ParseErrors{err}.locate(name, data, nil)
	}
	s := new(Scenario)
	d := &decoder{scenario: s, files: files, marks: map[string]*yamlNode{"": root}}
	d.structure(reflect.ValueOf(s).Elem(), root, "")
	if len(d.errs) == 0 {
		d.errs = s.check(d.marks)
	}
	if len(d.errs) > 0 {
		return nil, d.errs.locate(name, data, d.marks)
	}
	return s, nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// A decoder fills a scenario from nodes, driven by the tags of its fields.
type decoder struct {
	scenario *Scenario // what has been read so far
	files    fs.FS
	marks    map[string]*yamlNode // where each path was read
	errs     ParseErrors
}

func (d *decoder) fail(n *yamlNode, key, format string, args ...any) {
	d.errs = append(d.errs, &ParseError{Key: key, Line: n.line, Column: n.col, Message: fmt.Sprintf(format, args...)})
}

// want reports that n is not what is allowed.
func (d *decoder) want(n *yamlNode, key, allowed string) {
	d.errs = append(d.errs, &ParseError{Key: key, Line: n.line, Column: n.col, Found: n.found(), Allowed: allowed})
}

// mapping reports whether n is a mapping, having complained about keys that are
// not among those allowed.
func (d *decoder) mapping(n *yamlNode, key string, allowed []string) bool {
	list := strings.Join(allowed, ", ")
	if n.kind != mappingNode {
		d.want(n, key, "a mapping with the keys "+list)
		return false
	}
	for _, p := range n.pairs {
		known := false
		for _, k := range allowed {
			known = known || k == p.key
		}
		if !known {
			at := &yamlNode{line: p.line, col: p.col}
			d.fail(at, join(key, shorten(p.key)), "unknown key%s (allowed: %s)", suggestion(p.key, allowed), list)
		}
	}
	return true
}

func (d *decoder) structure(v reflect.Value, n *yamlNode, key string) {
	specs := specsOf(v.Type())
	if !d.mapping(n, key, keysOf(specs)) {
		return
	}
	for i := range specs {
		d.field(v.Field(specs[i].index), &specs[i], n, key)
	}
}

// field reads one key of the mapping parent, or sets its default.
func (d *decoder) field(v reflect.Value, f *fieldSpec, parent *yamlNode, path string) {
	key, n := join(path, f.key), parent.get(f.key)
	switch {
	case n != nil:
		d.marks[key] = n
		if n.kind == emptyNode {
			d.fail(n, key, "nothing after the colon; leave the key out or give a value")
			return
		}
		d.value(v, f, n, key)
	case f.hasDefault && f.def == "":
		v.SetZero()
	case f.hasDefault:
		d.value(v, f, scalar(f.def), key)
	case v.Kind() == reflect.Pointer, v.Kind() == reflect.Slice:
		v.SetZero()
	case v.Kind() == reflect.Struct:
		d.value(v, f, &yamlNode{kind: mappingNode, line: parent.line, col: parent.col}, key)
	default:
		d.fail(parent, key, "missing; want %s", f.describe(v.Type(), math.NaN()))
	}
}

// value reads a value of any type of the scenario.
func (d *decoder) value(v reflect.Value, f *fieldSpec, n *yamlNode, key string) {
	switch x := v.Addr().Interface().(type) {
	case *Map[Class]:
		decodeMap(d, x, n, key)
	case *Map[Pool]:
		decodeMap(d, x, n, key)
	case *[]Entry:
		d.timeline(x, n, key)
	case *[]Distribution:
		d.distributions(x, n, key)
	case *Profile:
		d.profile(x, n, key)
	case *[]Weight:
		d.weights(x, n, key)
	case *TTLLaw:
		d.ttlLaw(x, n, key)
	case *CurveTable:
		d.curve(x, n, key)
	case *Initial:
		d.initial(x, n, key)
	case *time.Time:
		d.time(x, n, key)
	case *Throttle:
		d.shorthand(v, n, key)
	case *Background:
		d.shorthand(v, n, key)
	default:
		d.plain(v, f, n, key)
	}
}

// plain reads a value whose form is that of its Go kind.
func (d *decoder) plain(v reflect.Value, f *fieldSpec, n *yamlNode, key string) {
	switch v.Kind() {
	case reflect.Struct:
		d.structure(v, n, key)
		return
	case reflect.Pointer:
		if n.kind == scalarNode && f.none != "" && n.text == f.none {
			v.SetZero()
			return
		}
		p := reflect.New(v.Type().Elem())
		d.value(p.Elem(), f, n, key)
		v.Set(p)
		return
	}
	if n.kind != scalarNode {
		d.want(n, key, f.describe(v.Type(), math.NaN()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		if f.enum == nil {
			v.SetString(n.text)
			return
		}
		for _, word := range f.enum {
			if word == n.text {
				v.SetString(word)
				return
			}
		}
		d.want(n, key, f.describe(v.Type(), math.NaN())+suggestion(n.text, f.enum))
	case reflect.Bool:
		if n.text != "true" && n.text != "false" {
			d.want(n, key, "true or false")
			return
		}
		v.SetBool(n.text == "true")
	case reflect.Int:
		x, ok := d.number(f, n, key, v.Type())
		if ok {
			v.SetInt(int64(x))
		}
	case reflect.Float64:
		x, ok := d.number(f, n, key, v.Type())
		if ok {
			v.SetFloat(x)
		}
	default:
		panic("model: no file form for " + v.Type().String())
	}
}

// number reads a quantity and checks its range.
func (d *decoder) number(f *fieldSpec, n *yamlNode, key string, t reflect.Type) (float64, bool) {
	if n.kind != scalarNode {
		d.want(n, key, f.describe(t, math.NaN()))
		return 0, false
	}
	if f.none != "" && n.text == f.none {
		return math.Inf(1), true
	}
	x, ok := parseQuantity(n.text, f.unit)
	if f.unit == "time" && !ok {
		x, ok = d.clock(n.text)
	}
	if !ok {
		d.want(n, key, f.describe(t, math.NaN())+repair(n.text, f.unit))
		return 0, false
	}
	if !f.allows(x, t) {
		d.want(n, key, f.describe(t, x))
		return 0, false
	}
	return x, true
}

// clock turns a clock time into seconds since the start: the first such time at
// or after it. Hours from 24 on count from the midnight before the start.
func (d *decoder) clock(text string) (float64, bool) {
	c, ok := parseClock(text)
	if !ok {
		return 0, false
	}
	t := c - secondOfDay(d.scenario.Start)
	if t < 0 {
		t += 86400
	}
	return t, true
}

func secondOfDay(start *time.Time) float64 {
	if start == nil {
		return 0
	}
	return float64(start.Hour()*3600+start.Minute()*60+start.Second()) + float64(start.Nanosecond())*1e-9
}

func (d *decoder) time(t *time.Time, n *yamlNode, key string) {
	v, err := time.Parse(time.RFC3339, n.text)
	if n.kind != scalarNode || err != nil {
		d.want(n, key, "a date and time with its zone, such as 2022-02-22T00:00:00-08:00")
		return
	}
	*t = v.UTC()
	if _, offset := v.Zone(); offset != 0 { // never the zone of the machine
		*t = v.In(time.FixedZone("", offset))
	}
}

// shorthand reads a struct whose first field may stand for the whole: a scalar
// sets that field alone, and the others keep what they have or get their defaults.
func (d *decoder) shorthand(v reflect.Value, n *yamlNode, key string) {
	if n.kind == mappingNode {
		d.structure(v, n, key)
		return
	}
	specs := specsOf(v.Type())
	for i := range specs {
		x := v.Field(specs[i].index)
		switch {
		case i == 0:
			d.value(x, &specs[i], n, key)
		case x.IsZero():
			d.value(x, &specs[i], scalar(specs[i].def), key)
		}
	}
}

func decodeMap[T any](d *decoder, m *Map[T], n *yamlNode, key string) {
	*m = nil
	if n.kind != mappingNode {
		d.want(n, key, "a mapping from names to their parameters")
		return
	}
	for _, p := range n.pairs {
		path := join(key, p.key)
		if !partName.MatchString(p.key) {
			d.fail(&yamlNode{line: p.line, col: p.col}, key, "%q is not a name; want a letter, then letters, digits, _ or -, at most 64", shorten(p.key))
			continue
		}
		d.marks[path] = p.value
		e := Named[T]{Name: p.key}
		d.structure(reflect.ValueOf(&e.Value).Elem(), p.value, path)
		*m = append(*m, e)
	}
}

func (d *decoder) ttlLaw(law *TTLLaw, n *yamlNode, key string) {
	text := n.text
	if s := n.get("stages"); n.kind == mappingNode && len(n.pairs) == 1 && s != nil {
		text = "stages " + s.text
	}
	*law = TTLLaw{Kind: text}
	if count, ok := strings.CutPrefix(text, "stages "); ok {
		k, err := strconv.Atoi(strings.TrimSpace(count))
		if err == nil && k >= 1 && k <= maxStages {
			*law = TTLLaw{Kind: "stages", Stages: k}
			return
		}
	}
	if text != "exponential" && text != "fixed" {
		d.want(n, key, fmt.Sprintf("exponential, fixed, or {stages: k} with k from 1 to %d%s", maxStages, suggestion(text, []string{"exponential", "fixed"})))
	}
}

func (d *decoder) initial(x *Initial, n *yamlNode, key string) {
	if n.kind == mappingNode {
		x.Kind = "given"
		d.structure(reflect.ValueOf(x).Elem(), n, key)
		return
	}
	*x = Initial{Kind: n.text}
	if n.kind != scalarNode || n.text != "healthy" && n.text != "cold" {
		d.want(n, key, "healthy, cold, or {hit_rate: 62%, in_system: full, waiting: 3.2M}"+suggestion(n.text, []string{"healthy", "cold"}))
	}
}
