package montecarlo

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrInterrupted is the error of a computation whose Done channel was closed.
var ErrInterrupted = errors.New("montecarlo: interrupted")

// Pool says on how many workers an ensemble runs, and how to watch and end it. The zero
// value is all defaults.
type Pool struct {
	// Workers is the number of runs side by side. Default: the number of processors.
	Workers int

	// Done, if not nil, ends the ensemble once it is closed: what has been started is
	// finished and counted.
	Done <-chan struct{}

	// Progress, if not nil, is called with the number of runs counted so far and that
	// of all, after each, by one goroutine at a time.
	Progress func(done, all int)
}

// window bounds how far ahead of the slowest run others may get, per worker.
const window = 64

// Fold calls run(worker, i) for first ≤ i < first+n on the workers of the pool, each with
// its own W, and passes what it returns to add, in the order of i, one at a time. So the
// outcome does not depend on the number of workers as long as run(w, i) does not
// depend on what w has done before. Memory does not grow with n.
//
// After an error no further run is started; the error is that of the least i that
// fails, and add has seen the runs before it. When Done is closed the error is
// ErrInterrupted, and add has seen the first so many runs: a later call may go on.
func Fold[W, R any](p *Pool, first, n int, newWorker func() W, run func(W, int) (R, error), add func(int, R)) error {
	var set Pool
	if p != nil {
		set = *p
	}
	if set.Workers <= 0 {
		set.Workers = runtime.GOMAXPROCS(0)
	}
	workers := min(set.Workers, n)
	ahead := window * workers
	f := folder[R]{ready: make(map[int]outcome[R], ahead), tokens: make(chan struct{}, ahead)}
	stop := make(chan struct{})
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			w := newWorker()
			for {
				select {
				case <-stop:
					return
				case <-set.Done:
					return
				case f.tokens <- struct{}{}: // room in the window
				}
				if closed(set.Done) || closed(stop) { // select is fair, not in order
					return
				}
				i := int(next.Add(1) - 1)
				if i >= n {
					return
				}
				r, err := run(w, first+i)
				f.deliver(i, outcome[R]{r, err}, func(i int, r R) {
					add(first+i, r)
					if set.Progress != nil {
						set.Progress(i+1, n)
					}
				}, func() { close(stop) })
			}
		})
	}
	group.Wait()
	switch {
	case f.err != nil:
		return f.err
	case f.at < n:
		return ErrInterrupted
	}
	return nil
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

type outcome[R any] struct {
	r   R
	err error
}

// A folder puts outcomes that arrive in any order back into that of their index.
type folder[R any] struct {
	mu     sync.Mutex
	ready  map[int]outcome[R]
	tokens chan struct{} // one per run started and not yet added
	at     int           // the next to be added
	err    error
}

// deliver takes the outcome of run i and adds those that are due.
func (f *folder[R]) deliver(i int, o outcome[R], add func(int, R), fail func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready[i] = o
	for f.err == nil {
		o, ok := f.ready[f.at]
		if !ok {
			return
		}
		delete(f.ready, f.at)
		if o.err != nil {
			f.err = o.err
			fail()
			return
		}
		add(f.at, o.r)
		f.at++
		<-f.tokens
	}
}
