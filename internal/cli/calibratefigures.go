package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/metastable/metastable/calibrate"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

// figures are data against fit and residuals for each channel, the searches in order, a
// profile for each parameter, and the pairs of the posterior.
func (r *calibration) figures(sc *model.Scenario, confidence float64) ([]drawing, error) {
	var out []drawing
	add := func(name string, fig plots.Figure, err error) error {
		out = append(out, drawing{name: name, figure: fig})
		return err
	}
	for c, ch := range r.fit.Problem.Channels {
		name := fileName(ch.Name)
		fit, err := r.fitChart(sc, c, confidence)
		if err := add("fit."+name, fit, err); err != nil {
			return nil, err
		}
		residuals, err := r.residualChart(sc, c, confidence)
		if err := add("residuals."+name, residuals, err); err != nil {
			return nil, err
		}
	}
	if len(r.fit.Waterfall) > 1 {
		waterfall, err := r.waterfallChart(sc)
		if err := add("waterfall", waterfall, err); err != nil {
			return nil, err
		}
	}
	for _, pr := range r.profiles {
		fig, err := r.profileChart(sc, pr)
		if err := add("profile."+fileName(pr.Name), fig, err); err != nil {
			return nil, err
		}
	}
	if r.posterior != nil && len(r.profiles) > 1 {
		fig, err := r.pairPlot(sc)
		if err := add("pairs", fig, err); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fileName leaves letters, digits, dots, dashes and underscores of a name.
func fileName(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '.' || c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '-'
	}, name)
}

func (r *calibration) fitChart(sc *model.Scenario, c int, confidence float64) (plots.Figure, error) {
	ch := r.fit.Problem.Channels[c]
	t := r.places(ch.X)
	f := plots.FitChart{
		Frame: plots.Frame{
			Title: title(sc) + ": " + ch.Name, Subtitle: "What was measured, and what the fitted scenario shows.",
			X: r.x, Y: plots.Axis{Label: ch.Name, Column: "value"},
		},
		Measured: plots.Curve{Name: "measured", X: t, Y: ch.Y},
		Fit:      plots.Curve{Name: "fit", X: t, Y: r.fit.Predicted[c]},
	}
	if r.law != nil {
		const parts = 100
		f.Fit.X, f.Fit.Y = make([]float64, parts+1), make([]float64, parts+1)
		floats.Span(f.Fit.X, slices.Min(ch.X), slices.Max(ch.X))
		for i, x := range f.Fit.X {
			f.Fit.Y[i] = r.law(x)
		}
	}
	if r.bands != nil {
		b, share := r.bands[c], percent(confidence, 1)
		f.Bands = []plots.Band{
			{Name: share + " of measured", X: t, Lo: b.LoMeasured, Hi: b.HiMeasured},
			{Name: share + " of fits", X: t, Lo: b.Lo, Hi: b.Hi},
		}
	}
	return plots.NewFitChart(f)
}

func (r *calibration) residualChart(sc *model.Scenario, c int, confidence float64) (plots.Figure, error) {
	ch := r.fit.Problem.Channels[c]
	t := r.places(ch.X)
	z := r.fit.Residuals(c)
	most := math.Sqrt2 * math.Erfinv(confidence)
	span := []float64{slices.Min(t), slices.Max(t)}
	return plots.NewFitChart(plots.FitChart{
		Frame: plots.Frame{
			Title:    title(sc) + ": residuals of " + ch.Name,
			Subtitle: fmt.Sprintf("Measured less fitted, over the scale of the %v errors; what follows a pattern the model does not explain.", ch.Noise.Kind),
			X:        r.x, Y: plots.Axis{Label: "residual (scales)", Column: "residual"},
		},
		Measured: plots.Curve{Name: "residual", X: t, Y: z},
		Fit:      plots.Curve{Name: "fit", X: span, Y: []float64{0, 0}},
		Bands:    []plots.Band{{Name: percent(confidence, 1) + " if normal", X: span, Lo: []float64{-most, -most}, Hi: []float64{most, most}}},
	})
}

// waterfallChart shows where the searches ended: steps on which several end are local minima.
func (r *calibration) waterfallChart(sc *model.Scenario) (plots.Figure, error) {
	ends := plots.Curve{Name: "search"}
	for i, s := range r.fit.Waterfall {
		if !math.IsInf(s.Cost, 1) {
			ends.X, ends.Y = append(ends.X, float64(i+1)), append(ends.Y, s.Cost-r.fit.Waterfall[0].Cost)
		}
	}
	const matters = 1.0 // of a loss: less is the same minimum
	most := max(matters, slices.Max(ends.Y))
	return plots.NewFitChart(plots.FitChart{
		Frame: plots.Frame{
			Title: title(sc) + ": searches", Subtitle: "How much worse than the best each search ended, best first; a step on which several end is a local minimum.",
			X: plots.Axis{Label: "search", Column: "search"}, Y: plots.Axis{Label: "loss of log-likelihood", Column: "loss", Lo: -0.05 * most, Hi: 1.05 * most},
		},
		Measured: ends,
		Fit:      plots.Curve{Name: "best", X: []float64{1, float64(len(r.fit.Waterfall))}, Y: []float64{0, 0}},
	})
}

// places are those of the values in the unit of the figures.
func (r *calibration) places(x []float64) []float64 {
	m := make([]float64, len(x))
	for i, v := range x {
		m[i] = v / r.per
	}
	return m
}

func (r *calibration) profileChart(sc *model.Scenario, pr *calibrate.Profile) (plots.Figure, error) {
	i := slices.IndexFunc(r.fit.Problem.Params, func(p calibrate.Param) bool { return p.Name == pr.Name })
	x := plots.Axis{Label: labelOf(sc, pr.Name), Column: "value"}
	const wide = 10 // times its least value: worth a logarithmic axis
	if v := pr.Values; r.fit.Problem.Params[i].Log && slices.Max(v) > wide*slices.Min(v) {
		x.Scale = plots.Log
	}
	cost := slices.Clone(pr.Cost)
	for k, c := range cost {
		if math.IsInf(c, 0) {
			cost[k] = math.NaN()
		}
	}
	best := r.fit.Values[i]
	return plots.NewProfileChart(plots.ProfileChart{
		Frame: plots.Frame{
			Title: title(sc) + ": profile of " + pr.Name, Subtitle: fmt.Sprintf("%v, with %s confidence. All other parameters are fitted anew at each point.", pr, percent(pr.Confidence, 1)),
			X: x, Y: plots.Axis{Label: "loss of log-likelihood", Column: "loss"},
		},
		Curve: plots.Curve{X: pr.Values, Y: cost}, Limit: pr.Limit, Lo: min(pr.Lo, best), Hi: max(pr.Hi, best), Best: best,
	})
}

func (r *calibration) pairPlot(sc *model.Scenario) (plots.Figure, error) {
	f := plots.PairPlot{Title: title(sc) + ": posterior", Subtitle: "Draws of the parameters given the data; the star is the best fit."}
	const mostPairs = 8
	var keep []int
	for i, p := range r.fit.Problem.Params {
		if p.Lo < p.Hi && len(keep) < mostPairs {
			keep = append(keep, i)
			f.Params = append(f.Params, plots.PairParam{Name: p.Name, Log: p.Log, Best: r.fit.Values[i]})
		}
	}
	for _, d := range r.posterior.Draws {
		var row []float64
		for _, i := range keep {
			row = append(row, d[i])
		}
		f.Draws = append(f.Draws, row)
	}
	return plots.NewPairPlot(f)
}

// labelOf names a parameter with its unit.
func labelOf(sc *model.Scenario, name string) string {
	_, path, ok := strings.Cut(name, ":") // of one recording
	if !ok {
		path = name
	}
	if path == calibrate.Offset {
		return name + " (s)"
	}
	paths := sc.Paths()
	i := slices.IndexFunc(paths, func(p model.Path) bool { return p.Path == path })
	if i < 0 || paths[i].Unit == "share" { // figures have it as it is, not in %
		return name
	}
	return (&varied{Axis: stability.Axis{Path: name}, unit: paths[i].Unit}).label()
}
