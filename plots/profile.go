package plots

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/interp"
)

// A ProfileChart is the figure of how much worse the best fit gets as one parameter is
// held away from its best value: an interval ends where the curve passes the limit.
type ProfileChart struct {
	Frame
	Curve  Curve
	Limit  float64
	Lo, Hi float64 // the interval
	Best   float64
}

// NewProfileChart returns a copy of c that shares no memory with it. It fails as
// [NewBifurcationDiagram] does, and on an interval that does not hold the best value.
func NewProfileChart(c ProfileChart) (*ProfileChart, error) {
	if err := check(&c); err != nil {
		return nil, err
	}
	c.Curve = cloneCurves([]Curve{c.Curve})[0]
	return &c, nil
}

// Write draws the figure as "svg" or "png".
func (c *ProfileChart) Write(w io.Writer, format string) error { return draw2D(w, format, c) }

// WriteCSV writes the points of the curve, then the interval at the limit, and the best
// value.
func (c *ProfileChart) WriteCSV(w io.Writer) error { return writeTable(w, c) }

func (c *ProfileChart) frame() *Frame   { return &c.Frame }
func (c *ProfileChart) extra() []string { return nil }

func (c *ProfileChart) shape() error {
	if !(c.Lo <= c.Best && c.Best <= c.Hi) || !(c.Limit > 0) {
		return fmt.Errorf("plots: an interval from %v to %v at %v around %v", c.Lo, c.Hi, c.Limit, c.Best)
	}
	return checkCurves("profile", []Curve{c.Curve})
}

func (c *ProfileChart) records() []record {
	rows := curveRecords("profile", []Curve{c.Curve})
	for _, x := range []float64{c.Lo, c.Hi} {
		rows = append(rows, record{kind: "interval", at: []float64{x, c.Limit}})
	}
	return append(rows, record{kind: "best", at: []float64{c.Best, 0}})
}

func (c *ProfileChart) draw(p *plane) {
	x, y := emptySpan, emptySpan
	for _, r := range c.records() {
		x.add(p.x.to(r.at[0]))
	}
	y.add(0)
	most := c.Limit
	for _, v := range c.Curve.Y {
		if v > most { // not for NaN
			most = v
		}
	}
	y.add(min(2.5*c.Limit, most)) // far above, nothing is told
	p.fit(x, y, 0.02, 0.05)
	p.columns("interval", []float64{c.Lo, c.Hi}, tint(blue, 0, 2))
	limit := path{pts: []xy{{x.lo, p.y.to(c.Limit)}, {x.hi, p.y.to(c.Limit)}}, style: line(quietColor, 1, dashed)}
	p.add(limit)
	p.entry("limit", limit)
	xs, ys := c.smooth(p.x)
	p.curve("profile", xs, ys, line(blue, 1.8, nil))
	p.add(markers{at: p.points(c.Curve.X, c.Curve.Y), marker: measuredMarker})
	p.entry("computed", measuredMarker)
	p.glyph(c.Best, 0, todayMarker, "")
	p.entry("best", todayMarker)
}

// smooth returns the curve between the computed points: its square root with the sign of
// the side, which is nearly straight, is a monotone cubic.
func (c *ProfileChart) smooth(on scale) (xs, ys []float64) {
	var at, root, value []float64
	for i, x := range c.Curve.X {
		y := c.Curve.Y[i]
		if math.IsNaN(y) || len(at) > 0 && on.to(x) <= at[len(at)-1] {
			continue
		}
		at, value, root = append(at, on.to(x)), append(value, x), append(root, math.Copysign(math.Sqrt(max(y, 0)), x-c.Best))
	}
	var fit interp.FritschButland
	if len(at) < 3 || fit.Fit(at, root) != nil {
		return c.Curve.X, c.Curve.Y
	}
	const parts = 12 // between two points
	for i := 1; i < len(at); i++ {
		for k := range parts {
			share := float64(k) / parts
			r := fit.Predict(at[i-1] + share*(at[i]-at[i-1]))
			x := value[i-1] + share*(value[i]-value[i-1])
			if on.kind == Log {
				x = value[i-1] * math.Pow(value[i]/value[i-1], share)
			}
			xs, ys = append(xs, x), append(ys, r*r)
		}
	}
	last := len(at) - 1
	return append(xs, value[last]), append(ys, root[last]*root[last])
}
