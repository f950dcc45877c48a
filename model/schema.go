package model

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object; encoding/json writes its keys in order.
type object = map[string]any

// Schema returns the JSON Schema (2020-12) of scenario files, for editors. What
// it cannot say, such as the order of the timeline, [Parse] checks.
func Schema() ([]byte, error) {
	root := schemaOf(reflect.TypeFor[Scenario](), &fieldSpec{})
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "metastable scenario"
	return json.MarshalIndent(root, "", "  ")
}

// schemaOf describes what a file may hold for a value of type t.
func schemaOf(t reflect.Type, f *fieldSpec) object {
	o := formOf(t, f)
	if f.none != "" && o["anyOf"] == nil {
		o = object{"anyOf": []object{o, {"const": f.none}}}
	}
	if f.doc != "" {
		o["description"] = f.doc
		if f.unit != "" && f.unit != "1" && f.unit != "time" {
			o["description"] = f.doc + " Unit: " + f.unit + "."
		}
	}
	if f.def != "" {
		o["default"] = f.def
		if x, err := strconv.ParseFloat(f.def, 64); err == nil {
			o["default"] = x
		}
		if x, err := strconv.ParseBool(f.def); err == nil && t.Kind() == reflect.Bool {
			o["default"] = x
		}
	}
	return o
}

func formOf(t reflect.Type, f *fieldSpec) object {
	switch t {
	case reflect.TypeFor[Map[Class]]():
		return mapSchema(reflect.TypeFor[Class](), maxClasses)
	case reflect.TypeFor[Map[Pool]]():
		return mapSchema(reflect.TypeFor[Pool](), maxPools)
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[Profile]():
		return object{"anyOf": []object{pairsSchema(maxPoints, &timeSpec, &factorSpec), structSchema(reflect.TypeFor[CSVColumns]()), {"const": "none"}}}
	case reflect.TypeFor[[]Weight]():
		return pairsSchema(maxClassBins, &shareSpec, &shareSpec)
	case reflect.TypeFor[TTLLaw]():
		stages := object{"type": "integer", "minimum": 1, "maximum": maxStages}
		return object{"anyOf": []object{{"enum": []string{"exponential", "fixed"}}, {"type": "string", "pattern": `^stages +[1-9][0-9]?$`}, closed(object{"stages": stages}, "stages")}}
	case reflect.TypeFor[Initial]():
		return object{"anyOf": []object{{"enum": []string{"healthy", "cold"}}, structSchema(t)}}
	case reflect.TypeFor[Throttle](), reflect.TypeFor[Background]():
		first := specsOf(t)[0]
		return object{"anyOf": []object{quantitySchema(floatType, &first), structSchema(t)}}
	case reflect.TypeFor[[]Entry]():
		return object{"type": "array", "maxItems": maxEntries, "items": entrySchema()}
	case reflect.TypeFor[[]Distribution]():
		return object{"type": "object", "additionalProperties": distributionSchema()}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return formOf(t.Elem(), f)
	case reflect.Struct:
		return structSchema(t)
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64, reflect.Int:
		return quantitySchema(t, f)
	}
	if f.enum != nil {
		return object{"enum": f.enum}
	}
	return object{"type": []string{"string", "number", "boolean"}}
}

// closed is an object with no other properties than these.
func closed(properties object, required ...string) object {
	o := object{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		o["required"] = required
	}
	return o
}

func structSchema(t reflect.Type) object {
	properties, required := object{}, []string(nil)
	for _, f := range specsOf(t) {
		x := t.Field(f.index).Type
		properties[f.key] = schemaOf(x, &f)
		if needed(x, &f) {
			required = append(required, f.key)
		}
	}
	return closed(properties, required...)
}

// needed reports whether the key must be given: the field, or a part of it, has
// no default.
func needed(t reflect.Type, f *fieldSpec) bool {
	switch {
	case f.hasDefault || t.Kind() == reflect.Pointer:
		return false
	case t.Kind() == reflect.Struct:
		for _, p := range specsOf(t) {
			if needed(t.Field(p.index).Type, &p) {
				return true
			}
		}
		return false
	}
	return t.Kind() != reflect.Slice || strings.HasPrefix(t.Name(), "Map[")
}

func mapSchema(t reflect.Type, limit int) object {
	return object{"type": "object", "additionalProperties": structSchema(t), "minProperties": 1, "maxProperties": limit, "propertyNames": object{"pattern": partName.String()}}
}

func pairsSchema(limit int, a, b *fieldSpec) object {
	item := object{"type": "array", "prefixItems": []object{quantitySchema(floatType, a), quantitySchema(floatType, b)}, "minItems": 2, "maxItems": 2}
	return object{"type": "array", "maxItems": limit, "items": item}
}

// quantitySchema allows a number in range, a number with a suffix, and the words
// of the field. The range of numbers with a suffix is left to [Parse].
func quantitySchema(t reflect.Type, f *fieldSpec) object {
	n := object{"type": "number"}
	if t.Kind() == reflect.Int {
		n["type"] = "integer"
	}
	bound := func(inclusive, exclusive string, x float64, open bool) {
		switch {
		case math.IsInf(x, 0):
		case open:
			n[exclusive] = x
		default:
			n[inclusive] = x
		}
	}
	bound("minimum", "exclusiveMinimum", f.rng.lo, f.rng.loOpen)
	bound("maximum", "exclusiveMaximum", f.rng.hi, f.rng.hiOpen)
	var suffixes []string
	for _, s := range units[f.unit].suffixes {
		suffixes = append(suffixes, s.text)
	}
	sign := `[+-]?`
	if f.rng.lo >= 0 {
		sign = `\+?`
	}
	forms := []object{n, {"type": "string", "pattern": `^` + sign + `([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?(` + strings.Join(suffixes, "|") + `)$`}}
	if f.unit == "time" {
		forms = append(forms, object{"type": "string", "pattern": `^[0-9]+:[0-5][0-9](:[0-5][0-9])?$`})
	}
	if f.none != "" {
		forms = append(forms, object{"const": f.none})
	}
	return object{"anyOf": forms}
}

func entrySchema() object {
	o := structSchema(reflect.TypeFor[Entry]())
	properties, forms := o["properties"].(object), []object{}
	for a, form := range actionForms {
		f := &form.spec
		switch Action(a) {
		case Change:
			properties[f.key] = object{"type": "object", "minProperties": 1, "additionalProperties": object{"type": []string{"string", "number", "boolean"}}, "description": f.doc}
		case Pause:
			properties[f.key] = object{"const": "rollout", "description": f.doc}
		case ThrottleTo:
			parts := structSchema(reflect.TypeFor[Throttle]())
			parts["required"] = []string{"limit"}
			properties[f.key] = object{"anyOf": []object{quantitySchema(floatType, f), parts}, "description": f.doc}
		default:
			properties[f.key] = schemaOf(floatType, f)
		}
		required := []string{f.key}
		if form.mustOver {
			required = append(required, "over")
		}
		not := []object{}
		for _, key := range []string{"over", "pool", "priority"} {
			if !form.goesWith(key) {
				not = append(not, object{"required": []string{key}})
			}
		}
		forms = append(forms, object{"required": required, "not": object{"anyOf": not}})
	}
	o["oneOf"] = forms
	return o
}

func distributionSchema() object {
	x := object{"type": []string{"string", "number"}}
	forms := []object{}
	for _, d := range []struct{ kind, a, b string }{{"lognormal", "median", "cv"}, {"normal", "mean", "sd"}} {
		forms = append(forms, closed(object{d.kind: closed(object{d.a: x, d.b: x}, d.a, d.b)}, d.kind))
	}
	uniform := object{"type": "array", "items": x, "minItems": 2, "maxItems": 2}
	return object{"anyOf": append(forms, closed(object{"uniform": uniform}, "uniform"))}
}
