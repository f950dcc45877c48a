package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A table is a result with the facts that its reader needs to repeat it.
type table struct {
	meta    []fact
	columns []string // names with units
	rows    [][]float64

	label  string   // name of a column of text before the others; empty: none
	labels []string // its values, one per row
	notes  []string // lines below the table, for people
}

// names returns the names of all columns.
func (t *table) names() []string {
	if t.label == "" {
		return t.columns
	}
	return append([]string{t.label}, t.columns...)
}

type fact struct {
	key   string
	value any // string, float64 or []string
}

// A format is a way to write a table.
type format struct {
	name, suffix string // value of --format, suffix of files
	write        func(*table, io.Writer) error
}

var formats = []format{ // the first is the default
	{"csv", ".csv", (*table).writeCSV},
	{"json", ".json", (*table).writeJSON},
	{"table", ".txt", (*table).writeText},
	{"parquet", ".parquet", (*table).writeParquet},
}

// writeCSV writes the facts as comments, the header, and the rows to full precision;
// what is not finite is empty.
func (t *table) writeCSV(w io.Writer) error {
	for _, f := range t.meta {
		if _, err := io.WriteString(w, comment(f)); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	out.Write(t.names()) // errors stay with out until Flush
	for k, row := range t.rows {
		var fields []string
		if t.label != "" {
			fields = append(fields, t.labels[k])
		}
		for _, v := range row {
			fields = append(fields, exact(v))
		}
		out.Write(fields)
	}
	out.Flush()
	return out.Error()
}

// comment returns a fact as lines of a CSV file's head, one per value.
func comment(f fact) string {
	var b strings.Builder
	for _, v := range f.values() {
		fmt.Fprintf(&b, "# %s: %s\n", f.key, strings.Join(strings.Fields(v), " "))
	}
	return b.String()
}

// values returns those of a fact as texts.
func (f fact) values() []string {
	switch v := f.value.(type) {
	case []string:
		return v
	case float64:
		return []string{exact(v)}
	default:
		return []string{fmt.Sprint(v)}
	}
}

// exact writes v so that reading it gives v again; what is not finite is empty.
func exact(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// writeJSON writes an object with meta, columns and rows; what is not finite is null.
func (t *table) writeJSON(w io.Writer) error {
	var b strings.Builder
	b.WriteString("{\n\"meta\": {")
	for i, f := range t.meta {
		key, value := quote(f.key), ""
		if v, ok := f.value.(float64); ok {
			value = exactOrNull(v)
		} else {
			value = quote(f.value)
		}
		fmt.Fprintf(&b, "%s\n  %s: %s", comma(i), key, value)
	}
	fmt.Fprintf(&b, "\n},\n\"columns\": %s,\n\"rows\": [", quote(t.names()))
	for i, row := range t.rows {
		var fields []string
		if t.label != "" {
			fields = append(fields, quote(t.labels[i]))
		}
		for _, v := range row {
			fields = append(fields, exactOrNull(v))
		}
		fmt.Fprintf(&b, "%s\n  [%s]", comma(i), strings.Join(fields, ", "))
	}
	b.WriteString("\n]\n}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func quote(v any) string {
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		panic(err) // a string or strings
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func exactOrNull(v float64) string {
	if s := exact(v); s != "" {
		return s
	}
	return "null"
}

// told4 writes four digits for people, and all of a whole number that is no longer than a
// time stamp: – where there is no value, none where it has no end.
func told4(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 0):
		return "none"
	case v == math.Trunc(v) && math.Abs(v) < 1e10:
		return strconv.FormatFloat(v+0, 'f', 0, 64) // no negative zero
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// writeText writes the table for people: aligned, four digits, with the notes.
func (t *table) writeText(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, strings.Join(t.names(), "\t")+"\t")
	for k, row := range t.rows {
		if t.label != "" {
			fmt.Fprintf(out, "%s\t", t.labels[k])
		}
		for _, v := range row {
			fmt.Fprint(out, told4(v)+"\t")
		}
		fmt.Fprintln(out)
	}
	for _, note := range t.notes {
		fmt.Fprintln(out, note)
	}
	return out.Flush()
}
