package plots

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// A BifurcationDiagram is the figure of the equilibria over one parameter: branches,
// solid where they are stable and dashed where not, and the points where they turn,
// cross, or begin to oscillate.
type BifurcationDiagram struct {
	Frame
	Branches  []Branch
	Points    []SpecialPoint
	Operating *Operating // line at X; Y, unless NaN, the state it is in; nil: none
}

// A Branch is a curve of equilibria in the order in which it was traced. NaN in Y is a
// gap, such as a stretch that did not converge.
type Branch struct {
	Name   string // in the legend if there are several; empty: the number of the branch
	X, Y   []float64
	Stable []bool // per point
}

// NewBifurcationDiagram returns a copy of d that shares no memory with it. It fails,
// naming element and point, on values that are not finite or not on the scale of their
// axis, lengths that differ, unknown kinds of points, and sizes out of range.
func NewBifurcationDiagram(d BifurcationDiagram) (*BifurcationDiagram, error) {
	if err := check(&d); err != nil {
		return nil, err
	}
	d.Branches = slices.Clone(d.Branches)
	for i := range d.Branches {
		b := &d.Branches[i]
		b.X, b.Y, b.Stable = slices.Clone(b.X), slices.Clone(b.Y), slices.Clone(b.Stable)
	}
	d.Points = slices.Clone(d.Points)
	d.Operating = cloneOperating(d.Operating)
	return &d, nil
}

// Write draws the figure as "svg" or "png".
func (d *BifurcationDiagram) Write(w io.Writer, format string) error { return draw2D(w, format, d) }

// WriteCSV writes the points of each branch with stable (1 or 0) after the axes, then
// the special points, and the operating value.
func (d *BifurcationDiagram) WriteCSV(w io.Writer) error { return writeTable(w, d) }

func (d *BifurcationDiagram) frame() *Frame   { return &d.Frame }
func (d *BifurcationDiagram) extra() []string { return []string{"stable"} }

func (d *BifurcationDiagram) shape() error {
	for i, b := range d.Branches {
		if len(b.X) != len(b.Y) || len(b.X) != len(b.Stable) || len(b.X) == 0 {
			return fmt.Errorf("plots: branch %d (%q) has %d and %d coordinates and %d stabilities", i, b.Name, len(b.X), len(b.Y), len(b.Stable))
		}
	}
	return checkPoints(d.Points)
}

func (d *BifurcationDiagram) records() []record {
	var rows []record
	for i, b := range d.Branches {
		for k := range b.X {
			rows = append(rows, record{kind: "branch", name: d.name(i), at: []float64{b.X[k], b.Y[k], oneIf(b.Stable[k])}, gap: true})
		}
	}
	return append(append(rows, pointRecords(d.Points)...), d.Operating.records()...)
}

// name returns the name of a branch.
func (d *BifurcationDiagram) name(i int) string {
	if n := d.Branches[i].Name; n != "" {
		return n
	}
	return "branch " + strconv.Itoa(i+1)
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func cloneOperating(o *Operating) *Operating {
	if o == nil {
		return nil
	}
	c := *o
	return &c
}

func cloneCurves(curves []Curve) []Curve {
	curves = slices.Clone(curves)
	for i := range curves {
		c := &curves[i]
		c.X, c.Y = slices.Clone(c.X), slices.Clone(c.Y)
	}
	return curves
}

func (d *BifurcationDiagram) draw(p *plane) {
	p.today(d.Operating)
	for i, b := range d.Branches {
		style, name := lineStyle(i), ""
		if len(d.Branches) > 1 {
			name = ": " + d.name(i)
		}
		for _, stable := range []bool{true, false} {
			style.Dashes, style.Width = nil, 2.2
			what := "stable"
			if !stable {
				style.Dashes, style.Width = dashed, 1.5
				what = "unstable"
			}
			x, y := b.part(stable)
			if slices.ContainsFunc(y, finite) {
				p.curve(what+name, x, y, style)
			}
		}
	}
	p.special(d.Points)
}

// part returns the stretches of the branch that are stable, or not, with gaps between
// them. A segment between two points of which one is unstable is drawn unstable.
func (b *Branch) part(stable bool) (x, y []float64) {
	open := false
	for i := 1; i < len(b.X); i++ {
		if (b.Stable[i-1] && b.Stable[i]) != stable {
			open = false
			continue
		}
		if !open {
			if len(x) > 0 {
				x, y = append(x, b.X[i-1]), append(y, math.NaN())
			}
			x, y = append(x, b.X[i-1]), append(y, b.Y[i-1])
		}
		x, y, open = append(x, b.X[i]), append(y, b.Y[i]), true
	}
	return x, y
}
