package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
)

type rolloutFlags struct {
	scenarioFlags
	from   string
	margin string
	jobs   int
}

func newRolloutPlan() *cobra.Command {
	f := &rolloutFlags{}
	cmd := &cobra.Command{
		Use:   "rollout-plan SCENARIO",
		Short: "Plan the fastest rolling restart of all cache nodes that is absorbed",
		Long: `Searches the schedule of equal waves that restarts every cache node soonest and is
absorbed: at every instant to the end of the scenario at least 90 % of what is admitted
succeeds, also with each wave larger by --margin. The timeline of the scenario does not
count, its traffic does. The same is asked for longer hold-downs, with which the control
plane waits for a node to come back before it replaces it by an empty one.

The columns: t_s (when a wave begins), share (of the nodes, restarted one after another),
over_s (during so long).`,
		Example: `  metastable rollout-plan slack-2022-02-22 --from 6:00
  metastable rollout-plan slack-2022-02-22 --from 8:00 --set cache.hold_down=60s --format table`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.scenarioFlags.add(cmd)
	cmd.Flags().StringVar(&f.from, "from", "0s", "the earliest `moment` of the first wave, such as 6:00")
	cmd.Flags().StringVar(&f.margin, "margin", "5%", "each wave is absorbed when it is larger by this `share`")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "`number` of runs side by side (default: as many as processors)")
	return cmd
}

func (f *rolloutFlags) run(cmd *cobra.Command, arg string) error {
	out, sc, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	at, err := (&momentFlags{at: f.from}).moment(sc)
	if err != nil {
		return err
	}
	margin, err := parseShare(f.margin)
	if err != nil || !(margin > 0) {
		return usage("--margin %s: want a share above 0, such as 5%%", f.margin)
	}
	if err := out.prepare(); err != nil {
		return err
	}
	set := &recovery.Settings{Margin: margin, Workers: f.jobs, Done: cmd.Context().Done()}
	r, err := recovery.FastestRollout(sc, at.Time, set)
	if err != nil && !errors.Is(err, recovery.ErrNoRollout) {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	others, otherErr := holdDowns(sc, at.Time, set)
	if otherErr != nil {
		return fmt.Errorf("%s: %w", sc.Name, otherErr)
	}
	if err == nil {
		if err := f.write(cmd, out, sc, r); err != nil {
			return err
		}
	}
	if !f.quiet {
		c := clock{sc.Start, sc.Duration}
		for _, o := range others {
			text := "no rollout is absorbed before the end of the run: while a node is waited for, what it holds is missing"
			if o.rollout != nil {
				text = "done at " + c.at(o.rollout.End)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "with cache.hold_down=%s: %s\n", o.holdDown, text)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	return nil
}

func (f *rolloutFlags) write(cmd *cobra.Command, out *sink, sc *model.Scenario, r *recovery.Rollout) error {
	t := &table{
		meta: []fact{
			{"version", "metastable " + version()},
			{"scenario", sc.Name},
			{"hash", sc.Hash()},
			{"end_s", r.End},
			{"least_boot_success", r.Least},
		},
		columns: []string{"t_s", "share", "over_s"},
	}
	if len(f.set) > 0 {
		t.meta = append(t.meta, fact{"set", f.set})
	}
	for _, w := range r.Waves {
		t.rows = append(t.rows, []float64{w.At, w.Share, w.Over})
	}
	path, err := out.write(t, sc.Name+".rollout", true)
	if err != nil || f.quiet {
		return err
	}
	c, w := clock{sc.Start, sc.Duration}, cmd.ErrOrStderr()
	for _, x := range r.Waves {
		fmt.Fprintf(w, "%s  restart %s of the nodes over %s\n", c.at(x.At), percent(x.Share, 1), humanTime(x.Over))
	}
	fmt.Fprintf(w, "done at %s; at the worst instant %s of what is admitted succeeds\n", c.at(r.End), percent(r.Least, 1))
	if path != "" {
		fmt.Fprintln(w, "wrote", path)
	}
	return nil
}

// A holdDown is what a longer hold-down does for a rollout; nil where none is absorbed.
type holdDown struct {
	holdDown string
	rollout  *recovery.Rollout
}

// holdDowns plans with hold-downs of one to three mean outages, as far as they are longer.
func holdDowns(sc *model.Scenario, from float64, set *recovery.Settings) (out []holdDown, err error) {
	for _, times := range []float64{1, 2, 3} {
		hold := times * sc.Cache.Outage
		if hold <= sc.Cache.HoldDown || math.IsInf(hold, 1) {
			continue
		}
		o := holdDown{holdDown: strconv.FormatFloat(hold, 'g', -1, 64) + "s"}
		with := sc.Clone()
		if err := with.Set("cache.hold_down", o.holdDown); err != nil {
			return nil, err
		}
		o.rollout, err = recovery.FastestRollout(with, from, set)
		if err != nil && !errors.Is(err, recovery.ErrNoRollout) {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}
