package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
)

// A PhaseDiagram is the figure of what a system does over two parameters: regions in
// one colour per verdict, the boundaries between them as curves, and the points where
// boundaries meet or end.
type PhaseDiagram struct {
	Frame
	Cells      []Cell   // rectangles, of a grid that may be refined unevenly
	Regions    []Region // polygons, over the cells
	Boundaries []Curve
	Swaths     []Swath        // in which boundaries lie
	Points     []SpecialPoint // of codimension two
	Operating  *Operating     // point; nil: none
}

// A Cell is a rectangle with one verdict.
type Cell struct {
	Verdict string
	X, Y    [2]float64 // from, to
}

// A Region is a polygon with one verdict; its last corner joins the first.
type Region struct {
	Verdict string
	X, Y    []float64
}

// Verdicts with a colour of their own, the same in every figure. Others take what
// colours are left in the order of their appearance.
const (
	AlwaysSafe    = "always safe"
	Absorbed      = "absorbed"
	Metastable    = "metastable"
	Tips          = "tips"
	CertainToFail = "certain to fail"
	Restless      = "restless"

	SelfRecovered = "self-recovered" // outcomes of runs, beside Absorbed
	Recovered     = "recovered"
	Relapsed      = "relapsed"
	Collapsed     = "collapsed"
)

// NewPhaseDiagram returns a copy of d that shares no memory with it. It fails as
// [NewBifurcationDiagram] does, and on cells and regions without a verdict or an area.
func NewPhaseDiagram(d PhaseDiagram) (*PhaseDiagram, error) {
	if err := check(&d); err != nil {
		return nil, err
	}
	d.Cells = slices.Clone(d.Cells)
	d.Regions = slices.Clone(d.Regions)
	for i := range d.Regions {
		r := &d.Regions[i]
		r.X, r.Y = slices.Clone(r.X), slices.Clone(r.Y)
	}
	d.Boundaries = cloneCurves(d.Boundaries)
	d.Swaths = cloneSwaths(d.Swaths)
	d.Points = slices.Clone(d.Points)
	d.Operating = cloneOperating(d.Operating)
	return &d, nil
}

// Write draws the figure as "svg" or "png".
func (d *PhaseDiagram) Write(w io.Writer, format string) error { return draw2D(w, format, d) }

// WriteCSV writes each cell as a row with its lower corner on the axes and its upper
// one in x_to and y_to, the corners of each region (named by verdict and number), the
// boundaries, the swaths (named by name and number), the special points, and the operating point. The name of a cell is its
// verdict.
func (d *PhaseDiagram) WriteCSV(w io.Writer) error { return writeTable(w, d) }

func (d *PhaseDiagram) frame() *Frame   { return &d.Frame }
func (d *PhaseDiagram) extra() []string { return []string{"x_to", "y_to"} }

func (d *PhaseDiagram) shape() error {
	for i, c := range d.Cells {
		if c.Verdict == "" || !(c.X[0] < c.X[1]) || !(c.Y[0] < c.Y[1]) || math.IsInf(c.X[1], 0) || math.IsInf(c.Y[1], 0) {
			return fmt.Errorf("plots: cell %d (%q) spans %v and %v: want a verdict and finite sides", i, c.Verdict, c.X, c.Y)
		}
	}
	for i, r := range d.Regions {
		if r.Verdict == "" || len(r.X) != len(r.Y) || len(r.X) < 3 {
			return fmt.Errorf("plots: region %d (%q) has %d and %d coordinates: want a verdict and 3 corners", i, r.Verdict, len(r.X), len(r.Y))
		}
	}
	if d.Operating != nil && math.IsNaN(d.Operating.Y) {
		return fmt.Errorf("plots: an operating point of a phase diagram needs both coordinates")
	}
	if err := checkCurves("boundary", d.Boundaries); err != nil {
		return err
	}
	if err := checkSwaths(d.Swaths); err != nil {
		return err
	}
	return checkPoints(d.Points)
}

func (d *PhaseDiagram) records() []record {
	var rows []record
	for _, c := range d.Cells {
		rows = append(rows, record{kind: "cell", name: c.Verdict, at: []float64{c.X[0], c.Y[0], c.X[1], c.Y[1]}})
	}
	for i, r := range d.Regions {
		for k := range r.X {
			rows = append(rows, record{kind: "region", name: fmt.Sprintf("%s %d", r.Verdict, i+1), at: []float64{r.X[k], r.Y[k]}})
		}
	}
	rows = append(rows, curveRecords("boundary", d.Boundaries)...)
	rows = append(rows, swathRecords(d.Swaths)...)
	rows = append(rows, pointRecords(d.Points)...)
	return append(rows, d.Operating.records()...)
}

// verdictColors are pale, so that lines and points show on them.
var verdictColors = map[string]color.NRGBA{
	AlwaysSafe:    {R: 0xb9, G: 0xe2, B: 0xd2, A: 0xff},
	Absorbed:      {R: 0xb9, G: 0xe2, B: 0xd2, A: 0xff},
	Metastable:    {R: 0xfb, G: 0xe0, B: 0xa6, A: 0xff},
	Tips:          {R: 0xfb, G: 0xe0, B: 0xa6, A: 0xff},
	CertainToFail: {R: 0xe8, G: 0xa6, B: 0x86, A: 0xff},
	Restless:      {R: 0xdd, G: 0xc3, B: 0xdf, A: 0xff},
	SelfRecovered: {R: 0xc4, G: 0xdf, B: 0xf2, A: 0xff},
	Recovered:     {R: 0xfb, G: 0xe0, B: 0xa6, A: 0xff},
	Relapsed:      {R: 0xdd, G: 0xc3, B: 0xdf, A: 0xff},
	Collapsed:     {R: 0xe8, G: 0xa6, B: 0x86, A: 0xff},
}

// otherColors are those of other verdicts.
var otherColors = []color.NRGBA{
	{R: 0xc4, G: 0xdf, B: 0xf2, A: 0xff},
	{R: 0xd9, G: 0xd9, B: 0xd9, A: 0xff},
	{R: 0xf4, G: 0xf0, B: 0xb4, A: 0xff},
	{R: 0x9f, G: 0xbf, B: 0xd6, A: 0xff},
}

func (d *PhaseDiagram) draw(p *plane) {
	x, y := emptySpan, emptySpan
	for _, r := range d.records() {
		for k := 0; k < len(r.at); k += 2 {
			x.add(p.x.to(r.at[k]))
			y.add(p.y.to(r.at[k+1]))
		}
	}
	p.fit(x, y, 0, 0)
	colors, others := map[string]color.NRGBA{}, 0
	area := func(verdict string, xs, ys []float64) {
		c, ok := colors[verdict]
		if !ok {
			if c, ok = verdictColors[verdict]; !ok {
				c = otherColors[others%len(otherColors)]
				others++
			}
			colors[verdict] = c
			p.entry(verdict, swatch{c})
		}
		p.add(fill{p.points(xs, ys), c})
	}
	for _, c := range d.Cells {
		area(c.Verdict, []float64{c.X[0], c.X[1], c.X[1], c.X[0]}, []float64{c.Y[0], c.Y[0], c.Y[1], c.Y[1]})
	}
	for _, r := range d.Regions {
		area(r.Verdict, r.X, r.Y)
	}
	p.swaths(d.Swaths)
	for i, b := range d.Boundaries {
		style := lineStyle(i)
		style.Width = 1.8
		p.curve(b.Name, b.X, b.Y, style)
	}
	p.special(d.Points)
	p.today(d.Operating)
}
