package telemetry

import (
	"fmt"
	"sort"
	"strings"
)

// A table is one header and its rows.
type table struct {
	sc      *scan
	header  []string // nil: none
	line    int      // of the header
	width   int
	comma   bool // fractions have a comma
	doubt   bool // all commas may as well be decimal ones
	settled bool // the sample told; otherwise the first cell that can does
	clock   clock

	at, nameAt, unitAt int // columns; -1: none
	labels, values     []column
	sample             []record
	groups             map[string]*group
	single             *group // of a table without names and labels
}

// A group is the series of rows that share a name and labels.
type group struct {
	lanes []*lane // one per column of values
	order *order
}

func (t *table) grouped() bool { return t.nameAt >= 0 || len(t.labels) > 0 }

func (t *table) format(d dialect) string {
	layout := "wide"
	if t.grouped() {
		layout = "long"
	}
	parts := []string{layout, map[rune]string{'\t': "tabs", ';': "semicolons", ',': "commas", '|': "bars"}[d.comma]}
	if parts[1] == "" {
		parts[1] = fmt.Sprintf("%q", d.comma)
	}
	if t.comma {
		parts = append(parts, "decimal comma")
	}
	if t.header == nil {
		parts = append(parts, "no header")
	}
	return "csv (" + strings.Join(parts, ", ") + ")"
}

// row reads one record.
func (t *table) row(rec record) error {
	notes := &t.sc.notes
	for len(rec.cells) > t.width && trim(rec.cells[len(rec.cells)-1]) == "" {
		rec.cells = rec.cells[:len(rec.cells)-1] // a delimiter at the end of each line
	}
	if len(rec.cells) > t.width {
		notes.add(TooMany, "", rec.line, rec.cells[t.width])
		return nil
	}
	cut := -1
	if len(rec.cells) < t.width {
		if rec.cut {
			cut = len(rec.cells) - 1 // which may lack digits
		} else {
			notes.add(TooFew, "", rec.line, "")
		}
	}
	g := t.group(rec)
	if g == nil {
		notes.add(NoName, "", rec.line, "")
		return nil
	}
	if t.grouped() {
		t.clock.last, t.clock.started = g.order.last, g.order.started
	}
	cell := t.cell(rec, t.at)
	when, ok := t.clock.read(cell)
	if !ok || cut == t.at {
		notes.add(BadTime, "", rec.line, cell)
		return nil
	}
	for _, did := range when.did {
		notes.add(did, "", rec.line, cell)
	}
	g.order.naive = g.order.naive || when.kind == naive && t.clock.zone == nil
	g.order.see(when.t, rec.line, cell)
	for i, l := range g.lanes {
		l.Elapsed = when.kind == elapsed
		c := t.values[i].index
		if c == cut {
			t.sc.miss(l.found, CutShort, rec.line, t.cell(rec, c))
			continue
		}
		if err := l.read(t, when.t, t.cell(rec, c), t.cell(rec, t.unitAt), rec.line); err != nil {
			return err
		}
	}
	return nil
}

// cell returns one without white space; empty where the row is too short.
func (t *table) cell(rec record, i int) string {
	if i < 0 || i >= len(rec.cells) {
		return ""
	}
	return trim(rec.cells[i])
}

// group finds the series that a row belongs to; nil where it names none.
func (t *table) group(rec record) *group {
	if !t.grouped() {
		return t.single
	}
	key := t.key(rec)
	if t.nameAt >= 0 && isAbsent(t.cell(rec, t.nameAt)) {
		return nil
	}
	if g := t.groups[key]; g != nil {
		return g
	}
	return t.newGroup(key, rec)
}

func (t *table) key(rec record) string {
	key := t.cell(rec, t.nameAt)
	for _, c := range t.labels {
		key += "\x00" + t.cell(rec, c.index)
	}
	return key
}

// newGroup makes the series of a row, with what the sample says of their numbers.
func (t *table) newGroup(key string, rec record) *group {
	g := &group{order: &order{}}
	line := t.line
	if t.grouped() {
		line = rec.line
	}
	labels := map[string]string{}
	for _, c := range t.labels {
		labels[c.name] = t.cell(rec, c.index)
	}
	for _, c := range t.values {
		name := c.name
		if t.nameAt >= 0 {
			name = cleanName(t.cell(rec, t.nameAt))
			if len(t.values) > 1 {
				name += " " + c.name
			}
		}
		var cells []string
		for _, r := range t.sample {
			if !t.grouped() || t.key(r) == key {
				cells = append(cells, t.cell(r, c.index))
			}
		}
		unitCell := t.cell(rec, t.unitAt)
		g.lanes = append(g.lanes, t.sc.newLane(name, labels, unitCell, cells, t.comma, line))
	}
	if t.grouped() {
		g.order.name = g.lanes[0].Name
		t.groups[key] = g
	}
	t.sc.orders = append(t.sc.orders, g.order)
	return g
}

// withLabels writes a name as Prometheus does: name{a="b"}.
func withLabels(name string, labels map[string]string) string {
	var keys []string
	for k := range labels {
		if k != "__name__" {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return name
	}
	sort.Strings(keys)
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s=%q", k, labels[k])
	}
	return name + "{" + strings.Join(keys, ",") + "}"
}
