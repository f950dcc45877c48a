package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// A backdrop is what lies behind the data of every panel of a figure: shaded
// intervals, a light grid at the labelled ticks, and marks at moments.
type backdrop struct {
	x      plot.Ticker // the grid's; the axis itself may be hidden
	shaded [][2]float64
	marks  []float64
}

var _ plot.Plotter = backdrop{}

// Plot implements plot.Plotter.
func (b backdrop) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, s := range b.shaded {
		lo, hi := max(s[0], p.X.Min), min(s[1], p.X.Max)
		if lo >= hi {
			continue
		}
		area := draw.Crop(c, toX(lo)-c.Min.X, toX(hi)-c.Max.X, 0, 0)
		area.SetColor(shadeColor)
		area.Fill(area.Rectangle.Path())
	}
	grid := line(gridColor, 0.6, nil)
	for _, t := range b.x.Ticks(p.X.Min, p.X.Max) {
		if !t.IsMinor() {
			c.StrokeLine2(grid, toX(t.Value), c.Min.Y, toX(t.Value), c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			c.StrokeLine2(grid, c.Min.X, toY(t.Value), c.Max.X, toY(t.Value))
		}
	}
	for _, x := range b.marks {
		if p.X.Min <= x && x <= p.X.Max {
			c.StrokeLine2(markStyle, toX(x), c.Min.Y, toX(x), c.Max.Y)
		}
	}
	c.StrokeLine2(p.X.LineStyle, c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
}

// A swatch is the sample of a shaded area in a legend.
type swatch struct{ color color.Color }

var _ plot.Thumbnailer = swatch{}

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.SetColor(s.color)
	c.Fill(c.Rectangle.Path())
}
