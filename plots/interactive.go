package plots

import (
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Interactive returns the figure as JSON for a page that draws it with plotly.js:
// {"data": […], "layout": {…}}, to zoom into and to hover over. It draws the same
// as Write, but for the arrows of fields and the names beside marks.
func Interactive(f Figure) ([]byte, error) {
	var page interactive
	switch f := f.(type) {
	case *Timeline:
		if err := f.check(); err != nil {
			return nil, err
		}
		page.x, page.start = f.axis(), f.Start
		page.panels(f.panels())
		page.marks(f)
	case planar:
		if err := check(f); err != nil {
			return nil, err
		}
		p := newPlane(f.frame(), f.records())
		f.draw(p)
		page.x, page.xKind, page.known = p.x, p.frame.X.Scale, true
		page.panels([]*panel{p.panel})
	default:
		return nil, fmt.Errorf("plots: no interactive form of %T", f)
	}
	return json.Marshal(map[string]any{"data": page.data, "layout": page.layout})
}

// An interactive is a page's figure on its way.
type interactive struct {
	x     plot.Ticker
	xKind Scale
	known bool // xKind is the scale of x; otherwise x is time
	start time.Time
	unit  float64 // s: of the time elapsed, where the start is not known

	data   []map[string]any
	layout map[string]any
	shapes []map[string]any
	shown  map[string]bool // names in the legends, after the number of their panel
}

// panels lays them out one below the other over one horizontal axis.
func (g *interactive) panels(panels []*panel) {
	const gap = 0.04
	g.shown = map[string]bool{}
	last := panels[len(panels)-1].plot
	g.unit, _ = elapsedUnit(last.X.Max - last.X.Min)
	g.layout = map[string]any{
		"height":     220 + 190*len(panels),
		"margin":     map[string]any{"l": 70, "r": 20, "t": 30, "b": 60},
		"hovermode":  "closest",
		"xaxis":      g.axis(last.X.Label.Text, g.x, last.X.Min, last.X.Max, "y"+suffix(len(panels)-1)),
		"showlegend": true,
	}
	high := (1 - gap*float64(len(panels)-1)) / float64(len(panels))
	for i, p := range panels {
		top := 1 - float64(i)*(high+gap)
		y := g.yAxis(p)
		y["domain"] = []float64{max(0, top-high), top}
		g.layout["legend"+suffix(i)] = map[string]any{"x": 1.01, "y": top, "yanchor": "top", "tracegroupgap": 6}
		g.layout["yaxis"+suffix(i)] = y
		for _, item := range p.items {
			g.item(p, item, i)
		}
	}
	g.layout["shapes"] = g.shapes
}

// suffix numbers axes as plotly.js does: y, y2, y3.
func suffix(i int) string {
	if i == 0 {
		return ""
	}
	return strconv.Itoa(i + 1)
}

func (g *interactive) yAxis(p *panel) map[string]any {
	return g.scaled(p.label, p.plot.Y.Tick.Marker, p.plot.Y.Min, p.plot.Y.Max)
}

// axis is the horizontal one.
func (g *interactive) axis(label string, ticker plot.Ticker, lo, hi float64, anchor string) map[string]any {
	a := g.scaled(label, ticker, lo, hi)
	if !g.known {
		a["range"] = []any{g.time(lo), g.time(hi)}
		if !g.start.IsZero() {
			a["type"] = "date"
		}
	}
	a["anchor"] = anchor
	return a
}

// scaled is an axis over lo…hi in coordinates of its scale.
func (g *interactive) scaled(label string, ticker plot.Ticker, lo, hi float64) map[string]any {
	a := map[string]any{"title": map[string]any{"text": label}, "range": []float64{lo, hi}, "zeroline": false}
	if _, isTime := ticker.(timeAxis); isTime {
		return a
	}
	s, isScale := ticker.(scale)
	switch {
	case isScale && s.kind == Log:
		a["type"], a["exponentformat"], a["dtick"] = "log", "SI", 1
		if hi-lo < 1.5 {
			a["dtick"] = "D2" // and at 2 and 5
		}
	case isScale && s.kind != Nines:
		a["exponentformat"] = "SI"
	default: // labels of its own
		var at []float64
		var text []string
		for _, t := range ticker.Ticks(lo, hi) {
			if !t.IsMinor() {
				at, text = append(at, t.Value), append(text, t.Label)
			}
		}
		a["tickvals"], a["ticktext"] = at, text
	}
	return a
}

// time writes a moment of the horizontal axis: local clock time where the start is known,
// otherwise the time elapsed in the unit of the axis.
func (g *interactive) time(s float64) any {
	if g.start.IsZero() {
		return s / g.unit
	}
	return g.start.Add(time.Duration(s * float64(time.Second))).Format("2006-01-02T15:04:05.000")
}

// across returns horizontal coordinates as the page takes them.
func (g *interactive) across(v float64) any {
	switch {
	case math.IsNaN(v):
		return nil
	case !g.known:
		return g.time(v)
	}
	return native(g.xKind, v)
}

// native returns a coordinate as plotly.js takes it: logarithms are its own affair.
func native(kind Scale, v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	if kind == Log {
		return math.Pow(10, v)
	}
	return v
}

// item adds what a plotter draws.
func (g *interactive) item(p *panel, item plot.Plotter, panel int) {
	switch t := item.(type) {
	case path:
		xs, ys := make([]float64, len(t.pts)), make([]float64, len(t.pts))
		for i, q := range t.pts {
			xs[i], ys[i] = q.x, q.y
			if q.gap() {
				ys[i] = math.NaN()
			}
		}
		g.curve(p, panel, nameOf(p, t.style), xs, ys, t.style, false)
	case trace:
		g.curve(p, panel, nameOf(p, t.style), t.x, t.y, t.style, t.step)
	case arrow:
		g.curve(p, panel, nameOf(p, t.style), []float64{t.from.x, t.to.x}, []float64{t.from.y, t.to.y}, t.style, false)
	case whisker:
		g.curve(p, panel, "", []float64{t.lo, t.hi}, []float64{t.y, t.y}, line(inkColor, 0.9, nil), false)
	case fill:
		g.area(p, panel, t)
	case markers:
		g.points(p, panel, t)
	case backdrop:
		for _, s := range t.shaded {
			g.shapes = append(g.shapes, map[string]any{
				"type": "rect", "xref": "x", "yref": "y" + suffix(panel) + " domain", "layer": "below",
				"x0": g.time(s[0]), "x1": g.time(s[1]), "y0": 0, "y1": 1, "fillcolor": css(shadeColor), "line": map[string]any{"width": 0},
			})
		}
		for _, x := range t.marks {
			g.shapes = append(g.shapes, map[string]any{
				"type": "line", "xref": "x", "yref": "y" + suffix(panel) + " domain",
				"x0": g.time(x), "x1": g.time(x), "y0": 0, "y1": 1, "line": map[string]any{"width": 1, "color": css(markStyle.Color)},
			})
		}
	}
}

// nameOf returns the legend's name of what is drawn like a sample.
func nameOf(p *panel, like any) string {
	for _, e := range p.legend {
		var sample any
		switch s := e.sample.(type) {
		case path:
			sample = s.style
		case trace:
			sample = s.style
		case swatch:
			sample = s.color
		case marker:
			sample = s
		}
		if reflect.DeepEqual(sample, like) {
			return e.name
		}
	}
	return ""
}

func (g *interactive) curve(p *panel, panel int, name string, xs, ys []float64, style draw.LineStyle, step bool) {
	kind := kindOf(p.plot.Y.Tick.Marker)
	x, y, text := make([]any, len(xs)), make([]any, len(xs)), make([]string, len(xs))
	for i := range xs {
		v := ys[i]
		if !math.IsNaN(v) {
			v = min(max(v, p.plot.Y.Min), p.plot.Y.Max) // infinities lie on the edge
		}
		x[i], y[i] = g.across(xs[i]), native(kind, v)
		text[i] = spell(kind, v)
	}
	t := map[string]any{
		"type": "scatter", "mode": "lines", "x": x, "y": y, "text": text, "hovertemplate": "%{x}<br>%{text}",
		"line": map[string]any{"color": css(style.Color), "width": float64(style.Width) * 1.2, "dash": dash(style.Dashes)},
	}
	if step {
		t["line"].(map[string]any)["shape"] = "hv"
	}
	g.put(t, panel, name)
}

// area adds a polygon; those of one colour are one trace.
func (g *interactive) area(p *panel, panel int, f fill) {
	kind := kindOf(p.plot.Y.Tick.Marker)
	var x, y []any
	for _, q := range append(f.corners[:len(f.corners):len(f.corners)], f.corners[0]) {
		if q.gap() {
			return
		}
		x, y = append(x, g.across(q.x)), append(y, native(kind, q.y))
	}
	for _, t := range g.data {
		if t["fillcolor"] == css(f.color) && t["yaxis"] == "y"+suffix(panel) {
			t["x"] = append(append(t["x"].([]any), nil), x...)
			t["y"] = append(append(t["y"].([]any), nil), y...)
			return
		}
	}
	g.put(map[string]any{
		"type": "scatter", "mode": "lines", "x": x, "y": y, "fill": "toself", "fillcolor": css(f.color),
		"line": map[string]any{"width": 0, "color": css(f.color)}, "hoverinfo": "skip",
	}, panel, nameOf(p, f.color))
}

func (g *interactive) points(p *panel, panel int, m markers) {
	kind := kindOf(p.plot.Y.Tick.Marker)
	var x, y []any
	var text []string
	for _, q := range m.at {
		x, y, text = append(x, g.across(q.x)), append(y, native(kind, q.y)), append(text, spell(kind, q.y))
	}
	g.put(map[string]any{
		"type": "scatter", "mode": "markers", "x": x, "y": y, "text": text, "hovertemplate": "%{x}<br>%{text}",
		"marker": map[string]any{
			"size": 2 * float64(m.marker.size), "color": css(m.marker.fill), "symbol": symbol(m.marker.shape),
			"line": map[string]any{"color": css(m.marker.edge), "width": 1},
		},
	}, panel, nameOf(p, m.marker))
}

// put adds a trace, to the legend of its panel once per name.
func (g *interactive) put(t map[string]any, panel int, name string) {
	id := suffix(panel)
	t["xaxis"], t["yaxis"] = "x", "y"+id
	t["showlegend"] = name != "" && !g.shown[id+name]
	if name != "" {
		t["name"], t["legend"], t["legendgroup"] = name, "legend"+id, id+name
		g.shown[id+name] = true
	}
	g.data = append(g.data, t)
}

// marks numbers the actions of a timeline and lists them on hovering.
func (g *interactive) marks(t *Timeline) {
	notes := []map[string]any{}
	for i, a := range t.Actions {
		notes = append(notes, map[string]any{
			"x": g.time(a.At), "y": 1, "xref": "x", "yref": "paper", "yanchor": "bottom", "showarrow": false,
			"text": strconv.Itoa(i + 1), "hovertext": t.axis().stamp(a.At) + " " + a.Name,
		})
	}
	g.layout["annotations"] = notes
}

func kindOf(t plot.Ticker) Scale {
	if s, ok := t.(scale); ok {
		return s.kind
	}
	return Linear
}

// spell writes a coordinate for people.
func spell(kind Scale, v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case kind == Log:
		return siLabel(round(math.Pow(10, v)))
	case kind == Percent:
		return strconv.FormatFloat(v, 'g', 4, 64) + " %"
	case kind == Nines:
		digits := min(2+int(max(v, 0)), 8)
		return strconv.FormatFloat(100*(1-math.Pow(10, -v)), 'f', digits, 64) + " %"
	}
	return siLabel(round(v))
}

// round keeps four digits.
func round(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return r
}

func css(c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("rgba(%d,%d,%d,%.2f)", n.R, n.G, n.B, float64(n.A)/255)
}

// dash returns the lengths of dashes and gaps as plotly.js takes them.
func dash(lengths []vg.Length) string {
	if len(lengths) == 0 {
		return "solid"
	}
	var parts []string
	for _, l := range lengths {
		parts = append(parts, strconv.FormatFloat(float64(l)*1.3, 'g', 3, 64)+"px")
	}
	return strings.Join(parts, ",")
}

// symbol returns the shape of a marker as plotly.js names it.
func symbol(s shape) string {
	for _, known := range []struct {
		shape shape
		name  string
	}{{disc, "circle"}, {diamond, "diamond"}, {square, "square"}, {up, "triangle-up"}, {down, "triangle-down"}, {hexagon, "hexagon"}, {star, "star"}, {fourStar, "star-diamond"}} {
		if reflect.DeepEqual(s, known.shape) {
			return known.name
		}
	}
	return "circle"
}
