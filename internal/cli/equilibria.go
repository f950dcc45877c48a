package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
)

type equilibriaFlags struct {
	inputFlags
	outputFlags
	momentFlags
}

func newEquilibria() *cobra.Command {
	f := &equilibriaFlags{}
	cmd := &cobra.Command{
		Use:   "equilibria SCENARIO",
		Short: "List every state in which the system rests at a frozen moment",
		Long: `Freezes traffic, throttle, capacity and parameters at one moment, rollouts and
validations off, and lists every state in which the system then rests: a healthy one,
a collapsed one, and between them the tipping point, which is not stable. With only a
healthy one the system is always safe; with only a collapsed one it is certain to
fail; with both it is metastable.

The columns: those of simulate, then per pool variance (work units²), gain (loop gain,
the slope of the load that comes back; above 1 is unstable), eigenvalue_per_s (the
largest real part), frequency_per_s (radians; not 0 where it oscillates), stable and
proved (1 or 0). "certainty: proved" says that there are no other states; "searched"
that no other was found. --format table and the summary leave out what is the same in
each.

The summary and the head also give the cold-load ratio of each pool (above 1 the cache
is load-bearing), the hit rates of the tipping point, and, where the number of states
is proved, the headroom (the factor on the traffic that the healthy state bears), the
safe traffic (share of the full rate up to which no collapsed state exists) and the
throttle line (boots/s up to which the healthy state is the only one).`,
		Example: `  metastable equilibria slack-2022-02-22 --traffic 80%
  metastable equilibria slack-2022-02-22 --at 7:00 --throttle 400/s --format table
  metastable equilibria hotos21-retry -o equilibria.json`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.inputFlags.add(cmd)
	f.outputFlags.add(cmd)
	f.momentFlags.add(cmd)
	return cmd
}

func (f *equilibriaFlags) run(cmd *cobra.Command, arg string) error {
	out, err := f.sink(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	sc, err := f.load(cmd, arg)
	if err != nil {
		return err
	}
	at, err := f.moment(sc)
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
	set := &stability.Settings{Done: cmd.Context().Done()}
	res, err := stability.Equilibria(sys, at, set)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	facts, why := headline(sys, at, res, set)
	if errors.Is(why, stability.ErrInterrupted) {
		return fmt.Errorf("%s: %w", sc.Name, why)
	}
	t := equilibriaTable(sc, res, at)
	if len(f.set) > 0 {
		t.meta = append(t.meta, fact{"set", f.set})
	}
	t.meta = append(t.meta, facts...)
	if out.format == textFormat {
		t = told(t)
	}
	path, err := out.write(t, sc.Name+".equilibria", true)
	if err != nil {
		return err
	}
	for _, w := range res.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
	}
	if f.quiet {
		return nil
	}
	explain(cmd.ErrOrStderr(), res, facts)
	if why != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "no limits:", why)
	}
	if path != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "wrote", path)
	}
	return nil
}

// textFormat is the format for people, which shows the columns that matter.
const textFormat = 2

// told returns the columns that people want to see.
func told(t *table) *table {
	short := &table{meta: t.meta, rows: make([][]float64, len(t.rows))}
	for i, name := range t.columns {
		for _, p := range []string{"load.", "in_system.", "hit_rate.", "boot_success", "gain", "eigenvalue", "stable", "proved"} {
			if !strings.HasPrefix(name, p) {
				continue
			}
			short.columns = append(short.columns, name)
			for k, row := range t.rows {
				short.rows[k] = append(short.rows[k], row[i])
			}
		}
	}
	return short
}

func equilibriaTable(sc *model.Scenario, res *stability.Result, at model.Moment) *table {
	t := &table{
		meta: []fact{
			{"version", "metastable " + version()},
			{"scenario", sc.Name},
			{"hash", sc.Hash()},
			{"at_s", at.Time},
			{"certainty", res.Certainty.String()},
			{"verdict", string(res.Verdict())},
		},
		columns: append([]string(nil), res.Columns...),
	}
	if at.Traffic >= 0 {
		t.meta = append(t.meta, fact{"traffic", at.Traffic})
	}
	switch {
	case math.IsInf(at.Throttle, 1):
		t.meta = append(t.meta, fact{"throttle_per_s", "none"})
	case at.Throttle >= 0:
		t.meta = append(t.meta, fact{"throttle_per_s", at.Throttle})
	}
	for _, p := range sc.Pools {
		t.columns = append(t.columns, "variance."+p.Name)
	}
	t.columns = append(t.columns, "gain", "eigenvalue_per_s", "frequency_per_s", "stable", "proved")
	for _, e := range res.Equilibria {
		row := append([]float64(nil), e.Row...)
		row[0] = at.Time
		row = append(row, e.Variance...)
		t.rows = append(t.rows, append(row, e.Gain, real(e.Leading), math.Abs(imag(e.Leading)),
			one(e.Stable), one(e.Certainty == fixedpoint.Proved)))
	}
	return t
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// headline computes the quantities that sum a moment up, and the reason why the limits
// are not among them, if they are not.
func headline(sys *model.System, at model.Moment, res *stability.Result, set *stability.Settings) (facts []fact, why error) {
	if cold, err := stability.ColdLoad(sys, at); err == nil {
		for i, name := range sys.Pools() {
			facts = append(facts, fact{"cold_load." + name, cold[i]})
		}
	}
	if tip := res.Tipping(); tip != nil {
		for i, name := range res.Columns {
			if strings.HasPrefix(name, "hit_rate.") || strings.HasPrefix(name, "load.") || strings.HasPrefix(name, "in_system.") {
				facts = append(facts, fact{"tipping_" + name, tip.Row[i]})
			}
		}
	}
	for _, q := range []struct {
		name string
		find func(*model.System, model.Moment, *stability.Settings) (stability.Bracket, error)
	}{
		{"headroom", stability.Headroom},
		{"safe_traffic", stability.SafeTraffic},
		{"throttle_line_per_s", stability.ThrottleLine},
	} {
		b, err := q.find(sys, at, set)
		switch {
		case errors.Is(err, stability.ErrUnproved), errors.Is(err, stability.ErrInterrupted):
			return facts, err
		case err != nil:
			facts, why = append(facts, fact{q.name, math.NaN()}), fmt.Errorf("%s: %w", q.name, err)
		case math.IsInf(b.Hi, 1):
			facts = append(facts, fact{q.name, "unlimited"})
		default:
			facts = append(facts, fact{q.name, b.Lo})
		}
	}
	return facts, why
}

// explain says in words what the equilibria and the quantities mean.
func explain(w io.Writer, res *stability.Result, facts []fact) {
	doubt := ""
	if res.Certainty != fixedpoint.Proved {
		doubt = ", as far as the search found"
	}
	fmt.Fprintf(w, "%d equilibria (%s): %s, %s%s\n", len(res.Equilibria), res.Certainty, res.Verdict(), verdicts[res.Verdict()], doubt)
	for _, f := range facts {
		name, _, _ := strings.Cut(f.key, ".")
		value := f.value
		if v, number := value.(float64); number {
			value = human(v, 4)
		}
		if text, ok := quantities[name]; ok {
			fmt.Fprintf(w, "%s %v: %s\n", f.key, value, text)
		}
	}
}

var verdicts = map[stability.Verdict]string{
	stability.AlwaysSafe:    "it comes back to the healthy state from anywhere",
	stability.Metastable:    "which state it is in depends on its past",
	stability.CertainToFail: "the only state it rests in is collapsed",
	stability.Restless:      "it rests nowhere",
}

var quantities = map[string]string{
	"cold_load":           "load with empty caches over capacity; above 1 the cache is load-bearing",
	"tipping_hit_rate":    "hit rate of one key at the tipping point",
	"headroom":            "times the traffic of the moment, there the healthy state ends",
	"safe_traffic":        "of the full traffic, below it no collapsed state exists",
	"throttle_line_per_s": "boots/s, under a throttle below it the healthy state is the only one",
}
