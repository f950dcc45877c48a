package des

import (
	"fmt"
	"math"
	"runtime"
)

// Settings control a run. The zero value of a field stands for the default its
// comment states; nil Settings are all defaults.
type Settings struct {
	// Scale simulates a smaller system, 0 < Scale <= 1, with the intensities of the
	// whole one: boots, keys, the size of the cache and the throttle are multiplied by it;
	// so are the shards of a pool that classes reach keyed, or, where a class scatters, the
	// capacity, the queue limit and the background of each shard. Columns are reported
	// in the units of the whole system. Fluctuations grow with 1/√Scale. Default 1.
	Scale float64

	// Replications is the number of independent runs. Default 8.
	Replications int

	// Seed is the seed of the random numbers; each replication has a stream of its own.
	Seed uint64

	// Workers is the number of runs at a time. It does not change the result.
	// Default: runtime.GOMAXPROCS(0).
	Workers int

	// Warmup is the time in seconds that is simulated before t = 0, with what is in
	// force at t = 0, and not reported in the rows. A negative value stands for none.
	// Default 60 s, none where the scenario gives its initial state (cold, or
	// {hit_rate, in_system}).
	Warmup float64

	// Every is the time between rows in seconds; rows are means over the window that
	// ends at their time. Default: a hundredth of the duration.
	Every float64

	// Jitter is the law of the clients' waits.
	Jitter Jitter

	// Done, if not nil, stops the run once it is closed.
	Done <-chan struct{}

	// debug checks conservation at every event; for tests.
	debug bool
}

// Jitter is the law of the wait before a retry; the mean is the backoff's in all of them.
type Jitter int

// The laws of a wait with mean d.
const (
	FullJitter        Jitter = iota // uniform in 0…2d
	ExponentialJitter               // exponential
	NoJitter                        // d
)

const maxRows = 1_000_000

// withDefaults fills in the defaults for a scenario that lasts span seconds and starts
// at an equilibrium or not.
func (s *Settings) withDefaults(span float64, settled bool) (Settings, error) {
	var d Settings
	if s != nil {
		d = *s
	}
	if d.Scale == 0 {
		d.Scale = 1
	}
	if d.Replications == 0 {
		d.Replications = 8
	}
	if d.Workers == 0 {
		d.Workers = runtime.GOMAXPROCS(0)
	}
	if d.Every == 0 {
		d.Every = span / 100
	}
	switch {
	case d.Warmup < 0:
		d.Warmup = 0
	case d.Warmup == 0 && settled:
		d.Warmup = 60
	}
	switch {
	case !(d.Scale > 0 && d.Scale <= 1):
		return d, fmt.Errorf("des: Scale %g is not in (0, 1]", d.Scale)
	case d.Replications < 1 || d.Workers < 1:
		return d, fmt.Errorf("des: %d replications by %d workers; want at least 1", d.Replications, d.Workers)
	case !(d.Every > 0 && span/d.Every < maxRows):
		return d, fmt.Errorf("des: Every %g s: want a positive time that gives at most %d rows in %g s", d.Every, maxRows, span)
	case math.IsNaN(d.Warmup) || math.IsInf(d.Warmup, 1):
		return d, fmt.Errorf("des: Warmup %g is not a time in seconds", d.Warmup)
	case d.Jitter < FullJitter || d.Jitter > NoJitter:
		return d, fmt.Errorf("des: there is no Jitter %d", d.Jitter)
	}
	return d, nil
}
