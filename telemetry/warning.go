package telemetry

import (
	"fmt"
	"strings"
)

// A Kind is what a warning is about.
type Kind string

// Cells that gave no sample.
const (
	Missing     Kind = "no value"
	Infinite    Kind = "infinite, refused"
	NotNumber   Kind = "not a number, refused"
	UnknownUnit Kind = "unit not known, refused"
	OtherUnit   Kind = "unit of another quantity than the column's, refused"
	NoUnit      Kind = "number without a unit among numbers with one, refused"
	BadTime     Kind = "rows whose time cannot be read, refused"
	NoName      Kind = "rows without the name of a series, refused"
	TooMany     Kind = "rows with more cells than the header, refused; a decimal comma without quotes?"
	CutShort    Kind = "last line cut short, its last cell refused"
	NoTable     Kind = "rows that are no table of times and numbers, not read"
	NotPaired   Kind = "values without a time or times without a value, refused"
)

// Cells and rows that were repaired, and samples that are kept but suspect.
const (
	TooFew       Kind = "rows with fewer cells than the header, the others read as missing"
	OutOfRange   Kind = "share below 0 or above 1, kept"
	AsPercent    Kind = "number above 1 read as percent, as others have the sign"
	ShareOrPct   Kind = "number of at most 1 in a column read as percent, kept as percent"
	OddUnit      Kind = "unit not known, numbers kept as written"
	Thousands    Kind = "comma with three digits after it, read as thousands; a decimal comma would look the same"
	Naive        Kind = "times without a zone, read as UTC"
	EpochUnit    Kind = "epochs in another unit than the first, by their size"
	RepeatedHour Kind = "times of a repeated hour, read as its second pass"
	NoSuchTime   Kind = "times that the zone skips, read as if the clock had not been put forward"
	DayOrMonth   Kind = "dates read as month/day/year; day/month would look the same"
	NewestFirst  Kind = "times run backward (newest first), put in order"
	Backward     Kind = "times before the one above them, put in order"
	ClockBack    Kind = "times most of an hour before the one above them, put in order; if a clock was put back, name its zone"
	SameStamp    Kind = "samples with the stamp of another, averaged with it"
	DoubleName   Kind = "name used before, numbered"
	NotRead      Kind = "column of text or of other dates, not read"
	HeaderAgain  Kind = "header repeated, skipped"
	BlankAsZero  Kind = "empty cells read as 0, as asked"
	Latin1       Kind = "text is not UTF-8, read as Latin-1"
)

// What the source says of itself.
const (
	Partial Kind = "source says its answer is partial"
	Said    Kind = "source warns"
)

// A Warning counts cells that were missing, repaired or refused, or repeats what the
// source warns of.
type Warning struct {
	Kind   Kind
	Series string // name; empty: the file
	Count  int
	Lines  []int  // the first few, ascending, each once; none where the source has no lines
	Cell   string // the first one
}

// String returns one line.
func (w Warning) String() string {
	var b strings.Builder
	if w.Series != "" {
		fmt.Fprintf(&b, "%s: ", w.Series)
	}
	fmt.Fprintf(&b, "%d × %s", w.Count, w.Kind)
	if w.Cell != "" {
		fmt.Fprintf(&b, ": %q", w.Cell)
	}
	for i, line := range w.Lines {
		sep := ", "
		if i == 0 {
			sep = " (line "
		}
		fmt.Fprintf(&b, "%s%d", sep, line)
	}
	switch {
	case len(w.Lines) == 0:
	case len(w.Lines) < w.Count:
		b.WriteString(", …)")
	default:
		b.WriteString(")")
	}
	return b.String()
}

// shownLines is how many line numbers a warning keeps, shownCell how much of a cell.
const shownLines, shownCell = 5, 60

// notes collects warnings in the order of their first occurrence.
type notes struct {
	all []*Warning
	by  map[noteKey]*Warning
}

type noteKey struct {
	kind   Kind
	series string
}

func (n *notes) add(kind Kind, series string, line int, cell string) {
	key := noteKey{kind, series}
	w := n.by[key]
	if w == nil {
		w = &Warning{Kind: kind, Series: series, Cell: shorten(cell)}
		if n.by == nil {
			n.by = map[noteKey]*Warning{}
		}
		n.by[key] = w
		n.all = append(n.all, w)
	}
	w.Count++
	if n := len(w.Lines); line > 0 && n < shownLines && (n == 0 || w.Lines[n-1] < line) {
		w.Lines = append(w.Lines, line)
	}
}

func (n *notes) list() []Warning {
	var list []Warning
	for _, w := range n.all {
		list = append(list, *w)
	}
	return list
}

func shorten(cell string) string {
	cell = strings.ToValidUTF8(cell, "�")
	if len(cell) <= shownCell {
		return cell
	}
	return strings.ToValidUTF8(cell[:shownCell], "") + "…"
}

// A ParseError says why nothing could be read, and where.
type ParseError struct {
	Line, Column int    // from 1; 0: not known
	Cell         string // empty: none
	Why          string
}

// Error implements error.
func (e *ParseError) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d, ", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, "column %d, ", e.Column)
		}
	}
	if e.Cell != "" {
		fmt.Fprintf(&b, "cell %q, ", shorten(e.Cell))
	}
	if b.Len() == 0 {
		return e.Why
	}
	return strings.TrimSuffix(b.String(), ", ") + ": " + e.Why
}

// repairs are the kinds of cells and rows that were read as something else than written.
var repairs = map[Kind]bool{
	AsPercent: true, Thousands: true, EpochUnit: true, RepeatedHour: true, NoSuchTime: true, NewestFirst: true,
	Backward: true, ClockBack: true, SameStamp: true, BlankAsZero: true, Latin1: true,
}

// Repairs reports whether it is about cells that were read as something else than written.
func (k Kind) Repairs() bool { return repairs[k] }
