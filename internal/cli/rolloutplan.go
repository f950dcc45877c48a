package cli

import (
	"fmt"
	"io"
	"strings"

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
		Short: "Plan a rolling restart of all cache nodes, as soon done as is absorbed",
		Long: `Searches schedules of equal waves that restart every cache node, each wave as early and as
short as is absorbed, and takes the one that is done soonest; waves of other sizes
or pauses between them may be sooner still. Absorbed means that at every instant to the end of the scenario at least 90 % of what is admitted
succeeds, also with each wave larger by --margin. The timeline of the scenario does not
count, its traffic does. The same is asked for longer hold-downs, with which the control
plane waits for a node to come back before it replaces it by an empty one (1, 2 and 3 mean
outages), for slower paces at which it replaces nodes (all of them in 1, 3 and 8 hours),
and for each of the one with each of the other; the best of both is named, and in the head
of the file (best_hold_down_s, best_pace_per_s, best_end_s). Of equals the least change is
the best: a node that is gone for good is replaced the later the more patient they are.

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
	all, err := recovery.Replacements(sc, at.Time, set)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	if all[0].Rollout != nil {
		if err := f.write(cmd, out, sc, all); err != nil {
			return err
		}
	}
	if !f.quiet {
		tellReplacements(cmd.ErrOrStderr(), clock{sc.Start, sc.Duration}, all)
	}
	if all[0].Rollout == nil {
		return fmt.Errorf("%s: %w", sc.Name, recovery.ErrNoRollout)
	}
	return nil
}

func (f *rolloutFlags) write(cmd *cobra.Command, out *sink, sc *model.Scenario, all []recovery.Replacement) error {
	r, best := all[0].Rollout, all[recovery.Soonest(all)]
	t := &table{
		meta: []fact{
			{"version", "metastable " + version()},
			{"scenario", sc.Name},
			{"hash", sc.Hash()},
			{"end_s", r.End},
			{"least_boot_success", r.Least},
			{"best_hold_down_s", best.HoldDown},
			{"best_pace_per_s", best.Pace},
			{"best_end_s", best.Rollout.End},
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

// tellReplacements says what a longer hold-down and a slower pace, each alone, do for the
// rollout, and names the best of both.
func tellReplacements(w io.Writer, c clock, all []recovery.Replacement) {
	own := all[0]
	for _, x := range all[1:] {
		if x.HoldDown != own.HoldDown && x.Pace != own.Pace {
			continue
		}
		text := "no rollout is absorbed before the end of the run"
		if x.Rollout != nil {
			text = "done at " + c.at(x.Rollout.End)
		}
		fmt.Fprintf(w, "with %s: %s\n", changed(x, own), text)
	}
	switch best := recovery.Soonest(all); {
	case len(all) == 1 || best < 0:
	case best == 0:
		fmt.Fprintln(w, "best as it is: no longer hold-down and no slower pace is done sooner")
	default:
		fmt.Fprintf(w, "best of both: %s, done at %s\n", changed(all[best], own), c.at(all[best].Rollout.End))
	}
}

// changed names what a replacement has that another has not, as --set takes it.
func changed(x, own recovery.Replacement) string {
	var out []string
	if x.HoldDown != own.HoldDown {
		out = append(out, "cache.hold_down="+exact(x.HoldDown)+"s")
	}
	if x.Pace != own.Pace {
		out = append(out, "cache.pace="+exact(x.Pace)+"/s")
	}
	return strings.Join(out, " and ")
}
