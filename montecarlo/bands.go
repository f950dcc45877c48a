package montecarlo

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/metastable/metastable/trajectory"
)

// Bands are the values of an observable over time across draws. Their size grows with the
// draws: a few hundred show all that a figure can.
type Bands struct {
	Times []float64   // s
	At    [][]float64 // one list per time, of the runs with an answer

	Failed int // runs without one
}

// Bands runs so many draws at a point and returns a number of each row of their
// trajectories at times (s, ascending within the run), for each of the functions of a row
// and its columns. When the pool is ended they are those of the runs so far, and the
// error is ErrInterrupted.
func (s *Sweep) Bands(p *Pool, point, draws int, times []float64, of ...func(columns []string, row []float64) float64) ([]*Bands, error) {
	out := make([]*Bands, len(of))
	for k := range out {
		out[k] = &Bands{Times: times, At: make([][]float64, len(times))}
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
				out[k].At[i] = append(out[k].At[i], f(r.Columns, row))
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

// Quantile returns at each time the least value below which, or at which, a share p of
// the values is; NaN where no run has an answer.
func (b *Bands) Quantile(p float64) []float64 {
	out := make([]float64, len(b.At))
	for i, values := range b.At {
		if len(values) == 0 {
			out[i] = math.NaN()
			continue
		}
		out[i] = stat.Quantile(p, stat.Empirical, slices.Sorted(slices.Values(values)), nil)
	}
	return out
}
