package plots

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A HysteresisLoop is the figure of a parameter that goes up slowly and comes down
// again: where the system jumps on the way up, and where it comes back.
type HysteresisLoop struct {
	Frame
	Up, Down  Sweep
	Operating *Operating // line at X; nil: none
}

// A Sweep is the state over the parameter in the order of time.
type Sweep struct {
	X, Y  []float64
	Jumps []int // i: the system jumped between points i and i+1
}

// NewHysteresisLoop returns a copy of h that shares no memory with it. It fails as
// [NewBifurcationDiagram] does, and where a jump is not between points of its sweep.
func NewHysteresisLoop(h HysteresisLoop) (*HysteresisLoop, error) {
	if err := check(&h); err != nil {
		return nil, err
	}
	for _, s := range []*Sweep{&h.Up, &h.Down} {
		s.X, s.Y, s.Jumps = slices.Clone(s.X), slices.Clone(s.Y), slices.Clone(s.Jumps)
	}
	h.Operating = cloneOperating(h.Operating)
	return &h, nil
}

// Write draws the figure as "svg" or "png".
func (h *HysteresisLoop) Write(w io.Writer, format string) error { return draw2D(w, format, h) }

// WriteCSV writes the points of the sweeps "up" and "down" with jump after the axes: 1
// at the last point before one.
func (h *HysteresisLoop) WriteCSV(w io.Writer) error { return writeTable(w, h) }

func (h *HysteresisLoop) frame() *Frame   { return &h.Frame }
func (h *HysteresisLoop) extra() []string { return []string{"jump"} }

func (h *HysteresisLoop) shape() error {
	for _, s := range h.sweeps() {
		if len(s.X) != len(s.Y) || len(s.X) < 2 {
			return fmt.Errorf("plots: the sweep %s has %d and %d coordinates: want as many, at least 2", s.name, len(s.X), len(s.Y))
		}
		for _, j := range s.Jumps {
			if j < 0 || j >= len(s.X)-1 {
				return fmt.Errorf("plots: the sweep %s jumps after point %d of %d", s.name, j, len(s.X))
			}
		}
	}
	return nil
}

type namedSweep struct {
	name string
	*Sweep
}

func (h *HysteresisLoop) sweeps() []namedSweep {
	return []namedSweep{{"up", &h.Up}, {"down", &h.Down}}
}

func (h *HysteresisLoop) records() []record {
	var rows []record
	for _, s := range h.sweeps() {
		for i := range s.X {
			rows = append(rows, record{kind: "sweep", name: s.name, at: []float64{s.X[i], s.Y[i], oneIf(slices.Contains(s.Jumps, i))}})
		}
	}
	return append(rows, h.Operating.records()...)
}

func (h *HysteresisLoop) draw(p *plane) {
	p.today(h.Operating)
	for i, s := range h.sweeps() {
		style := []draw.LineStyle{line(blue, 3, nil), line(vermillion, 1.6, dashed)}[i]
		x, y := slices.Clone(s.X), slices.Clone(s.Y)
		jumps := slices.Sorted(slices.Values(s.Jumps))
		for _, j := range slices.Backward(jumps) {
			x, y = slices.Insert(x, j+1, x[j]), slices.Insert(y, j+1, math.NaN())
		}
		p.curve([]string{"on the way up", "on the way down"}[i], x, y, style)
		for _, j := range jumps {
			ends := p.points(s.X[j:j+2], s.Y[j:j+2])
			p.add(arrow{ends[0], ends[1], line(style.Color, 1.6, nil)})
			p.labels.avoid = append(p.labels.avoid, ends...)
		}
	}
}

// An arrow leads from one point to another.
type arrow struct {
	from, to xy
	style    draw.LineStyle
}

var _ plot.Plotter = arrow{}

// Plot implements plot.Plotter.
func (a arrow) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	drawArrow(c, vg.Point{X: toX(a.from.x), Y: toY(a.from.y)}, vg.Point{X: toX(a.to.x), Y: toY(a.to.y)}, 7, a.style)
}

// drawArrow draws an arrow with a filled head of the given length.
func drawArrow(c draw.Canvas, from, to vg.Point, head vg.Length, style draw.LineStyle) {
	dx, dy := float64(to.X-from.X), float64(to.Y-from.Y)
	long := math.Hypot(dx, dy)
	if long == 0 {
		return
	}
	ux, uy := vg.Length(dx/long), vg.Length(dy/long)
	neck := vg.Point{X: to.X - head*ux, Y: to.Y - head*uy}
	c.StrokeLine2(style, from.X, from.Y, neck.X, neck.Y)
	half := 0.4 * head
	c.FillPolygon(style.Color, []vg.Point{to, {X: neck.X - half*uy, Y: neck.Y + half*ux}, {X: neck.X + half*uy, Y: neck.Y - half*ux}})
}
