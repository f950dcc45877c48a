package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
)

// A headline is the quantities that sum a moment up, for machines and for people.
type headline struct {
	facts    []fact
	lines    []limitLine
	back     float64 // s from empty caches; NaN if it is not known
	warnings []error
}

// A limitLine is one of them for people.
type limitLine struct{ name, value, meaning string }

func (l limitLine) String() string { return l.name + " " + l.value + ": " + l.meaning }

// limits are the brackets of the headline. Their units come after _lo and _hi.
var limits = []struct {
	name, unit, text string
	find             func(*model.System, model.Moment, *stability.Settings) (stability.Limit, error)
}{
	{"headroom", "", "times the traffic of the moment, there the healthy state ends", stability.Headroom},
	{"safe_traffic", "", "of the full traffic, below it no collapsed state exists", stability.SafeTraffic},
	{"throttle_line", "_per_s", "boots/s, under a throttle below it the healthy state is the only one", stability.ThrottleLine},
}

// summarizeMoment computes the headline. When it is interrupted it returns what it has.
func summarizeMoment(sys *model.System, at model.Moment, res *stability.Result, set *stability.Settings) (*headline, error) {
	h := &headline{back: math.NaN()}
	if cold, err := stability.ColdLoad(sys, at); err == nil {
		for i, name := range sys.Pools() {
			h.add("cold_load."+name, cold[i], "load with empty caches over capacity; above 1 the cache is load-bearing")
		}
	}
	if tip := res.Tipping(); tip != nil {
		for i, name := range res.Columns {
			switch {
			case strings.HasPrefix(name, "hit_rate."):
				h.add("tipping_"+name, tip.Row[i], "hit rate of one key at the tipping point")
			case strings.HasPrefix(name, "load."), strings.HasPrefix(name, "in_system."):
				h.facts = append(h.facts, fact{"tipping_" + name, tip.Row[i]})
			}
		}
	}
	if err := h.timeBack(sys, at, res, set); err != nil {
		return h, err
	}
	for _, q := range limits {
		l, err := q.find(sys, at, set)
		h.facts = append(h.facts,
			fact{q.name + "_lo" + q.unit, l.Lo},
			fact{q.name + "_hi" + q.unit, l.Hi},
			fact{q.name + "_certainty", l.Certainty.String()})
		switch {
		case errors.Is(err, stability.ErrInterrupted):
			return h, err
		case err != nil:
			h.warnings = append(h.warnings, fmt.Errorf("%s: %w", q.name, err))
		}
		text, value := q.text, human(l.Lo, 4)
		if math.IsInf(l.Hi, 1) {
			value = "unlimited"
		}
		if l.Certainty != fixedpoint.Proved {
			text += " (searched)"
		}
		h.lines = append(h.lines, limitLine{q.name + q.unit, value, text})
	}
	return h, nil
}

// timeBack adds the time back from empty caches where there is a healthy state.
func (h *headline) timeBack(sys *model.System, at model.Moment, res *stability.Result, set *stability.Settings) error {
	back, err := stability.TimeBack(sys, at, res, set)
	switch {
	case errors.Is(err, stability.ErrInterrupted):
		return err
	case errors.Is(err, stability.ErrNoHealthy):
		return nil
	case err != nil:
		h.warnings = append(h.warnings, fmt.Errorf("time_back: %w", err))
		return nil
	}
	h.back = back
	value := "never"
	if !math.IsInf(back, 1) {
		value = humanTime(back)
	}
	h.facts = append(h.facts, fact{"time_back_s", back})
	h.lines = append(h.lines, limitLine{"time_back_s", value, "until the goodput is back after all cached content is lost"})
	return nil
}

func (h *headline) add(key string, value float64, text string) {
	h.facts = append(h.facts, fact{key, value})
	h.lines = append(h.lines, limitLine{key, human(value, 4), text})
}

// longOutage is what is worth a word in the verdict.
const longOutage = 60 // s

// said puts in words what the equilibria mean, and what the way back to a state that is
// always safe costs (s).
func said(res *stability.Result, back float64) string {
	doubt := ""
	switch {
	case res.Verdict() != stability.AlwaysSafe:
	case math.IsInf(back, 1):
		doubt = ", but from empty caches it does not come back"
	case back > longOutage:
		doubt = ", but an empty cache costs " + humanTime(back)
	}
	if res.Certainty != fixedpoint.Proved {
		doubt += ", as far as the search found"
	}
	found := plural(len(res.Equilibria), "equilibrium", "equilibria")
	if untold(res) {
		return fmt.Sprintf("%s (%s): whether it is safe could not be told", found, res.Certainty)
	}
	return fmt.Sprintf("%s (%s): %s, %s%s", found, res.Certainty, res.Verdict(), verdicts[res.Verdict()], doubt)
}

// untold reports whether a search found no state, which says nothing.
func untold(res *stability.Result) bool {
	return len(res.Equilibria) == 0 && res.Certainty != fixedpoint.Proved
}

// verdictFact is the verdict for machines.
func verdictFact(res *stability.Result) fact {
	if untold(res) {
		return fact{"verdict", "unknown"}
	}
	return fact{"verdict", string(res.Verdict())}
}

// plural counts things.
func plural(n int, one, more string) string {
	if n == 1 {
		more = one
	}
	return fmt.Sprintf("%d %s", n, more)
}

var verdicts = map[stability.Verdict]string{
	stability.AlwaysSafe:    "it comes back to the healthy state from anywhere",
	stability.Metastable:    "which state it is in depends on its past",
	stability.CertainToFail: "the only state it rests in is collapsed",
	stability.Restless:      "it rests nowhere",
}
