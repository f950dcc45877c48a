package fixedpoint

import "testing"

// With Done closed nothing is divided and nothing searched: what may hold a root is undecided.
func TestDone_exact(t *testing.T) {
	done := make(chan struct{})
	close(done)
	region := Box{Lo: []float64{-2}, Hi: []float64{2}}
	set, err := Enumerate(&Monotone{Dim: 1, Bound: func(lo, hi, x, y []float64) {
		lo[0], hi[0] = x[0]*x[0]*x[0], y[0]*y[0]*y[0]
	}}, region, &EnumSettings{Done: done})
	if err != nil {
		t.Fatal(err)
	}
	if set.Certainty != Searched {
		t.Errorf("%v with %d equilibria", set.Certainty, len(set.Equilibria))
	}
	for _, x := range []float64{-1, 0, 1} { // the fixed points of x³
		held := false
		for _, b := range set.Undecided {
			held = held || b.Contains([]float64{x})
		}
		for _, e := range set.Equilibria {
			held = held || e.Box.Contains([]float64{x})
		}
		if !held {
			t.Errorf("%g is in no box", x)
		}
	}
	calls := 0
	set, err = Equilibria(&Problem{Dim: 1, F: func(dst, x, _ []float64) {
		calls++
		dst[0] = x[0] - x[0]*x[0]*x[0]
	}}, nil, region, &SearchSettings{Done: done, Starts: [][]float64{{0.5}}})
	if err != nil || len(set.Equilibria) > 0 || calls > 0 {
		t.Errorf("%v: %d equilibria after %d calls", err, len(set.Equilibria), calls)
	}
}
