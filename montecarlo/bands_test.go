package montecarlo

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/trajectory"
)

// The bands of three draws are the least, the middle and the largest of their own
// trajectories.
func TestBands_exact(t *testing.T) {
	s := flushes(t, 3)
	times := []float64{0, 601, 900}
	hit := func(columns []string, row []float64) float64 { return row[slices.Index(columns, "hit_rate.q")] }
	clock := func(_ []string, row []float64) float64 { return row[0] }
	got, err := s.Bands(nil, 2, 3, times, clock, hit)
	if err != nil || got[1].Failed != 0 {
		t.Fatal(err, got)
	}
	values := make([][]float64, len(times))
	for k := range 3 {
		sc, err := s.Draw(2, k)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := sc.Compile()
		if err != nil {
			t.Fatal(err)
		}
		r, err := trajectory.Run(sys, &trajectory.Settings{Times: times})
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range r.Rows {
			values[i] = append(values[i], hit(r.Columns, row))
		}
	}
	for k, p := range []float64{0.1, 0.5, 0.9} {
		hits, clocks := got[1].Quantile(p), got[0].Quantile(p)
		for i, at := range times {
			slices.Sort(values[i])
			if want := values[i][k]; math.Abs(hits[i]-want) > 1e-4*want || clocks[i] != at { // the tolerances differ
				t.Errorf("quantile %g at %g s (%g s): %g, want %g", p, at, clocks[i], hits[i], want)
			}
		}
	}
	if _, err := s.Bands(&Pool{Done: closedChannel()}, 0, 3, times, hit); err != ErrInterrupted {
		t.Errorf("error %v, want that of an interrupt", err)
	}
}

func closedChannel() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
