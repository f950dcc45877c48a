package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/recovery"
)

// drawFlags say for how many draws of the uncertain parameters an answer has to hold.
type drawFlags struct {
	uncertainFlags
	draws int
	share string
	seed  uint64

	from *montecarlo.Sweep // what is drawn from
}

func (f *drawFlags) add(cmd *cobra.Command) {
	f.uncertainFlags.add(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.draws, "draws", 0, "for this `number` of draws of the uncertain parameters (default: 40 with --posterior, else for the scenario's values alone)")
	fl.StringVar(&f.share, "share", "99%", "`share` of the draws for which it has to hold")
	fl.Uint64Var(&f.seed, "seed", 1, "`seed` of the draws")
}

// parse checks the flags and returns the share.
func (f *drawFlags) parse(cmd *cobra.Command, sc *model.Scenario) (float64, error) {
	if err := drawsOf(cmd, &f.draws, f.posterior); err != nil {
		return 0, err
	}
	share, err := parseShare(f.share)
	if err != nil || !(share > 0 && share <= 1) {
		return 0, usage("--share %s: want a share above 0 and up to 1, such as 99%%", f.share)
	}
	if f.draws == 0 {
		return share, nil
	}
	if f.from, err = f.drawn(cmd, sc, f.draws, f.seed); err == nil {
		f.warnOfApart(cmd, sc, f.from.Joint)
	}
	return share, err
}

// parseShare reads a share from 0 to 1 as scenario files spell it: 0.25 or 25%.
func parseShare(text string) (float64, error) {
	v, err := model.Quantity(text, "share")
	if err == nil && !(v >= 0 && v <= 1) {
		err = fmt.Errorf("%s is outside 0 to 1", text)
	}
	return v, err
}

// situations returns where the way home begins in n draws of what is uncertain.
func (f *drawFlags) situations(begin *beginning, n int, seed uint64, set *recovery.Settings) ([]*recovery.Situation, error) {
	sweep := *f.from
	sweep.Draws, sweep.Seed = n, seed
	type none struct{}
	out, _, err := ode.Ensemble(context.Background(), n, set.Workers, func() none { return none{} },
		func(_ context.Context, _ none, i int) (*recovery.Situation, error) {
			drawn, err := sweep.Draw(0, i)
			if err != nil {
				return nil, err
			}
			s, err := begin.situation(drawn)
			if err != nil {
				return nil, fmt.Errorf("draw %d: %w", i, err)
			}
			return s, nil
		})
	return out, err
}

// robust plans for the draws and counts how many others come home with the plan.
func (f *drawFlags) robust(begin *beginning, set *recovery.Settings) (*recovery.Recovery, []*recovery.Situation, []fact, error) {
	group, err := f.situations(begin, f.draws, f.seed, set)
	if err != nil {
		return nil, nil, nil, err
	}
	r, err := recovery.Robust(group, set)
	if err != nil {
		return nil, nil, nil, err
	}
	if r.Plan == nil {
		return r, group, nil, nil
	}
	const most = 1000
	fresh, err := f.situations(begin, min(5*f.draws, most), f.seed+1, set)
	if err != nil {
		return nil, nil, nil, err
	}
	home, err := r.Check(fresh, set)
	if err != nil {
		return nil, nil, nil, err
	}
	const confidence = 0.95
	in := montecarlo.ClopperPearson(home, len(fresh), confidence)
	return r, group, append(f.facts(), []fact{
		{"draws", float64(f.draws)},
		{"seed", float64(f.seed)},
		{"share", set.Share},
		{"fresh_draws", float64(len(fresh))},
		{"fresh_draws_home", float64(home)},
		{"share_home_lo", in.Lo},
		{"share_home_hi", in.Hi},
		{"confidence", in.Confidence},
	}...), nil
}

// check runs someone's own plan, and from as many draws as are asked for.
func (f *recoverFlags) check(cmd *cobra.Command, sc *model.Scenario, begin *beginning, s *recovery.Situation, set *recovery.Settings) error {
	plan, err := readPlan(f.verify, sc)
	if err != nil {
		return err
	}
	vs, err := recovery.Verify([]*recovery.Situation{s}, plan, set)
	if err != nil {
		return fmt.Errorf("%s: %w", f.verify, err)
	}
	c, v := clock{sc.Start, sc.Duration}, vs[0]
	switch {
	case !math.IsInf(v.Relapse, 1):
		step := 0
		for i, x := range plan {
			if x.T <= v.Relapse {
				step = i
			}
		}
		return unsafeError{fmt.Errorf("%s: relapses at %s, %s after the step to %s at %s",
			f.verify, c.at(v.Relapse), humanTime(v.Relapse-plan[step].T), limitText(plan[step].Limit), c.at(plan[step].T))}
	case math.IsInf(v.Home, 1):
		return unsafeError{fmt.Errorf("%s: not home within %s: %s of what is admitted succeeds then, and the last step is to %s",
			f.verify, humanTime(set.Longest), percent(v.Success, 1), limitText(plan[len(plan)-1].Limit))}
	}
	if !f.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: home after %s, at %s; about %s clients give up\n",
			f.verify, humanTime(v.Home), c.at(s.Time()+v.Home), human(v.Lost, 2))
	}
	if f.draws == 0 {
		return nil
	}
	group, err := f.situations(begin, f.draws, f.seed, set)
	if err != nil {
		return err
	}
	home, err := (&recovery.Recovery{Plan: plan}).Check(group, set)
	if err != nil {
		return err
	}
	in := montecarlo.ClopperPearson(home, len(group), 0.95)
	text := fmt.Sprintf("%s: home in %d of %d draws, %s to %s with 95 %% confidence",
		f.verify, home, len(group), percent(in.Lo, 1), percent(in.Hi, 1))
	if in.Estimate < set.Share {
		return unsafeError{errors.New(text)}
	}
	if !f.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), text)
	}
	return nil
}
