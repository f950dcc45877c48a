package referee

import (
	"errors"
	"fmt"
	"math"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/referee/des"
	"github.com/metastable/metastable/referee/markov"
)

// A Method is one of the descriptions beside the fluid.
type Method int

// The descriptions that Compare makes; the fluid is always one of them.
const (
	All        Method = iota
	Simulation        // no chain
	Chain             // no simulation
)

// Settings control a comparison. The zero value of a field stands for the default its comment
// states; nil Settings are all defaults.
type Settings struct {
	Method Method

	// Every is the time between rows in seconds, which divides the duration; rows are means
	// over the window that ends at their time. Default: a hundredth of the duration.
	Every float64

	// Scale, Replications, Seed, Workers, Warmup and Jitter are those of des.Settings.
	Scale        float64
	Replications int
	Seed         uint64
	Workers      int
	Warmup       float64
	Jitter       des.Jitter

	// Confidence is that of the intervals of the simulated means, 0 < Confidence < 1.
	// Default 0.99.
	Confidence float64

	// Tol bounds the chain's error of each probability. Default 1e-6.
	Tol float64

	// MaxStates is the largest state space of the chain. Default 200,000.
	MaxStates int

	// Done, if not nil, stops simulation and chain once it is closed.
	Done <-chan struct{}
}

func (s *Settings) withDefaults(span float64) (Settings, error) {
	var d Settings
	if s != nil {
		d = *s
	}
	if d.Every == 0 {
		d.Every = span / 100
	}
	if d.Confidence == 0 {
		d.Confidence = 0.99
	}
	if d.MaxStates == 0 {
		d.MaxStates = 200_000
	}
	switch {
	case !(d.Every > 0) || math.Abs(math.Remainder(span, d.Every)) > 1e-9*span:
		return d, fmt.Errorf("referee: Every %g s: want a time that divides the %g s of the run", d.Every, span)
	case !(d.Confidence > 0 && d.Confidence < 1):
		return d, fmt.Errorf("referee: Confidence %g is not in (0, 1)", d.Confidence)
	case d.Method < All || d.Method > Chain:
		return d, fmt.Errorf("referee: there is no Method %d", d.Method)
	}
	return d, nil
}

// A Result is a scenario by up to three descriptions.
type Result struct {
	// Columns names the columns of all rows, those of a trajectory. Column 0 is the time in
	// seconds.
	Columns []string

	// Fluid holds a row per window: the mean over the window that ends at its time.
	Fluid [][]float64

	// Simulated is the discrete-event simulation, nil without it. Its rows are those of Fluid;
	// its last columns, beyond Columns, are variances.
	Simulated *des.Result

	// Chain is the exact chain, nil without one; NoChain then says why, naming the key of
	// the scenario that no chain represents.
	Chain   *markov.Path
	NoChain error

	// Quantities are the differences of the fluid, what matters to users first: success, hit
	// rates, queues, then flows. Last comes waiting_clients, without a judgement (NaN): fluid and
	// chain count a client whose attempt will time out from the attempt on, the simulation
	// from when it notices.
	Quantities []Quantity

	// Interrupted says that Settings.Done was closed: the means are those of the replications
	// that were over.
	Interrupted bool

	// Warnings say what makes the rows suspect.
	Warnings []error

	// Settings are those used, with the defaults filled in that are not the simulation's.
	Settings Settings
}

// Compare runs a scenario over its timeline by every description that Settings ask for. Nil
// settings are the defaults. It fails when the settings make no sense, when the fluid does
// not reach the end, and when the scenario cannot be simulated.
func Compare(sc *model.Scenario, s *Settings) (*Result, error) {
	set, err := s.withDefaults(sc.Duration)
	if err != nil {
		return nil, err
	}
	r := &Result{Settings: set}
	if err := r.flow(sc); err != nil {
		return nil, err
	}
	if set.Method != Chain {
		if err := r.simulate(sc); err != nil {
			return nil, err
		}
	}
	if set.Method != Simulation {
		r.chain(sc)
	}
	r.measure()
	r.undecided()
	return r, nil
}

func (r *Result) simulate(sc *model.Scenario) error {
	set := &r.Settings
	d, err := des.Run(sc, &des.Settings{
		Scale: set.Scale, Replications: set.Replications, Seed: set.Seed, Workers: set.Workers,
		Warmup: set.Warmup, Every: set.Every, Jitter: set.Jitter, Done: set.Done,
	})
	if err != nil {
		return err
	}
	if len(d.Mean) != len(r.Fluid) {
		return fmt.Errorf("referee: %d windows simulated and %d of the fluid", len(d.Mean), len(r.Fluid))
	}
	r.Simulated, r.Warnings = d, append(r.Warnings, d.Warnings...)
	if r.Interrupted = d.Stopped; d.Stopped && len(d.Runs) < 2 {
		return fmt.Errorf("referee: stopped after %d of %d replications; an interval needs at least 2", len(d.Runs), d.Settings.Replications)
	}
	return nil
}

func (r *Result) chain(sc *model.Scenario) {
	var times []float64
	for _, row := range r.Fluid {
		times = append(times, row[0])
	}
	m, err := markov.New(sc)
	if err == nil {
		r.Chain, err = m.Path(times, &markov.SolveSettings{Tol: r.Settings.Tol, MaxStates: r.Settings.MaxStates, Done: r.Settings.Done})
	}
	if r.Chain != nil && r.Chain.InFlight > Near {
		r.Warnings = append(r.Warnings, fmt.Errorf(
			"referee: a key is read %.2g times while it is fetched, and the chain takes it for cached by then: its hit rates are too high", r.Chain.InFlight))
	}
	r.Interrupted = r.Interrupted || errors.Is(err, markov.ErrStopped)
	if r.NoChain = err; err == nil && r.Chain.Error > math.Max(r.Settings.Tol, 1e-6) {
		r.Warnings = append(r.Warnings, fmt.Errorf("referee: the chain's probabilities are uncertain by %.2g", r.Chain.Error))
	}
}
