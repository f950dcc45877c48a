package markov

import (
	"errors"
	"fmt"
	"math"

	"github.com/metastable/metastable/model"
)

// A Model is the chain of a scenario: Poisson arrivals, one queue of exponential services,
// first come first served, and beside it
//
//   - where the class is not cached, the orbit: clients that wait to come back;
//   - where it is, the keys that are not in the cache.
//
// The chain is exact but for what it must forget to be one:
//
//   - Whether a query times out is drawn when it arrives, with the probability that the
//     queue it finds gives: its sojourn is Gamma(n+1, μ). The work is done all the same.
//   - A client that will time out is in the orbit from its arrival on. Waits in the orbit are
//     exponential, with the mean of all failures: the backoff, and the time-out for the
//     share of failures that are time-outs when failures feed themselves.
//   - How often a client has tried is not known. It comes back with the probability that
//     gives the right number of attempts per client at the present failure rate.
//   - A fetched key is in the cache when its query arrives at the queue, not when it is
//     answered.
//
// Everything else that a scenario may say and the chain may not is an [UnsupportedError].
type Model struct {
	pieces []piece
	cold   bool     // the cache is empty at t = 0
	names  []string // of the columns of class and pool
}

// New derives the chain of a scenario.
func New(sc *model.Scenario) (*Model, error) {
	pieces, err := cut(sc)
	if err != nil {
		return nil, err
	}
	q, p := sc.Classes[0].Name, sc.Pools[0].Name
	return &Model{pieces, sc.Initial.Kind == "cold" && pieces[0].rates.cached, []string{
		"hit_rate." + q, "miss." + q, "success." + q, "load." + p, "in_system." + p, "timeout." + p, "refused." + p,
	}}, nil
}

// SolveSettings of [Model.Solve]. The zero value of a field, and nil, stand for the
// defaults.
type SolveSettings struct {
	// Tol bounds the truncation error, relative, and the error of each probability that
	// is carried through a timeline. Default 1e-6.
	Tol float64

	// MaxStates is the largest state space; the work grows with the square of its shorter
	// side. Default 40,000.
	MaxStates int

	// Done, if not nil, stops a path once it is closed.
	Done <-chan struct{}
}

// ErrStopped says that SolveSettings.Done was closed.
var ErrStopped = errors.New("markov: stopped before the end of the run")

func (s *SolveSettings) stopped() bool {
	if s == nil {
		return false
	}
	select {
	case <-s.Done:
		return true
	default:
		return false
	}
}

func (s *SolveSettings) tol() float64 {
	if s == nil || s.Tol == 0 {
		return 1e-6
	}
	return s.Tol
}

func (s *SolveSettings) maxStates() int {
	if s == nil || s.MaxStates == 0 {
		return 40_000
	}
	return s.MaxStates
}

// A LimitError reports a state space that does not fit into SolveSettings.MaxStates.
type LimitError struct {
	Grid       Grid    // that would be next
	MaxStates  int     // the limit
	Truncation float64 // that was reached; +Inf if nothing fits
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("markov: %d × %d states are more than SolveSettings.MaxStates, %d (truncation error so far %.2g)",
		e.Grid.Queue, e.Grid.Other, e.MaxStates, e.Truncation)
}

// A Solution is the analysis of a scenario's chain at a moment.
type Solution struct {
	*Result
	Chain *Chain
	Grid  Grid
	// Truncation is the larger of two: how much the times to fall and to recover changed,
	// relatively, when the state space last grew by a quarter (0 without two states), and
	// the probability of its edge in the stationary law and in both states' laws.
	Truncation float64
}

// at returns the piece in force at t.
func (m *Model) at(t float64) *piece {
	for i := len(m.pieces) - 1; i > 0; i-- {
		if m.pieces[i].from <= t {
			return &m.pieces[i]
		}
	}
	return &m.pieces[0]
}

// Solve analyses the chain with everything frozen as it is at t seconds. The state space
// grows until the truncation error is below the tolerance; it fails with a [LimitError]
// where that is too large.
func (m *Model) Solve(t float64, set *SolveSettings) (*Solution, error) {
	return m.solve(&m.at(t).rates, m.grid(), set)
}

func (m *Model) solve(r *rates, g Grid, set *SolveSettings) (*Solution, error) {
	tol, most := set.tol(), set.maxStates()
	var last *Solution
	for reached := math.Inf(1); ; g = r.larger(g) {
		if g.Len() > most {
			return nil, &LimitError{g, most, reached}
		}
		now := &Solution{Chain: r.chain(g), Grid: g}
		var err error
		if now.Result, err = Analyze(now.Chain, nil); err != nil {
			return nil, err
		}
		now.Truncation = math.Max(now.edge(r), now.change(last, r))
		if reached = now.Truncation; reached <= tol {
			return now, nil
		}
		last = now
	}
}

// grid is where the state space starts: the states in which failures feed themselves, in
// any piece, with room for chance.
func (m *Model) grid() Grid {
	first := &m.pieces[0].rates
	if first.cached {
		g := Grid{64, first.keys + 1}
		if first.places > 0 {
			g.Queue = first.places + 1
		}
		return g
	}
	g := Grid{64, 1}
	if first.places > 0 {
		g.Queue = first.places + 1
	}
	for i := range m.pieces {
		r := &m.pieces[i].rates
		if !r.retries {
			continue
		}
		waiting := (r.failing().attempts - r.first) * r.dwell()
		if r.attempts == 0 && r.giveUp == 0 && math.IsInf(r.budget, 1) {
			waiting = 0 // no rest to start from
		}
		g.Other = max(g.Other, int(waiting+6*math.Sqrt(waiting))+16)
	}
	return g
}

// larger grows what is cut off somewhere.
func (r *rates) larger(g Grid) Grid {
	if r.places == 0 {
		g.Queue += (g.Queue + 3) / 4
	}
	if !r.cached && r.retries {
		g.Other += (g.Other + 3) / 4
	}
	return g
}

// finite reports that nothing is cut off.
func (r *rates) finite() bool { return r.places > 0 && (r.cached || !r.retries) }

// edge is the largest probability of the states beside which others are cut off.
func (s *Solution) edge(r *rates) float64 {
	most := s.beside(r, s.Stationary)
	if s.Metastable {
		most = math.Max(most, math.Max(s.beside(r, s.Healthy.Law), s.beside(r, s.Failed.Law)))
	}
	return most
}

func (s *Solution) beside(r *rates, law []float64) (sum float64) {
	for i, p := range law {
		q, o := s.Grid.At(i)
		if r.places == 0 && q == s.Grid.Queue-1 || !r.cached && r.retries && o == s.Grid.Other-1 {
			sum += p
		}
	}
	return sum
}

// change is the largest relative difference of what matters from the last size's.
func (s *Solution) change(last *Solution, r *rates) float64 {
	switch {
	case r.finite():
		return 0
	case last == nil || last.Metastable != s.Metastable:
		return math.Inf(1)
	case !s.Metastable:
		return 0 // with nothing to fall from, the edge tells
	}
	return math.Max(math.Abs(s.Fall.Mean/last.Fall.Mean-1), math.Abs(s.Recover.Mean/last.Recover.Mean-1))
}
