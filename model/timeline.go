package model

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// An actionForm says how the file spells an action and which keys go with it.
type actionForm struct {
	spec           fieldSpec
	over, mustOver bool // `over` may, must be given
	pool, priority bool
}

// actionForms is indexed by [Action].
var actionForms = [...]actionForm{
	Rollout:    {spec: fieldSpec{key: "rollout", unit: "share", rng: parseInterval("(0,1]"), doc: "Restart this share of the cache nodes, one after another."}, over: true, mustOver: true},
	Pause:      {spec: fieldSpec{key: "pause", enum: []string{"rollout"}, doc: "End the rollout step where it is."}},
	ThrottleTo: {spec: fieldSpec{key: "throttle", unit: "1/s", none: "none", rng: parseInterval("[0,1e12]"), doc: "Admit this many boots per second."}, priority: true},
	Ramp:       {spec: fieldSpec{key: "ramp", unit: "1/s", rng: parseInterval("[0,1e12]"), doc: "Move the throttle linearly to this many boots per second."}, over: true, mustOver: true, priority: true},
	Flush:      {spec: fieldSpec{key: "flush", unit: "share", rng: parseInterval("(0,1]"), doc: "Lose this share of the cache's content at once."}},
	Capacity:   {spec: fieldSpec{key: "capacity", unit: "share", rng: parseInterval("(0,1000]"), doc: "Multiply a pool's capacity."}, over: true, pool: true},
	TrafficTo:  {spec: fieldSpec{key: "traffic", unit: "share", rng: parseInterval("[0,1000]"), doc: "Multiply the boots."}, over: true},
	Validate:   {spec: fieldSpec{key: "validate", unit: "share", rng: parseInterval("[0,1]"), doc: "Send this share of cached reads to the database all the same."}, over: true},
	Change:     {spec: fieldSpec{key: "change", doc: "Parameters to change for good, by path."}},
}

// goesWith reports whether a key may stand beside the action.
func (f *actionForm) goesWith(key string) bool {
	switch key {
	case "over":
		return f.over
	case "pool":
		return f.pool
	case "priority":
		return f.priority
	}
	return true
}

func actionKeys() []string {
	var keys []string
	for _, a := range actionForms {
		keys = append(keys, a.spec.key)
	}
	return keys
}

// String returns the key of the action in a scenario file.
func (a Action) String() string { return actionForms[a].spec.key }

func (d *decoder) timeline(x *[]Entry, n *yamlNode, key string) {
	*x = nil
	if !d.list(n, key, "entries, such as - {at: 90m, flush: 10%}", maxEntries) {
		return
	}
	for i, item := range n.items {
		at := fmt.Sprintf("%s.%d", key, i)
		d.marks[at] = item
		var e Entry
		d.entry(&e, item, at)
		*x = append(*x, e)
	}
}

func (d *decoder) entry(e *Entry, n *yamlNode, key string) {
	specs, before := specsOf(reflect.TypeFor[Entry]()), len(d.errs)
	if !d.mapping(n, key, append(keysOf(specs), actionKeys()...)) {
		return
	}
	for i := range specs {
		d.field(reflect.ValueOf(e).Elem().Field(specs[i].index), &specs[i], n, key)
	}
	var given []string
	for a, form := range actionForms {
		v := n.get(form.spec.key)
		if v == nil {
			continue
		}
		at := join(key, form.spec.key)
		d.marks[at] = v
		given = append(given, form.spec.key)
		if len(given) > 1 {
			d.fail(v, key, "%s in one entry; want exactly one action", strings.Join(given, " and "))
			return
		}
		e.Action = Action(a)
		d.action(e, v, at)
	}
	if given == nil && len(d.errs) > before {
		return // an unknown key was meant to be the action
	}
	if given == nil {
		d.fail(n, key, "no action; want one of %s", strings.Join(actionKeys(), ", "))
		return
	}
	d.companions(e, n, key)
}

// companions checks the keys that stand beside the action.
func (d *decoder) companions(e *Entry, n *yamlNode, key string) {
	for _, p := range n.pairs {
		if !actionForms[e.Action].goesWith(p.key) {
			d.fail(&yamlNode{line: p.line, col: p.col}, join(key, p.key), "has no meaning beside %s", e.Action)
		}
	}
}

// action reads the value of an entry's action.
func (d *decoder) action(e *Entry, n *yamlNode, key string) {
	form := &actionForms[e.Action]
	if n.kind == emptyNode {
		d.fail(n, key, "nothing after the colon; want %s", form.spec.describe(floatType, math.NaN()))
		return
	}
	switch {
	case e.Action == Change:
		d.change(e, n, key)
	case e.Action == Pause:
		var word string
		d.plain(reflect.ValueOf(&word).Elem(), &form.spec, n, key)
	case e.Action == ThrottleTo && n.kind == mappingNode:
		t := Throttle{Priority: e.Priority}
		d.structure(reflect.ValueOf(&t).Elem(), n, key)
		e.Value = t.Limit
		if n.get("priority") != nil {
			if e.Priority != "" {
				d.fail(n, key, "priority is given twice")
			}
			e.Priority = t.Priority
		}
		if n.get("limit") == nil {
			d.fail(n, join(key, "limit"), "missing; want %s", form.spec.describe(floatType, math.NaN()))
		}
	default:
		e.Value, _ = d.number(&form.spec, n, key, floatType)
	}
}

// notInChange lists what cannot change during a run, and the way to say it.
var notInChange = []struct{ path, instead string }{
	{"name", ""},
	{"title", ""},
	{"description", ""},
	{"duration", ""},
	{"start", ""},
	{"initial", ""},
	{"timeline", ""},
	{"uncertainty", ""},
	{"throttle", "; use a throttle or ramp entry"},
}

func (d *decoder) change(e *Entry, n *yamlNode, key string) {
	if n.kind != mappingNode || len(n.pairs) == 0 {
		d.want(n, key, "a mapping from paths to values, such as {classes.NAME.fetch: missing}")
		return
	}
	for _, p := range n.pairs {
		at := join(key, p.key)
		d.marks[at] = &yamlNode{line: p.line, col: p.col}
		top, _, _ := strings.Cut(p.key, ".")
		for _, fixed := range notInChange {
			if top == fixed.path {
				d.fail(&yamlNode{line: p.line, col: p.col}, key, "%s cannot change during a run%s", shorten(p.key), fixed.instead)
			}
		}
		if p.value.kind != scalarNode {
			d.want(p.value, at, "one value; change the parts of a mapping by their own paths")
			continue
		}
		e.Change = append(e.Change, Assignment{p.key, p.value.text})
	}
}

// checkTimeline follows what is in force through the entries.
func (c *checker) checkTimeline() {
	s := c.s
	throttle, ramp, rollout := s.Throttle.Limit, span{}, span{}
	lasting := map[string]span{} // by action and pool
	for i := range s.Timeline {
		e, key := &s.Timeline[i], fmt.Sprintf("timeline.%d", i)
		now := span{i, e.At, e.At + e.Over}
		if i > 0 && e.At < s.Timeline[i-1].At {
			c.fail(key+".at", "comes after a later entry: %s after %s%s; want the order of time", s.when(e.At), s.when(s.Timeline[i-1].At), c.line(i-1))
			return
		}
		if e.At > s.Duration {
			c.fail(key+".at", "%s is beyond the duration of the run, %s", s.when(e.At), formatQuantity(s.Duration, "s"))
		}
		if actionForms[e.Action].pool {
			c.pool(key+".pool", &e.Pool)
		}
		if actionForms[e.Action].mustOver && e.Over == 0 {
			c.fail(key+".over", "missing; a %s needs the time it takes, such as over: 30m%s", e.Action, map[Action]string{Rollout: " (a loss all at once is a flush)"}[e.Action])
		}
		switch e.Action {
		case Rollout:
			if e.At < rollout.to {
				c.fail(key+".rollout", "the rollout%s still runs until %s; pause it first", c.line(rollout.entry), s.when(rollout.to))
			}
			rollout = now
		case Pause:
			if e.At >= rollout.to {
				c.fail(key+".pause", "no rollout is in progress at %s", s.when(e.At))
			}
			rollout.to = e.At
		case ThrottleTo:
			throttle, ramp = e.Value, span{}
		case Ramp:
			if e.At < ramp.to {
				c.fail(key+".ramp", "the ramp%s still runs until %s; a throttle entry ends it", c.line(ramp.entry), s.when(ramp.to))
			}
			if math.IsInf(throttle, 1) {
				c.fail(key+".ramp", "no throttle is in force at %s to start from; set one first", s.when(e.At))
			}
			throttle, ramp = e.Value, now
		case Capacity, TrafficTo, Validate:
			target := e.Action.String() + e.Pool
			if last := lasting[target]; e.At < last.to {
				c.fail(key+"."+e.Action.String(), "the %s entry%s still holds until %s", e.Action, c.line(last.entry), s.when(last.to))
			}
			lasting[target] = now
		}
	}
}

// A span is the time in which entry holds.
type span struct {
	entry    int
	from, to float64
}

// line names the line of a timeline entry, if it is from a file.
func (c *checker) line(entry int) string {
	n := c.marks[fmt.Sprintf("timeline.%d", entry)]
	if n == nil {
		return fmt.Sprintf(" (entry %d)", entry)
	}
	return fmt.Sprintf(" (line %d)", n.line)
}

// when spells a time of the timeline: clock time for whole minutes from an hour
// on or where the start is known, a duration otherwise.
func (s *Scenario) when(t float64) string {
	clock := t + secondOfDay(s.Start)
	if clock < 3600 || math.Mod(clock, 60) != 0 || clock > 1e9 {
		return formatQuantity(t, "s")
	}
	return fmt.Sprintf("%d:%02d", int(clock)/3600, int(clock)/60%60)
}

// checkChanges applies every change of the timeline, one after the other, to a
// copy of the scenario.
func (c *checker) checkChanges() {
	if !slices.ContainsFunc(c.s.Timeline, func(e Entry) bool { return e.Action == Change }) {
		return
	}
	trial, total := c.s.Clone(), 0
	for i, e := range c.s.Timeline {
		key := fmt.Sprintf("timeline.%d.change", i)
		if total += len(e.Change); total > maxChanges {
			c.fail(key, "more than %d changes", maxChanges)
			return
		}
		if done, err := trial.apply(e.Change); err != nil {
			c.fail(key, "%v", err)
			at := c.marks[join(key, e.Change[done].Path)]
			if at != nil {
				c.errs[len(c.errs)-1].Line, c.errs[len(c.errs)-1].Column = at.line, at.col
			}
			return
		}
	}
}

// apply makes the changes of one timeline entry and checks the scenario without
// its timeline. On an error it returns the index of the change at fault.
func (s *Scenario) apply(changes []Assignment) (int, error) {
	for i, a := range changes {
		if err := s.assign(a.Path, a.Value); err != nil {
			return i, err
		}
	}
	c := &checker{s: s}
	if c.checkParts(); len(c.errs) > 0 {
		return len(changes) - 1, c.errs
	}
	return 0, nil
}
