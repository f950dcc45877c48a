package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/trajectory"
)

// illustrate draws what the draws say: the course of the estimate, the outcomes, and fans
// over time.
func (m *monteCarlo) illustrate() error {
	course, err := m.courseFigure()
	if err != nil {
		return err
	}
	outcomes, err := m.outcomeFigure()
	if err != nil {
		return err
	}
	fans, err := m.fans()
	if err != nil {
		return err
	}
	m.figures = append(append([]drawing{{name: "convergence", figure: course}, {name: "outcomes", figure: outcomes}}, fans...), m.figures...)
	return nil
}

func (m *monteCarlo) courseFigure() (plots.Figure, error) {
	f := plots.FanChart{Frame: plots.Frame{
		Title:    title(m.sc) + ": probability of collapse over the draws",
		Subtitle: fmt.Sprintf("%d draws of the uncertain parameters: %s.", m.result.Runs, spellInterval(m.result.Collapse(figureConfidence))),
		X:        plots.Axis{Label: "draws", Column: "draws", Scale: plots.Log},
		Y:        plots.Axis{Label: "P(collapse) (%)", Column: "p_collapse", Scale: plots.Percent},
	}}
	band := plots.Band{Name: fmt.Sprintf("%.0f %% interval", 100*figureConfidence)}
	line := plots.Curve{Name: "estimate"}
	for _, at := range m.course {
		band.X, band.Lo, band.Hi = append(band.X, float64(at.n)), append(band.Lo, at.p.Lo), append(band.Hi, at.p.Hi)
		line.X, line.Y = append(line.X, float64(at.n)), append(line.Y, at.p.Estimate)
	}
	if len(m.course) == 0 {
		return nil, fmt.Errorf("no run has an answer: %s", m.result.Failure)
	}
	f.Bands, f.Curves = []plots.Band{band}, []plots.Curve{line}
	return plots.NewFanChart(f)
}

func (m *monteCarlo) outcomeFigure() (plots.Figure, error) {
	f := plots.BarChart{Frame: plots.Frame{
		Title:    title(m.sc) + ": how runs end",
		Subtitle: fmt.Sprintf("%d draws of the uncertain parameters, with %.0f %% intervals; %d failed.", m.result.Runs, 100*figureConfidence, m.result.Failed),
		X:        plots.Axis{Label: "share of the runs (%)", Column: "p", Scale: plots.Percent},
		Y:        plots.Axis{Label: "outcome", Column: "row"},
		Height:   4.5,
	}}
	for c := range montecarlo.Class(montecarlo.Classes) {
		p := m.result.Probability(figureConfidence, c)
		f.Bars = append(f.Bars, plots.Bar{Name: verdictOf[c], Value: p.Estimate, Lo: p.Lo, Hi: p.Hi})
	}
	return plots.NewBarChart(f)
}

// fanTimes is the number of times of a fan, and fanDraws the most draws behind it.
const (
	fanTimes = 241
	fanDraws = 200
)

// fans draws the goodput and the hit rate of each cached class over time across draws.
func (m *monteCarlo) fans() ([]drawing, error) {
	times := make([]float64, fanTimes)
	for i := range times {
		times[i] = m.sc.Duration * float64(i) / (fanTimes - 1)
	}
	of := []func([]string, []float64) float64{
		func(columns []string, row []float64) float64 {
			return row[slices.Index(columns, "admitted_per_s")] * row[slices.Index(columns, "boot_success")]
		},
	}
	axes := []plots.Axis{{Label: "goodput (boots/s)", Column: "goodput_per_s"}}
	names := []string{"goodput"}
	for _, c := range m.sc.Classes {
		if !c.Value.Cached {
			continue
		}
		name := "hit_rate." + c.Name
		of = append(of, func(columns []string, row []float64) float64 { return row[slices.Index(columns, name)] })
		axes = append(axes, plots.Axis{Label: "hit rate of " + c.Name + " (%)", Column: name, Scale: plots.Percent})
		names = append(names, "hit-rate."+c.Name)
	}
	draws := min(fanDraws, m.result.Runs)
	bands, err := m.sweep.Bands(&m.pool, 0, draws, times, of...)
	if err != nil {
		return nil, err
	}
	var out []drawing
	for k, b := range bands {
		if b.Failed == draws {
			continue
		}
		f, err := m.fan(b, axes[k], draws, k == 0)
		if err != nil {
			return nil, err
		}
		out = append(out, drawing{name: names[k], figure: f})
	}
	return out, nil
}

func (m *monteCarlo) fan(b *montecarlo.Bands, y plots.Axis, draws int, throttled bool) (plots.Figure, error) {
	hours := make([]float64, len(b.Times))
	unit, size := "h", 3600.0
	if m.sc.Duration < 2*3600 {
		unit, size = "min", 60
	}
	for i, t := range b.Times {
		hours[i] = t / size
	}
	f := plots.FanChart{Frame: plots.Frame{
		Title:    title(m.sc) + ": " + strings.TrimSuffix(strings.TrimSuffix(y.Label, " (%)"), " (boots/s)") + " across draws",
		Subtitle: fmt.Sprintf("Quantiles at each time of %d draws of the uncertain parameters; dotted lines mark the timeline.", draws),
		X:        plots.Axis{Label: "time (" + unit + ")", Column: "t_" + unit}, Y: y,
		Width: 9,
	}}
	for _, q := range []struct {
		name   string
		lo, hi float64
	}{{"5 to 95 %", 0.05, 0.95}, {"25 to 75 %", 0.25, 0.75}} {
		f.Bands = append(f.Bands, plots.Band{Name: q.name, X: hours, Lo: b.Quantile(q.lo), Hi: b.Quantile(q.hi)})
	}
	f.Curves = []plots.Curve{{Name: "median", X: hours, Y: b.Quantile(0.5)}}
	if throttled {
		limit, err := m.throttle(size)
		if err != nil {
			return nil, err
		}
		f.Curves = append(f.Curves, limit...)
	}
	for _, e := range m.sc.Timeline {
		f.Marks = append(f.Marks, plots.Operating{X: e.At / size})
	}
	return plots.NewFanChart(f)
}

// throttle returns the limit over the scenario's own run, with gaps while there is none; no
// curve if there never is.
func (m *monteCarlo) throttle(size float64) ([]plots.Curve, error) {
	sys, err := m.sc.Compile()
	if err != nil {
		return nil, err
	}
	r, err := trajectory.Run(sys, &trajectory.Settings{RTol: 1e-4, Detail: true, Done: m.pool.Done})
	if err != nil {
		return nil, err
	}
	c, limited := plots.Curve{Name: "throttle"}, false
	for i, row := range r.Detail.Rows {
		limit := r.Detail.Throttle[i]
		if limited = limited || !math.IsInf(limit, 1); math.IsInf(limit, 1) {
			limit = math.NaN()
		}
		c.X, c.Y = append(c.X, row[0]/size), append(c.Y, limit)
	}
	if !limited {
		return nil, nil
	}
	return []plots.Curve{c}, nil
}
