package telemetry

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A dialect is how a CSV file separates cells.
type dialect struct {
	comma   rune
	sepLine bool // the first line says so: "sep=;"
}

var sepLine = regexp.MustCompile(`^"?sep=(.)"?\r?$`)

// delimiters, the likelier first where the text does not decide.
var delimiters = []byte{'\t', ';', ',', '|'}

// dialectOf decides from the start of a file.
func dialectOf(head []byte) (dialect, error) {
	if m := sepLine.FindSubmatch(firstLine(head)); m != nil {
		if c := m[1][0]; bytes.IndexByte(delimiters, c) >= 0 || c == ' ' || c == ':' {
			return dialect{rune(c), true}, nil
		}
	}
	counts := countDelimiters(head)
	best, bestHas, bestSame := byte(0), 0, 0
	for i, d := range delimiters {
		has, same, seen := 0, 0, map[int]int{}
		for _, c := range counts {
			if c[i] > 0 {
				has++
				seen[c[i]]++
				same = max(same, seen[c[i]])
			}
		}
		if has > bestHas || has == bestHas && same > bestSame {
			best, bestHas, bestSame = d, has, same
		}
	}
	if best == 0 {
		return dialect{}, &ParseError{Line: 1, Cell: strings.TrimSpace(string(firstLine(head))), Why: "no delimiter (tab, semicolon, comma, bar): a time and a value need two columns"}
	}
	return dialect{comma: rune(best)}, nil
}

// countDelimiters counts them outside quotes in the first lines that have cells.
func countDelimiters(head []byte) [][4]int {
	const lines = 30
	var counts [][4]int
	var now [4]int
	quoted, empty, comment := false, true, false
	for _, b := range head {
		switch {
		case b == '\n' && !quoted:
			if !empty && !comment {
				counts = append(counts, now)
			}
			if len(counts) == lines {
				return counts
			}
			now, empty, comment = [4]int{}, true, false
		case b == '\r':
		case empty && b == '#':
			comment, empty = true, false
		case comment:
		case b == '"':
			quoted, empty = !quoted, false
		default:
			empty = false
			if i := bytes.IndexByte(delimiters, b); i >= 0 && !quoted {
				now[i]++
			}
		}
	}
	if !empty && !comment {
		counts = append(counts, now)
	}
	return counts
}

// A record is one row of cells.
type record struct {
	cells []string // until the next record is read
	line  int      // of its first cell
	blank bool     // empty lines or comments before it
	cut   bool     // the file ends within or after it without a line break
}

// records reads rows and knows their lines.
type records struct {
	csv   *csv.Reader
	src   *tail
	lines int // before the text that csv reads
	end   int // line of the end of the last record
	queue []record
}

func newRecords(src *bufio.Reader, d dialect) (*records, error) {
	r := &records{src: &tail{src: src}}
	if d.sepLine {
		if _, err := src.ReadSlice('\n'); err != nil && err != io.EOF {
			return nil, err
		}
		r.lines, r.end = 1, 1
	}
	r.csv = csv.NewReader(r.src)
	r.csv.Comma, r.csv.Comment = d.comma, '#'
	r.csv.LazyQuotes, r.csv.FieldsPerRecord, r.csv.ReuseRecord = true, -1, true
	return r, nil
}

// next returns the next record, or io.EOF.
func (r *records) next() (record, error) {
	if len(r.queue) > 0 {
		rec := r.queue[0]
		r.queue = r.queue[1:]
		return rec, nil
	}
	return r.read()
}

// nextOfTable returns the next record, or io.EOF also before the header of another table.
func (r *records) nextOfTable() (record, error) {
	rec, err := r.next()
	if err == nil && rec.blank && looksHeader(rec.cells) {
		rec.cells = slices.Clone(rec.cells)
		r.queue = append([]record{rec}, r.queue...)
		return record{}, io.EOF
	}
	return rec, err
}

func (r *records) read() (record, error) {
	blank := false
	for {
		cells, err := r.csv.Read()
		var parse *csv.ParseError
		switch {
		case errors.As(err, &parse):
			return record{}, &ParseError{Line: parse.Line + r.lines, Column: parse.Column, Why: parse.Err.Error()}
		case err != nil:
			return record{}, err
		}
		line, _ := r.csv.FieldPos(0)
		last, _ := r.csv.FieldPos(len(cells) - 1)
		line += r.lines
		blank = blank || line > r.end+1
		r.end = r.lines + last + strings.Count(cells[len(cells)-1], "\n")
		if len(cells) == 1 && trim(cells[0]) == "" {
			blank = true
			continue
		}
		cut := r.src.done && r.csv.InputOffset() == r.src.n && r.src.last != '\n'
		return record{cells, line, blank, cut}, nil
	}
}

// tail knows how a stream ends.
type tail struct {
	src  io.Reader
	n    int64
	last byte
	done bool
}

// Read implements io.Reader.
func (t *tail) Read(p []byte) (int, error) {
	n, err := t.src.Read(p)
	if n > 0 {
		t.n += int64(n)
		t.last = p[n-1]
	}
	t.done = t.done || err == io.EOF
	return n, err
}
