package cli

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
)

// A rareMethod estimates a small probability and puts it into the table.
type rareMethod func(m *monteCarlo) error

const noiseMethod = "noise"

var rareMethods = []named[rareMethod]{
	{"subset", func(m *monteCarlo) error { return m.collapse("subset simulation", montecarlo.Subset) }},
	{"importance", func(m *monteCarlo) error { return m.collapse("importance sampling", montecarlo.Importance) }},
	{noiseMethod, (*monteCarlo).noise},
}

// seen is the least number of events in plain runs with which an estimate can be compared.
const seen = 10

// collapse estimates P(collapse) under the uncertainty.
func (m *monteCarlo) collapse(name string, estimate func(montecarlo.Function, int, *montecarlo.RareSettings) (*montecarlo.Rare, error)) error {
	f := m.function(montecarlo.FromCollapse).Normal()
	r, err := estimate(f, len(m.sweep.Uncertain), m.rareSettings(200))
	if err != nil || m.ended() {
		return err
	}
	m.rarely(r, "runs")
	m.said = append(m.said, fmt.Sprintf("by %s: P(collapse) %s from %d runs, as good as %s plain ones", name, spellInterval(r.P), r.Runs, human(r.Plain, 2)))
	m.compare(r, m.result.Counts[montecarlo.Collapsed], m.result.Runs-m.result.Failed)
	return nil
}

func (m *monteCarlo) rareSettings(n int) *montecarlo.RareSettings {
	return &montecarlo.RareSettings{N: cmp.Or(m.samples, n), Seed: m.seed, Pool: &m.pool, Confidence: sweepConfidence}
}

// rarely puts an estimate into the table.
func (m *monteCarlo) rarely(r *montecarlo.Rare, unit string) {
	m.warnings = append(m.warnings, r.Warnings...)
	m.add("rare.p", r.P, r.Runs)
	m.count("rare."+unit, float64(r.Runs), r.Runs)
	for _, x := range []struct {
		name  string
		value float64
	}{{"rare.standard_error", r.SE}, {"rare.size", r.Size}, {"rare.plain_runs", r.Plain}} {
		m.add(x.name, montecarlo.Interval{Estimate: x.value, Lo: math.NaN(), Hi: math.NaN()}, r.Runs)
	}
}

// compare says how far an estimate is from plain runs, in standard errors of both.
func (m *monteCarlo) compare(r *montecarlo.Rare, hits, n int) {
	if hits < seen || n-hits < seen {
		m.said = append(m.said, fmt.Sprintf("plain runs saw %d in %d: too few to compare", hits, n))
		return
	}
	p := float64(hits) / float64(n)
	apart := math.Abs(r.P.Estimate-p) / math.Hypot(r.SE, math.Sqrt(p*(1-p)/float64(n)))
	m.add("rare.standard_errors_from_plain", montecarlo.Interval{Estimate: apart, Lo: math.NaN(), Hi: math.NaN()}, n)
	m.said = append(m.said, fmt.Sprintf("plain runs saw %d in %d: %s standard errors apart", hits, n, human(apart, 2)))
	const far = 4
	if apart > far {
		m.warnings = append(m.warnings, fmt.Errorf("the rare estimate is %.1f standard errors from plain runs; more --samples would tell which is right", apart))
	}
}

// noiseFlags say what the noise of the traffic is.
type noiseFlags struct {
	momentFlags
	sd         string
	time, span seconds

	at    model.Moment
	share float64 // sd
}

func (f *noiseFlags) add(cmd *cobra.Command) {
	f.time, f.span = 60, 3600
	f.momentFlags.add(cmd)
	cmd.Flags().StringVar(&f.sd, "noise-sd", "", "standard deviation of the noise, as a `share` of the boots (default: that of Poisson arrivals)")
	cmd.Flags().Var(&f.time, "noise-time", "correlation `time` of the noise")
	cmd.Flags().Var(&f.span, "noise-span", "how `long` it is watched")
}

// unused reports a flag of the noise where there is none.
func (f *noiseFlags) unused(cmd *cobra.Command) error {
	for _, name := range []string{"at", "traffic", "throttle", "noise-sd", "noise-time", "noise-span"} {
		if cmd.Flags().Changed(name) {
			return usage("--%s is for --rare %s", name, noiseMethod)
		}
	}
	return nil
}

func (f *noiseFlags) parse(sc *model.Scenario) error {
	var err error
	if f.at, err = f.moment(sc); err != nil || f.sd == "" {
		return err
	}
	f.share, err = model.Quantity(f.sd, "share")
	if err != nil || !(f.share > 0 && f.share <= 2) {
		return usage("--noise-sd %s: want a share above 0 and up to 200%%, such as 10%%", f.sd)
	}
	return nil
}

// noise estimates how likely the noise of the traffic tips the scenario as it is.
func (m *monteCarlo) noise() error {
	n := montecarlo.Noise{Scenario: m.sc, At: m.noiseFlags.at, SD: m.share, Time: float64(m.time), Span: float64(m.span)}
	n, err := n.Defaults()
	if err != nil {
		return err
	}
	m.table.meta = append(m.table.meta, fact{"at_s", n.At.Time})
	m.table.meta = append(m.table.meta, momentFacts(n.At)...)
	m.table.meta = append(m.table.meta, fact{"noise_sd_share", n.SD}, fact{"noise_time_s", n.Time}, fact{"noise_step_s", n.Step}, fact{"noise_span_s", n.Span})
	hits, warnings, err := n.Plain(&m.pool, m.draws, m.seed+1)
	if err != nil {
		return err
	}
	m.warnings = append(m.warnings, warnings...)
	p := montecarlo.Wilson(hits, m.draws, sweepConfidence)
	m.add("plain.p_down", p, m.draws)
	r, err := n.Split(m.rareSettings(100))
	if err != nil {
		return err
	}
	m.rarely(r, "steps")
	m.said = append(m.said,
		fmt.Sprintf("noise of %s, correlated over %s, for %s", spellSmall(n.SD), humanTime(n.Time), humanTime(n.Span)),
		fmt.Sprintf("plain walks: P(down) %s from %d", spellInterval(p), m.draws),
		fmt.Sprintf("by splitting: P(down) %s from %d steps, as good as %s plain walks", spellInterval(r.P), r.Runs, human(r.Plain, 2)))
	m.compare(r, hits, m.draws)
	m.said[len(m.said)-1] = strings.Replace(m.said[len(m.said)-1], "runs", "walks", 1)
	return nil
}
