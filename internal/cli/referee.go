package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/referee"
)

type refereeFlags struct {
	scenarioFlags
	every  seconds
	scale  float64
	runs   int
	seed   uint64
	jobs   int
	method string
	states int
}

var refereeMethods = map[string]referee.Method{"all": referee.All, "des": referee.Simulation, "chain": referee.Chain}

func newReferee() *cobra.Command {
	f := &refereeFlags{}
	cmd := &cobra.Command{
		Use:   "referee SCENARIO",
		Short: "Compare the equations with a simulation event by event and an exact Markov chain",
		Long: `Runs a scenario three times: by the fluid equations, event by event (des), and, where
its state space is small enough and nothing in it forgets more than a chain may, as an
exact Markov chain. One row per quantity says how far the fluid is off. Where there is no
chain, standard error names the key of the scenario that is in the way.

The columns: means over the run (fluid, simulated, its 99 % interval lo and hi, chain),
off, then the same for the window where the fluid is furthest off (worst_…), and outside,
the share of the windows in which it is off by more than 5 %. off is the distance to
the interval, without a simulation to the chain, over the simulated mean; for a share over
at least 0.01, for all else over at least a hundredth of the largest value of the run.
Of a hit rate it is the missing part that counts. Probabilities are those of the boots,
requests and queries that begin in a window.

--scale simulates a smaller system with the same intensities: keys, rates and shards, or
where a class scatters the capacity of each shard, are multiplied by it. It fluctuates more,
and where a class scatters its queues are short ones: in_system and timeout are not those of
the whole. A scale that leaves too little of something is warned of, and so are intervals too wide
to tell.

What matters to users comes first. waiting_clients come last and are not judged: fluid and chain
count a client from the attempt that will time out on, the simulation from when it notices.
An interrupt keeps the replications that are over, with -o in files whose names end in .partial.

With -o DIR it writes DIR/NAME.referee.csv, the windows as NAME.windows.csv, and a figure of
each quantity that matters (NAME.referee.COLUMN.svg and .png).`,
		Example: `  metastable referee hotos21-retry --method des --replications 4 --format table
  metastable referee cold-start --scale 0.02 --replications 4 -o out/referee`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.scenarioFlags.add(cmd)
	cmd.Flags().Var(&f.every, "every", "`time` of a window, which divides the duration (default a hundredth of it)")
	cmd.Flags().Float64Var(&f.scale, "scale", 1, "`share` of the system that is simulated, above 0 and up to 1")
	cmd.Flags().IntVar(&f.runs, "replications", 8, "`number` of simulations, at least 2")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "`number` that the random numbers follow from")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "`number` of simulations side by side (default: as many as processors)")
	cmd.Flags().StringVar(&f.method, "method", "all", "what the fluid is compared with: all, des or chain")
	cmd.Flags().IntVar(&f.states, "states", 0, "the largest `number` of states of the chain (default 200000)")
	cmd.RegisterFlagCompletionFunc("method", cobra.FixedCompletions([]string{"all", "des", "chain"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *refereeFlags) run(cmd *cobra.Command, arg string) error {
	method, known := refereeMethods[f.method]
	switch {
	case !known:
		return usage("--method %s: want all, des or chain", f.method)
	case f.runs < 2:
		return usage("--replications %d: an interval needs at least 2", f.runs)
	case !(f.scale > 0 && f.scale <= 1):
		return usage("--scale %g: want a share above 0 and up to 1", f.scale)
	}
	out, sc, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	r, err := referee.Compare(sc, &referee.Settings{
		Method: method, Every: float64(f.every), Scale: f.scale, Replications: f.runs, Seed: f.seed,
		Workers: f.jobs, MaxStates: f.states, Done: cmd.Context().Done(),
	})
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	if method == referee.Chain && r.NoChain != nil {
		return fmt.Errorf("%s: %w", sc.Name, r.NoChain)
	}
	path, err := out.write(f.differences(sc, r), sc.Name+".referee", !r.Interrupted)
	if err != nil {
		return err
	}
	written := []string{path}
	if r.Interrupted {
		f.summarize(cmd, r)
		kept := "what is done is above"
		if path != "" {
			kept = "what is done is in " + path
		}
		return fmt.Errorf("%s: interrupted; %s", sc.Name, kept)
	}
	if out.dir != "" {
		more, err := f.writeDir(out.dir, sc, r)
		if err != nil {
			return err
		}
		written = append(written, more...)
	}
	if !f.quiet {
		f.summarize(cmd, r)
		wrote(cmd.ErrOrStderr(), written)
	}
	return nil
}

func (f *refereeFlags) meta(sc *model.Scenario, r *referee.Result) []fact {
	var facts []fact
	if d := r.Simulated; r.Interrupted && d != nil {
		facts = []fact{{"incomplete", fmt.Sprintf("interrupted after %d of %d replications", len(d.Runs), d.Settings.Replications)}}
	}
	facts = append(facts, sourceFacts(sc, fact{"every_s", r.Settings.Every})...)
	if d := r.Simulated; d != nil {
		facts = append(facts,
			fact{"scale", d.Settings.Scale}, fact{"replications", float64(len(d.Runs))}, fact{"seed", fmt.Sprint(d.Settings.Seed)},
			fact{"warmup_s", d.Settings.Warmup}, fact{"events", float64(d.Events)}, fact{"confidence", r.Settings.Confidence})
	}
	if r.Chain != nil {
		facts = append(facts, fact{"chain_states", float64(r.Chain.Grid.Len())}, fact{"chain_error", r.Chain.Error})
	}
	if r.NoChain != nil {
		facts = append(facts, fact{"no_chain", r.NoChain.Error()})
	}
	if len(f.set) > 0 {
		facts = append(facts, fact{"set", f.set})
	}
	var warnings []string
	for _, w := range r.Warnings {
		warnings = append(warnings, w.Error())
	}
	if warnings != nil {
		facts = append(facts, fact{"warning", warnings})
	}
	return facts
}

// differences is the table of quantities.
func (f *refereeFlags) differences(sc *model.Scenario, r *referee.Result) *table {
	t := &table{meta: f.meta(sc, r), label: "quantity", columns: []string{
		"fluid", "simulated", "lo", "hi", "chain", "off",
		"worst_t_s", "worst_fluid", "worst_simulated", "worst_lo", "worst_hi", "worst_chain", "worst_off", "outside",
	}}
	for _, q := range r.Quantities {
		a, b := &q.Run, &q.Worst
		t.labels = append(t.labels, q.Column)
		t.rows = append(t.rows, []float64{
			a.Fluid, a.Mean, a.Lo, a.Hi, a.Chain, a.Off,
			b.T, b.Fluid, b.Mean, b.Lo, b.Hi, b.Chain, b.Off, q.Outside,
		})
	}
	return t
}

// summarize says where the fluid is off, and why there is no chain.
func (f *refereeFlags) summarize(cmd *cobra.Command, r *referee.Result) {
	w := cmd.ErrOrStderr()
	near := true
	for _, q := range r.Quantities {
		p := &q.Worst
		if !(p.Off > referee.Near) {
			continue
		}
		near = false
		exact := fmt.Sprintf("%s … %s", human(p.Lo, 4), human(p.Hi, 4))
		if math.IsNaN(p.Mean) {
			exact = human(p.Chain, 4)
		}
		fmt.Fprintf(w, "%s: off by %s at most, in the window to %s: %s, and %s is right; over the run off by %s\n",
			q.Column, percent(p.Off, 1), humanTime(p.T), human(p.Fluid, 4), exact, percent(q.Run.Off, 1))
	}
	if near {
		fmt.Fprintln(w, "the fluid is within 5 % of the exact interval in every quantity and window")
	}
	if r.NoChain != nil {
		fmt.Fprintln(w, "no chain:", r.NoChain)
	}
	for _, x := range r.Warnings {
		fmt.Fprintln(w, "warning:", x)
	}
}

// writeDir writes the windows and the figures.
func (f *refereeFlags) writeDir(dir string, sc *model.Scenario, r *referee.Result) ([]string, error) {
	base := filepath.Join(dir, sc.Name)
	path := base + ".windows.csv"
	if err := writeFile(path, f.windows(sc, r).writeCSV); err != nil {
		return nil, err
	}
	written := []string{path}
	for _, q := range r.Quantities {
		if !drawn(&q) {
			continue
		}
		fig, err := refereeFigure(sc, r, q.Column)
		if err != nil {
			return written, err
		}
		paths, err := writeFigure(fig, base+".referee."+q.Column, ".svg", ".png")
		if written = append(written, paths...); err != nil {
			return written, err
		}
	}
	return written, nil
}

// drawn reports whether a quantity deserves a figure: the success of boots, hit rates and
// queues do, and what the fluid is off in.
func drawn(q *referee.Quantity) bool {
	kind, _, _ := strings.Cut(q.Column, ".")
	return slices.Contains([]string{"boot_success", "hit_rate", "in_system"}, kind) && q.Run.Fluid != 0 || q.Worst.Off > referee.Near
}
