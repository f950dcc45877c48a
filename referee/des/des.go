// Package des simulates a scenario event by event: every client, request, query, key and
// cache node on its own. It knows the scenario file and nothing of the equations, so that
// the two can be compared.
//
// What it takes for granted where a scenario leaves it open:
//
//   - Boots come by a renewal process in the integral of their rate: Poisson, unless all
//     pools give another arrival_scv. The requests of a boot start together; it fails with
//     the first failure of an essential one. Fractions of requests and keys are rounded at
//     random.
//   - Keys are drawn independently from the whole Zipf law. An uncached class with one key
//     reads at a random shard; other keys belong to a shard by a hash.
//   - A query is refused when the nominal work of the queries in system, the one in service
//     included, has reached the queue limit. Its work is the nominal work times a number
//     of mean 1 and the pool's service_scv: constant, exponential or Gamma.
//   - The shards that refuse part of a read do not stop the others. With drop_expired a
//     query whose deadline has passed when its turn comes takes no service. Under processor
//     sharing a query is killed at its time-out, background included, and never answers late.
//   - A cached entry keeps the time to live it was stored with; a hit does not renew it.
//     A cache of limited size is an LRU list on each node.
//   - A flush loses keys independently at random. A rollout restarts nodes in one random
//     order, the next step where the last one ended. There are always spares.
//   - The throttle is a token bucket that holds the limit of a second, empty when a throttle
//     is set. A retry budget holds at most 10 retries; without one a client waits again.
//     Where every request is shed alike, one of a session shares the fate of the last boot.
//   - With coalesce the flight of a key ends with the read that fetches it, answered or not.
package des

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/metastable/metastable/model"
)

// A Result is the mean of independent runs as a table.
type Result struct {
	// Columns names the columns: those of a trajectory, then variance.POOL, the variance of
	// the work in system at a shard (work units²). Column 0 is the time in seconds.
	Columns []string

	// Mean holds one row per window, each the mean over runs of what happened in the window that
	// ends at its time. boot_success, success, timeout and refused count boots, requests and
	// queries by the window in which they started; timeout is the share of the classes' accepted
	// queries that were not answered in time, refused that of all of theirs. NaN: nothing to count.
	Mean [][]float64

	// SE holds the standard error of each mean; NaN from a single run.
	SE [][]float64

	// Runs holds the rows of each run, in the order of their streams.
	Runs [][][]float64

	// Warm holds the rows of the two halves of the warm-up, none without one.
	Warm [][]float64

	// Events is the number of events of all runs: arrivals of queries at shards, and everything
	// else that was scheduled. The ends of queries at shards that serve in order are not counted.
	Events int

	// Stopped says that Settings.Done was closed before all runs were over; the result is
	// that of those that were.
	Stopped bool

	// Warnings say what makes the rows suspect and what would mend it.
	Warnings []error

	// Settings are those used, with every default filled in.
	Settings Settings
}

// Run simulates a scenario over its timeline. Nil settings are the defaults. The result is the
// same for any number of workers.
//
// It fails when the settings make no sense, when it was stopped before a run was over, and when
// the scenario has what cannot be simulated; the error names the key.
func Run(sc *model.Scenario, s *Settings) (*Result, error) {
	p, err := newPlan(sc, s)
	if err != nil {
		return nil, err
	}
	sims := make([]*outcome, p.set.Replications)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(p.set.Workers, p.set.Replications) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(sims) {
					return
				}
				sims[i] = p.replicate(i)
				if sims[i] == nil {
					return
				}
			}
		})
	}
	group.Wait()
	return p.merge(sims)
}

// outcome is one run.
type outcome struct {
	rows   [][]float64
	events int
	err    error
}

// replicate simulates run i; nil if it was stopped.
func (p *plan) replicate(i int) *outcome {
	m := newSim(p, i)
	if !m.run(p.set.Done) {
		return nil
	}
	o := &outcome{events: m.events, err: m.err}
	for _, q := range m.pools {
		o.events += q.total.arrived
	}
	for i := range m.rows {
		o.rows = append(o.rows, m.values(i))
	}
	return o
}

func (p *plan) merge(all []*outcome) (*Result, error) {
	r := &Result{Columns: p.columns(), Settings: p.set, Warnings: p.thin()}
	var runs [][][]float64
	for i, o := range all {
		if o == nil {
			r.Stopped = true
			continue
		}
		if o.err != nil {
			return nil, fmt.Errorf("run %d: %w", i, o.err)
		}
		runs = append(runs, o.rows)
		r.Events += o.events
	}
	if len(runs) == 0 {
		return nil, errors.New("des: stopped before a run was over")
	}
	mean, se := means(runs)
	warm := 0
	if p.set.Warmup > 0 {
		warm = 2
		r.Warnings = append(r.Warnings, drift(r.Columns, mean, se)...)
		r.Warm = mean[:warm]
	} else {
		warm = 1
	}
	r.Mean, r.SE = mean[warm:], se[warm:]
	for _, rows := range runs {
		r.Runs = append(r.Runs, rows[warm:])
	}
	return r, nil
}

// means returns mean and standard error of each cell over the runs that have a value there.
func means(runs [][][]float64) (mean, se [][]float64) {
	for i, cells := range runs[0] {
		m, e := make([]float64, len(cells)), make([]float64, len(cells))
		for j := range cells {
			n, sum := 0.0, 0.0
			for _, rows := range runs {
				if x := rows[i][j]; !math.IsNaN(x) {
					n++
					sum += x
				}
			}
			m[j] = sum / n
			square := 0.0
			for _, rows := range runs {
				if x := rows[i][j]; !math.IsNaN(x) {
					square += (x - m[j]) * (x - m[j])
				}
			}
			e[j] = math.Sqrt(square / (n * (n - 1)))
		}
		mean, se = append(mean, m), append(se, e)
	}
	return mean, se
}

// drift warns of what still moved during the warm-up.
func drift(columns []string, mean, se [][]float64) []error {
	const far = 5 // standard errors
	var out []error
	for j, name := range columns[1:] {
		a, b, e := mean[0][j+1], mean[1][j+1], math.Hypot(se[0][j+1], se[1][j+1])
		if math.Abs(b-a) > far*e && math.Abs(b-a) > 0.01*math.Abs(b) {
			out = append(out, fmt.Errorf("des: %s moved from %.4g to %.4g during the warm-up; a longer one may mend it", name, a, b))
		}
	}
	return out
}
