package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/montecarlo"
)

const folderArg = "DIR (of a sweep that is planned)"

func newSweepPlan() *cobra.Command {
	f := &sweepFlags{}
	var dir string
	cmd := &cobra.Command{
		Use:   "plan SCENARIO --vary PATH=LO..HI:n -o DIR",
		Short: "Plan a sweep that is to run in shards",
		Long: `Checks a sweep and writes DIR/plan.json: the points, the draws, the seed, the scenario
with its hash, and the version of the program. Then any machine that sees DIR may run
any shard of it with sweep run. The flags are those of sweep.`,
		Example: `  metastable sweep plan hotos21-cache --vary timeline.0.flush=5%..40%:5 -o flushes`,
		Args:    oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return usage("-o DIR is missing: where the plan and the shards are to be")
			}
			plan, err := f.plan(cmd, args[0])
			if err != nil {
				return err
			}
			if err := writePlan(dir, plan); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "sweep %s in %s: %d points, up to %d runs each\n", plan.ID(), dir, len(plan.Points), plan.Draws)
			return nil
		},
	}
	f.addPlan(cmd)
	cmd.Flags().StringVarP(&dir, "output", "o", "", "the folder of the sweep, `DIR`")
	return cmd
}

func newSweepRun() *cobra.Command {
	var f jobFlags
	var shard string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "run DIR --shard I/N",
		Short: "Run a shard of a planned sweep, or go on with it",
		Long: `Runs shard I of N (from 0 to N − 1) of the sweep planned in DIR. Its file in DIR is a
checkpoint while it runs, replaced as a whole, and the result when it is done: run again
after an interrupt, SIGTERM or kill, it goes on; run again when done, it does nothing.

--shard auto/N takes I from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX, as in an array
of Slurm or an Indexed Job of Kubernetes.`,
		Example: `  metastable sweep plan hotos21-cache --vary timeline.0.flush=5%..40%:5 -o flushes && metastable sweep run flushes --shard 0/2
  metastable sweep plan hotos21-cache --vary timeline.0.flush=5%..40%:5 -o flushes && SLURM_ARRAY_TASK_ID=1 metastable sweep run flushes --shard auto/2`,
		Args: oneArg(folderArg),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			i, n, err := parseShard(shard, os.Getenv)
			if err != nil {
				return err
			}
			plan, s, err := openPlan(args[0])
			if err != nil {
				return err
			}
			done, err := f.runShard(cmd, plan, s, args[0], i, n, quiet)
			if err == nil && !quiet {
				runs, _ := done.Left()
				fmt.Fprintf(cmd.ErrOrStderr(), "shard %d/%d of sweep %s is done: %d runs\n", i, n, plan.ID(), runs)
			}
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&shard, "shard", "0/1", "which shard of how many, `I/N` or auto/N")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress on standard error")
	return cmd
}

// parseShard reads I/N; for auto/N the index is that of the first variable that is set.
func parseShard(text string, getenv func(string) string) (i, n int, err error) {
	const most = 1_000_000
	index, of, _ := strings.Cut(text, "/")
	from := ""
	if index == "auto" {
		for _, name := range []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"} {
			if index = getenv(name); index != "" {
				from = fmt.Sprintf(" (%s is %s)", name, index)
				break
			}
		}
		if index == "" {
			return 0, 0, usage("--shard %s: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set", text)
		}
	}
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(of)
	if errI != nil || errN != nil || !(0 <= i && i < n && n <= most) {
		return 0, 0, usage("--shard %s%s: want I/N with I from 0 to N − 1, such as 0/10, or auto/10", text, from)
	}
	return i, n, nil
}

func newSweepMerge() *cobra.Command {
	var f outputFlags
	cmd := &cobra.Command{
		Use:   "merge DIR",
		Short: "Put the shards of a sweep together",
		Long: `Writes the rows of the sweep planned in DIR, once all of its shards are done; otherwise
it names those that are missing. The bytes are those of one sweep that was not divided.
` + sweepColumns,
		Example: `  metastable sweep plan hotos21-cache --vary timeline.0.flush=5%..40%:5 -o flushes && metastable sweep run flushes && metastable sweep merge flushes -o flushes.csv`,
		Args:    oneArg(folderArg),
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := f.sink(cmd.OutOrStdout())
			if err != nil {
				return err
			}
			plan, s, err := openPlan(args[0])
			if err != nil {
				return err
			}
			shards, err := openShards(args[0], plan, s)
			if err != nil {
				return err
			}
			results, err := montecarlo.MergeShards(shards)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if err := out.prepare(); err != nil {
				return err
			}
			if path := out.path(plan.Name + ".sweep"); path != "" {
				if err := guard(path, plan); err != nil {
					return err
				}
			}
			return report(cmd, out, plan, s, results, nil, f.quiet)
		},
	}
	f.add(cmd)
	return cmd
}
