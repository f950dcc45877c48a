package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/plots"
)

// A sensitivity computes its indices, puts them into the table and draws them.
type sensitivity func(m *monteCarlo) error

var sensitivities = []named[sensitivity]{
	{"morris", (*monteCarlo).morris},
	{"sobol", (*monteCarlo).sobol},
	{"pawn", (*monteCarlo).pawn},
	{"tornado", (*monteCarlo).tornado},
}

// samplers are those that look at a sample as it is.
var samplers = []string{"pawn", "tornado"}

// settings returns those of a sensitivity with a default size.
func (m *monteCarlo) settings(n int) *montecarlo.SensitivitySettings {
	return &montecarlo.SensitivitySettings{N: cmp.Or(m.samples, n), Seed: m.seed, Pool: &m.pool, Confidence: sweepConfidence}
}

// paths are those of the uncertain parameters.
func (m *monteCarlo) paths() (out []string) {
	for _, u := range m.sweep.Uncertain {
		out = append(out, u.Path)
	}
	return out
}

// indices puts those of all parameters into the table.
func (m *monteCarlo) indices(name string, all []montecarlo.Interval, n int) {
	for j, path := range m.paths() {
		m.add(name+"."+path, all[j], n)
	}
}

// plain returns estimates without bounds.
func plain(values []float64) []montecarlo.Interval {
	out := make([]montecarlo.Interval, len(values))
	for i, v := range values {
		out[i] = montecarlo.Interval{Estimate: v, Lo: math.NaN(), Hi: math.NaN()}
	}
	return out
}

func (m *monteCarlo) morris() error {
	s, err := montecarlo.Morris(m.function(m.output).Screened(), len(m.sweep.Uncertain), m.settings(20))
	if err != nil || m.ended() {
		return err
	}
	m.warnings = append(m.warnings, s.Warnings...)
	m.indices("morris.mu_star", s.MuStar, s.Runs)
	m.indices("morris.mu", plain(s.Mu), s.Runs)
	m.indices("morris.sigma", plain(s.Sigma), s.Runs)
	m.ranking("morris", s.MuStar, nil)
	return m.bars("mean size of the effect on "+m.of+" over the middle 98 % of the law", "mu_star", []series{{"", s.MuStar}}, 0, nil)
}

func (m *monteCarlo) sobol() error {
	s, err := montecarlo.SobolIndices(m.function(m.output), len(m.sweep.Uncertain), m.settings(256))
	if err != nil || m.ended() {
		return err
	}
	m.warnings = append(m.warnings, s.Warnings...)
	m.indices("sobol.first", s.First, s.Runs)
	m.add("sobol.first.dummy", s.Dummy, s.Runs)
	m.indices("sobol.total", s.Total, s.Runs)
	for _, at := range s.Curve {
		m.indices("sobol.curve.first", plain(at.First), at.N*(len(at.First)+2))
		m.indices("sobol.curve.total", plain(at.Total), at.N*(len(at.First)+2))
	}
	m.ranking("sobol", s.Total, &s.Dummy)
	if err := m.bars("share of the variance of "+m.of, "index", []series{{"alone", s.First}, {"with interactions", s.Total}}, 0, &s.Dummy); err != nil {
		return err
	}
	return m.curve(s)
}

// sample returns points of the uncertain parameters and the output there.
func (m *monteCarlo) sample() (*mat.Dense, []float64, error) {
	n := cmp.Or(m.samples, 1000)
	var x *mat.Dense
	if j := m.sweep.Joint; j != nil {
		x = j.Places(n, m.seed)
	} else {
		var err error
		if x, err = montecarlo.Sample(montecarlo.LatinHypercube, n, len(m.sweep.Uncertain), m.seed); err != nil {
			return nil, nil, err
		}
	}
	y, _, err := m.function(m.output).Values(&m.pool, x)
	return x, y, err
}

func (m *monteCarlo) pawn() error {
	x, y, err := m.sample()
	if err != nil || m.ended() {
		return err
	}
	s, err := montecarlo.PAWN(x, y, m.settings(0))
	if err != nil {
		return err
	}
	m.warnings = append(m.warnings, s.Warnings...)
	m.indices("pawn.median", s.Median, len(y))
	m.add("pawn.median.dummy", s.Dummy, len(y))
	m.indices("pawn.max", s.Max, len(y))
	m.ranking("pawn", s.Median, &s.Dummy)
	return m.bars("how far the distribution of "+m.of+" moves once it is known", "distance", []series{{"median", s.Median}, {"largest", s.Max}}, 0, &s.Dummy)
}

func (m *monteCarlo) tornado() error {
	x, y, err := m.sample()
	if err != nil || m.ended() {
		return err
	}
	s, err := montecarlo.Swings(x, y, sweepConfidence)
	if err != nil {
		return err
	}
	m.warnings = append(m.warnings, s.Warnings...)
	m.add("tornado.all", s.All, len(y))
	m.indices("tornado.low", s.Low, len(y)/5)
	m.indices("tornado.high", s.High, len(y)/5)
	swing := make([]montecarlo.Interval, len(s.Low))
	for j := range swing {
		swing[j].Estimate = math.Abs(s.High[j].Estimate - s.Low[j].Estimate)
	}
	m.ranking("tornado", swing, nil)
	return m.bars("mean of "+m.of, m.of, []series{{"lowest fifth", s.Low}, {"highest fifth", s.High}}, s.All.Estimate, nil)
}

// order returns the parameters by an index, the largest first.
func order(by []montecarlo.Interval) []int {
	out := make([]int, len(by))
	for j := range out {
		out[j] = j
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(by[b].Estimate, by[a].Estimate) })
	return out
}

// ranking says which parameters matter most.
func (m *monteCarlo) ranking(method string, by []montecarlo.Interval, dummy *montecarlo.Interval) {
	if math.IsNaN(by[0].Estimate) {
		return // the warning says why
	}
	paths := m.paths()
	for _, j := range order(by) {
		line := fmt.Sprintf("%s of %s: %s %s", method, m.of, paths[j], human(by[j].Estimate, 3))
		if by[j].Confidence > 0 {
			line += fmt.Sprintf(" (%s to %s)", human(by[j].Lo, 3), human(by[j].Hi, 3))
		}
		m.said = append(m.said, line)
	}
	if dummy != nil {
		m.said = append(m.said, fmt.Sprintf("a parameter that does nothing reads %s", human(dummy.Estimate, 2)))
	}
}

// A series is one index of all parameters.
type series struct {
	name string
	all  []montecarlo.Interval
}

// bars draws indices, the last series' largest first; none of those that are undefined.
func (m *monteCarlo) bars(label, column string, all []series, base float64, dummy *montecarlo.Interval) error {
	by := all[len(all)-1].all
	if m.sensitivity == "tornado" {
		by = slices.Clone(by)
		for j := range by {
			by[j].Estimate = math.Abs(all[1].all[j].Estimate - all[0].all[j].Estimate)
		}
	}
	f := plots.BarChart{
		Frame: plots.Frame{
			Title:    title(m.sc) + ": what matters for " + m.of,
			Subtitle: fmt.Sprintf("Uncertain parameters by the method %s, with %.0f %% intervals.", m.sensitivity, 100*figureConfidence),
			X:        plots.Axis{Label: label, Column: column},
			Y:        plots.Axis{Label: "uncertain parameter", Column: "row"},
			Height:   max(4, 2+0.6*float64(len(by))),
		},
		Base: base,
	}
	paths := m.paths()
	for _, j := range order(by) {
		for _, s := range all {
			i := s.all[j]
			if math.IsNaN(i.Estimate) {
				return nil
			}
			f.Bars = append(f.Bars, plots.Bar{Name: paths[j], Series: s.name, Value: i.Estimate, Lo: i.Lo, Hi: i.Hi})
		}
	}
	if dummy != nil {
		f.Line = &plots.Curve{Name: "does nothing", X: []float64{dummy.Estimate}}
	}
	fig, err := plots.NewBarChart(f)
	if err != nil {
		return err
	}
	m.figures = append(m.figures, drawing{name: "sensitivity", figure: fig})
	return nil
}

// curve draws the total indices over the size of the sample.
func (m *monteCarlo) curve(s *montecarlo.Indices) error {
	if len(s.Curve) == 0 || math.IsNaN(s.Total[0].Estimate) {
		return nil
	}
	f := plots.FanChart{Frame: plots.Frame{
		Title:    title(m.sc) + ": total indices over the size of the sample",
		Subtitle: fmt.Sprintf("Estimates for %s from the first rows of the sample; the bars at the right are %.0f %% intervals of all.", m.of, 100*figureConfidence),
		X:        plots.Axis{Label: "rows of the sample", Column: "rows", Scale: plots.Log},
		Y:        plots.Axis{Label: "total index", Column: "total_index"},
	}}
	for j, path := range m.paths() {
		c := plots.Curve{Name: path}
		for _, at := range s.Curve {
			if !math.IsNaN(at.Total[j]) {
				c.X, c.Y = append(c.X, float64(at.N)), append(c.Y, at.Total[j])
			}
		}
		last := s.Curve[len(s.Curve)-1].N
		at := float64(last) * math.Pow(1.08, float64(j+1))
		f.Curves = append(f.Curves, c)
		f.Bands = append(f.Bands, plots.Band{X: []float64{at, at * 1.05}, Lo: []float64{s.Total[j].Lo, s.Total[j].Lo}, Hi: []float64{s.Total[j].Hi, s.Total[j].Hi}, Of: j + 1})
	}
	fig, err := plots.NewFanChart(f)
	if err != nil {
		return err
	}
	m.figures = append(m.figures, drawing{name: "sensitivity-convergence", figure: fig})
	return nil
}
