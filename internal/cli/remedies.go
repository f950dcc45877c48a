package cli

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
	"github.com/metastable/metastable/stability"
)

type remediesFlags struct {
	planFlags
}

func newRemedies() *cobra.Command {
	f := &remediesFlags{}
	cmd := &cobra.Command{
		Use:   "remedies SCENARIO",
		Short: "Rank what would keep the system from tipping or bring it home sooner",
		Long: `Applies one change after another to the scenario and ranks them by what they do at a
moment: reading only what is missing, asking only the owning shards, more capacity,
coalescing, deadline propagation, other time-outs, shorter queues, a retry budget,
slower or warm replacement of cache nodes, wherever the scenario does not have them yet.

The columns: remedy; tipping_hit_rate (of the first class; empty where there is no
tipping point); absorbs_flush (the largest share of the cache's content that may be lost
at once); safe_traffic (share of the full rate below which no collapsed state exists);
headroom (factor on the traffic of the moment that the healthy state bears); down (1
where the scenario's own run is in an outage at the moment); home_s (with the throttle
schedule that recover finds from there; see recover; empty where there is none); lost_clients.
The first row is the system as it is. The rest are in order of absorbs_flush, then
safe_traffic, then home_s. The changes themselves stand in the head of the file.`,
		Example: `  metastable remedies slack-2022-02-22 --at 6:40 --steps 4 --format table
  metastable remedies hotos21-cache --at 10s --steps 3 -o remedies.csv`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.planFlags.add(cmd)
	return cmd
}

func (f *remediesFlags) run(cmd *cobra.Command, arg string) error {
	out, sc, at, set, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	remedies := recovery.Remedies(sc)
	if !f.quiet {
		bar := newProgress(cmd.ErrOrStderr(), float64(len(remedies)+1))
		defer bar.stop()
		set.Progress = bar.reach
	}
	effects, err := recovery.Weigh(sc, at, remedies, set)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	t := remediesTable(sc, at, effects)
	if len(f.set) > 0 {
		t.meta = append(t.meta, fact{"set", f.set})
	}
	for i, e := range effects {
		for _, w := range e.Warnings {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: %v\n", t.labels[i], w)
		}
	}
	path, err := out.write(t, sc.Name+".remedies", true)
	if err != nil || f.quiet {
		return err
	}
	w := cmd.ErrOrStderr()
	if math.IsNaN(effects[0].Absorbs) {
		fmt.Fprintln(w, "how large a loss of the cache it absorbs as it is could not be told: see the warnings")
	} else {
		fmt.Fprintf(w, "at %s, as it is, the loss of %s of the cache is absorbed\n", clock{sc.Start, sc.Duration}.at(at), percent(effects[0].Absorbs, 1))
	}
	for _, e := range effects[1:] {
		if e.Absorbs-effects[0].Absorbs > 0.005 {
			fmt.Fprintf(w, "%s: %s\n", e.Name, percent(e.Absorbs, 1))
		}
	}
	if path != "" {
		fmt.Fprintln(w, "wrote", path)
	}
	return nil
}

func remediesTable(sc *model.Scenario, at float64, effects []recovery.Effect) *table {
	t := &table{
		meta:    sourceFacts(sc, fact{"at_s", at}),
		label:   "remedy",
		columns: []string{"tipping_hit_rate", "absorbs_flush", "safe_traffic", "headroom", "down", "home_s", "lost_clients"},
	}
	for _, e := range effects {
		if e.Name == "" {
			e.Name = "none"
		}
		for _, c := range e.Changes {
			t.meta = append(t.meta, fact{e.Name, c.Path + "=" + c.Value})
		}
		t.labels = append(t.labels, e.Name)
		t.rows = append(t.rows, []float64{e.Tipping, e.Absorbs, end(e.Safe), end(e.Headroom), one(e.Down), e.Home, math.Round(e.Lost)})
	}
	return t
}

// end returns where a limit lies, +Inf where there is none.
func end(l stability.Limit) float64 {
	if math.IsInf(l.Hi, 1) {
		return l.Hi
	}
	return l.Lo
}
