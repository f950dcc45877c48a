package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

type simulateFlags struct {
	scenarioFlags
	every seconds
	rtol  float64
	plot  string
}

func newSimulate() *cobra.Command {
	f := &simulateFlags{}
	cmd := &cobra.Command{
		Use:   "simulate SCENARIO",
		Short: "Run a scenario and write what happens over time",
		Long: `Runs a scenario over its timeline and writes a table: one row per time, in SI
units, to full precision. A summary for people goes to standard error.

With -o DIR it writes DIR/NAME.csv, the figure as NAME.svg and NAME.png, and
NAME.yaml, the scenario as run, --set included.

The columns: t_s, boots_per_s (new sessions that want to start), attempts_per_s
(with retries), admitted_per_s (by the throttle), boot_success (of those admitted),
waiting_clients, sessions; per query class hit_rate (of one key), miss (a request
misses something) and success; per pool load (offered work over capacity), in_system
(work units per shard), timeout and refused (probabilities). At the instant of a
timeline entry a row shows the state just before and the forcing just after.

An interrupt keeps the rows so far: in a file whose name ends in .partial, or on
standard output under a line that says "incomplete".`,
		Example: `  metastable simulate slack-2022-02-22 -o out
  metastable simulate cold-start --every 30s --plot cold-start.svg > cold-start.csv
  metastable simulate hotos21-retry --set clients.max_attempts=1 --format table
  metastable scenarios show cold-start | metastable simulate - -o cold-start.json`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.scenarioFlags.add(cmd)
	cmd.Flags().Var(&f.every, "every", "`time` between rows, such as 30s, 5m or 1h (default a round one, for 100 to 200 rows)")
	cmd.Flags().Float64Var(&f.rtol, "rtol", 1e-6, "relative `tolerance` of the integration, 1e-12 to 0.01")
	cmd.Flags().StringVar(&f.plot, "plot", "", "draw the run in this `FILE` (.svg, .png; .csv for the figure's numbers)")
	return cmd
}

func (f *simulateFlags) run(cmd *cobra.Command, arg string) error {
	if !(f.rtol >= 1e-12 && f.rtol <= 0.01) {
		return usage("--rtol %g: want 1e-12 to 0.01", f.rtol)
	}
	if f.plot != "" && f.plot == f.out {
		return usage("--plot and -o name the same file, %s", f.plot)
	}
	if f.plot != "" && !plotFormat(f.plot) {
		return usage("--plot %s: want a file in .svg, .png or .csv", f.plot)
	}
	out, sc, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	if f.plot != "" {
		if err := writable(f.plot); err != nil {
			return err
		}
	}
	res, err := f.simulate(cmd, sc)
	if err != nil {
		return err
	}
	if res.Status.Early() {
		return f.keep(cmd, out, sc, res)
	}
	written, err := f.write(out, sc, res)
	if err != nil {
		return err
	}
	for _, w := range res.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", wording(w))
	}
	if f.quiet {
		return nil
	}
	return summarize(cmd.ErrOrStderr(), sc, res, written)
}

// simulate compiles and runs the scenario.
func (f *simulateFlags) simulate(cmd *cobra.Command, sc *model.Scenario) (*trajectory.Result, error) {
	sys, err := sc.Compile()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sc.Name, err)
	}
	set := &trajectory.Settings{RTol: f.rtol, Every: float64(f.every), Detail: true, Done: cmd.Context().Done()}
	if !f.quiet {
		bar := newProgress(cmd.ErrOrStderr(), sc.Duration)
		defer bar.stop()
		set.Progress = bar.reach
	}
	res, err := trajectory.Run(sys, set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sc.Name, err)
	}
	return res, nil
}

// keep writes the rows of a run that stopped early and returns why it did.
func (f *simulateFlags) keep(cmd *cobra.Command, out *sink, sc *model.Scenario, res *trajectory.Result) error {
	err := fmt.Errorf("%s: stopped at %s of %s: %w", sc.Name, exact(res.T)+" s", exact(sc.Duration)+" s", res.Status.Err())
	t := f.table(sc, res)
	t.meta = append([]fact{{"incomplete", err.Error()}}, t.meta...)
	path, writeErr := out.write(t, sc.Name, false)
	if path != "" && writeErr == nil {
		err = fmt.Errorf("%w; the rows so far are in %s", err, path)
	}
	return errors.Join(err, writeErr)
}

// write writes the results of a whole run and returns the paths of the files.
func (f *simulateFlags) write(out *sink, sc *model.Scenario, res *trajectory.Result) (written []string, err error) {
	path, err := out.write(f.table(sc, res), sc.Name, true)
	if err != nil {
		return nil, err
	}
	if path != "" {
		written = append(written, path)
	}
	var plots []string
	if out.dir != "" {
		base := filepath.Join(out.dir, sc.Name)
		if err := writeScenario(base+".yaml", sc); err != nil {
			return nil, err
		}
		written = append(written, base+".yaml")
		plots = append(plots, base+".svg", base+".png")
	}
	if f.plot != "" {
		plots = append(plots, f.plot)
	}
	if plots == nil {
		return written, nil
	}
	figure, err := newFigure(sc, res)
	if err != nil {
		return nil, err
	}
	for _, path := range plots {
		if err := writeFile(path, func(w io.Writer) error { return drawFigure(figure, w, filepath.Ext(path)) }); err != nil {
			return nil, err
		}
	}
	return append(written, plots...), nil
}

// table returns the rows with what one needs to get them again.
func (f *simulateFlags) table(sc *model.Scenario, res *trajectory.Result) *table {
	meta := sourceFacts(sc,
		fact{"integrator", ode.Rodas5P.String()},
		fact{"rtol", res.Settings.RTol},
		fact{"atol", res.Settings.ATol},
		fact{"every_s", res.Settings.Every},
	)
	if sc.Start != nil {
		meta = append(meta, fact{"start", sc.Start.Format(time.RFC3339Nano)})
	}
	if len(f.set) > 0 {
		meta = append(meta, fact{"set", f.set})
	}
	var warnings []string
	for _, w := range res.Warnings {
		warnings = append(warnings, w.Error())
	}
	if warnings != nil {
		meta = append(meta, fact{"warning", warnings})
	}
	return &table{meta: meta, columns: res.Columns, rows: res.Rows}
}
