package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/metastable/metastable/montecarlo"
)

// roundDraws is the number of draws between two looks at the interval, that of
// [montecarlo.Sweep.Until].
const roundDraws = 64

// draw runs the draws, until the interval is narrow if that is asked for, and keeps the
// course of the estimate.
func (m *monteCarlo) draw() error {
	var results []*montecarlo.PointResult
	var err error
	for done := 0; done < m.draws && err == nil; {
		to := min(done+roundDraws, m.draws)
		m.pool.Progress = func(n, _ int) { m.reach(done+n, m.draws) }
		var round []*montecarlo.PointResult
		round, err = m.sweep.Do(&m.pool, []montecarlo.Task{{Point: 0, From: done, To: to}})
		results = montecarlo.Merge(results, round)
		if r := results[0]; r.Runs > r.Failed {
			p := r.Collapse(sweepConfidence)
			m.course = append(m.course, moment{r.Runs, p})
			if m.half > 0 && p.Half() <= m.half {
				break
			}
		}
		done = to
	}
	m.result = results[0]
	if m.result.Runs > 0 {
		m.tabulate()
	}
	return err
}

// tabulate puts what the draws say into the table.
func (m *monteCarlo) tabulate() {
	r := m.result
	m.count("runs", float64(r.Runs), r.Runs)
	m.count("failed", float64(r.Failed), r.Runs)
	m.warnings = append(m.warnings, r.Warnings()...)
	for c := range montecarlo.Class(montecarlo.Classes) {
		m.add("p_"+c.String(), r.Probability(sweepConfidence, c), r.Counts[c])
	}
	for k := range montecarlo.Measure(montecarlo.Measures) {
		t := r.Values[k]
		if t == nil || t.N() == 0 {
			continue
		}
		m.add(k.String()+".mean", t.Mean(sweepConfidence), t.N())
		for _, q := range sweepQuantiles {
			m.add(k.String()+"."+q.name, t.Quantile(q.p, sweepConfidence), t.N())
		}
	}
	if p := r.Collapse(sweepConfidence); m.half > 0 && p.Half() > m.half {
		m.warnings = append(m.warnings, fmt.Errorf("the interval is ±%s after all %d draws, wider than asked for; give more --draws", percent(p.Half(), 1), r.Runs))
	}
}

// tell says in words what came out.
func (m *monteCarlo) tell(w io.Writer) {
	if r := m.result; r != nil {
		fmt.Fprintf(w, "%d runs:", r.Runs)
		for c, n := range r.Counts {
			fmt.Fprintf(w, " %d %s,", n, strings.ReplaceAll(montecarlo.Class(c).String(), "_", "-"))
		}
		fmt.Fprintf(w, " %d failed\n", r.Failed)
		fmt.Fprintf(w, "P(collapse) %s\n", spellInterval(r.Collapse(sweepConfidence)))
	}
	for _, line := range m.said {
		fmt.Fprintln(w, line)
	}
}

// spellInterval writes a probability with its bounds. What an interval achieves at an estimate
// of 0 or 1 is always 100 %, and says nothing of the bounds: there it is what was asked for.
func spellInterval(i montecarlo.Interval) string {
	confidence := i.Confidence
	if i.Estimate == 0 || i.Estimate == 1 {
		confidence = min(confidence, sweepConfidence)
	}
	return fmt.Sprintf("%s (%s to %s, %s confidence)", spellSmall(i.Estimate), spellSmall(i.Lo), spellSmall(i.Hi), percent(confidence, 1))
}

// spellSmall writes a probability, however small.
func spellSmall(p float64) string {
	if p > 0 && p < 0.001 {
		return fmt.Sprintf("%.2g", p)
	}
	return percent(p, 1)
}
