package montecarlo

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// A Shard is a part of the runs of a plan: what has come out so far is all that has to be
// kept to go on later. Its JSON is a checkpoint and, when all runs are done, the result.
type Shard struct {
	Plan    string         `json:"plan"` // ID
	Index   int            `json:"index"`
	Of      int            `json:"of"`
	Results []*PointResult `json:"results"`

	work work
}

// Shard returns shard i of n, 0 ≤ i < n, before its first run: an even share of the runs,
// or of the points where the number of draws at a point is open. s is p.Sweep().
func (p *Plan) Shard(s *Sweep, i, n int) (*Shard, error) {
	if !(0 <= i && i < n) {
		return nil, fmt.Errorf("montecarlo: shard %d of %d", i, n)
	}
	return p.Resume(s, &Shard{Plan: p.ID(), Index: i, Of: n})
}

// Resume returns a shard that was read from a file, ready to go on.
func (p *Plan) Resume(s *Sweep, sh *Shard) (*Shard, error) {
	if sh.Plan != p.ID() {
		return nil, fmt.Errorf("montecarlo: a shard of sweep %s, not of %s", sh.Plan, p.ID())
	}
	sh.work = work{sweep: s, tasks: s.share(sh.Index, sh.Of), half: p.Half, batch: untilBatch}
	if p.Half > 0 {
		sh.work.tasks = nil
		for at := len(s.Points) * sh.Index / sh.Of; at < len(s.Points)*(sh.Index+1)/sh.Of; at++ {
			sh.work.tasks = append(sh.work.tasks, Task{at, 0, s.Draws})
		}
	}
	return sh, nil
}

// Left returns how many runs are done, and how many are left at most.
func (sh *Shard) Left() (done, left int) {
	for _, r := range sh.Results {
		done += r.Runs
	}
	for _, t := range sh.work.next(sh.Results, math.MaxInt, false) {
		left += t.To - t.From
	}
	return done, left
}

// Run does the runs that are left, and calls save with the shard up to date about once
// every so often, and when the pool is ended: then the error is ErrInterrupted. The pool's
// Progress sees the runs done by this call, and those it has to do at most. What comes out
// does not depend on when a shard was saved, ended and resumed.
func (sh *Shard) Run(p *Pool, every time.Duration, save func() error) error {
	var pool Pool
	if p != nil {
		pool = *p
	}
	saved, before := time.Now(), 0
	for block := 64; ; {
		tasks := sh.work.next(sh.Results, block, true)
		if len(tasks) == 0 {
			return nil
		}
		if p != nil && p.Progress != nil {
			_, left := sh.Left()
			pool.Progress = func(done, _ int) { p.Progress(before+done, before+left) }
		}
		start := time.Now()
		round, err := sh.work.sweep.Do(&pool, tasks)
		sh.Results = Merge(sh.Results, round)
		for _, t := range tasks {
			before += t.To - t.From
		}
		if err != nil {
			return errors.Join(err, save())
		}
		switch took := time.Since(start); { // a block ends often enough to save on time
		case took < every/8:
			block *= 2
		case took > every/2:
			block = max(block/2, 1)
		}
		if time.Since(saved) >= every {
			start := time.Now()
			if err := save(); err != nil {
				return err
			}
			saved = time.Now()
			every = max(every, 20*saved.Sub(start)) // at most a twentieth of the time
		}
	}
}

// MergeShards returns the results of all points from all shards of the plan, in any order;
// it uses them up. It fails, naming what is missing, if there is any run that is in no
// shard. The results are the bytes of one run of everything.
func MergeShards(shards []*Shard) ([]*PointResult, error) {
	if len(shards) == 0 {
		return nil, errors.New("montecarlo: no shard is there")
	}
	n := shards[0].Of
	at := make([]*Shard, n)
	for _, sh := range shards {
		if sh.Of != n || sh.Plan != shards[0].Plan {
			return nil, errors.New("montecarlo: shards of different sweeps")
		}
		at[sh.Index] = sh
	}
	var missing []string
	parts := make([][]*PointResult, n)
	for i, sh := range at {
		if sh == nil {
			missing = append(missing, fmt.Sprintf("shard %d/%d is not there", i, n))
			continue
		}
		if done, left := sh.Left(); left > 0 {
			missing = append(missing, fmt.Sprintf("shard %d/%d has done %d of %d runs", i, n, done, done+left))
		}
		parts[i] = sh.Results
	}
	if missing != nil {
		const most = 10
		if more := len(missing) - most; more > 0 {
			missing = append(missing[:most], fmt.Sprintf("and %d more", more))
		}
		return nil, fmt.Errorf("montecarlo: incomplete: %s", strings.Join(missing, "; "))
	}
	return Merge(parts...), nil
}

// A work is what is to be done, by tasks of different points.
type work struct {
	sweep *Sweep
	tasks []Task
	half  float64 // see Until; 0: all draws
	batch int
}

// next returns tasks of the runs that come next after those of results, up to most runs;
// with rounds, at each point no further than to where it is looked at again.
func (w *work) next(results []*PointResult, most int, rounds bool) (tasks []Task) {
	at := make(map[int]*PointResult, len(results))
	for _, r := range results {
		at[r.Index] = r
	}
	for _, t := range w.tasks {
		if r := at[t.Point]; r != nil {
			t.From += r.Runs
		}
		if t.From >= t.To || t.From > 0 && w.narrow(at[t.Point]) {
			continue
		}
		if w.half > 0 && rounds {
			t.To = min(t.To, t.From-t.From%w.batch+w.batch)
		}
		t.To = t.From + min(t.To-t.From, most)
		tasks = append(tasks, t)
		if most -= t.To - t.From; most == 0 {
			break
		}
	}
	return tasks
}

// narrow reports whether a point has had enough draws: a question asked after each
// round alone, so that the answer does not depend on how the runs were cut up.
func (w *work) narrow(r *PointResult) bool {
	return w.half > 0 && r != nil && r.Runs%w.batch == 0 && r.Collapse(0.95).Half() <= w.half
}
