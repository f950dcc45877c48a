package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
)

// A WayHome is the figure of a throttle schedule over the recovery of the cache: the
// limit, and the line that it must not cross.
type WayHome struct {
	Frame
	X       []float64 // hit rate, in order of time
	Limit   []float64 // in force; NaN where there is no throttle
	Largest []float64 // the largest that is safe; NaN where every one is
}

// NewWayHome returns a copy of h that shares no memory with it. It fails as
// [NewBifurcationDiagram] does.
func NewWayHome(h WayHome) (*WayHome, error) {
	if err := check(&h); err != nil {
		return nil, err
	}
	h.X, h.Limit, h.Largest = slices.Clone(h.X), slices.Clone(h.Limit), slices.Clone(h.Largest)
	return &h, nil
}

// Write draws the figure as "svg" or "png".
func (h *WayHome) Write(w io.Writer, format string) error { return draw2D(w, format, h) }

// WriteCSV writes a row per moment with the limit on the second axis, empty where there
// is no throttle, and the largest that is safe in largest, empty where every one is.
func (h *WayHome) WriteCSV(w io.Writer) error { return writeTable(w, h) }

func (h *WayHome) frame() *Frame   { return &h.Frame }
func (h *WayHome) extra() []string { return []string{"largest"} }

func (h *WayHome) shape() error {
	if len(h.X) != len(h.Limit) || len(h.X) != len(h.Largest) || len(h.X) < 2 {
		return fmt.Errorf("plots: a way home with %d hit rates, %d and %d limits: want as many, at least 2", len(h.X), len(h.Limit), len(h.Largest))
	}
	for i, v := range h.Largest {
		if math.IsInf(v, 0) || v < 0 {
			return fmt.Errorf("plots: largest limit %d of the way home is %v", i, v)
		}
	}
	return nil
}

func (h *WayHome) records() []record {
	var rows []record
	for i, x := range h.X {
		rows = append(rows, record{kind: "moment", at: []float64{x, h.Limit[i], h.Largest[i]}, gap: true})
	}
	return rows
}

func (h *WayHome) draw(p *plane) {
	x, y := emptySpan, emptySpan
	for i := range h.X {
		x.add(p.x.to(h.X[i]))
		for _, v := range []float64{h.Limit[i], h.Largest[i]} {
			if v > 0 {
				y.add(p.y.to(v))
			}
		}
	}
	p.fit(x, y, 0.02, 0.05)
	for i := 1; i < len(h.X); i++ {
		a, b := h.Largest[i-1], h.Largest[i]
		if math.IsNaN(a) || math.IsNaN(b) {
			continue
		}
		area := p.points([]float64{h.X[i-1], h.X[i], h.X[i], h.X[i-1]}, []float64{a, b, b, a})
		area[2].y, area[3].y = p.plot.Y.Max, p.plot.Y.Max
		p.add(fill{area, relapseColor})
	}
	p.entry("relapses", swatch{relapseColor})
	p.curve("largest that is safe", h.X, h.Largest, line(vermillion, 2, dashed))
	x1, y1, off := h.steps()
	p.curve("the plan", x1, y1, line(blue, 2.2, nil))
	for _, i := range off { // from the last limit to beyond the top
		foot := p.points(h.X[i:i+1], h.Limit[i-1:i])[0]
		p.add(arrow{foot, xy{foot.x, p.plot.Y.Max}, line(blue, 2.2, nil)})
		p.labels.list = append(p.labels.list, label{at: xy{foot.x, p.plot.Y.Max}, text: "off"})
	}
}

// steps returns the plan with a corner wherever the limit changes, which it does at an
// instant, and the moments at which it is taken off.
func (h *WayHome) steps() (x, y []float64, off []int) {
	for i, v := range h.Limit {
		switch {
		case i == 0 || math.IsNaN(h.Limit[i-1]):
		case math.IsNaN(v):
			x, y, off = append(x, h.X[i]), append(y, h.Limit[i-1]), append(off, i)
		case v != h.Limit[i-1]:
			x, y = append(x, h.X[i]), append(y, h.Limit[i-1])
		}
		x, y = append(x, h.X[i]), append(y, v)
	}
	return x, y, off
}

// relapseColor fills what must not be entered.
var relapseColor = color.NRGBA{R: 0xf6, G: 0xd8, B: 0xcc, A: 0xff}
