package cli

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
)

// controlEvery is the time in seconds between two actions of a controller.
const controlEvery = 5

// compare writes how the plan and controllers do, in the scenario and in draws.
func (f *recoverFlags) compare(cmd *cobra.Command, out *sink, sc *model.Scenario, begin *beginning, s *recovery.Situation, set *recovery.Settings) error {
	r, group, _, err := f.find(begin, s, set)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	if r.Plan == nil {
		return fmt.Errorf("%s: no throttle is needed: there is nothing to compare", sc.Name)
	}
	t := &table{
		meta:    f.meta(sc, s.Time(), r),
		label:   "way",
		columns: []string{"home_s", "lost_clients", "relapses", "draws", "draws_home", "draws_relapsed", "gain_share", "safe_up_to_share"},
	}
	t.meta = append(t.meta, fact{"controllers_act_every_s", float64(controlEvery)})
	situations := append([]*recovery.Situation{s}, group...)
	vs, err := recovery.Verify(situations, r.Plan, set)
	if err != nil {
		return err
	}
	of := make([]recovery.Driven, len(vs))
	for i, v := range vs {
		of[i] = recovery.Driven{Home: v.Home, Lost: v.Lost}
		if !math.IsInf(v.Relapse, 1) {
			of[i].Relapses = 1
		}
	}
	t.way("the plan", of, math.NaN(), math.NaN())
	for _, p := range priorities(sc) {
		safe, err := safeGains(s, p, set)
		if err != nil {
			return fmt.Errorf("%s: %w", sc.Name, err)
		}
		for k, c := range recovery.Controllers() {
			of, err := driven(situations, k, p, set)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", sc.Name, c.Name(), err)
			}
			t.way(c.Name()+p.name, of, c.Gain(), safe[k])
		}
	}
	path, err := out.write(t, sc.Name+".ways", true)
	if err == nil && path != "" && !f.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), "wrote", path)
	}
	return err
}

// A priority is what a controller sheds first.
type priority struct {
	name string
	all  bool
}

// priorities are boots first and everyone alike, where sessions ask for something that a
// throttle could shed; elsewhere there is nothing to choose.
func priorities(sc *model.Scenario) []priority {
	if slices.ContainsFunc(sc.Classes, func(c model.Named[model.Class]) bool { return c.Value.PerSession > 0 }) {
		return []priority{{", boots first", false}, {", everyone alike", true}}
	}
	return []priority{{}}
}

// safeGains returns the gain of each controller up to which it does not relapse.
func safeGains(s *recovery.Situation, p priority, set *recovery.Settings) ([]float64, error) {
	shed, err := s.Shedding(p.all)
	if err != nil {
		return nil, err
	}
	type none struct{}
	all := recovery.Controllers()
	out, _, err := ode.Ensemble(context.Background(), len(all), set.Workers, func() none { return none{} },
		func(_ context.Context, _ none, k int) (float64, error) {
			gain, err := recovery.SafeGain(shed, all[k], controlEvery, set)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", all[k].Name(), err)
			}
			return gain, nil
		})
	return out, err
}

// driven lets controller k drive each of the situations.
func driven(situations []*recovery.Situation, k int, p priority, set *recovery.Settings) ([]recovery.Driven, error) {
	type none struct{}
	out, _, err := ode.Ensemble(context.Background(), len(situations), set.Workers, func() none { return none{} },
		func(_ context.Context, _ none, i int) (recovery.Driven, error) {
			s, err := situations[i].Shedding(p.all)
			if err != nil {
				return recovery.Driven{}, err
			}
			d, err := recovery.Drive(s, recovery.Controllers()[k], controlEvery, set)
			if err != nil {
				return recovery.Driven{}, err
			}
			return *d, nil
		})
	return out, err
}

// way adds the row of a way home: the scenario's own first, then the draws.
func (t *table) way(name string, of []recovery.Driven, gain, safe float64) {
	home, relapsed := 0, 0
	for _, d := range of[1:] {
		if !math.IsInf(d.Home, 1) {
			home++
		}
		if d.Relapses > 0 {
			relapsed++
		}
	}
	t.labels = append(t.labels, name)
	t.rows = append(t.rows, []float64{of[0].Home, math.Round(of[0].Lost), float64(of[0].Relapses), float64(len(of) - 1), float64(home), float64(relapsed), gain, safe})
}
