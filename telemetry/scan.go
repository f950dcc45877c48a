package telemetry

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
)

// A Sample is one number of a series at a time.
type Sample struct {
	Series int     // index in [Report.Series]; the report is complete when [Scan] is done
	T, V   float64 // as in [Series]
}

// A Report is what a scan found besides the samples.
type Report struct {
	Format   string
	Series   []Info
	Warnings []Warning

	sameStamp []int // samples with the stamp of the one before, per series
}

// Scan calls emit for each sample in the order of the file and stops at its first error,
// which it returns. CSV takes memory for one row and for the series, whatever the number
// of rows; JSON for one series. The warnings tell which times are out of order.
func Scan(r io.Reader, set *Settings, emit func(Sample) error) (*Report, error) {
	sc := &scan{emit: emit, names: map[string]int{}}
	if set != nil {
		sc.set = *set
	}
	if err := sc.read(r); err != nil {
		return nil, err
	}
	for _, o := range sc.orders {
		o.conclude(&sc.notes)
	}
	rep := &Report{Format: sc.format, Warnings: sc.notes.list()}
	for _, info := range sc.series {
		rep.Series = append(rep.Series, info.Info)
		rep.sameStamp = append(rep.sameStamp, info.sameStamp)
	}
	return rep, nil
}

// A scan is the state of one reading.
type scan struct {
	set    Settings
	emit   func(Sample) error
	format string
	series []*found
	names  map[string]int // how often each is used
	orders []*order
	notes  notes
}

// A found series.
type found struct {
	Info
	index     int
	share     bool    // values belong into 0..1
	last      float64 // time of the last sample, if there is one
	sameStamp int
}

// headRoom is how much of a file decides about its format.
const headRoom = 64 << 10

func (sc *scan) read(r io.Reader) error {
	src := bufio.NewReaderSize(decode(r), headRoom)
	head, err := src.Peek(headRoom)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return err
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return &ParseError{Why: "there is nothing in it"}
	case bytes.IndexByte(head, 0) >= 0:
		line := 1 + bytes.Count(head[:bytes.IndexByte(head, 0)], []byte("\n"))
		return &ParseError{Line: line, Why: "a zero byte: this is no text"}
	case trimmed[0] == '{', trimmed[0] == '[' && !looksTabular(trimmed):
		return sc.readJSON(src)
	case rawHead.Match(firstLine(trimmed)):
		return sc.readRaw(src)
	}
	return sc.readCSV(src, head)
}

// looksTabular tells a header such as "[s],load" from an array.
func looksTabular(b []byte) bool {
	b = bytes.TrimLeft(b[1:], " \t\r\n")
	return len(b) > 0 && b[0] != '{' && b[0] != ']' && b[0] != '['
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}

// add makes a series; a name that is taken gets a number.
func (sc *scan) add(info Info, line int) *found {
	info.Name = strings.Map(printable, info.Name)
	base := info.Name
	sc.names[base]++
	if n := sc.names[base]; n > 1 {
		info.Name = fmt.Sprintf("%s#%d", base, n)
		for sc.names[info.Name] > 0 {
			n++
			info.Name = fmt.Sprintf("%s#%d", base, n)
		}
		sc.names[info.Name]++
		sc.notes.add(DoubleName, info.Name, line, "")
	}
	f := &found{Info: info, index: len(sc.series), share: isShare(info.Name) && (info.Unit == "" || info.Unit == "1")}
	if f.share {
		f.Unit = "1"
	}
	sc.series = append(sc.series, f)
	return f
}

// printable replaces what would upset a terminal.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}

// miss counts a cell that gives no sample.
func (sc *scan) miss(f *found, kind Kind, line int, cell string) {
	f.Cells++
	if kind == Missing {
		f.Missing++
	} else {
		f.Refused++
	}
	sc.notes.add(kind, f.Name, line, cell)
}

// sample passes on one that was read.
func (sc *scan) sample(f *found, t, v float64, line int, cell string) error {
	if math.IsInf(v, 0) {
		sc.miss(f, Infinite, line, cell)
		return nil
	}
	if math.IsNaN(v) {
		sc.miss(f, Missing, line, cell)
		return nil
	}
	if f.share && (v < 0 || v > 1) {
		sc.notes.add(OutOfRange, f.Name, line, cell)
	}
	if f.Samples > 0 && f.last == t {
		f.sameStamp++
		sc.notes.add(SameStamp, f.Name, line, "")
	}
	f.last = t
	f.Cells++
	f.Samples++
	return sc.emit(Sample{f.index, t, v})
}

// An order watches the times of a table or of a series.
type order struct {
	name    string // of the series; empty: of the file
	naive   bool   // the times have no zone
	started bool
	last    float64
	ups     int
	downs   int
	big     int        // of downs, those of most of an hour
	first   []backstep // of downs
}

type backstep struct {
	line int
	cell string
}

// see takes the next time.
func (o *order) see(t float64, line int, cell string) {
	if !o.started {
		o.started, o.last = true, t
		return
	}
	step := t - o.last
	o.last = t
	switch {
	case step == 0:
		return
	case step > 0:
		o.ups++
		return
	}
	o.downs++
	if o.naive && step <= -1800 && step >= -3600 {
		o.big++
	}
	if len(o.first) < shownLines {
		o.first = append(o.first, backstep{line, cell})
	}
}

// conclude tells what the steps back were: all of them, or some.
func (o *order) conclude(n *notes) {
	if o.downs == 0 {
		return
	}
	w := &Warning{Kind: Backward, Series: o.name, Count: o.downs, Cell: shorten(o.first[0].cell)}
	switch {
	case o.ups == 0 && o.downs > 1:
		w.Kind = NewestFirst
	case o.big == o.downs:
		w.Kind = ClockBack
	}
	for _, p := range o.first {
		if n := len(w.Lines); p.line > 0 && (n == 0 || w.Lines[n-1] < p.line) {
			w.Lines = append(w.Lines, p.line)
		}
	}
	n.all = append(n.all, w)
}
