package ode

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Ensemble calls run for every index in [0, n) on the given number of workers; 0 or
// less is GOMAXPROCS. Each worker has its own W from newWorker, usually a Problem,
// which run must leave as it found it: then results depend on the index alone and
// not on the number of workers.
//
// results[i] is valid where done[i]. Indices are started in increasing order. After
// an error no further one is started, and err is that of the lowest index that
// fails, whatever the number of workers. When ctx ends, what has been started is
// finished and err is the cause; run may look at ctx to stop sooner.
func Ensemble[W, R any](ctx context.Context, n, workers int, newWorker func() W,
	run func(ctx context.Context, w W, i int) (R, error),
) (results []R, done []bool, err error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	results, done = make([]R, n), make([]bool, n)
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			w := newWorker()
			for ctx.Err() == nil && !failed.Load() {
				i := int(next.Add(1) - 1)
				if i >= n {
					return
				}
				if results[i], errs[i] = run(ctx, w, i); errs[i] != nil {
					failed.Store(true)
					continue
				}
				done[i] = true
			}
		})
	}
	wg.Wait()
	for _, e := range errs {
		if e != nil {
			return results, done, e
		}
	}
	for _, d := range done {
		if !d {
			return results, done, context.Cause(ctx)
		}
	}
	return results, done, nil
}
