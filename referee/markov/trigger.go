package markov

import "math"

// An Outcome is where a scenario's timeline leaves the chain.
type Outcome struct {
	*Solution           // of the chain in force at the end
	Law       []float64 // at the end of the run
	Failed    float64   // probability of the failed state: the mean of the committor
	Error     float64   // of Failed: uniformisation, and what came to the edge of the state space
}

// Outcome carries the law of the chain through the timeline, from the healthy state (its
// quasi-stationary law; the stationary law where there is but one state; with an empty
// cache after a cold start), and asks the committor at the end whether the system comes
// back. Where the last chain has no two states, Failed is 0 and Solution.Warnings says
// so: it comes back sooner or later, and Recover or Spectrum say when.
func (m *Model) Outcome(set *SolveSettings) (*Outcome, error) {
	final, err := m.solve(&m.pieces[len(m.pieces)-1].rates, m.grid(), set)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Solution: final}
	if out.Law, err = m.initial(final, set); err != nil {
		return nil, err
	}
	for i := range m.pieces {
		p := &m.pieces[i]
		c := p.rates.chain(final.Grid)
		if p.flush > 0 {
			out.Law = flushed(out.Law, final.Grid, p.flush)
		}
		t, err := c.Transient(out.Law, p.to-p.from, set.tol()/float64(len(m.pieces)))
		if err != nil {
			return nil, err
		}
		out.Law = t.Law
		out.Error += t.Error + final.beside(&p.rates, t.Law)
	}
	if final.Metastable {
		out.Failed = dot(out.Law, final.Committor)
	}
	return out, nil
}

// initial is the law at t = 0 on the grid of the chain at the end.
func (m *Model) initial(final *Solution, set *SolveSettings) ([]float64, error) {
	first, g := &m.pieces[0].rates, final.Grid
	if m.cold {
		law := make([]float64, g.Len())
		law[g.Index(0, g.Other-1)] = 1
		return law, nil
	}
	s := final
	if *first != m.pieces[len(m.pieces)-1].rates {
		var err error
		if s, err = m.solve(first, m.grid(), set); err != nil {
			return nil, err
		}
	}
	law := s.Stationary
	if s.Metastable {
		law = s.Healthy.Law
	}
	return s.Grid.move(law, g), nil
}

// flushed is the law after each warm key is lost with probability share.
func flushed(law []float64, g Grid, share float64) []float64 {
	out := make([]float64, len(law))
	for i, p := range law {
		n, cold := g.At(i)
		warm := g.Other - 1 - cold
		for lost, w := range binomial(warm, share) {
			out[g.Index(n, cold+lost)] += p * w
		}
	}
	return out
}

// binomial returns the probabilities of 0…n.
func binomial(n int, share float64) []float64 {
	w := make([]float64, n+1)
	if share == 1 {
		w[n] = 1
		return w
	}
	all, _ := math.Lgamma(float64(n + 1))
	for k := range w {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		w[k] = math.Exp(all - a - b + float64(k)*math.Log(share) + float64(n-k)*math.Log1p(-share))
	}
	return w
}
