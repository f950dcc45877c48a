package cli

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
)

// momentFlags name the moment at which a scenario is frozen.
type momentFlags struct {
	at, traffic, throttle string
}

func (f *momentFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.at, "at", "0s", "the `moment`: a time since the start, such as 7h, or a clock time, such as 7:00")
	cmd.Flags().StringVar(&f.traffic, "traffic", "", "boots as a `share` of the full rate, such as 80% (default: as at the moment)")
	cmd.Flags().StringVar(&f.throttle, "throttle", "", "`limit` on admitted boots, such as 400/s, or none (default: as at the moment)")
}

// moment reads the flags as the timeline of a scenario file spells their values.
func (f *momentFlags) moment(sc *model.Scenario) (model.Moment, error) {
	at := model.Moment{Traffic: -1, Throttle: -1}
	for _, v := range []struct {
		flag, text, key string
		action          model.Action
		store           func(e model.Entry)
	}{
		{"at", f.at, "at", model.Flush, func(e model.Entry) { at.Time = e.At }},
		{"traffic", f.traffic, "traffic", model.TrafficTo, func(e model.Entry) { at.Traffic = e.Value }},
		{"throttle", f.throttle, "throttle", model.ThrottleTo, func(e model.Entry) { at.Throttle = e.Value }},
	} {
		if v.text == "" {
			continue
		}
		c := sc.Clone()
		c.Timeline = []model.Entry{{Action: v.action, Value: 1}}
		path := "timeline.0." + v.key
		if err := c.Set(path, v.text); err != nil {
			return at, usage("--%s %s: %s", v.flag, v.text, afterPath(err, path)) // the place on the timeline of the clone
		}
		v.store(c.Timeline[0])
	}
	if at.Time > sc.Duration || math.IsNaN(at.Time) {
		return at, usage("--at %s: the run ends at %g s", f.at, sc.Duration)
	}
	return at, nil
}

// momentFacts are what the flags say of a moment beside its time.
func momentFacts(at model.Moment) []fact {
	var facts []fact
	if at.Traffic >= 0 {
		facts = append(facts, fact{"traffic", at.Traffic})
	}
	switch {
	case math.IsInf(at.Throttle, 1):
		facts = append(facts, fact{"throttle_per_s", "none"})
	case at.Throttle >= 0:
		facts = append(facts, fact{"throttle_per_s", at.Throttle})
	}
	return facts
}

// sourceFacts are what every result of a scenario says of where it comes from, and more.
func sourceFacts(sc *model.Scenario, more ...fact) []fact {
	return append([]fact{
		{"version", "metastable " + version()},
		{"scenario", sc.Name},
		{"hash", sc.Hash()},
	}, more...)
}

// momentMeta are the facts at the head of a result at a moment.
func momentMeta(sc *model.Scenario, at model.Moment, set []string) []fact {
	facts := append(sourceFacts(sc, fact{"at_s", at.Time}), momentFacts(at)...)
	if len(set) > 0 {
		facts = append(facts, fact{"set", set})
	}
	return facts
}
