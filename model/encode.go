package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// YAML returns the scenario as a file in canonical form: what has its default
// value is left out. [Parse] reads it back as the same scenario.
func (s *Scenario) YAML() []byte {
	var b strings.Builder
	s.encodeStruct(reflect.ValueOf(s).Elem()).block(&b, "")
	return []byte(b.String())
}

// Hash returns 12 hexadecimal digits that name the scenario: equal for equal
// scenarios, however their files spell them, including the CSV data they use.
func (s *Scenario) Hash() string {
	h, s := sha256.New(), s.Clone()
	s.Traffic.Profile.CSV = nil // the points count, not where they are from
	for _, p := range s.Pools {
		if c := p.Value.ServiceCurve; c != nil {
			c.CSV = ""
			fmt.Fprintln(h, c.Load, c.Latency, c.Timeout)
		}
	}
	h.Write(s.YAML())
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// encodeStruct returns a mapping of the fields that differ from their defaults.
func (s *Scenario) encodeStruct(v reflect.Value) *yamlNode {
	m := &yamlNode{kind: mappingNode}
	for _, f := range specsOf(v.Type()) {
		x := v.Field(f.index)
		n := s.encode(x, &f)
		if n == nil || n.kind == mappingNode && len(n.pairs) == 0 || f.hasDefault && s.isDefault(x, &f) {
			continue
		}
		m.pairs = append(m.pairs, yamlPair{key: f.key, value: n})
	}
	return m
}

func (s *Scenario) isDefault(v reflect.Value, f *fieldSpec) bool {
	d := &decoder{scenario: s, marks: map[string]*yamlNode{}}
	def := reflect.New(v.Type()).Elem()
	if f.def != "" {
		d.value(def, f, scalar(f.def), "")
	}
	return reflect.DeepEqual(def.Interface(), v.Interface())
}

// encode returns a value as a node, nil when there is nothing to write.
func (s *Scenario) encode(v reflect.Value, f *fieldSpec) *yamlNode {
	switch x := v.Addr().Interface().(type) {
	case *Map[Class]:
		return encodeMap(s, *x)
	case *Map[Pool]:
		return encodeMap(s, *x)
	case *Profile:
		return s.encodeProfile(x)
	case *TTLLaw:
		if x.Kind == "stages" {
			return scalar("stages " + strconv.Itoa(x.Stages))
		}
		return scalar(x.Kind)
	case *Initial:
		if x.Kind != "given" {
			return scalar(x.Kind)
		}
	case *Throttle:
		if x.Priority == "boots" {
			return quantity(x.Limit, "1/s", "none")
		}
	case *Background:
		if x.Follows == "none" {
			return quantity(x.Rate, "work/s", "")
		}
	case *time.Time:
		return scalar(x.Format(time.RFC3339Nano))
	case *Entry:
		return s.encodeEntry(x)
	case *[]Distribution:
		return s.encodeUncertainty(*x)
	case *Weight:
		return pair(scalar(formatQuantity(x.Keys, "share")), scalar(formatQuantity(x.Accesses, "share")))
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return s.encode(v.Elem(), f)
	case reflect.Struct:
		return s.encodeStruct(v)
	case reflect.Slice:
		if v.Len() == 0 {
			return nil
		}
		list := &yamlNode{kind: listNode}
		for i := range v.Len() {
			list.items = append(list.items, s.encode(v.Index(i), f))
		}
		return list
	case reflect.Float64:
		if f.unit == "time" {
			return s.encodeTime(v.Float())
		}
		return quantity(v.Float(), f.unit, f.none)
	case reflect.Int:
		return scalar(strconv.FormatInt(v.Int(), 10))
	case reflect.Bool:
		return scalar(strconv.FormatBool(v.Bool()))
	}
	return text(v.String())
}

// reserved are words that readers of other dialects of YAML take for something else.
var reserved = []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

// text is a scalar in quotes where its words could be taken for something else.
func text(s string) *yamlNode {
	n := scalar(s)
	_, _, _, number := splitNumber(s)
	n.quote = number || slices.Contains(reserved, strings.ToLower(s))
	return n
}

func quantity(x float64, unit, none string) *yamlNode {
	if math.IsInf(x, 1) {
		return scalar(none)
	}
	return scalar(formatQuantity(x, unit))
}

func pair(a, b *yamlNode) *yamlNode {
	return &yamlNode{kind: listNode, items: []*yamlNode{a, b}}
}

func mappingOf(key string, value *yamlNode) *yamlNode {
	return &yamlNode{kind: mappingNode, pairs: []yamlPair{{key: key, value: value}}}
}

func encodeMap[T any](s *Scenario, m Map[T]) *yamlNode {
	n := &yamlNode{kind: mappingNode}
	for i := range m {
		n.pairs = append(n.pairs, yamlPair{key: m[i].Name, value: s.encodeStruct(reflect.ValueOf(&m[i].Value).Elem())})
	}
	return n
}

func (s *Scenario) encodeProfile(x *Profile) *yamlNode {
	if x.CSV != nil {
		return s.encodeStruct(reflect.ValueOf(x.CSV).Elem())
	}
	if len(x.Points) == 0 {
		return scalar("none")
	}
	list := &yamlNode{kind: listNode}
	for _, p := range x.Points {
		list.items = append(list.items, pair(scalar(formatQuantity(p.T, "s")), scalar(formatQuantity(p.Value, "share"))))
	}
	return list
}

// encodeTime prefers clock times, which people read, where they are exact.
func (s *Scenario) encodeTime(t float64) *yamlNode {
	n := scalar(s.when(t))
	if back, ok := (&decoder{scenario: s}).clock(n.text); !ok || back != t {
		return scalar(formatQuantity(t, "s"))
	}
	return n
}

func (s *Scenario) encodeEntry(e *Entry) *yamlNode {
	n := s.encodeStruct(reflect.ValueOf(e).Elem())
	form := &actionForms[e.Action]
	var value *yamlNode
	switch e.Action {
	case Pause:
		value = scalar("rollout")
	case Change:
		value = &yamlNode{kind: mappingNode}
		for _, a := range e.Change {
			value.pairs = append(value.pairs, yamlPair{key: a.Path, value: text(a.Value)})
		}
	default:
		value = quantity(e.Value, form.spec.unit, form.spec.none)
	}
	n.pairs = slices.Insert(n.pairs, 1, yamlPair{key: form.spec.key, value: value})
	return n
}

func (s *Scenario) encodeUncertainty(list []Distribution) *yamlNode {
	n := &yamlNode{kind: mappingNode}
	for _, x := range list {
		unit := ""
		if t, err := s.find(x.Path); err == nil {
			if t, err = t.float(); err == nil {
				unit = t.spec.unit
			}
		}
		q := func(v float64) *yamlNode { return scalar(formatQuantity(v, unit)) }
		var form *yamlNode
		switch x.Kind {
		case "lognormal":
			form = mappingOf("median", q(x.Median))
			form.pairs = append(form.pairs, yamlPair{key: "cv", value: scalar(formatQuantity(x.CV, "share"))})
		case "normal":
			form = mappingOf("mean", q(x.Mean))
			form.pairs = append(form.pairs, yamlPair{key: "sd", value: q(x.SD)})
		case "uniform":
			form = pair(q(x.Lo), q(x.Hi))
		}
		n.pairs = append(n.pairs, yamlPair{key: x.Path, value: mappingOf(x.Kind, form)})
	}
	return n
}

// Clone returns a copy that shares nothing with s.
func (s *Scenario) Clone() *Scenario {
	c := *s
	c.Start = copyOf(s.Start)
	c.Traffic.Profile = Profile{slices.Clone(s.Traffic.Profile.Points), copyOf(s.Traffic.Profile.CSV)}
	c.Classes, c.Pools = slices.Clone(s.Classes), slices.Clone(s.Pools)
	for i := range c.Classes {
		p := &c.Classes[i].Value.Popularity
		p.Weights = slices.Clone(p.Weights)
	}
	for i := range c.Pools {
		p := &c.Pools[i].Value
		p.ShardCorrelation = copyOf(p.ShardCorrelation)
		if p.ServiceCurve = copyOf(p.ServiceCurve); p.ServiceCurve != nil {
			t := p.ServiceCurve
			t.Load, t.Latency, t.Timeout = slices.Clone(t.Load), slices.Clone(t.Latency), slices.Clone(t.Timeout)
		}
	}
	c.Clients.Backoff, c.Clients.MaxAttempts = copyOf(s.Clients.Backoff), copyOf(s.Clients.MaxAttempts)
	c.Timeline, c.Uncertainty = slices.Clone(s.Timeline), slices.Clone(s.Uncertainty)
	for i := range c.Timeline {
		c.Timeline[i].Change = slices.Clone(c.Timeline[i].Change)
	}
	return &c
}

func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
