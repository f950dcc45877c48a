package cli

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
)

type equilibriaFlags struct {
	inputFlags
	outputFlags
	at       seconds
	traffic  float64
	throttle float64
}

func newEquilibria() *cobra.Command {
	f := &equilibriaFlags{}
	cmd := &cobra.Command{
		Use:   "equilibria SCENARIO",
		Short: "List every state in which the system rests at a frozen moment",
		Long: `Freezes traffic, throttle, capacity and parameters at one moment, rollouts and
validations off, and lists every state in which the system then rests: a healthy one,
a collapsed one, and between them the tipping point, which is not stable. With only a
healthy one the system is safe at that traffic; with only a collapsed one it is certain
to fail; with both it is metastable.

The columns: those of simulate, then per pool variance (work units²), gain (loop gain,
the slope of the load that comes back; above 1 is unstable), eigenvalue_per_s (the
largest real part) and stable (1 or 0). Where they can be proved, the head and the
summary also give the limits: the traffic up to which no collapsed state exists, the
traffic up to which the healthy one does, and the throttle under which it is the only
one. "certainty: proved" says that there are no
others; "searched" that none was found.`,
		Example: `  metastable equilibria slack-2022-02-22 --traffic 0.8
  metastable equilibria slack-2022-02-22 --at 7h --throttle 400 --format table
  metastable equilibria hotos21-retry -o equilibria.json`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.inputFlags.add(cmd)
	f.outputFlags.add(cmd)
	cmd.Flags().Var(&f.at, "at", "the moment, as `time` since the start, such as 7h (default 0)")
	cmd.Flags().Float64Var(&f.traffic, "traffic", -1, "boots as a `share` of the full rate (default: as at the moment)")
	cmd.Flags().Float64Var(&f.throttle, "throttle", -1, "limit in `boots/s`, inf for none (default: as at the moment)")
	return cmd
}

func (f *equilibriaFlags) run(cmd *cobra.Command, arg string) error {
	if cmd.Flags().Changed("traffic") && !(f.traffic >= 0 && f.traffic <= 1e6) {
		return usage("--traffic %g: want a share from 0 to 1e6, such as 0.8", f.traffic)
	}
	if cmd.Flags().Changed("throttle") && !(f.throttle >= 0) {
		return usage("--throttle %g: want a rate in boots/s, or inf for none", f.throttle)
	}
	out, err := f.sink(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	sc, err := f.load(cmd, arg)
	if err != nil {
		return err
	}
	if at := float64(f.at); at > sc.Duration {
		return usage("--at %g s: the run ends at %g s", at, sc.Duration)
	}
	sys, err := sc.Compile()
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	if err := out.prepare(); err != nil {
		return err
	}
	moment := model.Moment{Time: float64(f.at), Traffic: f.traffic, Throttle: f.throttle}
	res, err := stability.Equilibria(sys, moment)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	limits, err := stability.FindLimits(sys, moment)
	if err != nil && !f.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), "no limits:", err)
	}
	t := f.table(sc, res)
	if err == nil {
		t.meta = append(t.meta, limitFacts(limits)...)
	}
	path, err := out.write(t, sc.Name+".equilibria", true)
	if err != nil {
		return err
	}
	for _, w := range res.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
	}
	if !f.quiet {
		explain(cmd.ErrOrStderr(), res)
		if limits != nil {
			explainLimits(cmd.ErrOrStderr(), sc, limits)
		}
		if path != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "wrote", path)
		}
	}
	return nil
}

func (f *equilibriaFlags) table(sc *model.Scenario, res *stability.Result) *table {
	t := &table{
		meta: []fact{
			{"version", "metastable " + version()},
			{"scenario", sc.Name},
			{"hash", sc.Hash()},
			{"at_s", float64(f.at)},
			{"certainty", res.Certainty.String()},
		},
		columns: append([]string(nil), res.Columns...),
	}
	if f.traffic >= 0 {
		t.meta = append(t.meta, fact{"traffic", f.traffic})
	}
	if f.throttle >= 0 && !math.IsInf(f.throttle, 1) {
		t.meta = append(t.meta, fact{"throttle_per_s", f.throttle})
	}
	if len(f.set) > 0 {
		t.meta = append(t.meta, fact{"set", f.set})
	}
	for _, p := range sc.Pools {
		t.columns = append(t.columns, "variance."+p.Name)
	}
	t.columns = append(t.columns, "gain", "eigenvalue_per_s", "stable")
	for _, e := range res.Equilibria {
		row := append([]float64(nil), e.Row...)
		row[0] = float64(f.at)
		row = append(row, e.Variance...)
		stable := 0.0
		if e.Stable {
			stable = 1
		}
		t.rows = append(t.rows, append(row, e.Gain, e.Leading, stable))
	}
	return t
}

// explain says in words what the equilibria mean.
func explain(w io.Writer, res *stability.Result) {
	stable := 0
	for _, e := range res.Equilibria {
		if e.Stable {
			stable++
		}
	}
	verdict := fmt.Sprintf("%d equilibria, %d stable (%s): ", len(res.Equilibria), stable, res.Certainty)
	switch {
	case stable > 1:
		verdict += "metastable: which one the system is in depends on its past"
	case stable == 1 && res.Equilibria[0].Row[4] >= 0.5:
		verdict += "it comes back to the healthy state from anywhere"
	case stable == 1:
		verdict += "certain to fail: the only state it rests in is collapsed"
	default:
		verdict += "it rests nowhere"
	}
	fmt.Fprintln(w, verdict)
}

// limitFacts are the limits as facts of the table: the values on the safe side.
func limitFacts(l *stability.Limits) []fact {
	return []fact{
		{"safe_up_to_traffic", l.Safe.Lo},
		{"healthy_up_to_traffic", l.End.Lo},
		{"only_healthy_up_to_throttle_per_s", l.Throttle.Lo},
	}
}

// explainLimits says in words how far the system is from where its states end.
func explainLimits(w io.Writer, sc *model.Scenario, l *stability.Limits) {
	for i, p := range sc.Pools {
		word := "the database can do without the cache"
		if l.ColdLoad[i] > 1 {
			word = "the cache is load-bearing"
		}
		fmt.Fprintf(w, "load of pool %s with empty caches: %.3g of its capacity; %s\n", p.Name, l.ColdLoad[i], word)
	}
	fmt.Fprintf(w, "traffic without a throttle: safe up to %s, healthy state up to %s (shares of the full rate)\n", upTo(l.Safe), upTo(l.End))
	fmt.Fprintf(w, "throttle at this traffic: the healthy state is the only one up to %s boots/s\n", upTo(l.Throttle))
}

func upTo(b stability.Bracket) string {
	switch {
	case math.IsInf(b.Hi, 1):
		return "any"
	case b.Lo == 0:
		return "none"
	}
	return fmt.Sprintf("%.4g", b.Lo)
}
