package plots

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strings"
)

// A Figure writes itself as a picture and as a table. Both fail as its constructor
// does; Write also on a format other than "svg" and "png" (150 dots per inch). The
// same figure gives the same bytes.
type Figure interface {
	Write(w io.Writer, format string) error
	WriteCSV(w io.Writer) error
}

var (
	_ Figure = (*Timeline)(nil)
	_ Figure = (*BifurcationDiagram)(nil)
	_ Figure = (*ReturnMap)(nil)
	_ Figure = (*PhaseDiagram)(nil)
	_ Figure = (*HysteresisLoop)(nil)
	_ Figure = (*PhasePortrait)(nil)
	_ Figure = (*TippingCurve)(nil)
	_ Figure = (*WayHome)(nil)
	_ Figure = (*TradeOff)(nil)
	_ Figure = (*HeatMap)(nil)
	_ Figure = (*BarChart)(nil)
	_ Figure = (*FanChart)(nil)
)

// A Frame is what the figures over a plane have in common.
//
// Their tables are long: one row a point, with the columns element (what the row
// belongs to, such as "branch" or "nullcline"), name, those of the two axes, and those
// that the figure adds. A value that does not apply is empty. Gaps are rows without a
// value.
type Frame struct {
	Title    string
	Subtitle string // what is shown, in a sentence or two; empty: none
	X, Y     Axis

	// Width and Height are the size of the picture in inches, 5 to 40 and 4 to 40; 8
	// and 5.5 if 0.
	Width, Height float64
}

// An Axis says what is measured along it.
type Axis struct {
	Label  string // with the unit: "traffic (% of the full rate)"
	Column string // of the table, with the unit: traffic_share
	Scale  Scale
	Lo, Hi float64 // range in units of the quantity; both 0: what the data span
}

// A Scale is how a quantity is laid out along its axis.
type Scale int

// Scales. The quantity is given as it is, whatever the scale: 0.8 on a Percent axis is
// marked 80.
const (
	Linear  Scale = iota
	Log           // logarithm of a quantity ≥ 0; 0 lies on the lower edge
	Percent       // share, marked in %
	Nines         // share ≤ 1 in % such that 0, 90, 99, 99.9 are equal steps; 1 lies on the upper edge
)

func (s Scale) scale() scale {
	return [...]scale{Linear: linear, Log: logarithmic, Percent: percent, Nines: nines}[s]
}

// holds reports whether the scale has a place for v.
func (s Scale) holds(v float64) bool {
	switch s {
	case Log:
		return v >= 0
	case Nines:
		return v <= 1
	}
	return true
}

// A Curve is a line in the plane of the axes. NaN in Y is a gap.
type Curve struct {
	Name string // in the legend; empty: not in it
	X, Y []float64
}

// An Operating is where the system is today.
type Operating struct {
	Name string // empty: today
	X    float64
	Y    float64 // NaN where the figure has it on its horizontal axis alone
}

func (o *Operating) name() string {
	if o.Name == "" {
		return "today"
	}
	return o.Name
}

// records returns the rows of the operating value, if there is one.
func (o *Operating) records() []record {
	if o == nil {
		return nil
	}
	return []record{{kind: "operating", name: o.name(), at: []float64{o.X, o.Y}, gap: true}}
}

// A record is a row of the table of a figure.
type record struct {
	kind, name string
	at         []float64 // x, y, and what the figure adds
	gap        bool      // y may be NaN
}

// curveRecords returns the rows of curves.
func curveRecords(kind string, curves []Curve) []record {
	var rows []record
	for _, c := range curves {
		for i := range c.X {
			rows = append(rows, record{kind: kind, name: c.Name, at: []float64{c.X[i], c.Y[i]}, gap: true})
		}
	}
	return rows
}

// A planar is a figure with a frame.
type planar interface {
	frame() *Frame
	shape() error      // what is wrong with lengths and names
	extra() []string   // columns of the table after x and y
	records() []record // all data
	draw(p *plane)     // adds what is drawn, from the back to the front
}

// check returns the first fault of a figure.
func check(f planar) error {
	fr := f.frame()
	for _, a := range []*Axis{&fr.X, &fr.Y} {
		if err := a.check(); err != nil {
			return err
		}
	}
	for _, s := range []struct {
		what         string
		value, least float64
	}{{"wide", fr.Width, 5}, {"high", fr.Height, 4}} {
		if s.value != 0 && !(s.least <= s.value && s.value <= maxSize) {
			return fmt.Errorf("plots: a picture %v inches %s: want %v to %v, or 0 for the default", s.value, s.what, s.least, maxSize)
		}
	}
	if err := f.shape(); err != nil {
		return err
	}
	rows := f.records()
	if len(rows) == 0 {
		return fmt.Errorf("plots: a figure without data")
	}
	count := map[string]int{}
	for _, r := range rows {
		for k, a := range []*Axis{&fr.X, &fr.Y} {
			v := r.at[k]
			if math.IsNaN(v) && r.gap && k == 1 {
				continue
			}
			if !finite(v) || !a.Scale.holds(v) {
				return fmt.Errorf("plots: %s of %s %q, point %d, is %v", a.Column, r.kind, r.name, count[r.kind+"\x00"+r.name], v)
			}
		}
		count[r.kind+"\x00"+r.name]++
	}
	return nil
}

func (a *Axis) check() error {
	switch {
	case a.Label == "" || a.Column == "":
		return fmt.Errorf("plots: axis %q needs a label and a column", a.Label+a.Column)
	case a.Scale < Linear || a.Scale > Nines:
		return fmt.Errorf("plots: axis %s: unknown scale %d", a.Column, a.Scale)
	case a.Lo == 0 && a.Hi == 0:
		return nil
	case !finite(a.Scale.scale().to(a.Lo)) || !finite(a.Scale.scale().to(a.Hi)) || a.Lo >= a.Hi:
		return fmt.Errorf("plots: axis %s from %v to %v: want a finite range on its scale", a.Column, a.Lo, a.Hi)
	}
	return nil
}

// checkCurves returns the first curve whose coordinates are not pairs.
func checkCurves(kind string, curves []Curve) error {
	for i, c := range curves {
		if len(c.X) != len(c.Y) || len(c.X) == 0 {
			return fmt.Errorf("plots: %s %d (%q) has %d and %d coordinates", kind, i, c.Name, len(c.X), len(c.Y))
		}
	}
	return nil
}

// writeTable writes the table of a figure.
func writeTable(w io.Writer, f planar) error {
	if err := check(f); err != nil {
		return err
	}
	fr := f.frame()
	var b strings.Builder
	comment(&b, "title: %s", fr.Title)
	if fr.Subtitle != "" {
		comment(&b, "subtitle: %s", fr.Subtitle)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	header := append([]string{"element", "name", fr.X.Column, fr.Y.Column}, f.extra()...)
	out.Write(header) // errors stay with out until Flush
	for _, r := range f.records() {
		row := []string{r.kind, r.name}
		for _, v := range r.at {
			row = append(row, number(v))
		}
		for len(row) < len(header) {
			row = append(row, "")
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}
