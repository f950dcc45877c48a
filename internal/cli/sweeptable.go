package cli

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/montecarlo"
)

const sweepConfidence = 0.95

var sweepQuantiles = []struct {
	name string
	p    float64
}{{"q05", 0.05}, {"q50", 0.5}, {"q95", 0.95}}

// report writes the rows of a sweep, with more facts, and for people what they say.
func report(cmd *cobra.Command, out *sink, plan *montecarlo.Plan, s *montecarlo.Sweep, results []*montecarlo.PointResult, more []fact, quiet bool) error {
	t, err := sweepTable(plan, s, results, out.format == textFormat)
	if err != nil {
		return err
	}
	t.meta = append(t.meta, more...)
	path, err := out.write(t, plan.Name+".sweep", true)
	if err != nil {
		return err
	}
	written := []string{path}
	if out.dir != "" {
		figures, err := drawSweep(filepath.Join(out.dir, plan.Name), s.Scenario, results)
		if err != nil {
			return err
		}
		written = append(written, figures...)
	}
	w := cmd.ErrOrStderr()
	for _, warning := range sweepWarnings(results) {
		fmt.Fprintln(w, "warning:", warning)
	}
	if !quiet {
		tellSweep(w, results)
		wrote(w, written)
	}
	return nil
}

// sweepTable returns the rows; short is for people. Nothing in it depends on how the
// runs were spread.
func sweepTable(plan *montecarlo.Plan, s *montecarlo.Sweep, results []*montecarlo.PointResult, short bool) (*table, error) {
	t := &table{meta: []fact{
		{"version", "metastable " + plan.Version},
		{"scenario", plan.Name},
		{"hash", plan.Hash},
		{"sweep", plan.ID()},
		{"seed", float64(plan.Seed)},
		{"draws", float64(plan.Draws)},
		{"asked", plan.Asked},
	}}
	if plan.Half > 0 {
		t.meta = append(t.meta, fact{"until_half_width", plan.Half})
	}
	for _, warning := range sweepWarnings(results) {
		t.meta = append(t.meta, fact{"warning", warning})
	}
	numbers, words, err := spellPoints(s)
	if err != nil {
		return nil, err
	}
	t.label = strings.Join(words.names, "; ")
	t.columns = append(numbers.names, "runs", "failed")
	for c := range montecarlo.Class(montecarlo.Classes) {
		t.columns = append(t.columns, c.String())
	}
	t.columns = append(t.columns, statistic("p_collapse")...)
	for m := range montecarlo.Measure(montecarlo.Measures) {
		t.columns = append(t.columns, measureColumns(m, short)...)
	}
	for _, r := range results {
		row := append(numbers.of[r.Index], float64(r.Runs), float64(r.Failed))
		for _, n := range r.Counts {
			row = append(row, float64(n))
		}
		row = append(row, bounds(r.Collapse(sweepConfidence))...)
		for _, tally := range r.Values {
			row = append(row, measuredBy(tally, short)...)
		}
		t.rows = append(t.rows, row)
		if t.label != "" {
			t.labels = append(t.labels, strings.Join(words.of[r.Index], "; "))
		}
	}
	if short {
		t.notes = []string{"sweep " + plan.ID()}
	}
	return t, nil
}

// values are those of some parameters, at each point.
type values[T any] struct {
	names []string
	of    [][]T
}

// spellPoints returns what the points set: numbers in SI units, and words.
func spellPoints(s *montecarlo.Sweep) (numbers values[float64], words values[string], err error) {
	units := map[string]string{}
	for _, p := range s.Scenario.Paths() {
		units[p.Path] = p.Unit
	}
	for _, set := range s.Points[0] {
		v := varied{unit: units[set.Path]}
		v.Path = set.Path
		if v.unit == "" {
			words.names = append(words.names, set.Path)
			continue
		}
		numbers.names = append(numbers.names, v.column())
	}
	numbers.of, words.of = make([][]float64, len(s.Points)), make([][]string, len(s.Points))
	for i, point := range s.Points {
		for _, set := range point {
			unit := units[set.Path]
			switch {
			case unit == "":
				words.of[i] = append(words.of[i], set.Text)
				continue
			case set.Text == "none":
				set.X = math.Inf(1)
			case set.Text != "":
				if set.X, err = montecarlo.Number(s.Scenario, set.Path, set.Text); err != nil {
					return numbers, words, fmt.Errorf("%s: %w", set.Path, err)
				}
			}
			numbers.of[i] = append(numbers.of[i], set.X)
		}
	}
	return numbers, words, nil
}

func statistic(name string) []string {
	return []string{name, name + "_lo", name + "_hi", name + "_confidence"}
}

func bounds(i montecarlo.Interval) []float64 {
	return []float64{i.Estimate, i.Lo, i.Hi, i.Confidence}
}

// measureColumns are those of a measure: for people its median alone.
func measureColumns(m montecarlo.Measure, short bool) []string {
	if short {
		return []string{m.String()}
	}
	names := statistic(m.String() + ".mean")
	for _, q := range sweepQuantiles {
		names = append(names, statistic(m.String()+"."+q.name)...)
	}
	return names
}

func measuredBy(t *montecarlo.Tally, short bool) []float64 {
	if t == nil { // no run has an answer
		t = &montecarlo.Tally{}
	}
	if short {
		return []float64{t.Quantile(0.5, sweepConfidence).Estimate}
	}
	row := bounds(t.Mean(sweepConfidence))
	for _, q := range sweepQuantiles {
		row = append(row, bounds(t.Quantile(q.p, sweepConfidence))...)
	}
	return row
}

// sweepWarnings are those of the first points that have any.
func sweepWarnings(results []*montecarlo.PointResult) (out []string) {
	const most = 5
	more := 0
	for _, r := range results {
		for _, w := range r.Warnings() {
			if len(out) == most {
				more++
				continue
			}
			out = append(out, w.Error())
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("failed runs at %d more points", more))
	}
	return out
}

// tellSweep says in words what came out.
func tellSweep(w io.Writer, results []*montecarlo.PointResult) {
	var all montecarlo.PointResult // its counts alone
	most, least, widest := results[0], results[0], 0.0
	for _, r := range results {
		all.Runs, all.Failed = all.Runs+r.Runs, all.Failed+r.Failed
		for c, n := range r.Counts {
			all.Counts[c] += n
		}
		p := r.Collapse(sweepConfidence)
		widest = max(widest, p.Half())
		if p.Estimate > most.Collapse(sweepConfidence).Estimate {
			most = r
		}
		if p.Estimate < least.Collapse(sweepConfidence).Estimate {
			least = r
		}
	}
	fmt.Fprintf(w, "%d points, %d runs:", len(results), all.Runs)
	for c, n := range all.Counts {
		fmt.Fprintf(w, " %d %s,", n, strings.ReplaceAll(montecarlo.Class(c).String(), "_", "-"))
	}
	fmt.Fprintf(w, " %d failed\n", all.Failed)
	if all.Runs == len(results) {
		return // one draw says nothing of a probability
	}
	for i, r := range []*montecarlo.PointResult{least, most} {
		if i == 1 && most == least {
			break
		}
		fmt.Fprintf(w, "P(collapse) %s at%s\n", spellInterval(r.Collapse(sweepConfidence)), spellPoint(r.Point))
	}
	fmt.Fprintf(w, "known to ±%s or better\n", percent(widest, 1))
}

func spellPoint(p montecarlo.Point) (text string) {
	for _, set := range p {
		value := set.Text
		if value == "" {
			value = human(set.X, 4)
		}
		text += " " + set.Path + "=" + value
	}
	if p == nil {
		return " the scenario's values"
	}
	return text
}
