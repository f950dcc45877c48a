package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

// figureConfidence is that of the intervals in figures.
const figureConfidence = 0.95

// drawSweep draws the results of a sweep into files that begin with name and returns their
// paths: over two numbers the probability of collapse (NAME.collapse) and the outcomes
// (NAME.outcomes), over one number the probability with its interval. Of other sweeps
// there is no figure.
func drawSweep(name string, sc *model.Scenario, results []*montecarlo.PointResult) ([]string, error) {
	g := gridOf(sc, results)
	if g == nil {
		return nil, nil
	}
	var figures []drawing
	if len(g.axes) == 1 {
		f, err := g.curve(sc)
		if err != nil {
			return nil, err
		}
		figures = []drawing{{"collapse", f}}
	} else {
		heat, err := g.heatMap(sc)
		if err != nil {
			return nil, err
		}
		outcomes, err := g.outcomeMap(sc)
		if err != nil {
			return nil, err
		}
		figures = []drawing{{"collapse", heat}, {"outcomes", outcomes}}
	}
	return writeDrawings(name, figures)
}

// writeDrawings writes figures as pictures and tables.
func writeDrawings(name string, figures []drawing) (paths []string, err error) {
	for _, f := range figures {
		more, err := writeFigure(f.figure, name+"."+f.name, ".svg", ".png", ".csv")
		paths = append(paths, more...)
		if err != nil {
			return paths, err
		}
	}
	return paths, nil
}

// A sweptGrid is what a sweep has found over one or two numbers.
type sweptGrid struct {
	axes   []*varied
	values [][]float64 // of each axis, ascending
	at     map[[2]float64]*montecarlo.PointResult
}

// gridOf returns the results by place, or nil where they do not lie on a grid of one or two
// numbers that has at least two values of each.
func gridOf(sc *model.Scenario, results []*montecarlo.PointResult) *sweptGrid {
	if len(results) == 0 || len(results[0].Point) == 0 || len(results[0].Point) > 2 {
		return nil
	}
	g := &sweptGrid{at: map[[2]float64]*montecarlo.PointResult{}}
	paths := sc.Paths()
	for _, s := range results[0].Point {
		i := slices.IndexFunc(paths, func(p model.Path) bool { return p.Path == s.Path })
		if i < 0 || paths[i].Unit == "" {
			return nil
		}
		g.axes = append(g.axes, &varied{Axis: stability.Axis{Path: s.Path}, unit: paths[i].Unit})
	}
	g.values = make([][]float64, len(g.axes))
	for _, r := range results {
		var at [2]float64
		for k, s := range r.Point {
			if at[k] = s.X; s.Text != "" {
				x, err := model.Quantity(s.Text, g.axes[k].unit)
				if err != nil {
					return nil
				}
				at[k] = x
			}
			g.values[k] = append(g.values[k], at[k])
		}
		g.at[at] = r
	}
	all := 1
	for k, v := range g.values {
		slices.Sort(v)
		v = slices.Compact(v)
		g.values[k] = v
		g.axes[k].Lo, g.axes[k].Hi = v[0], v[len(v)-1]
		if all *= len(v); len(v) < 2 {
			return nil
		}
	}
	if len(g.at) < all/50 || len(g.at) < len(results) { // scattered points, or two at one place
		return nil
	}
	return g
}

// axis is axis k of a figure, logarithmic where the values have even ratios.
func (g *sweptGrid) axis(k int) plots.Axis {
	a, v := g.axes[k].axis(), g.values[k]
	a.Label, a.Lo, a.Hi = axisLabel(g.axes[k]), 0, 0
	if v[0] > 0 && len(v) > 2 && math.Abs(v[2]/v[1]/(v[1]/v[0])-1) < 1e-3 {
		a.Scale = plots.Log
		a.Label = strings.Replace(a.Label, "(%)", "(share)", 1)
	}
	return a
}

// axisLabel names entries of the timeline by what they do.
func axisLabel(v *varied) string {
	label := v.label()
	rest, ok := strings.CutPrefix(v.Path, "timeline.")
	if !ok {
		return label
	}
	n, key, _ := strings.Cut(rest, ".")
	return strings.Replace(label, v.Path, fmt.Sprintf("%s of timeline entry %s", key, n), 1)
}

// result returns what was found at a place of the grid; nil: no one looked.
func (g *sweptGrid) result(i, j int) *montecarlo.PointResult {
	at := [2]float64{g.values[0][i]}
	if len(g.values) > 1 {
		at[1] = g.values[1][j]
	}
	return g.at[at]
}

// draws returns the most draws at a point.
func (g *sweptGrid) draws() (n int) {
	for _, r := range g.at {
		n = max(n, r.Runs)
	}
	return n
}

// today returns where the scenario itself is, if that is on the map.
func (g *sweptGrid) today(sc *model.Scenario) *plots.Operating {
	at := [2]float64{0, math.NaN()}
	for k, v := range g.axes {
		text, err := sc.Get(v.Path)
		if err != nil {
			return nil
		}
		x, err := model.Quantity(text, v.unit)
		if err != nil || x < v.Lo || x > v.Hi {
			return nil
		}
		at[k] = x
	}
	return &plots.Operating{Name: "the scenario", X: at[0], Y: at[1]}
}

func (g *sweptGrid) heatMap(sc *model.Scenario) (plots.Figure, error) {
	f := plots.HeatMap{
		Frame: plots.Frame{
			Title:    title(sc) + ": probability of collapse",
			Subtitle: fmt.Sprintf("Estimates from up to %d draws a point; between the dotted lines the %.0f %% interval contains one half.", g.draws(), 100*figureConfidence),
			X:        g.axis(0), Y: g.axis(1),
		},
		X: g.values[0], Y: g.values[1], What: "collapse", Operating: g.today(sc),
	}
	none := montecarlo.Interval{Estimate: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	for i := range f.X {
		for j := range f.Y {
			p := none
			if r := g.result(i, j); r != nil && r.Runs > r.Failed {
				p = r.Collapse(figureConfidence)
			}
			f.P, f.Lo, f.Hi = append(f.P, p.Estimate), append(f.Lo, p.Lo), append(f.Hi, p.Hi)
		}
	}
	return plots.NewHeatMap(f)
}

// verdictOf are the names of the classes in figures.
var verdictOf = [montecarlo.Classes]string{
	montecarlo.Absorbed:      plots.Absorbed,
	montecarlo.SelfRecovered: plots.SelfRecovered,
	montecarlo.Recovered:     plots.Recovered,
	montecarlo.Relapsed:      plots.Relapsed,
	montecarlo.Collapsed:     plots.Collapsed,
}

func (g *sweptGrid) outcomeMap(sc *model.Scenario) (plots.Figure, error) {
	f := plots.PhaseDiagram{
		Frame: plots.Frame{
			Title:    title(sc) + ": how runs end",
			Subtitle: fmt.Sprintf("The most frequent outcome of up to %d draws a point.", g.draws()),
			X:        g.axis(0), Y: g.axis(1),
		},
		Operating: g.today(sc),
	}
	ex, ey := cellEdges(g.values[0], f.X.Scale == plots.Log), cellEdges(g.values[1], f.Y.Scale == plots.Log)
	for i := range g.values[0] {
		for j := range g.values[1] {
			r := g.result(i, j)
			if r == nil {
				continue
			}
			verdict := "no answer"
			if r.Runs > r.Failed {
				best := 0
				for c, n := range r.Counts {
					if n > r.Counts[best] {
						best = c
					}
				}
				verdict = verdictOf[best]
			}
			f.Cells = append(f.Cells, plots.Cell{Verdict: verdict, X: [2]float64{ex[i], ex[i+1]}, Y: [2]float64{ey[j], ey[j+1]}})
		}
	}
	return plots.NewPhaseDiagram(f)
}

// cellEdges returns the borders of the cells around values, half way on paper.
func cellEdges(values []float64, log bool) []float64 {
	to, from := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if log {
		to, from = math.Log, math.Exp
	}
	n := len(values)
	out := make([]float64, n+1)
	for i := 1; i < n; i++ {
		out[i] = from((to(values[i-1]) + to(values[i])) / 2)
	}
	out[0] = from(2*to(values[0]) - to(out[1]))
	out[n] = from(2*to(values[n-1]) - to(out[n-1]))
	return out
}

func (g *sweptGrid) curve(sc *model.Scenario) (plots.Figure, error) {
	x := g.axis(0)
	f := plots.FanChart{Frame: plots.Frame{
		Title:    title(sc) + ": probability of collapse",
		Subtitle: fmt.Sprintf("Estimates from up to %d draws a point with their %.0f %% intervals.", g.draws(), 100*figureConfidence),
		X:        x, Y: plots.Axis{Label: "P(collapse) (%)", Column: "p_collapse", Scale: plots.Percent},
	}}
	band := plots.Band{Name: fmt.Sprintf("%.0f %% interval", 100*figureConfidence)}
	line := plots.Curve{Name: "estimate"}
	for i, v := range g.values[0] {
		r := g.result(i, 0)
		if r == nil || r.Runs == r.Failed {
			continue
		}
		p := r.Collapse(figureConfidence)
		band.X, band.Lo, band.Hi = append(band.X, v), append(band.Lo, p.Lo), append(band.Hi, p.Hi)
		line.X, line.Y = append(line.X, v), append(line.Y, p.Estimate)
	}
	f.Bands, f.Curves = []plots.Band{band}, []plots.Curve{line}
	if today := g.today(sc); today != nil {
		f.Marks = []plots.Operating{*today}
	}
	return plots.NewFanChart(f)
}
