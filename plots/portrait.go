package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A PhasePortrait is the figure of a system of two states: which way it goes from
// everywhere, where either state stands still, where both do, and the line between
// those starts that end well and those that do not.
type PhasePortrait struct {
	Frame
	Field        []Arrow
	Nullclines   []Curve
	Separatrix   []Curve // branches of it
	Trajectories []Curve // in the order of time
	States       []PortraitState
}

// An Arrow is the rate of change at a point, in units of the axes per second. Arrows
// are drawn with one length; the table has the rates.
type Arrow struct {
	X, Y   float64
	DX, DY float64
}

// A PortraitState is an equilibrium.
type PortraitState struct {
	Name string // beside the point; empty: none
	Kind StateKind
	X, Y float64
}

// A StateKind is what an equilibrium does to what is near it.
type StateKind string

// Kinds of equilibria: filled, open and crossed in the picture.
const (
	StableState   StateKind = "stable"
	SaddleState   StateKind = "saddle"
	UnstableState StateKind = "unstable"
)

var stateKinds = []StateKind{StableState, SaddleState, UnstableState}

// NewPhasePortrait returns a copy of p that shares no memory with it. It fails as
// [NewBifurcationDiagram] does, and on kinds of states that do not exist.
func NewPhasePortrait(p PhasePortrait) (*PhasePortrait, error) {
	if err := check(&p); err != nil {
		return nil, err
	}
	p.Field, p.States = slices.Clone(p.Field), slices.Clone(p.States)
	p.Nullclines, p.Separatrix, p.Trajectories = cloneCurves(p.Nullclines), cloneCurves(p.Separatrix), cloneCurves(p.Trajectories)
	return &p, nil
}

// Write draws the figure as "svg" or "png".
func (p *PhasePortrait) Write(w io.Writer, format string) error { return draw2D(w, format, p) }

// WriteCSV writes the field with the rates of change in dx_per_s and dy_per_s, then
// the curves, and the equilibria, whose element is their kind.
func (p *PhasePortrait) WriteCSV(w io.Writer) error { return writeTable(w, p) }

func (p *PhasePortrait) frame() *Frame   { return &p.Frame }
func (p *PhasePortrait) extra() []string { return []string{"dx_per_s", "dy_per_s"} }

func (p *PhasePortrait) shape() error {
	for i, a := range p.Field {
		if !finite(a.DX) || !finite(a.DY) {
			return fmt.Errorf("plots: arrow %d points to %v, %v", i, a.DX, a.DY)
		}
	}
	for i, s := range p.States {
		if !slices.Contains(stateKinds, s.Kind) {
			return fmt.Errorf("plots: state %d is of the unknown kind %q", i, s.Kind)
		}
	}
	for _, c := range p.curves() {
		if err := checkCurves(c.kind, c.curves); err != nil {
			return err
		}
	}
	return nil
}

type namedCurves struct {
	kind   string
	curves []Curve
}

func (p *PhasePortrait) curves() []namedCurves {
	return []namedCurves{{"nullcline", p.Nullclines}, {"separatrix", p.Separatrix}, {"trajectory", p.Trajectories}}
}

func (p *PhasePortrait) records() []record {
	var rows []record
	for _, a := range p.Field {
		rows = append(rows, record{kind: "arrow", at: []float64{a.X, a.Y, a.DX, a.DY}})
	}
	for _, c := range p.curves() {
		rows = append(rows, curveRecords(c.kind, c.curves)...)
	}
	for _, s := range p.States {
		rows = append(rows, record{kind: string(s.Kind), name: s.Name, at: []float64{s.X, s.Y}})
	}
	return rows
}

// stateMarkers are those of equilibria.
var stateMarkers = map[StateKind]marker{
	StableState:   {shape: disc, fill: black, edge: color.White, size: 5},
	SaddleState:   {shape: disc, fill: color.White, edge: black, size: 4.5},
	UnstableState: {shape: fourStar, fill: color.White, edge: black, size: 5},
}

func (p *PhasePortrait) draw(on *plane) {
	on.fit(p.span(on.x, 0), p.span(on.y, 1), 0.03, 0.03)
	on.add(vectors{p.Field, on})
	for i, t := range p.Trajectories {
		style := line(skyBlue, 1.4, nil)
		name := "trajectories"
		if t.Name != "" {
			style, name = lineStyle(i), t.Name
		}
		on.curve(name, t.X, t.Y, style)
		on.add(heading{on.points(t.X, t.Y), style})
	}
	styles := []draw.LineStyle{line(blue, 2, dashed), line(green, 2, dashDot)}
	for _, n := range p.Nullclines { // each in as many pieces as it has
		style := styles[0]
		if n.Name != p.Nullclines[0].Name {
			style = styles[1]
		}
		on.curve(n.Name, n.X, n.Y, style)
	}
	for _, s := range p.Separatrix {
		on.curve("separatrix", s.X, s.Y, line(vermillion, 2.4, nil))
	}
	for _, s := range p.States {
		on.glyph(s.X, s.Y, stateMarkers[s.Kind], s.Name)
		on.entry(string(s.Kind), stateMarkers[s.Kind])
	}
}

// span is the range of the field and the equilibria, or of everything without a field.
func (p *PhasePortrait) span(s scale, axis int) span {
	r := emptySpan
	for _, row := range p.records() {
		if row.kind == "arrow" || len(p.Field) == 0 || slices.Contains(stateKinds, StateKind(row.kind)) {
			r.add(s.to(row.at[axis]))
		}
	}
	return r
}

// vectors draws the directions of a field.
type vectors struct {
	field []Arrow
	on    *plane
}

var _ plot.Plotter = vectors{}

// Plot implements plot.Plotter. The direction is that on the paper, whatever the
// scales: that of a short step.
func (v vectors) Plot(c draw.Canvas, p *plot.Plot) {
	const long = 9.0 // points
	toX, toY := p.Transforms(&c)
	for _, a := range v.field {
		dx, dy := v.on.x.slope(a.X)*a.DX, v.on.y.slope(a.Y)*a.DY
		at := vg.Point{X: toX(v.on.x.to(a.X)), Y: toY(v.on.y.to(a.Y))}
		dx *= float64(c.Max.X-c.Min.X) / (p.X.Max - p.X.Min)
		dy *= float64(c.Max.Y-c.Min.Y) / (p.Y.Max - p.Y.Min)
		size := math.Hypot(dx, dy)
		if size == 0 || !finite(size) || !c.Contains(at) {
			continue
		}
		half := vg.Point{X: vg.Length(long / 2 * dx / size), Y: vg.Length(long / 2 * dy / size)}
		drawArrow(c, at.Sub(half), at.Add(half), 4, line(fieldColor, 0.8, nil))
	}
}

// A heading is an arrowhead in the middle of a curve: which way it goes.
type heading struct {
	pts   []xy
	style draw.LineStyle
}

var _ plot.Plotter = heading{}

// Plot implements plot.Plotter.
func (h heading) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	var at []vg.Point
	var run []float64 // length so far
	for _, q := range h.pts {
		v := vg.Point{X: toX(q.x), Y: toY(q.y)}
		if q.gap() || !c.Contains(v) {
			continue
		}
		long := 0.0
		if n := len(at); n > 0 {
			long = run[n-1] + math.Hypot(float64(v.X-at[n-1].X), float64(v.Y-at[n-1].Y))
		}
		at, run = append(at, v), append(run, long)
	}
	const least = 14 // points: shorter ones have no room for it
	if len(at) < 2 || run[len(run)-1] < least {
		return
	}
	k, _ := slices.BinarySearch(run, run[len(run)-1]/2)
	k = max(k, 1)
	drawArrow(c, at[k-1], at[k], 8, h.style)
}

var fieldColor = color.NRGBA{R: 0xa8, G: 0xa8, B: 0xa8, A: 0xff}
