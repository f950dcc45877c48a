package cli

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
	"github.com/metastable/metastable/trajectory"
)

type recoverFlags struct {
	planFlags
	drawFlags
	stateFlags
	verify string
	versus bool
}

func newRecover() *cobra.Command {
	f := &recoverFlags{}
	cmd := &cobra.Command{
		Use:   "recover SCENARIO",
		Short: "Plan a throttle schedule home, in few steps, that does not relapse",
		Long: `Runs the scenario up to a moment, drops what its timeline does after that, and plans
the way home: how far to throttle boots first, and when each next step may be taken. A
step is safe when the system, run on with the throttle left there, stays up while one
watches: at every instant at least 90 % of what is admitted succeeds.

In an outage, --hit-rate, --waiting and --queue put what the dashboards show in place of
what the run has at the moment; which keys are missing stays as in the run, and without a
cause on the timeline they are missing evenly.

The columns: t_s (since the scenario's start), limit_per_s (empty: no throttle),
until_s (when the next step is due), what then has to be seen before it is taken
(goodput_per_s, waiting_clients, and per class and pool hit_rate, load and timeout), and
for a step that is too large: too_large_per_s (a limit that leads to a relapse, a quarter
above the largest safe one), sign_s (after so many seconds a tenth of what is admitted
fails) and take_back_s (until then going back to the limit before still saves; as long
as the watch if it does even then); and success_bound, a share that succeeds at least
while one watches, known by comparison and not by a run, where the system has one.

The guarantee in the head says whether every step after the first has such a bound
(comparison), or else that the runs alone vouch for the plan (trajectories), and why.
optimum_home_s there is the time home with a throttle that is set all the time to the
largest limit that is safe with the margin, and longer_than_optimum the share by which the
plan takes longer, which more --steps and a shorter --min-hold make smaller.
longer_than_optimum is 0 where such a throttle is no sooner than the plan.

With -o DIR it writes DIR/NAME.plan.csv, the scenario with the plan on its timeline as
NAME.plan.yaml, the figure of its run as NAME.plan.svg and NAME.plan.png, the limit over
the hit rate with the line that it must not cross as NAME.way-home (.svg, .png, .csv),
and the plans tried by time and clients as NAME.trade-off.

--draws N plans for N draws of the scenario's uncertainty, or of a --posterior, so that --share of them come
home, adds the columns .least and .most (nine tenths of the draws lie between), and says
how many of at most 1,000 other draws come home.

--compare writes a table of the plan and of feedback controllers that act every 5 s:
additive increase and multiplicative decrease on the share that succeeds, proportional
and integral control of the delay at the database, CoDel-like shedding; where booted
sessions ask for something too, each sheds boots first and sheds everyone alike. Its
columns: way, home_s, lost_clients, relapses, of the draws how many come home and
relapse, gain_share (the share of the demand by which the controller raises the limit at
most at a time), and safe_up_to_share: from a larger gain on it relapses (within 5 %;
empty where it does not with any up to 10). A controller that acts this often may be home sooner than a plan of few steps.

--verify runs someone's own plan, a CSV file with the columns t_s and limit_per_s ("none"
or empty: no throttle), and exits with status 3 if it is not home within --longest, with
the time of the relapse, or with --draws if fewer than --share of the draws are home.`,
		Example: `  metastable recover slack-2022-02-22 --at 6:40 -o plan.csv
  metastable recover slack-2022-02-22 --at 6:40 --steps 4 --min-hold 5m --format table
  metastable recover slack-2022-02-22 --draws 10 --share 85% --steps 4 -o robust.csv
  metastable recover slack-2022-02-22 --at 6:40 --hit-rate 62% --waiting 3.2M --queue full
  metastable recover slack-2022-02-22 --compare --format table
  metastable recover facebook-2010-09-23 --at 70m -q > home.csv && metastable recover facebook-2010-09-23 --at 70m --verify home.csv`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.planFlags.add(cmd)
	f.drawFlags.add(cmd)
	f.stateFlags.add(cmd)
	cmd.Flags().BoolVar(&f.versus, "compare", false, "compare the plan with feedback controllers, in place of writing it")
	cmd.Flags().StringVar(&f.verify, "verify", "", "run the plan in this CSV `FILE` in place of a search")
	return cmd
}

func (f *recoverFlags) run(cmd *cobra.Command, arg string) error {
	out, sc, at, set, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	if err := drawsOf(cmd, &f.draws, f.posterior); err != nil {
		return err
	}
	begin, sc, err := f.stateFlags.apply(sc, beginning{at: at, ahead: set.Longest + set.Watch, done: set.Done}, f.draws)
	if err != nil {
		return err
	}
	if set.Share, err = f.drawFlags.parse(cmd, sc); err != nil {
		return err
	}
	s, err := begin.situation(sc)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	if f.verify != "" {
		return f.check(cmd, sc, begin, s, set)
	}
	if err := out.prepare(); err != nil {
		return err
	}
	if f.versus {
		return f.compare(cmd, out, sc, begin, s, set)
	}
	r, group, facts, err := f.find(begin, s, set)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	t := &table{meta: append(f.meta(sc, at, r), facts...)}
	optimum := math.NaN() // of the one situation; that of many is not known
	if f.draws == 0 && r.Plan != nil {
		if optimum, err = recovery.Optimum(s, r, set); err != nil {
			return fmt.Errorf("%s: the continuous optimum: %w", sc.Name, err)
		}
		t.meta = append(t.meta, fact{"optimum_home_s", optimum}, fact{"longer_than_optimum", r.Home/optimum - 1})
	}
	if r.Plan == nil {
		r.Plan = recovery.Plan{{T: at, Limit: math.Inf(1)}}
	}
	watches, err := recovery.Watches(append([]*recovery.Situation{s}, group...), r.Plan, set)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	t.meta = append(t.meta, fact{"guarantee", recovery.Guarantee(watches)})
	t.plan(s.Columns(), watches, f.draws > 0)
	path, err := out.write(t, sc.Name+".plan", true)
	if err != nil {
		return err
	}
	written := []string{path}
	if out.dir != "" {
		drawn, err := drawPlan(out.dir, sc, begin, s, r, set)
		if err != nil {
			return err
		}
		written = append(written, drawn...)
		if len(r.Plan) > 1 {
			drawn, err = recoverFigures(out.dir, sc, s, r, set)
			if err != nil {
				return err
			}
			written = append(written, drawn...)
		}
	}
	for _, w := range r.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
	}
	if f.quiet {
		return nil
	}
	f.tell(cmd.ErrOrStderr(), sc, s, r, watches)
	switch {
	case optimum == r.Home:
		fmt.Fprintln(cmd.ErrOrStderr(), "continuous optimum: not known; following the largest safe limit is no sooner than this plan")
	case !math.IsNaN(optimum):
		fmt.Fprintf(cmd.ErrOrStderr(), "continuous optimum: home in %s; this plan takes %s longer\n", humanTime(optimum), percent(r.Home/optimum-1, 1))
	}
	for _, x := range facts[len(f.facts()):] {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %s\n", x.key, human(x.value.(float64), 4))
	}
	wrote(cmd.ErrOrStderr(), written)
	return nil
}

// find returns the way home from the situation, or from the draws that are asked for with
// what is known of how many come home.
func (f *recoverFlags) find(begin *beginning, s *recovery.Situation, set *recovery.Settings) (*recovery.Recovery, []*recovery.Situation, []fact, error) {
	if f.draws > 0 {
		return f.robust(begin, set)
	}
	r, err := recovery.Find(s, set)
	return r, nil, nil, err
}

// planned returns the scenario with the plan on its timeline, in place of what was there
// from the moment on, to the end of the last watch.
func planned(sc *model.Scenario, at float64, r *recovery.Recovery, watch float64) *model.Scenario {
	out := sc.Clone()
	out.Name += ".plan"
	out.Title = "The way home: " + title(sc)
	out.Description = fmt.Sprintf("%d steps of the throttle, home after %s", len(r.Plan), humanTime(r.Home))
	for i, e := range out.Timeline {
		if e.At >= at {
			out.Timeline = out.Timeline[:i]
			break
		}
	}
	for _, step := range r.Plan {
		out.Timeline = append(out.Timeline, model.Entry{
			At: step.T, Action: model.ThrottleTo, Value: step.Limit, Note: limitText(step.Limit),
		})
	}
	out.Duration = at + r.Home + watch
	return out
}

// drawPlan writes the figure of a plan into a directory: of the whole run, with the
// scenario of it, or, from a state that is seen, from there on.
func drawPlan(dir string, sc *model.Scenario, begin *beginning, s *recovery.Situation, r *recovery.Recovery, set *recovery.Settings) (written []string, err error) {
	whole := planned(sc, begin.at, r, set.Watch)
	base := filepath.Join(dir, whole.Name)
	var res *trajectory.Result
	detail := &trajectory.Settings{Detail: true, Done: set.Done}
	if begin.stated() {
		res, err = s.Run(r.Plan, whole.Duration-begin.at, detail)
	} else {
		var sys *model.System
		if sys, err = whole.Compile(); err == nil {
			res, err = trajectory.Run(sys, detail)
		}
	}
	if err == nil {
		err = res.Status.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", whole.Name, err)
	}
	if !begin.stated() { // a file cannot begin in the middle
		if err := writeScenario(base+".yaml", whole); err != nil {
			return nil, err
		}
		written = []string{base + ".yaml"}
	}
	figure, err := newFigure(whole, res)
	if err != nil {
		return nil, err
	}
	drawn, err := writeFigure(figure, base, ".svg", ".png")
	return append(written, drawn...), err
}

func (f *recoverFlags) meta(sc *model.Scenario, at float64, r *recovery.Recovery) []fact {
	meta := []fact{
		{"version", "metastable " + version()},
		{"scenario", sc.Name},
		{"hash", sc.Hash()},
		{"at_s", at},
		{"drains_per_s", r.Drains},
		{"home_s", r.Home},
		{"lost_clients", r.Lost},
	}
	for _, x := range []fact{{"seen_hit_rate", f.hitRate}, {"seen_waiting", f.waiting}, {"seen_queue", f.queue}} {
		if x.value != "" {
			meta = append(meta, x)
		}
	}
	if len(f.set) > 0 {
		meta = append(meta, fact{"set", f.set})
	}
	return meta
}

// plan fills the table with the steps and what to watch at each.
func (t *table) plan(columns []string, watches []recovery.Watch, bands bool) {
	t.columns = []string{"t_s", "limit_per_s", "until_s", "goodput_per_s", "waiting_clients"}
	var shown []int
	for i, name := range columns {
		for _, p := range []string{"hit_rate.", "load.", "timeout."} {
			if strings.HasPrefix(name, p) {
				shown = append(shown, i)
				t.columns = append(t.columns, name)
				if bands {
					t.columns = append(t.columns, name+".least", name+".most")
				}
			}
		}
	}
	t.columns = append(t.columns, "too_large_per_s", "sign_s", "take_back_s", "success_bound")
	for _, w := range watches {
		row := []float64{w.T, w.Limit, w.Until, w.Expect[3] * w.Expect[4], w.Expect[5]}
		for _, i := range shown {
			row = append(row, w.Expect[i])
			if bands {
				row = append(row, w.Least[i], w.Most[i])
			}
		}
		t.rows = append(t.rows, append(row, w.TooLarge, w.Sign, w.TakeBack, w.Bound))
	}
}

// tell writes the plan for people.
func (f *recoverFlags) tell(w io.Writer, sc *model.Scenario, s *recovery.Situation, r *recovery.Recovery, watches []recovery.Watch) {
	c := clock{sc.Start, sc.Duration}
	if len(r.Plan) == 1 {
		fmt.Fprintf(w, "no throttle is needed: service is full %s after %s\n", humanTime(r.Home), c.at(s.Time()))
		return
	}
	fmt.Fprintf(w, "home after %s, at %s; about %s clients give up\n", humanTime(r.Home), c.at(s.Time()+r.Home), human(r.Lost, 2))
	fmt.Fprintf(w, "a throttle held at up to %s/s brings the system up\n", human(r.Drains, 3))
	fmt.Fprintf(w, "guarantee: %s\n", recovery.Guarantee(watches))
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, x := range watches {
		limit := "no throttle"
		if !math.IsInf(x.Limit, 1) {
			limit = fmt.Sprintf("throttle %s/s", exact(x.Limit))
		}
		fmt.Fprintf(out, "%s\t%s\t", c.at(x.T), limit)
		if i+1 < len(watches) {
			fmt.Fprintf(out, "until %s: goodput %s/s", c.at(x.Until), human(x.Expect[3]*x.Expect[4], 3))
			for k, name := range s.Columns() {
				if class, ok := strings.CutPrefix(name, "hit_rate."); ok {
					fmt.Fprintf(out, ", %s hits %s", class, humanHit(x.Expect[k]))
				}
			}
		}
		if !math.IsInf(x.TooLarge, 1) {
			fmt.Fprintf(out, "\t%s/s is too much", human(x.TooLarge, 3))
		}
		fmt.Fprintln(out)
	}
	out.Flush()
}

func limitText(limit float64) string {
	if math.IsInf(limit, 1) {
		return "no throttle"
	}
	return exact(limit) + "/s"
}
