package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A PointKind is what makes a point special. Each kind has a glyph of its own.
type PointKind string

// Kinds of points: of a branch of equilibria, and, from Cusp on, of curves of those in
// two parameters.
const (
	Fold           PointKind = "fold"
	Hopf           PointKind = "Hopf point"
	BranchPoint    PointKind = "branch point"
	NeutralSaddle  PointKind = "neutral saddle"
	Cusp           PointKind = "cusp"
	BogdanovTakens PointKind = "Bogdanov–Takens point"
	ZeroHopf       PointKind = "zero-Hopf point"
)

// kinds in the order of legends.
var kinds = []PointKind{Fold, Hopf, BranchPoint, NeutralSaddle, Cusp, BogdanovTakens, ZeroHopf}

// A SpecialPoint is a marked point of a figure.
type SpecialPoint struct {
	Kind PointKind
	Name string // beside the glyph; empty: none
	X, Y float64
}

func checkPoints(points []SpecialPoint) error {
	for i, p := range points {
		if _, ok := glyphs[p.Kind]; !ok {
			return fmt.Errorf("plots: point %d is of the unknown kind %q", i, p.Kind)
		}
	}
	return nil
}

// pointRecords returns the rows of points.
func pointRecords(points []SpecialPoint) []record {
	var rows []record
	for _, p := range points {
		rows = append(rows, record{kind: string(p.Kind), name: p.Name, at: []float64{p.X, p.Y}})
	}
	return rows
}

// A marker is a shape drawn at points.
type marker struct {
	shape      shape
	fill, edge color.Color // without an edge it has no halo either
	size       vg.Length   // radius in points
}

// A shape is the outline of a marker around 0, on a circle of radius 1; empty: that
// circle.
type shape []xy

// regular returns the polygon of n corners, the first at the angle given.
func regular(n int, first float64, radii ...float64) shape {
	s := make(shape, n)
	for i := range s {
		r, a := radii[i%len(radii)], first+2*math.Pi*float64(i)/float64(n)
		s[i] = xy{r * math.Cos(a), r * math.Sin(a)}
	}
	return s
}

var (
	disc     = shape{}
	diamond  = regular(4, 0, 1)
	square   = regular(4, math.Pi/4, 1)
	up       = regular(3, math.Pi/2, 1.1)
	down     = regular(3, -math.Pi/2, 1.1)
	hexagon  = regular(6, 0, 1)
	star     = regular(10, math.Pi/2, 1.2, 0.5)
	fourStar = regular(8, 0, 1.3, 0.5)
)

// glyphs of the special points.
var glyphs = map[PointKind]marker{
	Fold:           {shape: diamond, fill: black, edge: color.White, size: 5.5},
	Hopf:           {shape: disc, fill: color.White, edge: purple, size: 4.5},
	BranchPoint:    {shape: up, fill: orange, edge: black, size: 5},
	NeutralSaddle:  {shape: square, fill: color.White, edge: quietColor, size: 4.5},
	Cusp:           {shape: down, fill: black, edge: color.White, size: 6},
	BogdanovTakens: {shape: hexagon, fill: purple, edge: black, size: 5},
	ZeroHopf:       {shape: fourStar, fill: color.White, edge: black, size: 5.5},
}

// draw draws the marker at a point of the canvas.
func (m marker) draw(c draw.Canvas, at vg.Point) {
	var p vg.Path
	if len(m.shape) == 0 {
		p.Move(vg.Point{X: at.X + m.size, Y: at.Y})
		p.Arc(at, m.size, 0, 2*math.Pi)
	}
	for i, q := range m.shape {
		corner := vg.Point{X: at.X + vg.Length(q.x)*m.size, Y: at.Y + vg.Length(q.y)*m.size}
		if i == 0 {
			p.Move(corner)
			continue
		}
		p.Line(corner)
	}
	p.Close()
	if m.edge == nil { // one of many
		c.SetColor(m.fill)
		c.Fill(p)
		return
	}
	c.SetLineStyle(line(color.White, 3.2, nil)) // a halo, on whatever lies below
	c.Stroke(p)
	c.SetColor(m.fill)
	c.Fill(p)
	c.SetLineStyle(line(m.edge, 1.3, nil))
	c.Stroke(p)
}

// Thumbnail implements plot.Thumbnailer.
func (m marker) Thumbnail(c *draw.Canvas) { m.draw(*c, c.Center()) }

// markers draws a marker at points.
type markers struct {
	at     []xy
	marker marker
}

var (
	_ plot.Plotter     = markers{}
	_ plot.Thumbnailer = marker{}
)

// Plot implements plot.Plotter. What lies outside of the axes is not drawn.
func (m markers) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, q := range m.at {
		at := vg.Point{X: toX(q.x), Y: toY(q.y)}
		if c.Contains(at) {
			m.marker.draw(c, at)
		}
	}
}
