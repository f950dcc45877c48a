package markov

import (
	"math"
	"slices"
)

// A Path is what the chain of a scenario does over time, in the columns of a trajectory.
type Path struct {
	Columns []string
	Rows    [][]float64 // means over the windows that end at the times in column 0; NaN: no state of the chain
	Grid    Grid

	// Error is the probability that came to the edge of the state space, at most at any
	// time, and the error of uniformisation.
	Error float64

	// InFlight is how often a key is read while a fetch of it is under way, at most in a
	// window. The chain takes it for cached by then: its hit rates are too high by about
	// that share of the misses.
	InFlight float64
}

// Path carries the law of the chain through the timeline, from the state in which
// [Model.Outcome] starts, and averages over windows that end at the given times (s,
// increasing, the first begins at 0). The state space grows until Path.Error is below the
// tolerance; it fails with a [LimitError] where that is too large.
func (m *Model) Path(ends []float64, set *SolveSettings) (*Path, error) {
	start := &Model{m.pieces[:1], m.cold, nil} // a space of its own: later pieces may need a larger one
	law, from, err := start.begin(set)
	if err != nil {
		return nil, err
	}
	g := m.grid()
	g.Queue, g.Other = max(g.Queue, from.Queue), max(g.Other, from.Other)
	for reached := math.Inf(1); ; g = m.largest(g) {
		if g.Len() > set.maxStates() {
			return nil, &LimitError{g, set.maxStates(), reached}
		}
		p, err := m.walk(from.move(law, g), g, ends, set)
		if err != nil {
			return nil, err
		}
		if reached = p.Error; reached <= set.tol() || m.largest(g) == g {
			return p, nil
		}
	}
}

// begin is the law at t = 0 and its grid.
func (m *Model) begin(set *SolveSettings) ([]float64, Grid, error) {
	if m.cold {
		g := m.grid()
		law := make([]float64, g.Len())
		law[g.Index(0, g.Other-1)] = 1
		return law, g, nil
	}
	s, err := m.solve(&m.pieces[0].rates, m.grid(), set)
	if err != nil {
		return nil, Grid{}, err
	}
	if s.Metastable {
		return s.Healthy.Law, s.Grid, nil
	}
	return s.Stationary, s.Grid, nil
}

// largest grows what is cut off in any piece.
func (m *Model) largest(g Grid) Grid {
	next := g
	for i := range m.pieces {
		l := m.pieces[i].rates.larger(g)
		next.Queue, next.Other = max(next.Queue, l.Queue), max(next.Other, l.Other)
	}
	return next
}

// walk averages over windows on one grid.
func (m *Model) walk(law []float64, g Grid, ends []float64, set *SolveSettings) (*Path, error) {
	p := &Path{Columns: m.columns(), Grid: g}
	var edges []float64
	for i := range m.pieces {
		edges = append(edges, m.pieces[i].to)
	}
	edges = append(edges, ends...)
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var window flows
	t, k, begun, lost := 0.0, 0, 0.0, 0.0
	chain := m.pieces[0].rates.chain(g)
	for _, end := range edges {
		if k+1 < len(m.pieces) && m.pieces[k].to <= t {
			k++
			chain = m.pieces[k].rates.chain(g)
			if m.pieces[k].flush > 0 {
				law = flushed(law, g, m.pieces[k].flush)
			}
		}
		r, step := &m.pieces[k].rates, (end-t)/panels
		tol := set.tol() / float64(panels*len(edges))
		if set.stopped() {
			return nil, ErrStopped
		}
		for i := range panels + 1 { // Simpson's rule over what lies between two edges
			if i > 0 {
				x, err := chain.Transient(law, step, tol)
				if err != nil {
					return nil, err
				}
				law = x.Law
				lost += x.Error
				p.Error = math.Max(p.Error, lost+r.beside(law, g))
			}
			now := r.flows(law, g)
			window.add(&now, weigh(i)*step/3)
		}
		if t = end; slices.Contains(ends, t) {
			p.Rows = append(p.Rows, window.row(t, t-begun))
			if r.cached {
				wait := (window.system/r.work/(t-begun) + 1) / r.serve
				p.InFlight = math.Max(p.InFlight, r.first/float64(r.keys)*wait)
			}
			window, begun = flows{}, t
		}
	}
	return p, nil
}

// panels is how many steps Simpson's rule takes between two edges.
const panels = 8

func weigh(i int) float64 {
	switch {
	case i == 0 || i == panels:
		return 1
	case i%2 == 1:
		return 4
	}
	return 2
}

func (r *rates) beside(law []float64, g Grid) float64 {
	s := Solution{Grid: g}
	return s.beside(r, law)
}

// columns are those of a trajectory.
func (m *Model) columns() []string {
	return append([]string{"t_s", "boots_per_s", "attempts_per_s", "admitted_per_s", "boot_success", "waiting_clients", "sessions"}, m.names...)
}

// flows are what a law makes of the rates, at an instant or over a window.
type flows struct {
	boots, attempts, admitted, succeeded float64 // 1/s
	asked, accepted, late, refused       float64 // queries of clients, 1/s
	waiting, system, cold, load          float64
}

func (f *flows) add(o *flows, weight float64) {
	for i, x := range o.fields() {
		*f.fields()[i] += weight * *x
	}
}

func (f *flows) fields() [12]*float64 {
	return [...]*float64{
		&f.boots, &f.attempts, &f.admitted, &f.succeeded, &f.asked, &f.accepted, &f.late, &f.refused,
		&f.waiting, &f.system, &f.cold, &f.load,
	}
}

// row returns the columns of a window that lasted so long.
func (f *flows) row(t, lasted float64) []float64 {
	miss := f.asked / f.admitted
	return []float64{
		t, f.boots / lasted, f.attempts / lasted, f.admitted / lasted, f.succeeded / f.admitted, f.waiting / lasted, math.NaN(),
		math.Max(0, 1-f.cold/lasted), miss, f.succeeded / f.admitted,
		f.load / lasted, f.system / lasted, f.late / f.accepted, f.refused / f.asked,
	}
}

// flows are those of an instant.
func (r *rates) flows(law []float64, g Grid) (f flows) {
	late := make([]float64, g.Queue)
	for n := range late {
		late[n] = r.late(n)
	}
	dwell := 1.0
	if r.retries {
		dwell = r.dwell()
	}
	f.boots = r.first
	for i, p := range law {
		if p == 0 {
			continue
		}
		n, m := g.At(i)
		attempts, miss := r.first, 1.0
		if r.cached {
			miss = float64(m) / float64(g.Other-1)
			f.cold += p * miss
		} else {
			f.cold = 1
			if m > 0 {
				attempts += math.Min(float64(m)/dwell, r.retriesAtMost())
			}
			f.waiting += p * float64(m)
		}
		asked := attempts * miss
		f.attempts += p * attempts
		f.admitted += p * attempts
		f.asked += p * asked
		f.system += p * float64(n) * r.work
		f.load += p * (asked + r.background) / r.serve
		if r.places > 0 && n == r.places {
			f.refused += p * asked
			f.succeeded += p * (attempts - asked)
			continue
		}
		f.accepted += p * asked
		f.late += p * asked * late[n]
		f.succeeded += p * (attempts - asked*late[n])
	}
	return f
}
