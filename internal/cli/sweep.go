package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
)

const sweepColumns = `
The rows are the points. The columns: those of the parameters, in SI units; runs;
failed (runs whose integration failed: in no class, and warned of); the number of runs
of each class: absorbed (never tips), self_recovered, recovered (after a response),
relapsed, collapsed (not home at the end); p_collapse with _lo, _hi (95 %, Wilson; if
runs failed, from none of them collapsed to all) and _confidence (what the interval
achieves). Then for each of time_to_tip_s (of the runs that tip), time_down_s,
lost_boots, lost_goodput (boots), worst_hit_rate, peak_load, connected_loss (requests
of booted sessions that failed) and relapses: mean, q05, q50 and q95 with the same
three. A bound that would need more runs is empty, with the confidence of what is left.
Words in --vary come first, in a column of text.`

type sweepFlags struct {
	inputFlags
	outputFlags
	jobFlags
	uncertainFlags
	vary     []string
	design   string
	points   int
	draws    int
	until    string
	seed     uint64
	boundary bool
}

// jobFlags say how runs are spread and kept.
type jobFlags struct {
	jobs  int
	every seconds
}

func (f *jobFlags) add(cmd *cobra.Command) {
	f.every = 10
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "`number` of runs side by side (default: as many as processors)")
	cmd.Flags().Var(&f.every, "checkpoint", "about how often what is done is saved, a `time` such as 10s")
}

func (f *jobFlags) check() error {
	if f.jobs < 0 {
		return usage("--jobs %d: want at least 1, or 0 for as many as processors", f.jobs)
	}
	return nil
}

func newSweep() *cobra.Command {
	f := &sweepFlags{}
	cmd := &cobra.Command{
		Use:   "sweep SCENARIO --vary PATH=LO..HI:n",
		Short: "Run a scenario at many points, under its uncertainty: how likely is a collapse?",
		Long: `Runs a scenario at every point of a grid or a design, --draws times each with its
uncertain parameters drawn from their laws, and writes one row per point.

--vary is PATH=LO..HI:n, PATH=log:LO..HI:n, PATH=a,b,c, or PATH alone for its law in
the scenario's uncertainty (with a --design). With --posterior the draws are those of a fit. PATH is any that --set takes: the parameters
of a rollout or a throttle schedule are timeline.3.rollout, timeline.5.throttle,
timeline.5.at and so on. schedule=A.csv,B.csv varies whole schedules: files with the columns
t_s and limit_per_s, as recover writes them; each replaces all that the timeline does to
the throttle from the first of its steps on.
` + sweepColumns + `

--boundary looks at a few points of a grid over two ranges with a few draws, and goes on
where they differ: both sides of each crossing of P(collapse) = one half get more draws, all
of --draws where P is between 0.05 and 0.95. The rows are the points looked at; each line
"crossing" of the head is a place on the boundary. The bar of the progress is full at the
runs of the whole grid. A closed region smaller than an eighth to a quarter of the grid may
stay unseen.

The same seed gives the same bytes for any --jobs. While it runs to a file, what is done
is in FILE.partial: after an interrupt, or if it is killed, the same command goes on from
there. A file of another sweep is never replaced. -o DIR also draws figures of a sweep over
one or two numbers. To spread a sweep over machines:
plan, run, merge; or submit to a cluster.`,
		Example: `  metastable sweep hotos21-cache --vary timeline.0.flush=5%..40%:5 --vary traffic.boots=1000/s..3000/s:5 -o collapse.csv
  metastable sweep slack-2022-02-22 --vary timeline.2.rollout=5%..30%:3 --draws 4 --format table
  metastable sweep slack-2022-02-22 --vary pools.main.capacity=7000/s..10000/s --design lhs --points 5 --draws 2 -o sampled.json
  metastable sweep hotos21-cache --vary timeline.0.flush=5%..40%:17 --vary traffic.boots=1000/s..3000/s:17 --boundary -o boundary
  metastable sweep slack-2022-02-22 --draws 200 --until half-width=0.1 --format table`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.addPlan(cmd)
	cmd.Flags().BoolVar(&f.boundary, "boundary", false, "run only where P(collapse) crosses one half, on a grid over two ranges")
	f.outputFlags.add(cmd)
	f.jobFlags.add(cmd)
	cmd.AddCommand(newSweepPlan(), newSweepRun(), newSweepMerge(), newSweepSubmit())
	return cmd
}

// addPlan adds the flags that say what the sweep is.
func (f *sweepFlags) addPlan(cmd *cobra.Command) {
	f.inputFlags.add(cmd)
	f.uncertainFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringArrayVar(&f.vary, "vary", nil, "vary a parameter, as `PATH=LO..HI:n`; may be repeated")
	fl.StringVar(&f.design, "design", "grid", "the `points`: grid, or random, lhs, sobol or halton with --points")
	fl.IntVar(&f.points, "points", 0, "`number` of points of a design that is no grid")
	fl.IntVar(&f.draws, "draws", 0, "`number` of runs at a point, the most with --until (default 100, or 10000 with --until; 1 if nothing is uncertain)")
	fl.StringVar(&f.until, "until", "", "end at a point when the interval of P(collapse) is narrow: `half-width=0.01`")
	fl.Uint64Var(&f.seed, "seed", 1, "`seed` of the draws and the design, up to 2^53")
	cmd.RegisterFlagCompletionFunc("design", cobra.FixedCompletions([]string{"grid", "random", "lhs", "sobol", "halton"}, cobra.ShellCompDirectiveNoFileComp))
}

// plan makes the plan that the flags ask for.
func (f *sweepFlags) plan(cmd *cobra.Command, arg string) (*montecarlo.Plan, error) {
	half, err := f.half()
	if err != nil {
		return nil, err
	}
	if f.seed > 1<<53 {
		return nil, usage("--seed %d: want at most 2^53", f.seed)
	}
	sc, err := f.load(cmd, arg)
	if err != nil {
		return nil, err
	}
	s, err := f.uncertain(cmd, sc)
	if err != nil {
		return nil, err
	}
	s.Seed = f.seed
	if s.Draws, err = f.number(len(s.Uncertain) > 0, half > 0); err != nil {
		return nil, err
	}
	var axes []montecarlo.Axis
	for i, text := range f.vary {
		a, err := parseSwept(s, text)
		if err != nil {
			return nil, usage("--vary %s: %w", text, err)
		}
		for _, b := range axes[:i] {
			if a.Path == b.Path {
				return nil, usage("--vary %s: %s varies already", text, a.Path)
			}
		}
		axes = append(axes, a)
	}
	if s.Points, err = f.pointsOf(axes); err != nil {
		return nil, err
	}
	asked := []string{"design " + f.design}
	if f.posterior != "" {
		asked = append(asked, "posterior "+f.posterior)
	}
	for _, text := range f.vary {
		asked = append(asked, "vary "+text)
	}
	for _, text := range f.inputFlags.set {
		asked = append(asked, "set "+text)
	}
	plan, err := montecarlo.NewPlan(s, version(), half, asked)
	if err == nil && f.boundary {
		plan.Boundary, err = f.gridSides(axes)
	}
	return plan, err
}

// parseSwept reads a --vary; schedules are files of plans, whose steps it adds to the sweep.
func parseSwept(s *montecarlo.Sweep, text string) (montecarlo.Axis, error) {
	files, ok := strings.CutPrefix(text, montecarlo.SchedulePath+"=")
	if !ok {
		return montecarlo.ParseAxis(s.Scenario, text)
	}
	a := montecarlo.Axis{Path: montecarlo.SchedulePath, Texts: strings.Split(files, ",")}
	s.Schedules = map[string]montecarlo.Schedule{}
	for _, file := range a.Texts {
		plan, err := readPlan(file, s.Scenario)
		if err != nil {
			return a, err
		}
		var schedule montecarlo.Schedule
		for _, step := range plan {
			schedule = append(schedule, model.Point{T: step.T, Value: step.Limit})
		}
		s.Schedules[file] = schedule
	}
	return a, nil
}

// half reads --until.
func (f *sweepFlags) half() (float64, error) {
	if f.until == "" {
		return 0, nil
	}
	text, ok := strings.CutPrefix(f.until, "half-width=")
	half, err := strconv.ParseFloat(text, 64)
	if !ok || err != nil || !(half > 0 && half < 0.5) {
		return 0, usage("--until %s: want half-width=X with X above 0 and below 0.5", f.until)
	}
	return half, nil
}

// number returns that of the draws.
func (f *sweepFlags) number(uncertain, until bool) (int, error) {
	switch {
	case f.draws < 0:
		return 0, usage("--draws %d: want at least 1", f.draws)
	case !uncertain && f.draws > 1:
		return 0, usage("--draws %d: the scenario has no uncertainty, so all draws are the same", f.draws)
	case f.draws > 0:
		return f.draws, nil
	case !uncertain:
		return 1, nil
	case until:
		return 10_000, nil
	}
	return 100, nil
}

// pointsOf returns the points of the design over the axes.
func (f *sweepFlags) pointsOf(axes []montecarlo.Axis) ([]montecarlo.Point, error) {
	if f.design == "grid" {
		if f.points != 0 {
			return nil, usage("--points %d: a grid has its numbers in --vary PATH=LO..HI:n; give a --design", f.points)
		}
		points, err := montecarlo.Grid(axes)
		if err != nil {
			return nil, usageError{err}
		}
		return points, nil
	}
	d, err := montecarlo.ParseDesign(f.design)
	if err != nil {
		return nil, usage("--design %s: want grid, random, lhs, sobol or halton", f.design)
	}
	if f.points < 1 || f.points > 1_000_000 {
		return nil, usage("--points %d: a design %s wants 1 to 1000000", f.points, d)
	}
	if len(axes) == 0 {
		return nil, usage("--design %s: there is nothing to --vary", d)
	}
	return montecarlo.Spread(axes, d, f.points, f.seed)
}

// run plans, runs and merges in one go.
func (f *sweepFlags) run(cmd *cobra.Command, arg string) error {
	if err := f.jobFlags.check(); err != nil {
		return err
	}
	out, err := f.sink(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	plan, err := f.plan(cmd, arg)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	path := out.path(plan.Name + ".sweep")
	dir := "" // where what is done is kept
	if path != "" {
		if err := guard(path, plan); err != nil {
			return err
		}
		dir = path + ".partial"
	}
	sweep, err := plan.Sweep()
	if err != nil {
		return err
	}
	if dir != "" {
		if err := writePlan(dir, plan); err != nil {
			return err
		}
	}
	results, more, err := f.results(cmd, plan, sweep, dir)
	if err != nil {
		return err
	}
	if err := report(cmd, out, plan, sweep, results, more, f.quiet); err != nil || dir == "" {
		return err
	}
	return clearSweep(dir)
}

// results runs what is left, and returns all that came out and more facts about it.
func (f *sweepFlags) results(cmd *cobra.Command, plan *montecarlo.Plan, sweep *montecarlo.Sweep, dir string) ([]*montecarlo.PointResult, []fact, error) {
	if f.boundary {
		return f.runBoundary(cmd, plan, sweep, dir)
	}
	shard, err := f.runShard(cmd, plan, sweep, dir, 0, 1, f.quiet)
	if err != nil {
		return nil, nil, err
	}
	results, err := montecarlo.MergeShards([]*montecarlo.Shard{shard})
	return results, nil, err
}

// runShard runs what is left of a shard, kept in a directory if that is not empty.
func (f *jobFlags) runShard(cmd *cobra.Command, plan *montecarlo.Plan, s *montecarlo.Sweep, dir string, i, n int, quiet bool) (*montecarlo.Shard, error) {
	shard, err := openShard(dir, plan, s, i, n)
	if err != nil {
		return nil, err
	}
	done, left := shard.Left()
	if left == 0 {
		return shard, nil
	}
	if done > 0 && !quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "going on after %d of %d runs\n", done, done+left)
	}
	pool := &montecarlo.Pool{Workers: f.jobs, Done: cmd.Context().Done()}
	if !quiet {
		bar := newRunsBar(cmd.ErrOrStderr())
		defer bar.stop()
		pool.Progress = bar.reach
	}
	save := func() error { return nil }
	if dir != "" {
		save = func() error { return saveShard(dir, shard) }
	}
	err = shard.Run(pool, time.Duration(float64(f.every)*float64(time.Second)), save)
	if errors.Is(err, montecarlo.ErrInterrupted) {
		done, left := shard.Left()
		return nil, fmt.Errorf("interrupted after %d of %d runs; %s", done, done+left, kept(dir))
	}
	if err != nil {
		return nil, err
	}
	return shard, save()
}

// kept says what there is after an interrupt.
func kept(dir string) string {
	if dir == "" {
		return "nothing is kept without -o FILE"
	}
	return "the same command goes on from " + dir
}

// path returns that of the file that write would write, empty for standard output.
func (s *sink) path(name string) string {
	if s.dir != "" {
		return filepath.Join(s.dir, name+formats[s.format].suffix)
	}
	return s.file
}

// guard refuses to replace a file that is not of this sweep.
func guard(path string, plan *montecarlo.Plan) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return cannotWrite(path, err)
	}
	if !strings.Contains(string(text), plan.ID()) {
		return fmt.Errorf("%s is not of this sweep (%s); nothing is overwritten: remove it or name another file", path, plan.ID())
	}
	return nil
}
