package plots

import (
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A plane collects what a figure draws, in coordinates of its axes.
type plane struct {
	*panel
	x, y   scale
	frame  *Frame
	labels *labelLayer // drawn last
}

// draw2D draws a figure as svg or png.
func draw2D(w io.Writer, format string, f planar) error {
	if err := check(f); err != nil {
		return err
	}
	fr := f.frame()
	p := newPlane(fr, f.records())
	f.draw(p)
	p.add(p.labels)
	width, height := fr.Width, fr.Height
	if width == 0 {
		width = 8
	}
	if height == 0 {
		height = 5.5
	}
	return encode(w, format, width, height, func(c draw.Canvas) {
		c = drawTitle(draw.Crop(c, margin, -margin, margin, -margin), fr.Title, fr.Subtitle)
		c.Max.Y -= 6
		stackPanels(c, []*panel{p.panel})
	})
}

// newPlane returns an empty plane that holds the records.
func newPlane(fr *Frame, rows []record) *plane {
	p := &plane{x: fr.X.Scale.scale(), y: fr.Y.Scale.scale(), frame: fr, labels: &labelLayer{}}
	spans := [2]span{emptySpan, emptySpan}
	for _, r := range rows {
		spans[0].add(p.x.to(r.at[0]))
		spans[1].add(p.y.to(r.at[1]))
	}
	p.panel = newPanel(fr.Y.Label, p.x, 0, 1, p.y)
	p.plot.X.Label.Text = fr.X.Label
	p.fit(spans[0], spans[1], 0.02, 0.05)
	p.add(backdrop{x: p.x})
	return p
}

// fit sets the ranges of the axes: those that the frame asks for, or the spans with a
// margin around them.
func (p *plane) fit(x, y span, padX, padY float64) {
	for _, a := range []struct {
		axis *plot.Axis
		want *Axis
		s    span
		pad  float64
	}{{&p.plot.X, &p.frame.X, x, padX}, {&p.plot.Y, &p.frame.Y, y, padY}} {
		a.axis.Min, a.axis.Max = a.s.padded(a.pad, a.want.Scale)
		if to := a.want.Scale.scale().to; a.want.Lo != 0 || a.want.Hi != 0 {
			a.axis.Min, a.axis.Max = to(a.want.Lo), to(a.want.Hi)
		}
	}
}

// A span is the range of the finite values added.
type span struct{ lo, hi float64 }

var emptySpan = span{math.Inf(1), math.Inf(-1)}

func (s *span) add(v float64) {
	if finite(v) {
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	}
}

// padded returns the span with a margin, and something to draw on where it is empty or so narrow
// that no two labels would differ.
// An automatic logarithmic axis is at most six decades long.
func (s span) padded(pad float64, on Scale) (lo, hi float64) {
	const narrow = 1e-4 // of the value
	lo, hi = s.lo, s.hi
	size := math.Abs(lo)
	if on == Log {
		size = 1
	}
	switch {
	case lo > hi:
		return 0, 1
	case lo == hi, hi-lo < narrow*size:
		d := max(math.Abs(lo)/10, 0.1)
		return lo - d, hi + d
	case on == Log:
		lo = max(lo, hi-6)
	}
	d := pad * (hi - lo)
	return lo - d, hi + d
}

// curve adds a line, and to the legend if it has a name.
func (p *plane) curve(name string, xs, ys []float64, style draw.LineStyle) {
	t := path{pts: p.points(xs, ys), style: style}
	p.add(t)
	p.labels.avoid = append(p.labels.avoid, t.pts...)
	p.entry(name, t)
}

// columns fills intervals of the horizontal axis from the bottom to the top.
func (p *plane) columns(name string, edges []float64, c color.Color) {
	for i := 0; i+1 < len(edges); i += 2 {
		lo, hi := p.x.to(edges[i]), p.x.to(edges[i+1])
		p.add(fill{[]xy{{lo, p.plot.Y.Min}, {hi, p.plot.Y.Min}, {hi, p.plot.Y.Max}, {lo, p.plot.Y.Max}}, c})
		p.entry(name, swatch{c})
	}
}

// entry adds a line to the legend, once.
func (p *plane) entry(name string, sample plot.Thumbnailer) {
	if name == "" {
		return
	}
	for _, e := range p.legend {
		if e.name == name {
			return
		}
	}
	p.legend = append(p.legend, legendEntry{name, sample})
}

// points returns the coordinates of points; what lies at infinity is on the edge.
func (p *plane) points(xs, ys []float64) []xy {
	pts := make([]xy, len(xs))
	for i := range pts {
		pts[i] = xy{within(p.x.to(xs[i]), p.plot.X), within(p.y.to(ys[i]), p.plot.Y)}
	}
	return pts
}

// within puts infinities on the edge of the axis.
func within(v float64, a plot.Axis) float64 {
	if math.IsInf(v, 0) {
		return min(max(v, a.Min), a.Max)
	}
	return v
}

// glyph adds a marker with a text beside it.
func (p *plane) glyph(x, y float64, m marker, text string) {
	at := p.points([]float64{x}, []float64{y})[0]
	p.add(markers{at: []xy{at}, marker: m})
	p.labels.avoid = append(p.labels.avoid, at)
	if text != "" {
		p.labels.list = append(p.labels.list, label{at: at, text: text})
	}
}

// special adds the special points, those of one kind under one entry of the legend.
func (p *plane) special(points []SpecialPoint) {
	for _, k := range kinds {
		for _, s := range points {
			if s.Kind == k {
				p.glyph(s.X, s.Y, glyphs[k], s.Name)
				p.entry(string(k), glyphs[k])
			}
		}
	}
}

// today adds the operating value: a line, and a marker where it has a second
// coordinate.
func (p *plane) today(o *Operating) {
	if o == nil {
		return
	}
	if math.IsNaN(o.Y) {
		x := p.x.to(o.X)
		t := path{pts: []xy{{x, p.plot.Y.Min}, {x, p.plot.Y.Max}}, style: todayLine}
		p.add(t)
		p.entry(o.name(), t)
		return
	}
	p.glyph(o.X, o.Y, todayMarker, "")
	p.entry(o.name(), todayMarker)
}

var (
	todayLine   = line(vermillion, 1.2, dotted)
	todayMarker = marker{shape: star, fill: vermillion, edge: color.White, size: 7}
)

// An xy is a point in coordinates of the axes; NaN is a gap.
type xy struct{ x, y float64 }

func (q xy) gap() bool { return math.IsNaN(q.x) || math.IsNaN(q.y) }

// A path draws a curve, cut off at the edges of the canvas.
type path struct {
	pts   []xy
	style draw.LineStyle
}

var (
	_ plot.Plotter     = path{}
	_ plot.Thumbnailer = path{}
)

// Plot implements plot.Plotter.
func (t path) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	var run []vg.Point
	flush := func() {
		for _, l := range c.ClipLinesXY(run) {
			c.StrokeLines(t.style, l)
		}
		run = nil
	}
	for i, q := range t.pts {
		if q.gap() {
			flush()
			continue
		}
		at := vg.Point{X: toX(q.x), Y: toY(q.y)}
		last := i == len(t.pts)-1 || t.pts[i+1].gap()
		if n := len(run); n > 0 && !last && near(run[n-1], at) {
			continue
		}
		run = append(run, at)
	}
	flush()
}

// near reports whether a line between two points is too short to see.
func near(a, b vg.Point) bool {
	const unseen = 0.3 // points
	return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)) < unseen
}

// Thumbnail implements plot.Thumbnailer.
func (t path) Thumbnail(c *draw.Canvas) { trace{style: t.style}.Thumbnail(c) }

// A fill is a polygon in one colour; none where a corner is a gap.
type fill struct {
	corners []xy
	color   color.Color
}

var _ plot.Plotter = fill{}

// Plot implements plot.Plotter.
func (f fill) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	pts := make([]vg.Point, len(f.corners))
	for i, q := range f.corners {
		if q.gap() {
			return
		}
		pts[i] = vg.Point{X: toX(q.x), Y: toY(q.y)}
	}
	pts = c.ClipPolygonXY(pts)
	if len(pts) == 0 {
		return
	}
	c.FillPolygon(f.color, pts)
	// A thin line closes the seam that anti-aliasing leaves between neighbours.
	c.StrokeLines(line(f.color, 0.5, nil), append(slices.Clone(pts), pts[0]))
}
