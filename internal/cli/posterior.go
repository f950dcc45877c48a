package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/calibrate"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
)

// uncertainFlags are those of a command that draws uncertain parameters.
type uncertainFlags struct {
	posterior string
}

func (f *uncertainFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.posterior, "posterior", "", "draw from the posterior in this `FILE`, NAME.posterior.json as calibrate --sample writes it, in place of the scenario's uncertainty")
}

// uncertain returns a sweep of one point without draws over what is uncertain, which may be
// nothing. With --posterior the uncertainty of the scenario is taken away.
func (f *uncertainFlags) uncertain(cmd *cobra.Command, sc *model.Scenario) (*montecarlo.Sweep, error) {
	s := &montecarlo.Sweep{Scenario: sc, Points: []montecarlo.Point{nil}}
	var err error
	if f.posterior == "" {
		s.Uncertain, err = montecarlo.Uncertainty(sc)
		return s, err
	}
	if s.Joint, err = f.read(cmd, sc); err != nil {
		return nil, fmt.Errorf("--posterior %s: %w", f.posterior, err)
	}
	sc.Uncertainty = nil
	if s.Uncertain, err = s.Joint.Uncertainty(sc); err != nil {
		return nil, fmt.Errorf("--posterior %s: %w", f.posterior, err)
	}
	return s, nil
}

// read reads the file, and warns of what is suspect about it.
func (f *uncertainFlags) read(cmd *cobra.Command, sc *model.Scenario) (*montecarlo.Joint, error) {
	file, err := os.Open(f.posterior)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer file.Close()
	r, err := calibrate.ReadRecord(file)
	if err != nil {
		return nil, err
	}
	paths, draws, err := r.For(sc)
	if err != nil {
		return nil, err
	}
	if r.Scenario != sc.Name {
		r.Warnings = append(r.Warnings, fmt.Sprintf("it was fitted to %s, and this is %s", r.Scenario, sc.Name))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: %s\n", f.posterior, w)
	}
	return &montecarlo.Joint{Paths: paths, Draws: draws}, nil
}

// facts say where draws come from.
func (f *uncertainFlags) facts() []fact {
	if f.posterior == "" {
		return nil
	}
	return []fact{{"posterior", f.posterior}}
}

// drawn is uncertain for a command that cannot do without.
func (f *uncertainFlags) drawn(cmd *cobra.Command, sc *model.Scenario, draws int, seed uint64) (*montecarlo.Sweep, error) {
	s, err := f.uncertain(cmd, sc)
	if err != nil {
		return nil, err
	}
	if len(s.Uncertain) == 0 {
		return nil, usage("%s has no uncertainty, so all runs are the same; give its parameters laws, such as\n  uncertainty:\n    traffic.boots: {lognormal: {median: 1000/s, cv: 0.1}}\nor a --posterior", sc.Name)
	}
	s.Draws, s.Seed = draws, seed
	return s, s.Check()
}
