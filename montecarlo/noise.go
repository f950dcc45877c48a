package montecarlo

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// A Noise asks how likely a scenario that stands still goes down by the noise of its
// traffic alone.
//
// The rate of first boots is that of the moment times exp(x − SD²/2), of mean one, where x
// is an Ornstein–Uhlenbeck process in its stationary law: of standard deviation SD and
// correlation exp(−t/Time), held constant over steps of Step seconds, at whose ends it
// is exact (Uhlenbeck and Ornstein 1930, doi:10.1103/PhysRev.36.823). Between them the
// equations are those of the model. The system begins in the state in which the
// scenario's own run is at the moment, and goes down when less than half of the boots
// that are admitted succeed, as seen at the ends of the steps.
//
// It is a noise of the demand that all shards share. What it is not: the noise of single
// requests, of each shard's queue, or of what the cache happens to hold. The fluid
// equations average over these, and only a simulation of the requests has them; they
// vanish in a large system, and this noise does not.
type Noise struct {
	Scenario *model.Scenario
	At       model.Moment

	// SD is the standard deviation of the logarithm of the rate. Default: that of Poisson
	// arrivals at the moment's rate λ, smoothed exponentially over Time: √(1/(2 λ Time)).
	SD float64

	Time float64 // correlation time, s. Default 60.
	Step float64 // s. Default Time/4.
	Span float64 // how long it is watched, s. Default 3600.
}

// A noisyState is the system at the end of a step.
type noisyState struct {
	step  int
	x     float64 // of the process
	y     []float64
	level float64
}

// A noisy system is ready to be walked: it does not change.
type noisy struct {
	Noise
	sys    *model.System
	steps  int
	start  []float64
	atols  []float64
	lost   *atomic.Int64 // steps that could not be integrated
	done   <-chan struct{}
	loads  []int   // columns
	boots  float64 // of the full rate at the moment, as a share
	column int     // of the success
}

// defaults of a Noise.
const (
	noiseTime = 60
	noiseSpan = 3600
	noiseRTol = 1e-4 // of the integration; the noise is larger by far
)

// Defaults returns the noise with every default filled in, or what is wrong with it.
func (n *Noise) Defaults() (Noise, error) {
	w, err := n.prepare()
	if err != nil {
		return Noise{}, err
	}
	return w.Noise, nil
}

// prepare runs the scenario to the moment.
func (n *Noise) prepare() (*noisy, error) {
	w := &noisy{Noise: *n, lost: &atomic.Int64{}}
	for _, f := range []struct {
		x *float64
		v func() float64
	}{
		{&w.Time, func() float64 { return noiseTime }},
		{&w.Step, func() float64 { return w.Time / 4 }},
		{&w.Span, func() float64 { return noiseSpan }},
	} {
		if *f.x == 0 {
			*f.x = f.v()
		}
	}
	const most = 1e6 // steps
	if !(w.SD >= 0 && w.SD <= 2) || !(w.Time > 0) || !(w.Step > 0) || !(w.Span >= w.Step && w.Span <= most*w.Step) {
		return nil, fmt.Errorf("montecarlo: noise of %g with a correlation time of %g s in steps of %g s for %g s", w.SD, w.Time, w.Step, w.Span)
	}
	w.steps = int(math.Ceil(w.Span / w.Step * (1 - 1e-12)))
	var err error
	if w.sys, err = n.Scenario.Compile(); err != nil {
		return nil, err
	}
	y, err := w.sys.Start()
	if err != nil {
		return nil, fmt.Errorf("montecarlo: no initial state: %w", err)
	}
	for _, v := range w.sys.Scales() {
		w.atols = append(w.atols, v*noiseRTol/10)
	}
	w.sys.Reset()
	end, err := ode.Solve(w.sys, y, 0, n.At.Time, w.settings())
	if err == nil {
		err = end.Status.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("montecarlo: the scenario's run to %g s: %w", n.At.Time, err)
	}
	still := w.sys.Freeze(n.At)
	w.start = slices.Clone(end.Y[:still.Dim()]) // without the nodes of a rollout step: at rest there is none
	columns := still.Columns()
	w.column = slices.Index(columns, "boot_success")
	for i, name := range columns {
		if strings.HasPrefix(name, "load.") {
			w.loads = append(w.loads, i)
		}
	}
	rate := still.Boots()
	if !(rate > 0) {
		return nil, fmt.Errorf("montecarlo: noise of traffic that is %g boots/s", rate)
	}
	if w.boots = w.At.Traffic; w.boots < 0 {
		unit := w.At
		unit.Traffic = 1
		w.boots = rate / w.sys.Freeze(unit).Boots()
	}
	if w.level(still, w.start, make([]float64, len(columns))) >= 1 {
		return nil, fmt.Errorf("montecarlo: at %g s the system is down already", n.At.Time)
	}
	if w.SD == 0 {
		w.SD = math.Sqrt(1 / (2 * rate * w.Time))
	}
	return w, nil
}

func (w *noisy) settings() *ode.Settings {
	return &ode.Settings{RTol: noiseRTol, ATol: noiseRTol / 10, ATols: w.atols, Done: w.done}
}

// level is 1 when the system is down, and the nearer to it the more boots fail and the
// larger the load is.
func (w *noisy) level(sys *model.System, y, row []float64) float64 {
	sys.Observe(row, 0, y)
	const down = 0.5
	fail := 1 - row[w.column]
	if fail > down {
		return 1
	}
	load := 0.0
	for _, i := range w.loads {
		load = max(load, row[i])
	}
	return max(0, fail)*0.99 + 0.5*load/(1+load)
}

// walk returns the process, for the use of one goroutine.
func (w *noisy) walk() *Walk[noisyState] {
	row, base := make([]float64, len(w.sys.Columns())), w.sys.Clone()
	still := base.Freeze(w.At)
	first := w.level(still, w.start, row)
	keep := math.Exp(-w.Step / w.Time)
	kick := w.SD * math.Sqrt(1-keep*keep)
	return &Walk[noisyState]{
		Start: func(r *rand.Rand) noisyState {
			return noisyState{x: w.SD * r.NormFloat64(), y: w.start, level: first}
		},
		Step: func(s noisyState, r *rand.Rand) (noisyState, bool) {
			if s.step >= w.steps {
				return s, false
			}
			at := w.At
			at.Traffic = w.boots * math.Exp(s.x-w.SD*w.SD/2)
			sys := base.Freeze(at)
			end, err := ode.Solve(sys, s.y, 0, w.Step, w.settings())
			if err != nil || end.Status.Err() != nil {
				w.lost.Add(1)
				return s, false
			}
			return noisyState{s.step + 1, keep*s.x + kick*r.NormFloat64(), end.Y, w.level(sys, end.Y, row)}, true
		},
		Level:  func(s noisyState) float64 { return s.level },
		Target: 1,
	}
}

// Split estimates the probability that the system goes down within Span by [Split]. Runs
// counts steps. When the pool is ended there is no estimate, and the error is
// ErrInterrupted.
func (n *Noise) Split(s *RareSettings) (*Rare, error) {
	w, err := n.prepare()
	if err != nil {
		return nil, err
	}
	if s != nil && s.Pool != nil {
		w.done = s.Pool.Done
	}
	out, err := Split(w.walk, s)
	if err != nil {
		return nil, err
	}
	if w.done != nil && closed(w.done) { // the last walks ended early
		return nil, ErrInterrupted
	}
	out.Warnings = append(out.Warnings, w.warning()...)
	return out, nil
}

// Plain runs so many walks and returns how many went down: what Split is compared with
// where there are enough of them.
func (n *Noise) Plain(p *Pool, walks int, seed uint64) (hits int, warnings []error, err error) {
	w, err := n.prepare()
	if err != nil {
		return 0, nil, err
	}
	err = Fold(p, 0, walks, w.walk, func(walk *Walk[noisyState], i int) (bool, error) {
		return walk.reaches(Stream(seed, uint64(i))), nil
	}, func(_ int, hit bool) {
		if hit {
			hits++
		}
	})
	return hits, w.warning(), err
}

func (w *noisy) warning() []error {
	if n := w.lost.Load(); n > 0 {
		return []error{fmt.Errorf("montecarlo: %d walks could not be integrated to their end and count as not down: %w", n, errLost)}
	}
	return nil
}

var errLost = errors.New("the equations have no solution there within the tolerance")

// reaches runs a walk to its end or its target.
func (w *Walk[S]) reaches(r *rand.Rand) bool {
	x := w.Start(r)
	for w.Level(x) < w.Target {
		next, ok := w.Step(x, r)
		if !ok {
			return false
		}
		x = next
	}
	return true
}
