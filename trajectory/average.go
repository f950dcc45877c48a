package trajectory

import (
	"slices"

	"github.com/metastable/metastable/internal/ode"
)

// An averager turns the dense output into means over windows: it keeps the integral
// of the observables from the start of the run to each end of a window.
type averager struct {
	rec       *recorder
	times     []float64 // ends of the windows still to come
	width     float64
	edges     []float64   // ends of windows, both, increasing
	integrals [][]float64 // from the start to each edge passed
	running   []float64   // from the start to the time reached
	row       []float64   // scratch
}

func newAverager(rec *recorder, times []float64, width float64) *averager {
	n := len(rec.res.Columns)
	a := &averager{rec: rec, times: times, width: width, running: make([]float64, n), row: make([]float64, n)}
	for _, t := range times {
		a.edges = append(a.edges, a.from(t), t)
	}
	slices.Sort(a.edges)
	a.edges = slices.Compact(a.edges)
	if len(a.edges) > 0 && a.edges[0] == rec.from {
		a.integrals = append(a.integrals, slices.Clone(a.running))
	}
	if len(times) > 0 && times[0] == rec.from {
		a.times = times[1:] // the window is a point: recorded as such
	}
	return a
}

// from returns the start of the window that ends at t.
func (a *averager) from(t float64) float64 { return max(a.rec.from, t-a.width) }

// step integrates over one step and completes the windows that end within it.
func (a *averager) step(p *ode.Interpolant) {
	t := p.T0
	for len(a.integrals) < len(a.edges) && a.edges[len(a.integrals)] <= p.T1 {
		edge := a.edges[len(a.integrals)]
		a.integrate(p, t, edge)
		a.integrals = append(a.integrals, slices.Clone(a.running))
		t = edge
	}
	a.integrate(p, t, p.T1)
	for len(a.times) > 0 && a.times[0] <= p.T1 {
		a.rec.res.Rows = append(a.rec.res.Rows, a.mean(a.times[0]))
		a.times = a.times[1:]
	}
}

func (a *averager) mean(t float64) []float64 {
	from := a.from(t)
	lo, hi := a.integral(from), a.integral(t)
	row := make([]float64, len(hi))
	for i := range row {
		row[i] = (hi[i] - lo[i]) / (t - from)
	}
	row[0] = t
	return row
}

func (a *averager) integral(edge float64) []float64 {
	i, _ := slices.BinarySearch(a.edges, edge)
	return a.integrals[i]
}

// gauss holds the Gauss–Legendre rule with 5 nodes on [−1, 1] (Abramowitz & Stegun
// 25.4.30): exact to degree 9, beyond the degree of the dense output.
var gauss = [5]struct{ x, w float64 }{
	{-0.906179845938663993, 0.236926885056189088},
	{-0.538469310105683091, 0.478628670499366468},
	{0, 0.568888888888888889},
	{0.538469310105683091, 0.478628670499366468},
	{0.906179845938663993, 0.236926885056189088},
}

// integrate adds the integral from t0 to t1 within the step.
func (a *averager) integrate(p *ode.Interpolant, t0, t1 float64) {
	half, mid := (t1-t0)/2, (t0+t1)/2
	if half <= 0 {
		return
	}
	for _, g := range gauss {
		t := mid + half*g.x
		a.rec.sys.Observe(a.row, t, a.rec.at(p, t))
		for i, v := range a.row {
			a.running[i] += half * g.w * v
		}
	}
}
