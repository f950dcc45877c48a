package plots

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A PairPlot is the figure of draws of several parameters: how each is distributed, on
// the diagonal, and each pair below it.
type PairPlot struct {
	Title    string
	Subtitle string
	Params   []PairParam
	Draws    [][]float64 // a value for each parameter
}

// A PairParam is a parameter of a pair plot.
type PairParam struct {
	Name string
	Log  bool // drawn on a logarithmic axis if it spans enough
	Best float64
}

const mostPairs = 8 // more panels than that cannot be read

var _ Figure = (*PairPlot)(nil)

// NewPairPlot returns a copy of f that shares no memory with it. It fails on fewer than two
// or more than eight parameters, fewer than ten draws, and values that are not finite or
// have no logarithm where one is asked for.
func NewPairPlot(f PairPlot) (*PairPlot, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	f.Params, f.Draws = slices.Clone(f.Params), slices.Clone(f.Draws)
	for i := range f.Draws {
		f.Draws[i] = slices.Clone(f.Draws[i])
	}
	return &f, nil
}

func (f *PairPlot) check() error {
	if n := len(f.Params); n < 2 || n > mostPairs {
		return fmt.Errorf("plots: %d parameters in a pair plot: want 2 to %d", n, mostPairs)
	}
	if len(f.Draws) < 10 {
		return fmt.Errorf("plots: %d draws in a pair plot: want at least 10", len(f.Draws))
	}
	for i, d := range f.Draws {
		if len(d) != len(f.Params) {
			return fmt.Errorf("plots: draw %d has %d values, want %d", i, len(d), len(f.Params))
		}
		for k, v := range d {
			if !finite(v) || f.Params[k].Log && v <= 0 {
				return fmt.Errorf("plots: %s of draw %d is %v", f.Params[k].Name, i, v)
			}
		}
	}
	return nil
}

// WriteCSV writes one row a draw, with a column for each parameter, after the best values
// as a comment each.
func (f *PairPlot) WriteCSV(w io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	var header []string
	for _, p := range f.Params {
		if _, err := fmt.Fprintf(w, "# best %s: %s\n", p.Name, number(p.Best)); err != nil {
			return err
		}
		header = append(header, p.Name)
	}
	out := csv.NewWriter(w)
	out.Write(header) // errors stay with out until Flush
	for _, d := range f.Draws {
		var row []string
		for _, v := range d {
			row = append(row, number(v))
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// Write draws the figure as "svg" or "png".
func (f *PairPlot) Write(w io.Writer, format string) error {
	if err := f.check(); err != nil {
		return err
	}
	side := 1.6 + 2.0*float64(len(f.Params))
	return encode(w, format, side, side, func(c draw.Canvas) {
		c = drawTitle(draw.Crop(c, margin, -margin, margin, -margin), f.Title, f.Subtitle)
		c.Max.Y -= 6
		n := len(f.Params)
		rows := make([][]*plot.Plot, n)
		for i := range rows {
			for k := range n {
				rows[i] = append(rows[i], f.cell(i, k))
			}
		}
		tiles := plot.Align(rows, draw.Tiles{Rows: n, Cols: n, PadX: panelGap, PadY: panelGap}, c)
		for i := range rows {
			for k := 0; k <= i; k++ {
				rows[i][k].Draw(tiles[i][k])
			}
		}
	})
}

// cell returns the panel in row i and column k, nil above the diagonal.
func (f *PairPlot) cell(i, k int) *plot.Plot {
	if k > i {
		return nil
	}
	x, y := f.coordinates(k), f.coordinates(i)
	pn := newPanel("", x, 0, 1, y)
	p := pn.plot
	p.X.Min, p.X.Max = f.range1(k)
	if i == k {
		f.histogram(pn, k)
		p.HideY()
	} else {
		p.Y.Min, p.Y.Max = f.range1(i)
		p.Add(backdrop{x: x})
		p.Add(dust{f.points(k, i)})
		p.Add(markers{at: []xy{{x.to(f.Params[k].Best), y.to(f.Params[i].Best)}}, marker: todayMarker})
	}
	p.X.Label.Text, p.X.Label.TextStyle.Font.Size = f.Params[k].Name, smallSize
	if i < len(f.Params)-1 {
		p.X.Label.Text = ""
		p.HideX()
	}
	if k > 0 {
		p.HideY()
	} else if i > 0 {
		p.Y.Label.Text = f.Params[i].Name
		p.Y.Label.TextStyle.Font.Size = smallSize
	}
	return p
}

// coordinates returns the scale of a parameter; over less than a factor of four a
// logarithmic one has too few marks and looks linear anyway.
func (f *PairPlot) coordinates(k int) scale {
	s, values := linear, emptySpan
	for _, d := range f.Draws {
		values.add(d[k])
	}
	if f.Params[k].Log && values.hi > 4*values.lo {
		s = logarithmic
	}
	ticks := s.ticks
	s.ticks = func(lo, hi float64) []plot.Tick { return fewer(ticks(lo, hi)) }
	return s
}

// fewer leaves at most three labels, for a small panel.
func fewer(ticks []plot.Tick) []plot.Tick {
	labelled := 0
	for _, t := range ticks {
		if !t.IsMinor() {
			labelled++
		}
	}
	every, seen := (labelled+2)/3, 0
	for i := range ticks {
		if ticks[i].IsMinor() {
			continue
		}
		if seen%every != 0 {
			ticks[i].Label = ""
		}
		seen++
	}
	return ticks
}

// range1 returns the range of a parameter in its coordinate.
func (f *PairPlot) range1(k int) (lo, hi float64) {
	s, to := emptySpan, f.coordinates(k).to
	for _, d := range f.Draws {
		s.add(to(d[k]))
	}
	return s.padded(0.04, Linear)
}

func (f *PairPlot) points(k, i int) []xy {
	x, y := f.coordinates(k).to, f.coordinates(i).to
	const most = 3000 // what a small panel can show
	var pts []xy
	for n := 0; n < len(f.Draws); n += 1 + len(f.Draws)/most {
		pts = append(pts, xy{x(f.Draws[n][k]), y(f.Draws[n][i])})
	}
	return pts
}

// histogram adds the distribution of a parameter.
func (f *PairPlot) histogram(pn *panel, k int) {
	const bins = 24
	lo, hi := f.range1(k)
	to := f.coordinates(k).to
	var count [bins]float64
	for _, d := range f.Draws {
		count[min(max(int(bins*(to(d[k])-lo)/(hi-lo)), 0), bins-1)]++
	}
	pn.plot.Y.Min, pn.plot.Y.Max = 0, 1.1*slices.Max(count[:])
	for b, n := range count {
		from, until := lo+(hi-lo)*float64(b)/bins, lo+(hi-lo)*float64(b+1)/bins
		pn.plot.Add(fill{[]xy{{from, 0}, {until, 0}, {until, n}, {from, n}}, tint(blue, 1, 2)})
	}
	best := to(f.Params[k].Best)
	pn.plot.Add(path{pts: []xy{{best, 0}, {best, pn.plot.Y.Max}}, style: todayLine})
}

// dust draws many points that fade where they are few.
type dust struct{ at []xy }

var _ plot.Plotter = dust{}

// Plot implements plot.Plotter.
func (d dust) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	const half = vg.Length(0.8) // points
	c.SetColor(color.NRGBA{blue.R, blue.G, blue.B, 0x50})
	for _, q := range d.at {
		at := vg.Point{X: toX(q.x), Y: toY(q.y)}
		if math.IsNaN(float64(at.X)) || !c.Contains(at) {
			continue
		}
		c.Fill(vg.Rectangle{Min: vg.Point{X: at.X - half, Y: at.Y - half}, Max: vg.Point{X: at.X + half, Y: at.Y + half}}.Path())
	}
}
