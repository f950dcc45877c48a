package audit

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/telemetry"
)

// maxRows bounds an inventory.
const maxRows = 100_000

// A field is a column of an inventory.
type field struct {
	name, unit string // unit as model.Quantity has them; empty: text
	def        string // where the column or the cell is missing; "!" if it must be there
	words      []string
	lo, hi     float64 // of a number; hi 0: no end
}

var queryFields = []field{
	{name: "query", def: "!"},
	{name: "pool", def: "main"},
	{name: "rate_per_s", unit: "1/s", def: "!", hi: 1e12},
	{name: "hit_rate", unit: "share", def: "!", hi: 1},
	{name: "keys_per_request", unit: "count", def: "1", lo: 1, hi: 1e9},
	{name: "route", def: "keyed", words: []string{"keyed", "scatter"}},
	{name: "fetch", def: "all", words: []string{"all", "missing"}},
	{name: "visit_cost", unit: "work", def: "1", hi: 1e9},
	{name: "key_cost", unit: "work", def: "0", hi: 1e9},
	{name: "ttl_s", unit: "s", def: "never"},
}

var poolFields = []field{
	{name: "pool", def: "!"},
	{name: "shards", unit: "count", def: "1", lo: 1, hi: 1e9},
	{name: "capacity_per_s", unit: "work/s", def: "!", lo: 1e-9, hi: 1e15},
	{name: "background_per_s", unit: "work/s", def: "0", hi: 1e15},
}

// Columns returns the names of the columns of an inventory of queries, and of one of
// pools, those that have to be there first.
func Columns() (queries, pools []string) {
	names := func(fields []field) (out []string) {
		for _, must := range []bool{true, false} {
			for _, f := range fields {
				if (f.def == "!") == must {
					out = append(out, f.name)
				}
			}
		}
		return out
	}
	return names(queryFields), names(poolFields)
}

// ReadQueries reads an inventory of queries as CSV with the columns query, pool,
// rate_per_s, hit_rate, keys_per_request, route (keyed or scatter), fetch (all or
// missing), visit_cost, key_cost (work units) and ttl_s. Of these query, rate_per_s and
// hit_rate have to be there; the others default to main, 1, keyed, all, 1, 0 and never.
// Values may carry units as in scenario files: 1.2k/s, 97%; without one they are in 1/s, s
// and shares. columns renames: from the name in the file to the one above; other columns of
// the file do not count and are returned as unknown. Any dialect of CSV that
// [telemetry.Rows] reads will do. name is that of the file: an error begins with it and the line, and
// says what was found and what is wanted. More than 100,000 rows are refused.
func ReadQueries(name string, r io.Reader, columns map[string]string) (out []Query, unknown []string, err error) {
	unknown, err = read(name, r, queryFields, columns, func(c *cells) {
		q := Query{
			Name: c.text("query"), Pool: c.text("pool"),
			Rate: c.number("rate_per_s"), HitRate: c.number("hit_rate"), Keys: c.number("keys_per_request"),
			Scatter: c.text("route") == "scatter", Missing: c.text("fetch") == "missing",
			VisitCost: c.number("visit_cost"), KeyCost: c.number("key_cost"), TTL: math.Inf(1),
		}
		if c.text("ttl_s") != "never" {
			q.TTL = c.number("ttl_s")
		}
		out = append(out, q)
	})
	return out, unknown, err
}

// ReadPools reads pools as CSV with the columns pool, shards, capacity_per_s and
// background_per_s (work units/s of one shard); shards default to 1 and the background
// to 0. See [ReadQueries].
func ReadPools(name string, r io.Reader, columns map[string]string) (out []Pool, unknown []string, err error) {
	unknown, err = read(name, r, poolFields, columns, func(c *cells) {
		out = append(out, Pool{
			Name: c.text("pool"), Shards: c.number("shards"),
			Capacity: c.number("capacity_per_s"), Background: c.number("background_per_s"),
		})
	})
	return out, unknown, err
}

// cells are the cells of a row by the names of fields.
type cells struct {
	values map[string]string
	fields []field
	fail   func(f *field, text, want string)
}

func (c *cells) text(name string) string { return c.values[name] }

func (c *cells) number(name string) float64 {
	i := slices.IndexFunc(c.fields, func(f field) bool { return f.name == name })
	v, err := model.Quantity(c.values[name], c.fields[i].unit)
	f := &c.fields[i]
	switch {
	case err != nil || math.IsNaN(v) || v < 0:
		c.fail(f, c.values[name], f.want())
	case v < f.lo || f.hi > 0 && v > f.hi:
		c.fail(f, c.values[name], fmt.Sprintf("%s, from %g to %g", f.want(), f.lo, f.hi))
	}
	return v
}

// read reads the rows of a CSV file with the fields.
func read(name string, r io.Reader, fields []field, columns map[string]string, row func(*cells)) (unknown []string, err error) {
	in, plain := telemetry.Rows(r)
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: empty; want the columns %s", name, needed(fields))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	at, err := place(name, head, fields, columns)
	if err != nil {
		return nil, err
	}
	unknown = others(head, fields, columns)
	rows := 0
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if rows++; rows > maxRows {
			return nil, fmt.Errorf("%s: more than %d rows", name, maxRows)
		}
		var bad error
		line, _ := in.FieldPos(0)
		c := &cells{values: map[string]string{}, fields: fields}
		c.fail = func(f *field, text, want string) {
			if bad == nil {
				bad = fmt.Errorf("%s:%d: %s: found %q, want %s", name, line, f.name, text, want)
			}
		}
		for i := range fields {
			f := &fields[i]
			text := ""
			if at[i] >= 0 {
				text = strings.TrimSpace(plain(record[at[i]]))
			}
			switch {
			case text == "" && f.def == "!":
				c.fail(f, text, f.want())
			case text == "":
				text = f.def
			case f.words != nil && !slices.Contains(f.words, text):
				c.fail(f, text, f.want())
			}
			c.values[f.name] = text
		}
		if bad == nil {
			row(c)
		}
		if bad != nil {
			return nil, bad
		}
	}
	if rows == 0 {
		return nil, fmt.Errorf("%s: no rows below the header", name)
	}
	return unknown, nil
}

// others are the columns that are no fields.
func others(head []string, fields []field, columns map[string]string) (out []string) {
	for _, h := range head {
		if to, mapped := columns[h]; mapped {
			h = to
		}
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == h }) {
			out = append(out, h)
		}
	}
	return out
}

// place returns the column of each field, −1 where it is missing.
func place(name string, head []string, fields []field, columns map[string]string) ([]int, error) {
	for i := range head {
		head[i] = strings.TrimSpace(strings.TrimPrefix(head[i], "\ufeff"))
	}
	for from, to := range columns {
		if !slices.Contains(head, from) {
			return nil, fmt.Errorf("%s:1: no column is called %q; there are %s", name, from, Quoted(head))
		}
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == to }) {
			return nil, fmt.Errorf("%s: %q is not a column of an inventory; want one of %s", name, to, all(fields))
		}
	}
	at := make([]int, len(fields))
	for i, f := range fields {
		at[i] = -1
		for k, h := range head {
			if to, mapped := columns[h]; mapped {
				h = to
			}
			if h != f.name {
				continue
			}
			if at[i] >= 0 {
				return nil, fmt.Errorf("%s:1: two columns are %s", name, f.name)
			}
			at[i] = k
		}
		if at[i] < 0 && f.def == "!" {
			return nil, fmt.Errorf("%s:1: no column %s; want %s, and there are %s", name, f.name, needed(fields), Quoted(head))
		}
	}
	return at, nil
}

func (f *field) want() string {
	switch {
	case f.words != nil:
		return strings.Join(f.words, " or ")
	case f.unit == "":
		return "a name"
	}
	return map[string]string{
		"1/s": "a rate, such as 1200 or 1.2k/s", "share": "a share, such as 0.97 or 97%", "count": "a count, such as 30",
		"work": "work units, such as 1", "s": "a time, such as 3600 or 7d, or never", "work/s": "work units per second, such as 8000 or 8k/s",
	}[f.unit]
}

// Quoted lists names, those with quotes that a terminal might take for commands.
func Quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		if out[i] = name; !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			out[i] = strconv.Quote(name)
		}
	}
	return strings.Join(out, ", ")
}

func needed(fields []field) string {
	var out []string
	for _, f := range fields {
		if f.def == "!" {
			out = append(out, f.name)
		}
	}
	return strings.Join(out, ", ")
}

func all(fields []field) string {
	var out []string
	for _, f := range fields {
		out = append(out, f.name)
	}
	return strings.Join(out, ", ")
}
