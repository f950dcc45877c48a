package ode

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// One chaotic trajectory (Lorenz 1963) an index, each with its own random start: the
// same bits for any number of workers.
func TestEnsembleWorkersInvariant(t *testing.T) {
	run := func(_ context.Context, p *Dense, i int) ([]float64, error) {
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		res, err := Solve(p, []float64{rng.Float64(), rng.Float64(), 20}, 0, 20, nil)
		if err != nil {
			return nil, err
		}
		return res.Y, nil
	}
	var first [][]float64
	for _, workers := range []int{1, 2, 7, 0} {
		results, done, err := Ensemble(t.Context(), 20, workers, lorenz, run)
		if err != nil || slices.Contains(done, false) {
			t.Fatal(err, done)
		}
		if first == nil {
			first = results
		}
		for i := range results {
			if !slices.Equal(results[i], first[i]) {
				t.Errorf("%d workers: result %d is %v, with one worker %v", workers, i, results[i], first[i])
			}
		}
	}
}

func lorenz() *Dense {
	return NewDense(3, func(dst []float64, _ float64, y []float64) {
		dst[0] = 10 * (y[1] - y[0])
		dst[1] = y[0]*(28-y[2]) - y[1]
		dst[2] = y[0]*y[1] - 8./3*y[2]
	}, nil, Autonomous)
}

func nothing() struct{} { return struct{}{} }

func TestEnsembleFirstError(t *testing.T) {
	for _, workers := range []int{1, 3, 16} {
		_, done, err := Ensemble(t.Context(), 1000, workers, nothing, func(_ context.Context, _ struct{}, i int) (int, error) {
			if i == 40 || i == 41 || i == 500 {
				return 0, fmt.Errorf("number %d", i)
			}
			return i, nil
		})
		if err == nil || err.Error() != "number 40" {
			t.Errorf("%d workers: error %v", workers, err)
		}
		if slices.Contains(done[:40], false) || done[40] || done[999] {
			t.Errorf("%d workers: done %v", workers, done[:42])
		}
	}
}

func TestEnsembleCancel(t *testing.T) {
	cause := errors.New("enough")
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancelCause(t.Context())
		results, done, err := Ensemble(ctx, 1000, workers, nothing, func(_ context.Context, _ struct{}, i int) (int, error) {
			if i == 10 {
				cancel(cause)
			}
			return i + 1, nil
		})
		if !errors.Is(err, cause) || slices.Contains(done[:11], false) || done[999] {
			t.Errorf("%d workers: %v, done %v", workers, err, done[:20])
		}
		for i, d := range done {
			if d != (results[i] == i+1) {
				t.Errorf("%d workers: done[%d] = %v, result %d", workers, i, d, results[i])
			}
		}
	}
}

func TestEnsembleEmpty(t *testing.T) {
	results, done, err := Ensemble(t.Context(), 0, 4, nothing, func(context.Context, struct{}, int) (int, error) { return 0, nil })
	if len(results) != 0 || len(done) != 0 || err != nil {
		t.Error(results, done, err)
	}
}
