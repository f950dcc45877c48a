package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
)

// A TippingCurve is the figure of the smallest trigger that tips a system, over a
// parameter.
type TippingCurve struct {
	Frame
	X []float64 // ascending

	// Absorbed is the largest trigger known to be absorbed and Tipping the smallest
	// known to tip, per entry of X. Both NaN: no trigger tips there. Absorbed alone NaN:
	// every trigger tips, even the least.
	Absorbed, Tipping []float64

	Swaths    []Swath    // in which the curve lies
	Operating *Operating // line at X; nil: none
}

// NewTippingCurve returns a copy of c that shares no memory with it. It fails as
// [NewBifurcationDiagram] does, where X does not ascend, and where a trigger is
// absorbed that is larger than one that tips.
func NewTippingCurve(c TippingCurve) (*TippingCurve, error) {
	if err := check(&c); err != nil {
		return nil, err
	}
	c.X, c.Absorbed, c.Tipping = slices.Clone(c.X), slices.Clone(c.Absorbed), slices.Clone(c.Tipping)
	c.Swaths = cloneSwaths(c.Swaths)
	c.Operating = cloneOperating(c.Operating)
	return &c, nil
}

// Write draws the figure as "svg" or "png".
func (c *TippingCurve) Write(w io.Writer, format string) error { return draw2D(w, format, c) }

// WriteCSV writes a row per entry of X with the smallest trigger that tips on the
// second axis, empty where none does, and the largest that is absorbed in absorbed,
// empty where all tip.
func (c *TippingCurve) WriteCSV(w io.Writer) error { return writeTable(w, c) }

func (c *TippingCurve) frame() *Frame   { return &c.Frame }
func (c *TippingCurve) extra() []string { return []string{"absorbed"} }

func (c *TippingCurve) shape() error {
	if len(c.X) != len(c.Absorbed) || len(c.X) != len(c.Tipping) || len(c.X) < 2 {
		return fmt.Errorf("plots: a tipping curve with %d parameters and %d and %d triggers: want as many, at least 2", len(c.X), len(c.Absorbed), len(c.Tipping))
	}
	for i, x := range c.X {
		lo, hi := c.Absorbed[i], c.Tipping[i]
		switch {
		case i > 0 && !(x > c.X[i-1]):
			return fmt.Errorf("plots: parameter %d of the tipping curve is %v after %v: want them ascending", i, x, c.X[i-1])
		case math.IsInf(lo, 0) || lo > hi || math.IsNaN(hi) && !math.IsNaN(lo):
			return fmt.Errorf("plots: at %v a trigger of %v is absorbed and one of %v tips", x, lo, hi)
		}
	}
	return checkSwaths(c.Swaths)
}

func (c *TippingCurve) records() []record {
	var rows []record
	for i, x := range c.X {
		rows = append(rows, record{kind: "trigger", at: []float64{x, c.Tipping[i], c.Absorbed[i]}, gap: true})
	}
	for _, r := range swathRecords(c.Swaths) {
		r.at = append(r.at, math.NaN())
		r.gap = true
		rows = append(rows, r)
	}
	return append(rows, c.Operating.records()...)
}

func (c *TippingCurve) draw(p *plane) {
	x, y := emptySpan, emptySpan
	for i := range c.X {
		x.add(p.x.to(c.X[i]))
		y.add(p.y.to(c.Absorbed[i]))
		y.add(p.y.to(c.Tipping[i]))
	}
	for _, s := range c.Swaths {
		for _, v := range s.Y {
			y.add(p.y.to(v))
		}
	}
	if c.Operating != nil {
		x.add(p.x.to(c.Operating.X))
	}
	if p.frame.Y.Scale != Log {
		y.add(0)
	}
	p.fit(x, y, 0, 0.05)
	if p.frame.Y.Scale != Log && p.frame.Y.Lo == 0 && p.frame.Y.Hi == 0 {
		p.plot.Y.Min = 0
	}
	var never, always []float64 // edges of the stretches where no trigger tips, and where all do
	for i := range c.X {
		switch {
		case math.IsNaN(c.Tipping[i]):
			never = append(never, c.cell(i)...)
		case math.IsNaN(c.Absorbed[i]):
			always = append(always, c.cell(i)...)
		}
	}
	c.absorbed(p)
	p.columns("absorbed", never, verdictColors[Absorbed])
	p.columns("all tip", always, verdictColors[CertainToFail])
	p.today(c.Operating)
	known := func(v float64) bool { return !math.IsNaN(v) }
	tips, absorbs := slices.ContainsFunc(c.Tipping, known), slices.ContainsFunc(c.Absorbed, known)
	for i := 1; i < len(c.X); i++ {
		p.add(fill{p.points(
			[]float64{c.X[i-1], c.X[i], c.X[i], c.X[i-1]},
			[]float64{c.Absorbed[i-1], c.Absorbed[i], c.Tipping[i], c.Tipping[i-1]},
		), bandColor})
	}
	if absorbs { // and then something tips
		p.entry("absorbed to tips", swatch{bandColor})
	}
	p.swaths(c.Swaths)
	if tips {
		p.curve("smallest that tips", c.X, c.Tipping, line(vermillion, 2, nil))
	}
	if absorbs {
		p.curve("largest absorbed", c.X, c.Absorbed, line(green, 1.4, dashed))
	}
}

// absorbed fills what lies below the curve. Next to where no trigger tips it is all that is
// drawn up to halfway.
func (c *TippingCurve) absorbed(p *plane) {
	bottom := p.plot.Y.Min
	area := func(x0, x1, y0, y1 float64) {
		pts := p.points([]float64{x0, x1, x1, x0}, []float64{y0, y1, y1, y0})
		pts[2].y, pts[3].y = bottom, bottom
		p.add(fill{pts, verdictColors[Absorbed]})
		p.entry("absorbed", swatch{verdictColors[Absorbed]})
	}
	for i, v := range c.Absorbed {
		if math.IsNaN(v) {
			continue
		}
		if i > 0 && math.IsNaN(c.Absorbed[i-1]) && math.IsNaN(c.Tipping[i-1]) {
			area(c.cell(i)[0], c.X[i], v, v)
		}
		if i == len(c.X)-1 {
			continue
		}
		switch next := c.Absorbed[i+1]; {
		case !math.IsNaN(next):
			area(c.X[i], c.X[i+1], v, next)
		case math.IsNaN(c.Tipping[i+1]):
			area(c.X[i], c.cell(i)[1], v, v)
		}
	}
}

// cell returns the interval for which entry i stands.
func (c *TippingCurve) cell(i int) []float64 {
	lo, hi := c.X[i], c.X[i]
	if i > 0 {
		lo = (c.X[i-1] + lo) / 2
	}
	if i < len(c.X)-1 {
		hi = (hi + c.X[i+1]) / 2
	}
	return []float64{lo, hi}
}

// bandColor is what a bracket leaves open.
var bandColor = color.NRGBA{R: 0xfb, G: 0xe0, B: 0xa6, A: 0xff}
