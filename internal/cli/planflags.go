package cli

import (
	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
)

// planFlags are those of a command that looks for a way home: of which scenario, from when
// on and what is asked of it.
type planFlags struct {
	scenarioFlags
	begin                string
	steps                int
	hold, watch, longest seconds
	margin               string
	jobs                 int
}

func (f *planFlags) add(cmd *cobra.Command) {
	f.scenarioFlags.add(cmd)
	f.hold, f.watch, f.longest = 60, 1800, 4*3600
	fl := cmd.Flags()
	fl.StringVar(&f.begin, "at", "", "the `moment` at which the way home begins, such as 6:40 (default: that of the timeline's first throttle)")
	fl.IntVar(&f.steps, "steps", 8, "`number` of steps, 2 to 1000; the last takes the throttle off")
	fl.Var(&f.hold, "min-hold", "shortest `time` between two steps; every hold is a multiple of it")
	fl.Var(&f.watch, "watch", "`time` for which a step has to stay up to be safe")
	fl.Var(&f.longest, "longest", "`time` within which the system has to be home")
	fl.StringVar(&f.margin, "margin", "5%", "each step is safe at a limit larger by this `share`")
	fl.IntVar(&f.jobs, "jobs", 0, "`number` of runs side by side (default: as many as processors)")
}

// open is scenarioFlags.open with the moment at which the way home begins, in seconds, and
// the settings that the flags name.
func (f *planFlags) open(cmd *cobra.Command, arg string) (*sink, *model.Scenario, float64, *recovery.Settings, error) {
	out, sc, err := f.scenarioFlags.open(cmd, arg)
	if err != nil {
		return nil, nil, 0, nil, err
	}
	at, err := f.moment(sc)
	if err != nil {
		return nil, nil, 0, nil, err
	}
	set, err := f.settings(cmd)
	return out, sc, at, set, err
}

func (f *planFlags) settings(cmd *cobra.Command) (*recovery.Settings, error) {
	margin, err := parseShare(f.margin)
	switch {
	case err != nil || !(margin > 0):
		return nil, usage("--margin %s: want a share above 0, such as 5%%", f.margin)
	case f.steps < 2 || f.steps > 1000:
		return nil, usage("--steps %d: want 2 to 1000", f.steps)
	case float64(f.hold)*float64(f.steps-1) > float64(f.longest):
		return nil, usage("%d steps of at least %s do not fit into --longest %s", f.steps, humanTime(float64(f.hold)), humanTime(float64(f.longest)))
	}
	return &recovery.Settings{
		Steps: f.steps, MinHold: float64(f.hold), Watch: float64(f.watch), Longest: float64(f.longest),
		Margin: margin, Workers: f.jobs, Done: cmd.Context().Done(),
	}, nil
}

// moment returns when the way home begins, in seconds.
func (f *planFlags) moment(sc *model.Scenario) (float64, error) {
	if f.begin != "" {
		m, err := (&momentFlags{at: f.begin}).moment(sc)
		return m.Time, err
	}
	for _, e := range sc.Timeline {
		if e.Action == model.ThrottleTo {
			return e.At, nil
		}
	}
	return 0, usage("say when the way home begins, such as --at 40m: the timeline of %s has no throttle", sc.Name)
}
