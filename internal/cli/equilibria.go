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
	frozenFlags
	portrait string
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
fail; with both it is metastable. Here, and in bifurcate, phase, tipping and check, an
entry that never expires lives for three years, and a client that never gives up makes
a million attempts: a collapse that nothing else would end is a state.

The columns: those of simulate, then per pool variance (work units²), gain (loop gain,
the slope of the load that comes back; above 1 is unstable), eigenvalue_per_s (the
largest real part), frequency_per_s (radians; not 0 where it oscillates), stable and
proved (1 or 0). "certainty: proved" says that there are no other states; "searched"
that no other was found. --format table and the summary leave out what is the same in
each.

-o DIR also draws, where the system is that simple, the return map (the load that comes
back over the load, its equilibria and where it leads from several loads) and the phase
portrait of two states: which way the system goes from everywhere, where either stands
still, and the separatrix between what recovers and what collapses. All other states are
taken as they would rest given the two. --portrait chooses them; the default is the hit
rate and the work at a pool, without a cache the work and the waiting clients.

The summary and the head also give the cold-load ratio of each pool (above 1 the cache
is load-bearing), the hit rates of the tipping point, the time back (how long after the
loss of all cached content the goodput is at 90 % of the healthy state's again, for
good), the headroom (the factor on the traffic that the healthy state bears), the safe
traffic (share of the full rate up to which no collapsed state exists) and the throttle
line (boots/s up to which the healthy state is the only one). These three are brackets:
at _lo it holds, at _hi, empty where it holds at all that was tried, it does not.`,
		Example: `  metastable equilibria slack-2022-02-22 -o results/
  metastable equilibria slack-2022-02-22 --traffic 80%
  metastable equilibria slack-2022-02-22 --at 7:00 --throttle 400/s --format table
  metastable equilibria hotos21-retry -o equilibria.json`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.frozenFlags.add(cmd)
	cmd.Flags().StringVar(&f.portrait, "portrait", "", "the two `states` of the phase portrait, such as hit_rate.CLASS,in_system.POOL or in_system.POOL,waiting_clients")
	return cmd
}

func (f *equilibriaFlags) run(cmd *cobra.Command, arg string) error {
	out, sc, at, err := f.open(cmd, arg)
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
	if err != nil && !errors.Is(err, stability.ErrInterrupted) {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	var sum *headline
	if err == nil {
		sum, err = summarizeMoment(sys, at, res, set)
	} else {
		sum = &headline{back: math.NaN()}
	}
	t := equilibriaTable(sc, res, at)
	if len(f.set) > 0 {
		t.meta = append(t.meta, fact{"set", f.set})
	}
	t.meta = append(t.meta, sum.facts...)
	lines := []string{said(res, sum.back)}
	for _, l := range sum.lines {
		lines = append(lines, l.String())
	}
	if out.format == textFormat {
		t = told(t)
	}
	if out.file != "" || out.dir != "" {
		t.notes = lines
	}
	path, writeErr := out.write(t, sc.Name+".equilibria", err == nil)
	if writeErr != nil {
		return writeErr
	}
	for _, w := range append(res.Warnings, sum.warnings...) {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", wording(w))
	}
	if !f.quiet {
		for _, line := range lines {
			fmt.Fprintln(cmd.ErrOrStderr(), line)
		}
		if path != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "wrote", path)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	return f.draw(cmd.ErrOrStderr(), out, sc, sys, at, res, set)
}

// draw writes the figures where the result goes to a directory.
func (f *equilibriaFlags) draw(w io.Writer, out *sink, sc *model.Scenario, sys *model.System, at model.Moment, res *stability.Result, set *stability.Settings) error {
	if out.dir == "" {
		return nil
	}
	paths, notes, err := equilibriaFigures(out.dir, sc, sys, at, res, f.portrait, set)
	if !f.quiet {
		for _, n := range notes {
			fmt.Fprintln(w, n)
		}
		for _, path := range paths {
			fmt.Fprintln(w, "wrote", path)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
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
		meta:    sourceFacts(sc, fact{"at_s", at.Time}, fact{"certainty", res.Certainty.String()}, verdictFact(res)),
		columns: append([]string(nil), res.Columns...),
	}
	t.meta = append(t.meta, momentFacts(at)...)
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
