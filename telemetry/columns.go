package telemetry

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	timeName = regexp.MustCompile(`(?i)^[@_]?(t|ts|time|times|date|datetime|date[ &/_]*time|time[ _-]?stamp|elapsed([ _]time)?|clock|epoch|unix([ _]time)?|second|minute|zeit|zeitpunkt)$`)
	nameName = regexp.MustCompile(`(?i)^(series|metric|metric[ _]?name|name|target|legend|variable|measurement|scope)$`)
	unitName = regexp.MustCompile(`(?i)^units?$`)
)

// A column is what the sample says of it.
type column struct {
	index  int
	name   string // cleaned; never empty
	cells  []string
	filled int // cells that hold something
	dates  int // of these, those that are dates with or without a zone
	epochs int
	nums   int // numbers, with a unit or without
}

func sampleColumns(header []string, rows []record, comma bool) []column {
	width := len(header)
	if width == 0 {
		for _, r := range rows {
			width = max(width, len(r.cells))
		}
	}
	cols := make([]column, width)
	for i := range cols {
		c := &cols[i]
		c.index = i
		if i < len(header) {
			c.name = cleanName(header[i])
		}
		if c.name == "" {
			c.name = fmt.Sprintf("column %d", i+1)
		}
		for _, r := range rows {
			if i < len(r.cells) {
				c.see(trim(r.cells[i]), comma)
			}
		}
	}
	return cols
}

func (c *column) see(cell string, comma bool) {
	if isAbsent(cell) {
		return
	}
	c.cells = append(c.cells, cell)
	c.filled++
	r, ok := (&clock{unit: 1}).parse(cell)
	switch {
	case ok && r.kind == epoch:
		c.epochs++
	case ok && r.kind != elapsed:
		c.dates++
		return
	}
	if _, rest, _, ok := number(cell, comma); ok && !strings.ContainsAny(rest, "0123456789.:-_") {
		c.nums++
	}
}

// fewWords reports whether a column of text tells series apart, and does not describe
// rows: its words come again.
func (c *column) fewWords() bool {
	const few = 20
	words := map[string]bool{}
	for _, cell := range c.cells {
		words[cell] = true
	}
	return len(words) <= max(few, c.filled/2)
}

func (c *column) text() bool { return 2*(c.nums+c.dates) < c.filled }

// timeColumn finds the times: a column named so, else dates, else a first column of
// epochs, else, without header, a first column of numbers. -1: none.
func timeColumn(cols []column, header bool) int {
	named := func(c *column) bool {
		name, _, _ := unitOfName(c.name)
		return timeName.MatchString(name) || timeName.MatchString(strings.TrimSuffix(name, "_s"))
	}
	for _, is := range []func(c *column) bool{
		func(c *column) bool { return named(c) && 2*(c.dates+c.epochs) > c.filled },
		func(c *column) bool { return 2*c.dates > c.filled },
		func(c *column) bool { return named(c) && 2*c.nums > c.filled },
		func(c *column) bool { return c.index == 0 && 2*c.epochs > c.filled },
		func(c *column) bool { return !header && c.index == 0 && 2*c.nums > c.filled },
	} {
		for i := range cols {
			if cols[i].filled > 0 && is(&cols[i]) {
				return i
			}
		}
	}
	return -1
}

// cleanName takes line breaks and runs of spaces out of a header's cell.
func cleanName(cell string) string {
	cell, _ = utf8Or(cell)
	return strings.Join(strings.Fields(trim(cell)), " ")
}

// plan decides what the columns of a table are.
func (sc *scan) plan(header []string, line int, sample []record, d dialect) (*table, error) {
	if len(sample) == 0 {
		return nil, &ParseError{Line: line, Why: "no rows below the header"}
	}
	var cells []string
	for _, r := range sample {
		for _, cell := range r.cells {
			if !isTime(trim(cell)) {
				cells = append(cells, cell)
			}
		}
	}
	comma, doubt := decimalComma(cells)
	settled := slices.ContainsFunc(cells, separated)
	cols := sampleColumns(header, sample, comma)
	at := timeColumn(cols, header != nil)
	if at < 0 {
		cell := ""
		if len(sample[0].cells) > 0 {
			cell = sample[0].cells[0]
		}
		return nil, &ParseError{Line: sample[0].line, Column: 1, Cell: cell, Why: "no column of times: want dates, seconds since 1970, or a column called time or t_s"}
	}
	t := &table{sc: sc, header: header, width: len(cols), comma: comma, doubt: doubt, settled: settled, line: line, at: at, nameAt: -1, unitAt: -1, sample: sample, groups: map[string]*group{}}
	t.planClock(cols[at])
	t.planRoles(cols, header != nil)
	if len(t.values) == 0 {
		return nil, &ParseError{Line: line, Why: "no column of numbers beside the times"}
	}
	if !t.grouped() {
		t.single = t.newGroup("", sample[0])
	}
	return t, nil
}

// planClock learns from the sample of the times.
func (t *table) planClock(c column) {
	t.clock = clock{zone: t.sc.set.Zone, unit: 1, comma: t.comma}
	if _, u, ok := unitOfName(c.name); ok && u.dim == "s" {
		t.clock.unit = u.factor
	}
	probe := t.clock
	ups, downs, last := 0, 0, 0.0
	for i, cell := range c.cells {
		t.clock.slashes(cell)
		r, _ := probe.read(cell)
		if i > 0 && r.t < last {
			downs++
		} else if i > 0 && r.t > last {
			ups++
		}
		last = r.t
	}
	t.clock.descending = downs > ups
}

// planRoles says what each other column is: names, units, labels, values.
func (t *table) planRoles(cols []column, header bool) {
	stamps := map[string]bool{}
	for _, cell := range cols[t.at].cells {
		stamps[cell] = true
	}
	repeats := len(stamps) < cols[t.at].filled
	for _, c := range cols {
		if header && c.index != t.at && c.filled > 0 && nameName.MatchString(c.name) {
			t.nameAt = c.index
			break
		}
	}
	var texts []column
	for _, c := range cols {
		switch {
		case c.index == t.at, c.index == t.nameAt:
		case header && unitName.MatchString(c.name) && (t.nameAt >= 0 || c.text()):
			t.unitAt = c.index
		case c.filled > 0 && 2*c.dates > c.filled:
			t.sc.notes.add(NotRead, c.name, t.line, c.cells[0])
		case c.filled > 0 && c.text():
			texts = append(texts, c)
		default:
			t.values = append(t.values, c)
		}
	}
	if !header && len(texts) == 1 {
		t.nameAt, texts = texts[0].index, nil
	}
	for _, c := range texts {
		if (repeats && header || t.nameAt >= 0) && c.fewWords() {
			t.labels = append(t.labels, c)
			continue
		}
		t.sc.notes.add(NotRead, c.name, t.line, c.cells[0])
	}
}
