package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A BarChart is the figure of a number for each of several names, with its interval: of
// sensitivity indices, or, with bars to both sides of a base, a tornado. Names go down
// from the top.
type BarChart struct {
	Frame
	Bars []Bar
	Base float64 // where bars begin
	Line *Curve  // across, such as what a dummy shows: X[0] alone counts; nil: none
}

// A Bar is a number with its interval.
type Bar struct {
	Name, Series  string  // bars of one name lie together, those of one series are alike
	Value, Lo, Hi float64 // NaN: undefined, or, in the bounds alone, not known
}

// NewBarChart returns a copy of b that shares no memory with it. It fails as
// [NewBifurcationDiagram] does, and on bars without a name or with bounds that turn over.
func NewBarChart(b BarChart) (*BarChart, error) {
	if err := check(&b); err != nil {
		return nil, err
	}
	b.Bars = slices.Clone(b.Bars)
	if b.Line != nil {
		l := cloneCurves([]Curve{*b.Line})[0]
		b.Line = &l
	}
	return &b, nil
}

// Write draws the figure as "svg" or "png".
func (b *BarChart) Write(w io.Writer, format string) error { return draw2D(w, format, b) }

// WriteCSV writes a row per bar, its name and series in one, with its number on the first
// axis, its row from the top on the second, and the bounds in lo and hi; empty where it
// is undefined. The line follows.
func (b *BarChart) WriteCSV(w io.Writer) error { return writeTable(w, b) }

func (b *BarChart) frame() *Frame   { return &b.Frame }
func (b *BarChart) extra() []string { return []string{"lo", "hi"} }

func (b *BarChart) shape() error {
	for i, v := range b.Bars {
		bounds := finite(v.Lo) && finite(v.Hi) && v.Lo <= v.Hi
		unbounded := math.IsNaN(v.Lo) && math.IsNaN(v.Hi)
		if v.Name == "" || math.IsInf(v.Value, 0) || !bounds && !unbounded || bounds && math.IsNaN(v.Value) {
			return fmt.Errorf("plots: bar %d (%q) is %v between %v and %v", i, v.Name, v.Value, v.Lo, v.Hi)
		}
	}
	if b.Line != nil && len(b.Line.X) != 1 {
		return fmt.Errorf("plots: the line of a bar chart is at %v: want one value", b.Line.X)
	}
	return nil
}

// names returns those of the rows and of the series.
func (b *BarChart) names() (names, series []string) {
	for _, v := range b.Bars {
		if !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
		if !slices.Contains(series, v.Series) {
			series = append(series, v.Series)
		}
	}
	return names, series
}

func (b *BarChart) records() []record {
	names, _ := b.names()
	var rows []record
	for _, v := range b.Bars {
		name := v.Name
		if v.Series != "" {
			name += ", " + v.Series
		}
		r := record{kind: "bar", name: name, at: []float64{v.Value, float64(slices.Index(names, v.Name) + 1), v.Lo, v.Hi}}
		if math.IsNaN(v.Value) {
			r.kind, r.at[0] = "undefined", b.Base
		}
		rows = append(rows, r)
	}
	if b.Line != nil {
		rows = append(rows, record{kind: "line", name: b.Line.Name, at: []float64{b.Line.X[0], math.NaN()}, gap: true})
	}
	return rows
}

// barColors are those of the series, pale enough for the interval to show.
var barColors = []color.NRGBA{
	{R: 0x6b, G: 0xaf, B: 0xd6, A: 0xff},
	{R: 0xf0, G: 0xb2, B: 0x6a, A: 0xff},
	{R: 0x7d, G: 0xc6, B: 0xae, A: 0xff},
	{R: 0xdd, G: 0xa9, B: 0xc6, A: 0xff},
}

func (b *BarChart) draw(p *plane) {
	names, series := b.names()
	x := emptySpan
	x.add(p.x.to(b.Base))
	for _, v := range b.Bars {
		for _, e := range []float64{v.Value, v.Lo, v.Hi} {
			x.add(p.x.to(e))
		}
	}
	if b.Line != nil {
		x.add(p.x.to(b.Line.X[0]))
	}
	n := float64(len(names))
	p.fit(x, span{-n - 0.5, -0.5}, 0.04, 0)
	if b.Base == 0 && x.lo == 0 {
		p.plot.X.Min = 0
	}
	var ticks plot.ConstantTicks
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: -float64(i + 1), Label: name})
	}
	p.plot.Y.Tick.Marker = ticks
	p.plot.Y.Tick.Length = 0
	const room = 0.72 // of a row, for its bars
	high := room / float64(len(series))
	for i, s := range series {
		c := barColors[i%len(barColors)]
		for _, v := range b.Bars {
			if v.Series != s || math.IsNaN(v.Value) {
				continue
			}
			top := -float64(slices.Index(names, v.Name)+1) + room/2 - high*float64(i)
			lo, hi := p.x.to(b.Base), p.x.to(v.Value)
			p.add(fill{[]xy{{lo, top}, {hi, top}, {hi, top - high*0.9}, {lo, top - high*0.9}}, c})
			p.add(whisker{p.x.to(v.Lo), p.x.to(v.Hi), top - high*0.45})
		}
		p.entry(s, swatch{c})
	}
	base := p.x.to(b.Base)
	p.add(path{pts: []xy{{base, p.plot.Y.Min}, {base, p.plot.Y.Max}}, style: line(inkColor, 0.8, nil)})
	if b.Line != nil {
		at := p.x.to(b.Line.X[0])
		t := path{pts: []xy{{at, p.plot.Y.Min}, {at, p.plot.Y.Max}}, style: todayLine}
		p.add(t)
		p.entry(b.Line.Name, t)
	}
}

// A whisker is an interval across a bar.
type whisker struct{ lo, hi, y float64 }

// Plot implements plot.Plotter.
func (w whisker) Plot(c draw.Canvas, p *plot.Plot) {
	const cap = vg.Length(2.5)
	toX, toY := p.Transforms(&c)
	style := line(inkColor, 0.9, nil)
	lo, hi, y := toX(w.lo), toX(w.hi), toY(w.y)
	c.StrokeLine2(style, lo, y, hi, y)
	for _, x := range []vg.Length{lo, hi} {
		c.StrokeLine2(style, x, y-cap, x, y+cap)
	}
}
