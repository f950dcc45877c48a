package model

import (
	"math"
	"reflect"
	"strings"
)

// A fieldSpec is a field of the scenario as its tags describe it.
type fieldSpec struct {
	index           int
	key             string
	unit, none, def string
	hasDefault      bool
	enum            []string
	rng             interval
	doc             string
}

// specsOf returns the fields of a struct that a file may hold.
func specsOf(t reflect.Type) []fieldSpec {
	var specs []fieldSpec
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		f := fieldSpec{index: i, key: tag.Get("yaml"), unit: tag.Get("unit"), none: tag.Get("none"), doc: tag.Get("doc"), rng: parseInterval(tag.Get("range"))}
		if f.key == "" {
			continue
		}
		f.def, f.hasDefault = tag.Lookup("default")
		if enum := tag.Get("enum"); enum != "" {
			f.enum = strings.Split(enum, "|")
		}
		specs = append(specs, f)
	}
	return specs
}

func keysOf(specs []fieldSpec) []string {
	keys := make([]string, len(specs))
	for i, f := range specs {
		keys[i] = f.key
	}
	return keys
}

// allows reports whether x, already in SI units, may be the field's value.
func (f *fieldSpec) allows(x float64, t reflect.Type) bool {
	if math.IsInf(x, 1) && f.none != "" {
		return true
	}
	return f.rng.contains(x) && !math.IsInf(x, 0) && (t.Kind() != reflect.Int || x == math.Trunc(x))
}

// describe says what the field may be; x is the value that may not, NaN if there is none.
func (f *fieldSpec) describe(t reflect.Type, x float64) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if f.enum != nil {
		return strings.Join(f.enum, " or ")
	}
	switch {
	case f.unit == "" && t.Kind() == reflect.String:
		return "a text"
	case f.unit == "" && t.Kind() == reflect.Struct:
		return "a mapping with the keys " + strings.Join(keysOf(specsOf(t)), ", ")
	case f.unit == "":
		return "true or false"
	}
	u := units[f.unit]
	if t.Kind() == reflect.Int {
		u.noun, u.example = "a whole number", "20"
	}
	if f.unit == "share" && f.rng.hi > 1 {
		u.noun, u.example = "a factor", "1.5 or 150%"
	}
	text := u.noun + f.rng.describe(x)
	if f.none != "" {
		text += " or " + f.none
	}
	return text + ", such as " + u.example
}
