package plots

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// A column is one series of a table.
type column struct {
	name   string // with the unit
	values []float64
	open   bool // +Inf stands for "none": an empty field
}

// bad reports a value that can be neither written nor drawn.
func (c column) bad(v float64) bool {
	return !finite(v) && !(c.open && math.IsInf(v, 1))
}

// columns returns the table of the figure without what is derived from it.
func (t *Timeline) columns() []column {
	cols := []column{
		{name: "t_s", values: t.Times},
		{name: "boots_per_s", values: t.Boots},
		{name: "attempts_per_s", values: t.Attempts},
		{name: "admitted_per_s", values: t.Admitted},
		{name: "boot_success", values: t.BootSuccess},
		{name: "waiting_clients", values: t.Waiting},
	}
	if t.Limit != nil {
		cols = append(cols, column{name: "throttle_per_s", values: t.Limit, open: true})
	}
	for _, c := range t.Classes {
		cols = append(cols, column{name: "hit_rate." + c.Name, values: c.HitRate})
	}
	for _, p := range t.Pools {
		cols = append(cols,
			column{name: "load." + p.Name, values: p.Load},
			column{name: "timeout." + p.Name, values: p.Timeout},
			column{name: "refused." + p.Name, values: p.Refused})
	}
	return cols
}

// WriteCSV writes everything the picture shows: title, start, actions and outages as
// comments (#), then one row per time with every value to full precision. The columns
// are t_s, boots_per_s, attempts_per_s, admitted_per_s, boot_success,
// waiting_clients, throttle_per_s (empty while none is in force; absent without a
// throttle), then hit_rate.NAME per class, load.NAME, timeout.NAME and refused.NAME
// per pool, and at last goodput_per_s, the product of admitted_per_s and
// boot_success.
func (t *Timeline) WriteCSV(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	if _, err := io.WriteString(w, t.preamble()); err != nil {
		return err
	}
	cols := append(t.columns(), column{name: "goodput_per_s", values: t.goodput()})
	row := make([]string, len(cols))
	for j, c := range cols {
		row[j] = c.name
	}
	out := csv.NewWriter(w)
	out.Write(row) // errors stay with out until Flush
	for i := range t.Times {
		for j, c := range cols {
			row[j] = number(c.values[i])
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// preamble returns what is not a series, as comments.
func (t *Timeline) preamble() string {
	var b strings.Builder
	comment(&b, "title: %s", t.Title)
	if t.Subtitle != "" {
		comment(&b, "subtitle: %s", t.Subtitle)
	}
	if !t.Start.IsZero() {
		comment(&b, "start: %s", t.Start.Format(time.RFC3339))
	}
	for _, a := range t.Actions {
		comment(&b, "action at %s s: %s", number(a.At), a.Name)
	}
	for _, o := range t.Outages {
		comment(&b, "outage from %s s to %s s", number(o[0]), number(o[1]))
	}
	return b.String()
}

// comment writes a line that is no data.
func comment(b *strings.Builder, format string, args ...any) {
	b.WriteString("# " + strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ") + "\n")
}

// number writes v such that reading returns the same float64; +Inf and NaN, which stand
// for none, are empty.
func number(v float64) string {
	if math.IsInf(v, 1) || math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
