package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"unicode"

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
		if s.Uncertain, err = montecarlo.Uncertainty(sc); err == nil {
			warnOfSet(cmd, s.Uncertain)
		}
		return s, err
	}
	if s.Joint, err = f.read(cmd, sc); err != nil {
		return nil, fmt.Errorf("--posterior %s: %w", f.posterior, err)
	}
	sc.Uncertainty = nil
	if s.Uncertain, err = s.Joint.Uncertainty(sc); err != nil {
		return nil, fmt.Errorf("--posterior %s: %w", f.posterior, err)
	}
	warnOfSet(cmd, s.Uncertain)
	return s, nil
}

// warnOfSet warns of what --set gives to parameters that each draw has its own values of.
func warnOfSet(cmd *cobra.Command, laws []montecarlo.Uncertain) {
	set, _ := cmd.Flags().GetStringArray("set")
	for _, text := range set {
		path, _, _ := strings.Cut(text, "=")
		if slices.ContainsFunc(laws, func(u montecarlo.Uncertain) bool { return u.Path == path }) {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: --set %s: the draws do not have it: %s is uncertain, and each has its own\n", text, path)
		}
	}
}

// warnOfApart warns of parameters whose value in the scenario is far from all draws of a
// posterior, for a command that answers for the scenario itself beside the draws.
func (f *uncertainFlags) warnOfApart(cmd *cobra.Command, sc *model.Scenario, j *montecarlo.Joint) {
	if j == nil {
		return
	}
	paths := sc.Paths()
	for k, name := range j.Paths {
		i := slices.IndexFunc(paths, func(p model.Path) bool { return p.Path == name })
		if i < 0 {
			continue
		}
		v, err := model.Quantity(paths[i].Value, paths[i].Unit)
		if err != nil {
			continue
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, d := range j.Draws {
			lo, hi = min(lo, d[k]), max(hi, d[k])
		}
		const near = 0.01 // of the value: what is reported of it hardly moves
		if apart := max(lo-v, v-hi); apart > hi-lo && apart > near*math.Abs(v) {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: %s is %s in %s, far from all draws (%s to %s): what is said of the scenario itself is of another system than they are; calibrate writes the one that was fitted as NAME.fitted.yaml\n",
				f.posterior, name, human(v, 4), sc.Name, human(lo, 4), human(hi, 4))
		}
	}
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
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: %s\n", f.posterior, strings.Map(printable, w))
	}
	return &montecarlo.Joint{Paths: paths, Draws: draws}, nil
}

// printable replaces what would upset a terminal.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
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
