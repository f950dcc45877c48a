package telemetry

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
)

// sampleRows decide about the columns of a table.
const sampleRows = 200

// readCSV reads tables one after the other.
func (sc *scan) readCSV(src *bufio.Reader, head []byte) error {
	d, err := dialectOf(head)
	if err != nil {
		return err
	}
	recs, err := newRecords(src, d)
	if err != nil {
		return err
	}
	var t *table
	var why error // of the first rows that are no table
	tables := 0
	for {
		rec, err := recs.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch {
		case t == nil, rec.blank && looksHeader(rec.cells) && !slices.Equal(rec.cells, t.header):
			next, err := sc.nextTable(recs, rec, d, tables == 0)
			var parse *ParseError
			switch {
			case err == nil:
				t = next
				tables++
			case !errors.As(err, &parse):
				return err
			case why == nil:
				why = err
			}
		case t.header != nil && slices.Equal(rec.cells, t.header):
			sc.notes.add(HeaderAgain, "", rec.line, "")
		default:
			if err := t.row(rec); err != nil {
				return err
			}
		}
	}
	switch {
	case t == nil && why != nil:
		return why
	case t == nil:
		return &ParseError{Why: "there is nothing in it but comments"}
	case tables > 1:
		sc.format += fmt.Sprintf(", %d tables", tables)
	}
	return sc.checkRows()
}

// checkRows fails where not one time could be read.
func (sc *scan) checkRows() error {
	for _, f := range sc.series {
		if f.Cells > 0 {
			return nil
		}
	}
	for _, w := range sc.notes.all {
		if w.Kind == BadTime && len(w.Lines) > 0 {
			return &ParseError{Line: w.Lines[0], Cell: w.Cell, Why: "no row has a time that can be read"}
		}
	}
	return &ParseError{Why: "no row has a time and a value"}
}

// nextTable plans the table that head starts from its first rows, which it leaves to be
// read. Where they are no table, it counts and passes over all of them.
func (sc *scan) nextTable(recs *records, head record, d dialect, first bool) (*table, error) {
	head.cells = slices.Clone(head.cells)
	var header []string
	var sample []record
	if looksHeader(head.cells) || !hasTime(head.cells) {
		header = head.cells
	} else {
		sample = append(sample, head)
	}
	for len(sample) < sampleRows {
		rec, err := recs.nextOfTable()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		rec.cells = slices.Clone(rec.cells)
		sample = append(sample, rec)
	}
	t, err := sc.plan(header, head.line, sample, d)
	if err == nil {
		recs.queue = append(sample, recs.queue...)
		if first {
			sc.format = t.format(d)
		}
		return t, nil
	}
	if header != nil {
		sample = append([]record{head}, sample...)
	}
	for _, rec := range sample {
		sc.notes.add(NoTable, "", rec.line, rec.cells[0])
	}
	for {
		rec, more := recs.nextOfTable()
		switch more {
		case nil:
			sc.notes.add(NoTable, "", rec.line, rec.cells[0])
		case io.EOF:
			return nil, err
		default:
			return nil, more
		}
	}
}

// looksHeader reports whether all cells are text, and one is not empty.
func looksHeader(cells []string) bool {
	some := false
	for _, cell := range cells {
		cell = trim(cell)
		if isAbsent(cell) {
			continue
		}
		if _, _, _, ok := number(cell, false); ok || isTime(cell) {
			return false
		}
		some = true
	}
	return some
}

// hasTime reports whether a row without header starts here: a date, an epoch, or
// nothing but numbers.
func hasTime(cells []string) bool {
	numbers := true
	for _, cell := range cells {
		cell = trim(cell)
		r, ok := (&clock{unit: 1}).parse(cell)
		if ok && r.kind != elapsed {
			return true
		}
		_, _, _, isNumber := number(cell, false)
		numbers = numbers && (isNumber || isAbsent(cell))
	}
	return numbers
}

func isTime(cell string) bool {
	r, ok := (&clock{unit: 1}).parse(cell)
	return ok && r.kind != elapsed
}
