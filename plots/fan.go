package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
)

// A FanChart is the figure of what is not known for sure along an axis: bands, the wide
// ones first, and lines. It shows a quantity over time across draws, or an estimate over
// the number of runs.
type FanChart struct {
	Frame
	Bands  []Band
	Curves []Curve
	Marks  []Operating // places on the horizontal axis with their names; Y is not used
}

// A Band is what lies between two curves. NaN in both is a gap.
type Band struct {
	Name   string // in the legend; empty: not in it
	X      []float64
	Lo, Hi []float64
	Of     int // index of the curve whose colour it has, one more; 0: blue
}

// NewFanChart returns a copy of f that shares no memory with it. It fails as
// [NewBifurcationDiagram] does, and on bands that turn over.
func NewFanChart(f FanChart) (*FanChart, error) {
	if err := check(&f); err != nil {
		return nil, err
	}
	f.Bands = slices.Clone(f.Bands)
	for i := range f.Bands {
		b := &f.Bands[i]
		b.X, b.Lo, b.Hi = slices.Clone(b.X), slices.Clone(b.Lo), slices.Clone(b.Hi)
	}
	f.Curves, f.Marks = cloneCurves(f.Curves), slices.Clone(f.Marks)
	return &f, nil
}

// Write draws the figure as "svg" or "png".
func (f *FanChart) Write(w io.Writer, format string) error { return draw2D(w, format, f) }

// WriteCSV writes the points of each band with the lower bound on the second axis and the
// upper one in y_to, then those of the curves and the marks.
func (f *FanChart) WriteCSV(w io.Writer) error { return writeTable(w, f) }

func (f *FanChart) frame() *Frame   { return &f.Frame }
func (f *FanChart) extra() []string { return []string{"y_to"} }

func (f *FanChart) shape() error {
	for i, b := range f.Bands {
		if len(b.X) != len(b.Lo) || len(b.X) != len(b.Hi) || len(b.X) == 0 || b.Of < 0 || b.Of > len(f.Curves) {
			return fmt.Errorf("plots: band %d (%q) of curve %d has %d places and %d and %d bounds", i, b.Name, b.Of, len(b.X), len(b.Lo), len(b.Hi))
		}
		for k := range b.X {
			if gap := math.IsNaN(b.Lo[k]) && math.IsNaN(b.Hi[k]); !gap && !(b.Lo[k] <= b.Hi[k]) || math.IsInf(b.Hi[k], 0) {
				return fmt.Errorf("plots: band %d (%q) is from %v to %v at %v", i, b.Name, b.Lo[k], b.Hi[k], b.X[k])
			}
		}
	}
	return checkCurves("curve", f.Curves)
}

func (f *FanChart) records() []record {
	var rows []record
	for _, b := range f.Bands {
		for k, x := range b.X {
			rows = append(rows, record{kind: "band", name: b.Name, at: []float64{x, b.Lo[k], b.Hi[k]}, gap: true})
		}
	}
	rows = append(rows, curveRecords("curve", f.Curves)...)
	for _, m := range f.Marks {
		rows = append(rows, record{kind: "mark", name: m.Name, at: []float64{m.X, math.NaN()}, gap: true})
	}
	return rows
}

func (f *FanChart) draw(p *plane) {
	x, y := emptySpan, emptySpan
	for _, r := range f.records() {
		x.add(p.x.to(r.at[0]))
		for _, v := range r.at[1:] {
			y.add(p.y.to(v))
		}
	}
	p.fit(x, y, 0, 0.05)
	for i, b := range f.Bands {
		c := tint(blue, i, len(f.Bands))
		if b.Of > 0 {
			c = tint(toNRGBA(lineStyle(b.Of-1).Color), 0, 2)
		}
		for k := 1; k < len(b.X); k++ {
			p.add(fill{p.points(
				[]float64{b.X[k-1], b.X[k], b.X[k], b.X[k-1]},
				[]float64{b.Lo[k-1], b.Lo[k], b.Hi[k], b.Hi[k-1]},
			), c})
		}
		p.entry(b.Name, swatch{c})
	}
	for i, c := range f.Curves {
		style := lineStyle(i)
		style.Width = 1.8
		p.curve(c.Name, c.X, c.Y, style)
	}
	for i, m := range f.Marks {
		at := p.x.to(m.X)
		t := path{pts: []xy{{at, p.plot.Y.Min}, {at, p.plot.Y.Max}}, style: faintMark}
		p.add(t)
		if m.Name != "" {
			up := p.plot.Y.Max - (0.03+0.055*float64(i%4))*(p.plot.Y.Max-p.plot.Y.Min)
			p.labels.list = append(p.labels.list, label{at: xy{at, up}, text: m.Name})
		}
	}
}

// faintMark is the line of a mark among many.
var faintMark = line(color.NRGBA{R: 0x9a, G: 0x9a, B: 0x9a, A: 0xff}, 0.6, dotted)

// tint returns a colour on white, the fainter the earlier it is of n.
func tint(c color.NRGBA, i, n int) color.NRGBA {
	f := 0.22 + 0.28*float64(i)/float64(max(1, n-1))
	mix := func(v uint8) uint8 { return uint8(math.Round(255 - f*(255-float64(v)))) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}

func toNRGBA(c color.Color) color.NRGBA { return color.NRGBAModel.Convert(c).(color.NRGBA) }
