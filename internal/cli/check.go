package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
)

type checkFlags struct {
	frozenFlags
	drawFlags
	require []string
	over    seconds
}

func newCheck() *cobra.Command {
	f := &checkFlags{over: 1800}
	cmd := &cobra.Command{
		Use:   "check SCENARIO --require REQUIREMENT",
		Short: "Hold the system to requirements, for continuous integration",
		Long: `Freezes the scenario at a moment, as equilibria does, and looks whether it meets
requirements. Exit status 0: all hold; 3: one does not; 1: one could not be decided; 2: one
makes no sense. A requirement is one of

` + describeMeasures() + `

the last three as they are, the others with >=, >, <= or < and a value with the units of
scenario files: 25% or 0.25, 400/s or 2k/s, 10m. Without a name, POOL and CLASS are the
worst one. What a system absorbs it comes home from by itself, however long it takes
(metastable tipping --help). recovers.* are infinite where nothing tried brings every
collapsed state home, and 0 where there is none.

The columns: the requirement; the bracket that holds its value (lo, hi; hi is empty where
there is no end to it); holds (1, 0, or empty where it could not be decided); proved (1
where the value rests on a proved number of equilibria). A bracket in which the bound
lies is made narrower first, to 1e-7.

--draws N holds N draws of the uncertain parameters, or of a --posterior, to them as well: a
requirement then has to hold in the scenario and in --share of the draws. The columns draws,
draws_hold and draws_undecided say how many.`,
		Example: `  metastable check slack-2022-02-22 --traffic 80% --require 'absorbs.flush >= 4%' --require 'headroom >= 1.3'
  metastable check osdi22-mongodb --over 10s --require 'absorbs.capacity >= 50%' --require 'recovers.stop <= 5m' --format table
  metastable check slack-2022-02-22 --traffic 80% --require 'headroom >= 1.3' --draws 20 --share 90%
  metastable check hotos21-retry --set clients.max_attempts=1 --require safe`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.frozenFlags.add(cmd)
	f.drawFlags.add(cmd)
	cmd.Flags().StringArrayVar(&f.require, "require", nil, "a `requirement`, such as 'absorbs.flush >= 25%'; may be repeated")
	cmd.Flags().Var(&f.over, "over", "how long a rollout, a loss of capacity, a surge or a cut lasts")
	return cmd
}

func (f *checkFlags) run(cmd *cobra.Command, arg string) error {
	if len(f.require) == 0 {
		return usage("nothing is required; want --require, such as --require 'absorbs.flush >= 25%%'%s", seeHelp(cmd))
	}
	out, sc, at, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	var all []*requirement
	for _, text := range f.require {
		r, err := parseRequirement(sc, text)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	share, err := f.drawFlags.parse(cmd, sc)
	if err != nil {
		return err
	}
	sys, err := sc.Compile()
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	if err := out.prepare(); err != nil {
		return err
	}
	if len(sys.CurveEnds(0)) > 0 {
		if res, err := stability.Equilibria(sys, at, &stability.Settings{Done: cmd.Context().Done()}); err == nil {
			for _, w := range res.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", wording(w))
			}
		}
	}
	m := &measured{sc: sc, sys: sys, at: at, over: float64(f.over), set: &stability.Settings{Done: cmd.Context().Done()}}
	t := f.table(sc, at)
	undecided := len(all)
	var broken, unclear []string
	for _, r := range all {
		v, a, err := m.decide(r)
		if errors.Is(err, stability.ErrInterrupted) {
			unclear = append(unclear, err.Error())
			break
		}
		row := []float64{v.lo, v.hi, math.NaN(), one(v.proved)}
		switch {
		case err != nil:
			row[0], row[1] = math.NaN(), math.NaN()
			unclear = append(unclear, fmt.Sprintf("%s: %s", r.text, wording(err)))
		case a == open:
			unclear = append(unclear, fmt.Sprintf("%s: it is %s, too close to tell", r.text, r.words(v)))
		default:
			row[2] = one(a == yes)
			undecided--
		}
		if a == no {
			broken = append(broken, fmt.Sprintf("%s: it is %s", r.text, r.words(v)))
		}
		t.labels, t.rows = append(t.labels, r.text), append(t.rows, row)
	}
	if f.draws > 0 && len(t.rows) == len(all) {
		b, u, err := f.overDraws(cmd, at, all, share, t)
		if err != nil {
			return fmt.Errorf("%s: %w", sc.Name, err)
		}
		broken, unclear, undecided = append(broken, b...), append(unclear, u...), undecided+len(u)
	}
	path, err := out.write(t, sc.Name+".check", len(t.rows) == len(all))
	if err != nil {
		return err
	}
	if path != "" && !f.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), "wrote", path)
	}
	switch {
	case len(broken) > 0:
		return unsafeError{fmt.Errorf("%s: %d of %d requirements do not hold\n  %s", sc.Name, len(broken), len(all), strings.Join(append(broken, unclear...), "\n  "))}
	case len(unclear) > 0:
		return fmt.Errorf("%s: %d of %d requirements could not be decided\n  %s", sc.Name, undecided, len(all), strings.Join(unclear, "\n  "))
	}
	return nil
}

// decide finds the value and compares it; a bracket that straddles the bound is made
// narrower.
func (m *measured) decide(r *requirement) (v value, a answer, err error) {
	for _, tol := range []float64{0, 1e-5, 1e-7} { // 0: the default
		set := *m.set
		set.Tol = tol
		v, err = r.what.find(m, r.arg, &set)
		if err != nil {
			return v, open, err
		}
		if a = r.judge(v); a != open || v.lo == v.hi {
			return v, a, nil
		}
	}
	return v, a, nil
}

// words writes the value in the unit of the requirement.
func (r *requirement) words(v value) string {
	if r.what.unit == "" {
		return v.note
	}
	spell := func(x float64) string {
		switch {
		case math.IsInf(x, 1):
			return "infinite"
		case r.what.unit == "share":
			return fmt.Sprintf("%.4g%%", 100*x)
		}
		return fmt.Sprintf("%.5g", x) + map[string]string{"1/s": "/s", "s": "s"}[r.what.unit]
	}
	text := spell(v.lo)
	switch {
	case v.hi > v.lo && math.IsInf(v.hi, 1):
		text = "at least " + text
	case v.hi > v.lo:
		text += " to " + spell(v.hi)
	}
	if v.note != "" {
		text += " (" + v.note + ")"
	}
	return text
}

func (f *checkFlags) table(sc *model.Scenario, at model.Moment) *table {
	t := &table{
		meta:    sourceFacts(sc, fact{"at_s", at.Time}, fact{"over_s", float64(f.over)}),
		label:   "requirement",
		columns: []string{"lo", "hi", "holds", "proved"},
	}
	t.meta = append(t.meta, momentFacts(at)...)
	if f.draws > 0 {
		t.meta = append(t.meta, append(f.facts(), fact{"share", f.share}, fact{"seed", float64(f.seed)})...)
	}
	if len(f.set) > 0 {
		t.meta = append(t.meta, fact{"set", f.set})
	}
	return t
}
