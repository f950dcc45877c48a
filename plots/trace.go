package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A trace draws a long series: it is thinned to what the canvas can show, and values
// beyond the axis are drawn on its edge.
type trace struct {
	x, y  []float64 // axis coordinates, x non-decreasing; NaN in y is a gap
	style draw.LineStyle
	step  bool // y holds until the next x
}

var (
	_ plot.Plotter     = trace{}
	_ plot.Thumbnailer = trace{}
)

// Plot implements plot.Plotter.
func (t trace) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	var run []vg.Point
	flush := func() {
		if len(run) > 1 {
			c.StrokeLines(t.style, straighten(thin(run, columnWidth), lineTolerance))
		}
		run = run[:0]
	}
	for i, y := range t.y {
		x := toX(t.x[i])
		if t.step && len(run) > 0 {
			run = append(run, vg.Point{X: x, Y: run[len(run)-1].Y})
		}
		if math.IsNaN(y) {
			flush()
			continue
		}
		run = append(run, vg.Point{X: x, Y: toY(min(max(y, p.Y.Min), p.Y.Max))})
	}
	flush()
}

// Thumbnail implements plot.Thumbnailer: a sample of the line.
func (t trace) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(t.style, c.Min.X, y, c.Max.X, y)
}

// A line 1.5 points wide hides both.
const (
	columnWidth   = vg.Length(1)    // of thin
	lineTolerance = vg.Length(0.05) // of straighten
)

// thin keeps, of the points in each column of the given width, the lowest and the
// highest in their order, and the first and the last point of all: the picture keeps
// every extreme at two points a column.
func thin(pts []vg.Point, width vg.Length) []vg.Point {
	if len(pts) < 3 {
		return slices.Clone(pts)
	}
	kept := []vg.Point{pts[0]}
	for i := 1; i < len(pts)-1; {
		column := math.Floor(float64(pts[i].X / width))
		lo, hi := i, i
		for ; i < len(pts)-1 && math.Floor(float64(pts[i].X/width)) == column; i++ {
			if pts[i].Y < pts[lo].Y {
				lo = i
			}
			if pts[i].Y > pts[hi].Y {
				hi = i
			}
		}
		kept = append(kept, pts[min(lo, hi)])
		if lo != hi {
			kept = append(kept, pts[max(lo, hi)])
		}
	}
	return append(kept, pts[len(pts)-1])
}

// straighten drops points that lie within tol of the line that replaces them: from
// the last kept point it goes on for as long as one line passes all points since
// (a cone of admissible slopes). x must be non-decreasing.
func straighten(pts []vg.Point, tol vg.Length) []vg.Point {
	if len(pts) < 3 {
		return pts
	}
	kept := []vg.Point{pts[0]}
	lo, hi := math.Inf(-1), math.Inf(1)
	for i := 1; i < len(pts); i++ {
		a, b := kept[len(kept)-1], pts[i]
		if a == b {
			continue
		}
		dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
		if slope := dy / dx; dx > 0 && lo <= slope && slope <= hi {
			lo = max(lo, (dy-float64(tol))/dx)
			hi = min(hi, (dy+float64(tol))/dx)
			continue
		}
		if i > 1 && pts[i-1] != a {
			kept = append(kept, pts[i-1])
			i--
		} else {
			kept = append(kept, b)
		}
		lo, hi = math.Inf(-1), math.Inf(1)
	}
	if last := pts[len(pts)-1]; kept[len(kept)-1] != last {
		kept = append(kept, last)
	}
	return kept
}
