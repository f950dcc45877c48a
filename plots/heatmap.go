package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// A HeatMap is the figure of a probability on a grid of two parameters, with the contours
// of its estimate, and those of its interval where the estimate crosses one half.
type HeatMap struct {
	Frame
	X, Y []float64 // values of the grid, ascending, at least 2 each

	// P[i·len(Y)+j] is the probability at (X[i], Y[j]), and Lo and Hi are the bounds of
	// its interval. NaN in all three: not looked at.
	P, Lo, Hi []float64

	What string // of what it is the probability: collapse

	Operating *Operating // point; nil: none
}

// levels of the contours of the estimate.
var levels = []struct {
	p      float64
	dashes []vg.Length
	width  vg.Length
}{{0.05, dashed, 1.1}, {0.5, nil, 2.2}, {0.95, dashDot, 1.1}}

// NewHeatMap returns a copy of h that shares no memory with it. It fails as
// [NewBifurcationDiagram] does, on a grid that is none, and on what is no probability
// within its bounds.
func NewHeatMap(h HeatMap) (*HeatMap, error) {
	if err := check(&h); err != nil {
		return nil, err
	}
	for _, s := range []*[]float64{&h.X, &h.Y, &h.P, &h.Lo, &h.Hi} {
		*s = slices.Clone(*s)
	}
	h.Operating = cloneOperating(h.Operating)
	return &h, nil
}

// Write draws the figure as "svg" or "png".
func (h *HeatMap) Write(w io.Writer, format string) error { return draw2D(w, format, h) }

// WriteCSV writes a row per point of the grid with p, lo and hi after the axes, empty
// where no one looked; then the contours that are drawn, named by what crosses which
// level, and the operating point.
func (h *HeatMap) WriteCSV(w io.Writer) error { return writeTable(w, h) }

func (h *HeatMap) frame() *Frame   { return &h.Frame }
func (h *HeatMap) extra() []string { return []string{"p", "lo", "hi"} }

func (h *HeatMap) shape() error {
	nx, ny := len(h.X), len(h.Y)
	if nx < 2 || ny < 2 || len(h.P) != nx*ny || len(h.Lo) != nx*ny || len(h.Hi) != nx*ny {
		return fmt.Errorf("plots: a heat map of %d by %d points with %d probabilities and %d and %d bounds", nx, ny, len(h.P), len(h.Lo), len(h.Hi))
	}
	for _, s := range [][]float64{h.X, h.Y} {
		for i := 1; i < len(s); i++ {
			if !(s[i] > s[i-1]) {
				return fmt.Errorf("plots: value %d of the grid is %v after %v: want them ascending", i, s[i], s[i-1])
			}
		}
	}
	for i, p := range h.P {
		none := math.IsNaN(p) && math.IsNaN(h.Lo[i]) && math.IsNaN(h.Hi[i])
		if !none && !(0 <= h.Lo[i] && h.Lo[i] <= p && p <= h.Hi[i] && h.Hi[i] <= 1) {
			return fmt.Errorf("plots: at %v, %v a probability of %v between %v and %v", h.X[i/ny], h.Y[i%ny], p, h.Lo[i], h.Hi[i])
		}
	}
	if h.Operating != nil && math.IsNaN(h.Operating.Y) {
		return fmt.Errorf("plots: an operating point of a heat map needs both coordinates")
	}
	return nil
}

func (h *HeatMap) records() []record {
	var rows []record
	for i, p := range h.P {
		rows = append(rows, record{kind: "point", at: []float64{h.X[i/len(h.Y)], h.Y[i%len(h.Y)], p, h.Lo[i], h.Hi[i]}})
	}
	for _, c := range h.contours() {
		rows = append(rows, curveRecords("contour", []Curve{c})...)
	}
	return append(rows, h.Operating.records()...)
}

// contours returns those of the estimate, then those of the bounds.
func (h *HeatMap) contours() []Curve {
	var out []Curve
	for _, l := range levels {
		out = append(out, h.contour("P = "+spellPercent(l.p), h.P, l.p))
	}
	out = append(out, h.contour("bound = 50 %", h.Lo, 0.5), h.contour("bound = 50 %", h.Hi, 0.5))
	return slices.DeleteFunc(out, func(c Curve) bool { return len(c.X) == 0 })
}

func spellPercent(p float64) string { return strconv.FormatFloat(100*p, 'g', 3, 64) + " %" }

func (h *HeatMap) contour(name string, z []float64, level float64) Curve {
	x, y := h.Frame.X.Scale.scale(), h.Frame.Y.Scale.scale()
	c := Curve{Name: name}
	for _, line := range isolines(h.X, h.Y, z, level) {
		for _, q := range line {
			c.X, c.Y = append(c.X, between(x, h.X, q.x)), append(c.Y, between(y, h.Y, q.y))
		}
		c.X, c.Y = append(c.X, c.X[len(c.X)-1]), append(c.Y, math.NaN())
	}
	if n := len(c.X); n > 0 {
		c.X, c.Y = c.X[:n-1], c.Y[:n-1]
	}
	return c
}

// between returns the value at a place in the grid, in units of its points, by a straight
// line on paper.
func between(s scale, grid []float64, at float64) float64 {
	i := min(int(at), len(grid)-2)
	f := at - float64(i)
	switch f {
	case 0:
		return grid[i]
	case 1:
		return grid[i+1]
	}
	lo, hi := grid[i], grid[i+1]
	want := s.to(lo) + f*(s.to(hi)-s.to(lo))
	if math.IsInf(want, 0) {
		return lo + f*(hi-lo)
	}
	for range 60 { // every scale is increasing
		if mid := lo + (hi-lo)/2; s.to(mid) < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + (hi-lo)/2
}

// heat returns the colour of a probability: pale to dark, in one hue, so that print
// without colour shows it too.
func heat(p float64) color.NRGBA {
	stops := []color.NRGBA{{0xf4, 0xf7, 0xf5, 0xff}, {0xfb, 0xd9, 0x9a, 0xff}, {0xe8, 0x8a, 0x4a, 0xff}, {0x9c, 0x2f, 0x0c, 0xff}}
	at := p * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	f := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + f*(float64(b)-float64(a)))) }
	a, b := stops[i], stops[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// unseenColor is that of what no one looked at.
var unseenColor = color.NRGBA{R: 0xd0, G: 0xd4, B: 0xd9, A: 0xff}

func (h *HeatMap) draw(p *plane) {
	ex, ey := edges(p.x, h.X), edges(p.y, h.Y)
	p.fit(span{ex[0], ex[len(ex)-1]}, span{ey[0], ey[len(ey)-1]}, 0, 0)
	unseen := false
	for i, v := range h.P {
		k, j := i/len(h.Y), i%len(h.Y)
		c := unseenColor
		if math.IsNaN(v) {
			unseen = true
		} else {
			c = heat(v)
		}
		p.add(fill{[]xy{{ex[k], ey[j]}, {ex[k+1], ey[j]}, {ex[k+1], ey[j+1]}, {ex[k], ey[j+1]}}, c})
	}
	what := "P"
	if h.What != "" {
		what = "P(" + h.What + ")"
	}
	for _, v := range []float64{1, 0.75, 0.5, 0.25, 0} {
		p.entry(what+" "+spellPercent(v), swatch{heat(v)})
	}
	if unseen {
		p.entry("not looked at", swatch{unseenColor})
	}
	for _, c := range h.contours() {
		style, name := line(blue, 1.2, dotted), "50 % within its interval"
		for _, l := range levels {
			if c.Name == "P = "+spellPercent(l.p) {
				style, name = line(inkColor, l.width, l.dashes), c.Name
			}
		}
		p.curve(name, c.X, c.Y, style)
	}
	p.today(h.Operating)
}

// edges returns the borders of the cells around the values of a grid, on paper.
func edges(s scale, grid []float64) []float64 {
	n := len(grid)
	at := make([]float64, n)
	for i, v := range grid {
		at[i] = s.to(v)
	}
	if math.IsInf(at[0], -1) { // 0 on a logarithmic axis: one step below
		at[0] = 2*at[1] - at[min(2, n-1)]
	}
	out := make([]float64, n+1)
	for i := 1; i < n; i++ {
		out[i] = (at[i-1] + at[i]) / 2
	}
	out[0], out[n] = 2*at[0]-out[1], 2*at[n-1]-out[n-1]
	return out
}
