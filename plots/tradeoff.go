package plots

import (
	"image/color"
	"io"
	"slices"
)

// A TradeOff is the figure of choices by two costs: those that no other beats in both,
// and the one that is taken.
type TradeOff struct {
	Frame
	Choices []Choice
}

// A Choice is one of a few ways, by what it costs.
type Choice struct {
	Name  string // beside the glyph; empty: none
	X, Y  float64
	Taken bool
}

// NewTradeOff returns a copy of t that shares no memory with it. It fails as
// [NewBifurcationDiagram] does.
func NewTradeOff(t TradeOff) (*TradeOff, error) {
	if err := check(&t); err != nil {
		return nil, err
	}
	t.Choices = slices.Clone(t.Choices)
	return &t, nil
}

// Write draws the figure as "svg" or "png".
func (t *TradeOff) Write(w io.Writer, format string) error { return draw2D(w, format, t) }

// WriteCSV writes a row per choice with taken (1 or 0) after the axes.
func (t *TradeOff) WriteCSV(w io.Writer) error { return writeTable(w, t) }

func (t *TradeOff) frame() *Frame   { return &t.Frame }
func (t *TradeOff) extra() []string { return []string{"taken"} }
func (t *TradeOff) shape() error    { return nil }

func (t *TradeOff) records() []record {
	var rows []record
	for _, c := range t.Choices {
		rows = append(rows, record{kind: "choice", name: c.Name, at: []float64{c.X, c.Y, oneIf(c.Taken)}})
	}
	return rows
}

// front returns the choices that no other beats in both costs, by the first.
func (t *TradeOff) front() (x, y []float64) {
	sorted := slices.Clone(t.Choices)
	slices.SortStableFunc(sorted, func(a, b Choice) int {
		switch {
		case a.X < b.X || a.X == b.X && a.Y < b.Y:
			return -1
		case a.X == b.X && a.Y == b.Y:
			return 0
		}
		return 1
	})
	for _, c := range sorted {
		if len(y) == 0 || c.Y < y[len(y)-1] {
			x, y = append(x, c.X), append(y, c.Y)
		}
	}
	return x, y
}

func (t *TradeOff) draw(p *plane) {
	x, y := t.front()
	if len(x) > 1 { // one point is no line
		p.curve("not beaten in both", x, y, line(blue, 1.6, dashed))
	}
	for _, c := range t.Choices {
		m := choiceMarker
		if c.Taken {
			m = todayMarker
			p.entry("taken", m)
		} else {
			p.entry("tried", m)
		}
		p.glyph(c.X, c.Y, m, c.Name)
	}
}

var choiceMarker = marker{shape: disc, fill: blue, edge: color.White, size: 3.5}
