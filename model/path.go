package model

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Path names one parameter of a scenario that [Scenario.Set] accepts.
type Path struct {
	Path  string // such as pools.main.capacity
	Unit  string // of the tags of [Scenario]; empty for words and texts
	Value string // as [Scenario.Get] returns it
	Doc   string
}

// A target is a part of the scenario that a path leads to.
type target struct {
	path string
	v    reflect.Value
	spec fieldSpec
}

var indexForm = strings.NewReplacer("[", ".", "]", "")

// find follows a path such as classes.NAME.ttl or timeline.3.over (entries count
// from 0; timeline[3].over is the same).
func (s *Scenario) find(path string) (target, error) {
	t := target{v: reflect.ValueOf(s).Elem()}
	for _, key := range strings.Split(indexForm.Replace(path), ".") {
		children := t.children()
		i := slices.IndexFunc(children, func(c target) bool { return c.spec.key == key })
		if i < 0 {
			return t, s.unknownPath(path, t, key, children)
		}
		t = children[i]
	}
	return t, nil
}

func (s *Scenario) unknownPath(path string, parent target, key string, children []target) error {
	var names, ends []string
	for _, c := range children {
		names = append(names, c.spec.key)
	}
	if parent.path == "" { // perhaps the front was left out
		for _, p := range s.Paths() {
			if strings.HasSuffix(p.Path, "."+path) {
				ends = append(ends, p.Path)
			}
		}
	}
	hint := ""
	best := nearest(key, names)
	switch {
	case best != "":
		right := strings.Replace(indexForm.Replace(path), join(parent.path, key), join(parent.path, best), 1)
		hint = fmt.Sprintf("; did you mean %s?", right)
	case len(ends) > 0:
		hint = fmt.Sprintf("; did you mean %s?", strings.Join(ends[:min(3, len(ends))], " or "))
	case len(names) == 0:
		hint = fmt.Sprintf("; %s has no parts", parent.path)
	case len(names) <= 30:
		hint = " (there are: " + strings.Join(names, ", ") + ")"
	}
	return fmt.Errorf("no parameter has the path %q%s", shorten(path), hint)
}

// children returns the parts that a path may name next.
func (t target) children() []target {
	v := t.v
	if v.Kind() == reflect.Pointer && v.Type() != reflect.TypeFor[*time.Time]() {
		v = v.Elem() // invalid when nil
	}
	if !v.IsValid() {
		return nil
	}
	var out []target
	add := func(spec fieldSpec, v reflect.Value) {
		out = append(out, target{join(t.path, spec.key), v, spec})
	}
	switch x := v.Addr().Interface().(type) {
	case *Map[Class]:
		for i := range *x {
			add(fieldSpec{key: (*x)[i].Name}, reflect.ValueOf(&(*x)[i].Value).Elem())
		}
		return out
	case *Map[Pool]:
		for i := range *x {
			add(fieldSpec{key: (*x)[i].Name}, reflect.ValueOf(&(*x)[i].Value).Elem())
		}
		return out
	case *[]Entry:
		for i := range *x {
			add(fieldSpec{key: strconv.Itoa(i)}, reflect.ValueOf(&(*x)[i]).Elem())
		}
		return out
	case *Entry:
		if form := &actionForms[x.Action]; form.spec.unit != "" {
			add(form.spec, reflect.ValueOf(&x.Value).Elem())
		}
	case *Initial:
		if x.Kind != "given" {
			return nil
		}
	case *CurveTable:
		return nil
	}
	if v.Kind() == reflect.Struct {
		entry, ok := v.Addr().Interface().(*Entry)
		for _, f := range specsOf(v.Type()) {
			if !ok || actionForms[entry.Action].goesWith(f.key) {
				add(f, v.Field(f.index))
			}
		}
	}
	return out
}

// settable reports whether a path may end here; groups of parameters and what
// is read from files are set part by part or not at all.
func (t target) settable() bool {
	switch t.v.Addr().Interface().(type) {
	case *Profile, *TTLLaw, *Initial, *Throttle, *Background, *[]Weight, **Backoff, **time.Time:
		return true
	case **CurveTable:
		return false
	}
	switch t.v.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Map:
		return false
	}
	return true
}

// float narrows the target to the number it stands for.
func (t target) float() (target, error) {
	switch t.v.Addr().Interface().(type) {
	case *Throttle, *Background:
		f := t.children()[0]
		f.path = t.path
		return f, nil
	case *float64, *int, **float64, **int:
		return t, nil
	}
	return t, fmt.Errorf("%s is not a number", t.path)
}

// assign sets one parameter without a look at the others.
func (s *Scenario) assign(path, value string) error {
	t, err := s.find(path)
	if err != nil {
		return err
	}
	if !t.settable() {
		var names []string
		for _, c := range t.children() {
			names = append(names, c.spec.key)
		}
		return fmt.Errorf("%s cannot be set as a whole; set one of its parts: %s", t.path, strings.Join(names, ", "))
	}
	n := scalar(value)
	if strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") {
		parsed, err := parseYAML([]byte(value))
		if err != nil {
			err.Key = fmt.Sprintf("%s = %s", t.path, shorten(value))
			return err
		}
		n = parsed
	}
	d := &decoder{scenario: s, marks: map[string]*yamlNode{}}
	d.value(t.v, &t.spec, n, t.path)
	if len(d.errs) > 0 {
		return d.errs
	}
	return nil
}

// Set gives the parameter at a path a value as the file would spell it, such as
// 8000/s, and checks the whole scenario. On an error nothing has changed.
//
// Paths follow the keys of the file: pools.main.capacity, throttle,
// clients.backoff.base, timeline.3.rollout (entries count from 0). A class, a
// pool or an entry of the timeline cannot be added.
func (s *Scenario) Set(path, value string) error {
	trial := s.Clone()
	if err := trial.assign(path, value); err != nil {
		return err
	}
	if errs := trial.check(nil); len(errs) > 0 {
		return fmt.Errorf("%s = %s: %w", path, shorten(value), errs)
	}
	*s = *trial
	return nil
}

// SetFloat is [Scenario.Set] for a value in SI units; +Inf stands for the word
// that the field allows for "no limit" or "never".
func (s *Scenario) SetFloat(path string, x float64) error {
	t, err := s.find(path)
	if err == nil {
		t, err = t.float()
	}
	if err != nil {
		return err
	}
	typ := t.v.Type()
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if !t.spec.allows(x, typ) {
		return fmt.Errorf("%s: found %g, want %s", t.path, x, t.spec.describe(typ, x))
	}
	old := reflect.New(t.v.Type()).Elem()
	old.Set(t.v)
	v := t.v
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(typ))
		v = v.Elem()
	}
	switch {
	case t.v.Kind() == reflect.Pointer && math.IsInf(x, 1):
		t.v.SetZero()
	case typ.Kind() == reflect.Int:
		v.SetInt(int64(x))
	default:
		v.SetFloat(x)
	}
	if errs := s.check(nil); len(errs) > 0 {
		t.v.Set(old)
		return fmt.Errorf("%s = %g: %w", path, x, errs)
	}
	return nil
}

// Get returns the value at a path in its canonical spelling; what is not set is
// the empty string.
func (s *Scenario) Get(path string) (string, error) {
	t, err := s.find(path)
	if err != nil {
		return "", err
	}
	return s.spell(t), nil
}

func (s *Scenario) spell(t target) string {
	n := s.encode(t.v, &t.spec)
	switch {
	case n == nil:
		return t.spec.none
	case n.kind == scalarNode:
		return n.text
	}
	return n.String()
}

// Paths lists every path that [Scenario.Set] accepts, in the order of the file.
func (s *Scenario) Paths() []Path {
	var out []Path
	var walk func(t target)
	walk = func(t target) {
		if t.path != "" && t.settable() {
			out = append(out, Path{t.path, t.spec.unit, s.spell(t), t.spec.doc})
		}
		for _, c := range t.children() {
			walk(c)
		}
	}
	walk(target{v: reflect.ValueOf(s).Elem()})
	return out
}
