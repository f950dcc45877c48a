package plots

import (
	"cmp"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Write draws the figure as "svg" or "png" (150 dots per inch), in the same bytes for
// the same figure. It fails as [NewTimeline] does, and on an unknown format.
func (t *Timeline) Write(w io.Writer, format string) error {
	if err := t.check(); err != nil {
		return err
	}
	panels := t.panels()
	height := t.Height
	if height == 0 {
		height = 1 + 2*float64(len(panels))
	}
	return encode(w, format, t.width(), height, func(c draw.Canvas) { t.paint(c, panels) })
}

// width returns the width of the picture in inches.
func (t *Timeline) width() float64 {
	if t.Width == 0 {
		return 10
	}
	return t.Width
}

// A curve is one line of a panel.
type curve struct {
	name   string
	values []float64
	style  draw.LineStyle
	step   bool
}

// panels returns the rows of the figure.
func (t *Timeline) panels() []*panel {
	panels := []*panel{t.trafficPanel()}
	if len(t.Classes) > 0 {
		panels = append(panels, t.cachePanel())
	}
	if len(t.Pools) > 0 {
		panels = append(panels, t.loadPanel())
	}
	panels = append(panels, t.successPanel())
	if slices.Max(t.Waiting) > 0 {
		panels = append(panels, t.waitingPanel())
	}
	last := panels[len(panels)-1].plot
	last.X.Label.Text = t.axis().label(last.X.Min, last.X.Max)
	if len(t.Outages) > 0 {
		panels[0].legend = append(panels[0].legend, legendEntry{"outage", swatch{shadeColor}})
	}
	return panels
}

// The attempts of an outage are tens of times the boots, and both matter: a
// logarithmic axis, over no more than four decades.
func (t *Timeline) trafficPanel() *panel {
	curves := []curve{
		{name: "boots offered", values: t.Boots, style: line(black, 1.1, dotted)},
		{name: "attempts", values: t.Attempts, style: line(vermillion, 1.4, dashed)},
		{name: "admitted", values: t.Admitted, style: line(skyBlue, 3, nil)},
		{name: "goodput", values: t.goodput(), style: line(green, 1.6, nil)},
	}
	if t.Limit != nil {
		curves = append(curves, curve{name: "throttle limit", values: t.Limit, style: line(purple, 1.4, dashDot), step: true})
	}
	lo, hi := logRange(curves, 4)
	return t.panel("traffic (boots/s)", logarithmic, lo, hi, curves)
}

func (t *Timeline) cachePanel() *panel {
	curves := make([]curve, len(t.Classes))
	for i, c := range t.Classes {
		curves[i] = curve{name: c.Name, values: c.HitRate, style: lineStyle(i)}
	}
	lo, hi := ninesRange(curves)
	return t.panel("cache hit rate (%)", nines, lo, hi, curves)
}

func (t *Timeline) loadPanel() *panel {
	full := []float64{1, 1}
	curves := make([]curve, len(t.Pools))
	for i, p := range t.Pools {
		curves[i] = curve{name: p.Name, values: p.Load, style: lineStyle(i)}
	}
	lo, hi := logRange(append(curves, curve{values: full}), 4)
	p := t.panel("database load / capacity", logarithmic, lo, hi, curves)
	capacity := trace{x: []float64{p.plot.X.Min, p.plot.X.Max}, y: []float64{0, 0}, style: line(black, 0.9, dotted)}
	p.add(capacity)
	p.legend = append(p.legend, legendEntry{"capacity", capacity})
	return p
}

func (t *Timeline) successPanel() *panel {
	curves := []curve{{name: "boot success", values: t.BootSuccess, style: line(green, 1.6, nil)}}
	for i, p := range t.Pools {
		curves = append(curves,
			curve{name: "timed out: " + p.Name, values: p.Timeout, style: lineStyle(1 + 2*i)},
			curve{name: "refused: " + p.Name, values: p.Refused, style: lineStyle(2 + 2*i)})
	}
	return t.panel("probability (%)", percent, -3, 103, curves)
}

func (t *Timeline) waitingPanel() *panel {
	curves := []curve{{name: "waiting to retry", values: t.Waiting, style: line(vermillion, 1.6, nil)}}
	top := slices.Max(t.Waiting)
	return t.panel("clients", linear, -0.03*top, 1.06*top, curves)
}

// panel returns a panel of curves over the whole time, lo…hi in coordinates of the
// scale.
func (t *Timeline) panel(label string, s scale, lo, hi float64, curves []curve) *panel {
	p := newPanel(label, t.axis(), t.Times[0], t.Times[len(t.Times)-1], s)
	p.plot.Y.Min, p.plot.Y.Max = lo, hi
	marks := make([]float64, len(t.Actions))
	for i, a := range t.Actions {
		marks[i] = a.At
	}
	p.add(backdrop{x: t.axis(), shaded: t.Outages, marks: marks})
	traces := make([]trace, len(curves))
	for i, c := range curves {
		traces[i] = c.trace(t.Times, s)
		p.legend = append(p.legend, legendEntry{c.name, traces[i]})
	}
	// The wide lie under the narrow, so that lines that coincide are all seen.
	slices.SortStableFunc(traces, func(a, b trace) int { return cmp.Compare(b.style.Width, a.style.Width) })
	for _, l := range traces {
		p.add(l)
	}
	return p
}

// trace returns the curve in coordinates of the scale, with gaps where a limit is not
// in force.
func (c curve) trace(times []float64, s scale) trace {
	y := make([]float64, len(c.values))
	for i, v := range c.values {
		y[i] = s.to(v)
		if c.step && math.IsInf(v, 1) {
			y[i] = math.NaN()
		}
	}
	return trace{x: times, y: y, style: c.style, step: c.step}
}

// axis returns the axis of time, with fewer ticks on a narrow picture: 00:00 and its
// gap take half an inch, and legends and margins three.
func (t *Timeline) axis() timeAxis {
	return timeAxis{start: t.Start, most: max(2, min(14, int(2*(t.width()-3))))}
}

// logRange returns the log10 range of the positive values of curves with a margin, at
// most decades below the greatest and at least half a decade long.
func logRange(curves []curve, decades float64) (lo, hi float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, v := range c.values {
			if v > 0 && !math.IsInf(v, 1) {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	if math.IsInf(most, -1) {
		return -1, 0
	}
	hi = math.Log10(most)
	lo = max(math.Log10(least), hi-decades)
	return widen(lo, hi)
}

// ninesRange returns the range of the nines scale that shows curves: not beyond
// 99.999 %, and from 0 % where a rate falls below a half.
func ninesRange(curves []curve) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, v := range c.values {
			n := min(nines.to(v), 5)
			lo, hi = min(lo, n), max(hi, n)
		}
	}
	if lo < nines.to(0.5) {
		lo = 0
	}
	return widen(lo, hi)
}

// widen adds a margin to a range of decades and makes it at least half a decade.
func widen(lo, hi float64) (float64, float64) {
	pad := max(0.05*(hi-lo), (0.5-(hi-lo))/2)
	return lo - pad, hi + pad
}

// paint lays out the figure: title, subtitle, names of the actions, panels, and the
// key of the actions where the names found no room.
func (t *Timeline) paint(c draw.Canvas, panels []*panel) {
	c = drawTitle(draw.Crop(c, margin, -margin, margin, -margin), t.Title, t.Subtitle)

	tiles, _ := alignPanels(c, panels)
	marks, key := t.marks(panels[0].plot, panels[0].plot.DataCanvas(tiles[0]), c.Max.X)
	c.Max.Y -= vg.Length(rowsOf(marks))*markRow + 4
	c = drawKey(c, key)
	areas := stackPanels(c, panels)
	drawMarks(areas[0], marks, areas[0].Max.Y, textStyle(smallSize, inkColor))
}

// marks returns the names of the actions over area, the data of plot p.
func (t *Timeline) marks(p *plot.Plot, area draw.Canvas, right vg.Length) (marks []mark, key []string) {
	var (
		xs            []vg.Length
		names, stamps []string
	)
	for _, a := range t.Actions {
		if a.At < p.X.Min || a.At > p.X.Max {
			continue
		}
		xs = append(xs, area.X(p.X.Norm(a.At)))
		names = append(names, a.Name)
		stamps = append(stamps, t.axis().stamp(a.At))
	}
	return labelMarks(xs, names, stamps, textStyle(smallSize, inkColor), area.Min.X, right)
}
