package montecarlo

import (
	"cmp"
	"math"

	"github.com/metastable/metastable/trajectory"
)

// Bands are what is kept of an observable over time across draws.
type Bands struct {
	Times []float64 // s
	At    []*Tally  // one per time, of the runs with an answer

	Failed int // runs without one
}

// Bands runs so many draws at a point and returns a number of each row of their
// trajectories at times (s, ascending within the run), for each of the functions of a row
// and its columns. When the pool is ended they are those of the runs so far, and the
// error is ErrInterrupted.
func (s *Sweep) Bands(p *Pool, point, draws int, times []float64, of ...func(columns []string, row []float64) float64) ([]*Bands, error) {
	out := make([]*Bands, len(of))
	for k := range out {
		out[k] = &Bands{Times: times, At: make([]*Tally, len(times))}
		for i := range times {
			out[k].At[i] = &Tally{}
		}
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	err := Fold(p, 0, draws, func() struct{} { return struct{}{} }, func(_ struct{}, i int) (*trajectory.Result, error) {
		r, err := s.trajectory(point, i, times)
		if err != nil {
			return nil, nil // counted as failed
		}
		return r, nil
	}, func(_ int, r *trajectory.Result) {
		for k, f := range of {
			if r == nil {
				out[k].Failed++
				continue
			}
			for i, row := range r.Rows {
				out[k].At[i].Add(f(r.Columns, row))
			}
		}
	})
	return out, err
}

func (s *Sweep) trajectory(point, draw int, times []float64) (*trajectory.Result, error) {
	sc, err := s.Draw(point, draw)
	if err != nil {
		return nil, err
	}
	sys, err := sc.Compile()
	if err != nil {
		return nil, err
	}
	r, err := trajectory.Run(sys, &trajectory.Settings{RTol: cmp.Or(s.RTol, 1e-5), Times: times})
	if err != nil {
		return nil, err
	}
	return r, r.Status.Err()
}

// Quantile returns the p quantile at each time; NaN where no run has an answer.
func (b *Bands) Quantile(p float64) []float64 {
	out := make([]float64, len(b.At))
	for i, t := range b.At {
		out[i] = math.NaN()
		if t.N() > 0 {
			out[i] = t.Quantile(p, 0.95).Estimate
		}
	}
	return out
}
