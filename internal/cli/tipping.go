package cli

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

type tippingFlags struct {
	frozenFlags
	bandFlags
	trigger, pool, vary string
	over                seconds
}

// A trigger is what --trigger may be, with the words for a size.
type trigger struct {
	kind stability.ShockKind
	noun string
	text string // what has the size
	bare bool   // a factor and not a share
}

var triggers = []trigger{
	{stability.FlushShock, "flush", "of the cache's content lost at once", false},
	{stability.RolloutShock, "rollout", "of the nodes restarted", false},
	{stability.CapacityShock, "loss of capacity", "of the capacity lost", false},
	{stability.TrafficShock, "surge of traffic", "times the traffic", true},
}

func newTipping() *cobra.Command {
	f := &tippingFlags{over: 1800}
	cmd := &cobra.Command{
		Use:   "tipping SCENARIO",
		Short: "Find the smallest trigger that tips the system, against a parameter",
		Long: `Freezes the scenario at a moment, as equilibria does, and disturbs its healthy state
with a trigger of growing size, until one tips it into another state:

  flush     share of the cache's content lost at one instant
  rollout   share of the cache nodes restarted one after another during --over
  capacity  share of a pool's capacity lost during --over
  traffic   factor on the traffic during --over, up to 100

A trigger is absorbed when the system comes home by itself, however long it takes; to
within 0.1 % of the whole, or of the factor. That a larger trigger does more is taken
for granted; where the largest is absorbed some smaller ones are tried as well.

Exit status 1: at some value, or at the moment, this could not be decided.

The columns: the parameter; the largest size absorbed (_lo) and the smallest that tips
(_hi, empty where none does); healthy (0 where there is no healthy state to disturb:
sizes are empty, as where it could not be decided); runs (trajectories). -o DIR also draws the curve, as SVG and PNG.

--draws N does the same for N draws of the uncertain parameters, or of a --posterior, and
adds the columns _band_lo, _median and _band_hi of the smallest trigger that tips (nine
tenths of the draws lie between; empty where none tips) and draws_decided.`,
		Example: `  metastable tipping slack-2022-02-22 --trigger flush --format table
  metastable tipping slack-2022-02-22 --trigger rollout --over 30m --vary traffic=50%..250%:9 -o out
  metastable tipping slack-2022-02-22 --vary traffic=60%..120%:2 --draws 10 --format table
  metastable tipping osdi22-mongodb --trigger capacity --over 10s --vary pools.primary.capacity=14k/s..22k/s:5 -o capacity.csv`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.frozenFlags.add(cmd)
	f.bandFlags.add(cmd)
	var names []string
	for _, t := range triggers {
		names = append(names, string(t.kind))
	}
	fl := cmd.Flags()
	fl.StringVar(&f.trigger, "trigger", "flush", "the `kind` of trigger: "+strings.Join(names, ", "))
	fl.StringVar(&f.pool, "pool", "", "for capacity: which `pool` (default: the first)")
	fl.Var(&f.over, "over", "how long a rollout, a loss of capacity or a surge lasts")
	fl.StringVar(&f.vary, "vary", "traffic=5%..100%:20", "the parameter, its range and the number of values, as `PATH=LO..HI:n`; PATH as in --set, or traffic or throttle")
	cmd.RegisterFlagCompletionFunc("trigger", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *tippingFlags) run(cmd *cobra.Command, arg string) error {
	kind := slices.IndexFunc(triggers, func(t trigger) bool { return string(t.kind) == f.trigger })
	if kind < 0 {
		return usage("--trigger %s: want flush, rollout, capacity or traffic", f.trigger)
	}
	shock := stability.Shock{Kind: triggers[kind].kind, Pool: f.pool}
	if shock.Kind.Timed() {
		shock.Over = float64(f.over)
	}
	out, sc, at, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	if err := f.sensible(sc, &triggers[kind]); err != nil {
		return err
	}
	v, err := parseVary(sc, f.vary, 20)
	if err != nil {
		return err
	}
	from, err := f.band(cmd, sc)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	set := &stability.Settings{Done: cmd.Context().Done()}
	points, err := f.line(cmd, sc, at, v, shock, set)
	switch {
	case errors.Is(err, stability.ErrAxis), errors.Is(err, stability.ErrShock):
		return usageError{err}
	case err != nil && len(points) == 0:
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	t := f.table(sc, at, v, shock, points)
	var band *tippingBand
	var swath []plots.Swath
	if err == nil && from != nil {
		if band, err = f.overDraws(cmd, from, at, v, shock, triggers[kind].bare); err == nil {
			band.join(t, string(shock.Kind))
			swath = band.swaths(v, &triggers[kind])
		}
	}
	path, writeErr := out.write(t, f.name(sc), err == nil)
	if writeErr != nil {
		return writeErr
	}
	undecided := 0
	for _, p := range points {
		if leavesOpen(p.Err) {
			undecided++
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: at %s %s: %s\n", v.Path, v.spell(p.X), wording(p.Err))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: stopped after %d of %d values: %w", sc.Name, len(points), v.n, err)
	}
	written := []string{path}
	if out.dir != "" {
		fig, err := tippingFigure(sc, at, v, &triggers[kind], points, swath)
		if err != nil {
			return err
		}
		if fig != nil {
			more, err := writeFigure(fig, filepath.Join(out.dir, f.name(sc)), ".svg", ".png")
			if err != nil {
				return err
			}
			written = append(written, more...)
		}
	}
	if !f.quiet {
		if band != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), band.words(v, &triggers[kind], f.draws))
		}
		if err := f.explain(cmd, sc, at, &triggers[kind], shock, set, written); err != nil {
			return err
		}
	}
	if undecided > 0 {
		return fmt.Errorf("%s: what tips it could not be decided at %d of %d values", sc.Name, undecided, v.n)
	}
	return nil
}

// leavesOpen reports whether an error leaves the question open: that there is no healthy state is
// an answer.
func leavesOpen(err error) bool { return err != nil && !errors.Is(err, stability.ErrNoHealthy) }

// sensible reports a trigger that the scenario has nothing for.
func (f *tippingFlags) sensible(sc *model.Scenario, tr *trigger) error {
	cached := slices.ContainsFunc(sc.Classes, func(q model.Named[model.Class]) bool { return q.Value.Cached })
	switch {
	case f.pool != "" && tr.kind != stability.CapacityShock:
		return usage("--pool %s: a %s is not of one pool; want --trigger capacity", f.pool, tr.noun)
	case !cached && (tr.kind == stability.FlushShock || tr.kind == stability.RolloutShock):
		return usage("--trigger %s: %s has no cache: no class is cached", f.trigger, sc.Name)
	}
	return nil
}

// explain says what the trigger does at the moment, and where the results are.
func (f *tippingFlags) explain(cmd *cobra.Command, sc *model.Scenario, at model.Moment, tr *trigger, shock stability.Shock, set *stability.Settings, written []string) error {
	w := cmd.ErrOrStderr()
	now, err := stability.LargestAbsorbed(sc, at, shock, set)
	fmt.Fprintln(w, "at the moment:", tr.words(now, err))
	wrote(w, written)
	if leavesOpen(err) {
		return fmt.Errorf("%s: what tips it at the moment could not be decided", sc.Name)
	}
	return nil
}

// line computes the points behind a progress bar.
func (f *tippingFlags) line(cmd *cobra.Command, sc *model.Scenario, at model.Moment, v *varied, shock stability.Shock, set *stability.Settings) ([]stability.TippingPoint, error) {
	if f.quiet {
		return stability.TippingLine(sc, at, v.Axis, v.n, shock, set, nil)
	}
	bar := newProgress(cmd.ErrOrStderr(), float64(v.n))
	defer bar.stop()
	done := 0
	return stability.TippingLine(sc, at, v.Axis, v.n, shock, set, func(stability.TippingPoint) {
		done++
		bar.reach(float64(done))
	})
}

func (f *tippingFlags) table(sc *model.Scenario, at model.Moment, v *varied, shock stability.Shock, points []stability.TippingPoint) *table {
	t := &table{
		meta:    sourceFacts(sc, fact{"at_s", at.Time}, fact{"trigger", string(shock.Kind)}),
		columns: []string{v.column(), string(shock.Kind) + "_lo", string(shock.Kind) + "_hi", "healthy", "runs"},
	}
	t.meta = slices.Concat(t.meta, momentFacts(at), f.facts())
	if shock.Over > 0 {
		t.meta = append(t.meta, fact{"over_s", shock.Over})
	}
	if shock.Pool != "" {
		t.meta = append(t.meta, fact{"pool", shock.Pool})
	}
	if len(f.set) > 0 {
		t.meta = append(t.meta, fact{"set", f.set})
	}
	for _, p := range points {
		lo, hi, runs := math.NaN(), math.NaN(), 0.0
		if p.Trigger != nil {
			runs = float64(p.Trigger.Runs)
		}
		if p.Err == nil { // else what was found so far is no answer
			lo, hi = p.Trigger.Lo, p.Trigger.Hi
		}
		t.rows = append(t.rows, []float64{p.X, lo, hi, one(!errors.Is(p.Err, stability.ErrNoHealthy)), runs})
	}
	return t
}

// words says what a trigger does.
func (t *trigger) words(tr *stability.Trigger, err error) string {
	switch {
	case errors.Is(err, stability.ErrNoHealthy):
		return "there is no healthy state to disturb"
	case err != nil:
		return wording(err)
	case math.IsInf(tr.Hi, 1) && t.bare:
		return fmt.Sprintf("no %s tips it, up to 100 %s", t.noun, t.text)
	case math.IsInf(tr.Hi, 1):
		return fmt.Sprintf("no %s tips it, however large", t.noun)
	case t.bare:
		return fmt.Sprintf("%.4g %s are absorbed, %.4g tip it", tr.Lo, t.text, tr.Hi)
	}
	return fmt.Sprintf("%.1f %% %s are absorbed, %.1f %% tip it", 100*tr.Lo, t.text, 100*tr.Hi)
}

// name is that of the files in a directory.
func (f *tippingFlags) name(sc *model.Scenario) string { return sc.Name + ".tipping." + f.trigger }

// tippingFigure is the curve, nil where there are too few points for one.
func tippingFigure(sc *model.Scenario, at model.Moment, v *varied, tr *trigger, points []stability.TippingPoint, band []plots.Swath) (plots.Figure, error) {
	c := plots.TippingCurve{Frame: plots.Frame{
		Title:    title(sc),
		Subtitle: fmt.Sprintf("The smallest %s that tips the healthy state, over %s.", tr.noun, v.Path),
		X:        plots.Axis{Label: v.label(), Column: v.column()},
		Y:        plots.Axis{Label: tr.text, Column: string(tr.kind)},
	}, Swaths: band}
	if v.unit == "share" {
		c.Frame.X.Scale = plots.Percent
	}
	if !tr.bare {
		c.Y.Scale, c.Y.Label = plots.Percent, "% "+tr.text
	}
	var xs []float64
	for _, p := range points {
		lo, hi := math.NaN(), math.NaN()
		switch {
		case errors.Is(p.Err, stability.ErrNoHealthy):
			hi = 0
			if tr.bare {
				hi = 1
			}
		case p.Trigger == nil || p.Err != nil:
			continue
		case !math.IsInf(p.Trigger.Hi, 1):
			lo, hi = p.Trigger.Lo, p.Trigger.Hi
		}
		c.Absorbed, c.Tipping = append(c.Absorbed, lo), append(c.Tipping, hi)
		xs = append(xs, p.X)
	}
	if len(xs) < 2 {
		return nil, nil // no curve, and the reasons are among the warnings
	}
	today, err := v.Today(sc, at)
	if err != nil {
		return nil, err
	}
	c.X, c.Operating = xs, operating(v, today)
	if !tr.bare && !slices.ContainsFunc(c.Tipping, func(x float64) bool { return !math.IsNaN(x) }) {
		c.Y.Lo, c.Y.Hi = 0, 1 // nothing tips: all there is to lose is absorbed
	}
	return plots.NewTippingCurve(c)
}
