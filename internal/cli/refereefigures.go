package cli

import (
	"math"
	"slices"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/referee"
)

// ways are the descriptions of one column over time.
type ways struct {
	t, fluid, mean, lo, hi, chain []float64
}

func waysOf(r *referee.Result, column string) *ways {
	w := &ways{}
	for _, p := range r.Series(column) {
		w.t = append(w.t, p.T)
		w.fluid = append(w.fluid, p.Fluid)
		w.mean = append(w.mean, p.Mean)
		w.lo, w.hi = append(w.lo, p.Lo), append(w.hi, p.Hi)
		w.chain = append(w.chain, p.Chain)
	}
	return w
}

// windows is the table of all columns over time: of each the fluid and what it is compared
// with.
func (f *refereeFlags) windows(sc *model.Scenario, r *referee.Result) *table {
	t := &table{meta: f.meta(sc, r), columns: []string{"t_s"}}
	for _, row := range r.Fluid {
		t.rows = append(t.rows, []float64{row[0]})
	}
	for _, q := range r.Quantities {
		w := waysOf(r, q.Column)
		for _, c := range []struct {
			name   string
			values []float64
		}{{"fluid", w.fluid}, {"simulated", w.mean}, {"lo", w.lo}, {"hi", w.hi}, {"chain", w.chain}} {
			t.columns = append(t.columns, q.Column+"."+c.name)
			for i, v := range c.values {
				t.rows[i] = append(t.rows[i], v)
			}
		}
	}
	return t
}

// refereeFigure draws the fluid, the interval of the simulated mean, and the chain.
func refereeFigure(sc *model.Scenario, r *referee.Result, column string) (plots.Figure, error) {
	w := waysOf(r, column)
	f := plots.FanChart{
		Frame: plots.Frame{
			Title: title(sc) + ": " + column, Subtitle: "means over windows; the band is the 99 % interval of the simulated mean",
			X: plots.Axis{Label: "time (s)", Column: "t_s"}, Y: plots.Axis{Label: column, Column: "value"},
		},
		Curves: []plots.Curve{{Name: "fluid", X: w.t, Y: w.fluid}},
	}
	some := func(values []float64) bool {
		return slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) })
	}
	if some(w.mean) {
		f.Curves = append(f.Curves, plots.Curve{Name: "simulation", X: w.t, Y: w.mean})
		f.Bands = []plots.Band{{Name: "interval", X: w.t, Lo: w.lo, Hi: w.hi, Of: 2}}
	}
	if some(w.chain) {
		f.Curves = append(f.Curves, plots.Curve{Name: "chain", X: w.t, Y: w.chain})
	}
	for i, e := range sc.Timeline {
		f.Marks = append(f.Marks, plots.Operating{Name: actionName(sc, i), X: e.At})
	}
	return plots.NewFanChart(f)
}
