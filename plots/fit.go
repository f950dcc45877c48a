package plots

import (
	"image/color"
	"io"
	"slices"
)

// A FitChart is the figure of measured values and what a model says of them: points, a
// line, the band of the line, and the band where measured values are to be expected. It
// shows residuals too, about a line at 0.
type FitChart struct {
	Frame
	Measured Curve // drawn as points
	Fit      Curve
	Bands    []Band // the wide ones first
}

// NewFitChart returns a copy of f that shares no memory with it. It fails as
// [NewFanChart] does.
func NewFitChart(f FitChart) (*FitChart, error) {
	if err := check(&f); err != nil {
		return nil, err
	}
	f.Bands = slices.Clone(f.Bands)
	for i := range f.Bands {
		b := &f.Bands[i]
		b.X, b.Lo, b.Hi = slices.Clone(b.X), slices.Clone(b.Lo), slices.Clone(b.Hi)
	}
	both := cloneCurves([]Curve{f.Measured, f.Fit})
	f.Measured, f.Fit = both[0], both[1]
	return &f, nil
}

// Write draws the figure as "svg" or "png".
func (f *FitChart) Write(w io.Writer, format string) error { return draw2D(w, format, f) }

// WriteCSV writes the points of each band with the lower bound on the second axis and the
// upper one in y_to, then those of the fit and the measured ones.
func (f *FitChart) WriteCSV(w io.Writer) error { return writeTable(w, f) }

func (f *FitChart) frame() *Frame   { return &f.Frame }
func (f *FitChart) extra() []string { return []string{"y_to"} }

func (f *FitChart) shape() error {
	fan := FanChart{Bands: f.Bands, Curves: []Curve{f.Fit}}
	if err := fan.shape(); err != nil {
		return err
	}
	return checkCurves("measured", []Curve{f.Measured})
}

func (f *FitChart) records() []record {
	fan := FanChart{Bands: f.Bands}
	return slices.Concat(fan.records(), curveRecords("fit", []Curve{f.Fit}), curveRecords("measured", []Curve{f.Measured}))
}

var measuredMarker = marker{shape: disc, fill: black, edge: color.White, size: 2.6}

// crowdedMarker is for points that lie close.
var crowdedMarker = marker{shape: disc, fill: black, size: 1.7}

func (f *FitChart) draw(p *plane) {
	fan := FanChart{Frame: f.Frame, Bands: f.Bands, Curves: []Curve{f.Fit}}
	x, y := emptySpan, emptySpan
	for _, r := range f.records() {
		x.add(p.x.to(r.at[0]))
		for _, v := range r.at[1:] {
			y.add(p.y.to(v))
		}
	}
	fan.draw(p)
	p.fit(x, y, 0.02, 0.05)
	m := measuredMarker
	const many = 50 // more of them hide each other behind their edges
	if len(f.Measured.X) > many {
		m = crowdedMarker
	}
	p.add(markers{at: p.points(f.Measured.X, f.Measured.Y), marker: m})
	p.entry(f.Measured.Name, m)
}
