package plots

import (
	"fmt"
	"image/color"
	"io"
	"slices"
)

// A ReturnMap is the figure of a scalar map against the diagonal: what comes back when
// something goes in. Both axes have one scale and one range, that of X.
type ReturnMap struct {
	Frame
	In, Out    []float64 // the map at ascending arguments; NaN in Out is a gap
	Equilibria []MapPoint
	Cobwebs    []Cobweb
}

// A MapPoint is a fixed point of the map.
type MapPoint struct {
	Name   string // beside the point; empty: none
	At     float64
	Stable bool
}

// A Cobweb is a start and where the map leads from there, again and again.
type Cobweb struct {
	Name   string // in the legend; empty: not in it
	Values []float64
}

// NewReturnMap returns a copy of m that shares no memory with it. It fails as
// [NewBifurcationDiagram] does, and where In does not ascend.
func NewReturnMap(m ReturnMap) (*ReturnMap, error) {
	if err := check(&m); err != nil {
		return nil, err
	}
	m.In, m.Out, m.Equilibria = slices.Clone(m.In), slices.Clone(m.Out), slices.Clone(m.Equilibria)
	m.Cobwebs = slices.Clone(m.Cobwebs)
	for i := range m.Cobwebs {
		m.Cobwebs[i].Values = slices.Clone(m.Cobwebs[i].Values)
	}
	return &m, nil
}

// Write draws the figure as "svg" or "png".
func (m *ReturnMap) Write(w io.Writer, format string) error { return draw2D(w, format, m) }

// WriteCSV writes the points of the map, its fixed points with stable (1 or 0) after
// the axes, and the steps of each cobweb.
func (m *ReturnMap) WriteCSV(w io.Writer) error { return writeTable(w, m) }

func (m *ReturnMap) frame() *Frame   { return &m.Frame }
func (m *ReturnMap) extra() []string { return []string{"stable"} }

func (m *ReturnMap) shape() error {
	if len(m.In) != len(m.Out) || len(m.In) < 2 {
		return fmt.Errorf("plots: a map with %d arguments and %d values: want as many, at least 2", len(m.In), len(m.Out))
	}
	for i := 1; i < len(m.In); i++ {
		if !(m.In[i] > m.In[i-1]) {
			return fmt.Errorf("plots: argument %d of the map is %v after %v: want them ascending", i, m.In[i], m.In[i-1])
		}
	}
	for i, c := range m.Cobwebs {
		if len(c.Values) < 2 {
			return fmt.Errorf("plots: cobweb %d (%q) has %d values: want a start and where it leads", i, c.Name, len(c.Values))
		}
	}
	return nil
}

func (m *ReturnMap) records() []record {
	rows := curveRecords("map", []Curve{{X: m.In, Y: m.Out}})
	for _, e := range m.Equilibria {
		rows = append(rows, record{kind: "equilibrium", name: e.Name, at: []float64{e.At, e.At, oneIf(e.Stable)}})
	}
	for _, c := range m.Cobwebs {
		for i, v := range c.Values[1:] {
			rows = append(rows, record{kind: "cobweb", name: c.Name, at: []float64{c.Values[i], v}})
		}
	}
	return rows
}

func (m *ReturnMap) draw(p *plane) {
	s := emptySpan
	for _, r := range m.records() {
		s.add(p.x.to(r.at[0]))
		s.add(p.x.to(r.at[1]))
	}
	p.fit(s, s, 0.03, 0.03)
	p.plot.Y.Min, p.plot.Y.Max = p.plot.X.Min, p.plot.X.Max
	diagonal := path{pts: []xy{{p.plot.X.Min, p.plot.X.Min}, {p.plot.X.Max, p.plot.X.Max}}, style: line(quietColor, 0.9, nil)}
	p.add(diagonal)
	p.labels.avoid = append(p.labels.avoid, diagonal.pts...)
	p.curve("what comes back", m.In, m.Out, line(mapColor, 4, nil))
	p.entry("what goes in", diagonal)
	for i, c := range m.Cobwebs {
		x, y := c.staircase()
		style := lineStyle(i)
		style.Width = 1.3 // within the map, which is wide and pale, where they coincide
		p.curve(c.Name, x, y, style)
		p.glyph(x[0], y[0], marker{shape: square, fill: lineStyle(i).Color, edge: color.White, size: 4}, "")
	}
	for _, e := range m.Equilibria {
		kind := SaddleState
		name := "unstable"
		if e.Stable {
			kind, name = StableState, "stable"
		}
		p.glyph(e.At, e.At, stateMarkers[kind], e.Name)
		p.entry(name, stateMarkers[kind])
	}
}

// mapColor lets what lies on the map show.
var mapColor = color.NRGBA{R: 0x90, G: 0x90, B: 0x90, A: 0xff}

// staircase returns the corners of a cobweb, from the diagonal to the map and back.
func (c *Cobweb) staircase() (x, y []float64) {
	for i, v := range c.Values[:len(c.Values)-1] {
		x = append(x, v, v)
		y = append(y, v, c.Values[i+1])
	}
	last := c.Values[len(c.Values)-1]
	return append(x, last), append(y, last)
}
