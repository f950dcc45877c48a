package montecarlo

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
)

// The order of what add sees, the error and what precedes it are the same for any
// number of workers.
func TestFold_invariant(t *testing.T) {
	const n = 1000
	boom := errors.New("boom")
	for _, workers := range []int{1, 2, 7} {
		var sum, made atomic.Int64
		var order []int
		last := 0
		err := Fold(&Pool{Workers: workers, Progress: func(done, all int) {
			if done != last+1 || all != n {
				t.Errorf("progress %d of %d after %d", done, all, last)
			}
			last = done
		}}, 5, n, func() *int { made.Add(1); return new(int) }, func(w *int, i int) (float64, error) {
			*w++ // one goroutine at a time, or the race detector says so
			return Stream(1, uint64(i)).Float64(), nil
		}, func(i int, x float64) {
			order = append(order, i)
			sum.Add(int64(x * 1e6))
		})
		if err != nil || len(order) != n || last != n || int(made.Load()) > workers {
			t.Fatalf("%d workers: %d runs, %v", workers, len(order), err)
		}
		for k, i := range order {
			if i != k+5 {
				t.Fatalf("%d workers: run %d is added at place %d", workers, i, k)
			}
		}

		added := 0
		err = Fold(&Pool{Workers: workers}, 0, n, func() int { return 0 }, func(_, i int) (int, error) {
			if i == 300 || i == 310 {
				return 0, fmt.Errorf("run %d: %w", i, boom)
			}
			return i, nil
		}, func(int, int) { added++ })
		if !errors.Is(err, boom) || err.Error() != "run 300: boom" || added != 300 {
			t.Errorf("%d workers: %d runs before %v", workers, added, err)
		}
	}
}

// Done ends it with a prefix, from which a later call goes on; no runs are no error.
func TestFoldDone_invariant(t *testing.T) {
	done := make(chan struct{})
	added := 0
	err := Fold(&Pool{Workers: 3, Done: done}, 0, 1<<30, func() int { return 0 }, func(_, i int) (int, error) {
		return i, nil
	}, func(i, _ int) {
		if i != added {
			t.Errorf("run %d at place %d", i, added)
		}
		if added++; added == 500 {
			close(done)
		}
	})
	if !errors.Is(err, ErrInterrupted) || added < 500 || added > 500+3*window {
		t.Errorf("%d runs, %v", added, err)
	}
	if err := Fold(nil, 0, 0, func() int { return 0 }, func(_, i int) (int, error) { return i, nil }, nil); err != nil {
		t.Error(err)
	}
}
