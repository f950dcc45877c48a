package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A label is a text beside a point.
type label struct {
	at   xy
	text string
}

// A labelLayer writes texts where they hide least of the data.
type labelLayer struct {
	list  []label
	avoid []xy // data: points of curves, with their gaps
}

var _ plot.Plotter = (*labelLayer)(nil)

// labelGap is the distance of a text from its point.
const labelGap = vg.Length(8)

// Plot implements plot.Plotter.
func (l *labelLayer) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	ink := l.ink(toX, toY)
	style := textStyle(smallSize, inkColor)
	var taken []vg.Rectangle
	for _, t := range l.list {
		at := vg.Point{X: toX(t.at.x), Y: toY(t.at.y)}
		if !c.Contains(at) {
			continue
		}
		box := best(c, at, style, t.text, ink, taken)
		taken = append(taken, box)
		c.SetColor(color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xc8})
		c.Fill(box.Path())
		c.FillText(style, vg.Point{X: box.Min.X + 1, Y: box.Min.Y + 2.5}, t.text)
	}
}

// ink returns points of the data, close to each other.
func (l *labelLayer) ink(toX, toY func(float64) vg.Length) []vg.Point {
	const apart = 2.0 // points
	var ink []vg.Point
	for i, q := range l.avoid {
		if q.gap() {
			continue
		}
		b := vg.Point{X: toX(q.x), Y: toY(q.y)}
		if i > 0 && !l.avoid[i-1].gap() && len(ink) > 0 {
			a := ink[len(ink)-1]
			n := min(math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y))/apart, 1000)
			for k := 1.0; k < n; k++ {
				f := vg.Length(k / n)
				ink = append(ink, vg.Point{X: a.X + f*(b.X-a.X), Y: a.Y + f*(b.Y-a.Y)})
			}
		}
		ink = append(ink, b)
	}
	return ink
}

// best returns the place around a point where a text hides least.
func best(c draw.Canvas, at vg.Point, style text.Style, words string, ink []vg.Point, taken []vg.Rectangle) vg.Rectangle {
	wide, high := style.Width(words)+2, style.Font.Size+2
	var choice vg.Rectangle
	least := math.Inf(1)
	for _, way := range ways {
		centre := vg.Point{
			X: at.X + vg.Length(way.x)*(labelGap+wide/2),
			Y: at.Y + vg.Length(way.y)*(labelGap+high/2),
		}
		box := vg.Rectangle{
			Min: vg.Point{X: centre.X - wide/2, Y: centre.Y - high/2},
			Max: vg.Point{X: centre.X + wide/2, Y: centre.Y + high/2},
		}
		if cost := hidden(c, box, ink, taken); cost < least {
			least, choice = cost, box
		}
	}
	return choice
}

// ways are the directions from a point to the middle of its text, best first.
var ways = []xy{{1, 0.3}, {-1, 0.3}, {1, -0.3}, {-1, -0.3}, {0.7, 1}, {-0.7, 1}, {0.7, -1}, {-0.7, -1}, {0, 1}, {0, -1}, {1, 2}, {-1, 2}, {1, -2}, {-1, -2}}

// hidden is what a text in the box would hide: data, or, worse, other texts; worst is
// to be cut off.
func hidden(c draw.Canvas, box vg.Rectangle, ink []vg.Point, taken []vg.Rectangle) float64 {
	cost := 0.0
	for _, q := range ink {
		if box.Min.X <= q.X && q.X <= box.Max.X && box.Min.Y <= q.Y && q.Y <= box.Max.Y {
			cost++
		}
	}
	for _, o := range taken {
		if box.Min.X < o.Max.X && o.Min.X < box.Max.X && box.Min.Y < o.Max.Y && o.Min.Y < box.Max.Y {
			cost += 1000
		}
	}
	if box.Min.X < c.Min.X || box.Max.X > c.Max.X || box.Min.Y < c.Min.Y || box.Max.Y > c.Max.Y {
		cost += 1e6
	}
	return cost
}
