package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/metastable/metastable/telemetry"
)

// stream takes means while reading, in memory for the bins alone.
func (f *telemetryFlags) stream(src io.Reader, set *telemetry.Settings) (*telemetry.Data, []string, error) {
	var bins []*telemetry.Resampler
	grow := func(n int) error {
		for len(bins) < n {
			r, err := telemetry.NewResampler(float64(f.every))
			if err != nil {
				return err
			}
			bins = append(bins, r)
		}
		return nil
	}
	rep, err := telemetry.Scan(src, set, func(s telemetry.Sample) error {
		if err := grow(s.Series + 1); err != nil {
			return err
		}
		return bins[s.Series].Add(s.T, s.V)
	})
	if err != nil {
		return nil, nil, err
	}
	if err := grow(len(rep.Series)); err != nil {
		return nil, nil, err
	}
	d := &telemetry.Data{Format: rep.Format, Warnings: rep.Warnings}
	var did []string
	for i, info := range rep.Series {
		s, what := bins[i].Series(info)
		d.Series = append(d.Series, s)
		did = append(did, s.Name+": "+what.String())
	}
	return d, did, nil
}

// reduce makes rates of the counters that --rate names, and means of all else.
func (f *telemetryFlags) reduce(d *telemetry.Data) (*telemetry.Data, []string, error) {
	if f.every == 0 {
		return d, nil, nil
	}
	var did []string
	out := &telemetry.Data{Format: d.Format, Warnings: d.Warnings}
	for _, name := range f.rates {
		var counters []telemetry.Series
		for i := range d.Series {
			if called(d.Series[i].Info, name) {
				counters = append(counters, d.Series[i])
			}
		}
		if len(counters) == 0 {
			return nil, nil, fmt.Errorf("--rate %s: no series is called so", name)
		}
		s, what, err := telemetry.Rate(name, counters, float64(f.every))
		if err != nil {
			return nil, nil, err
		}
		out.Series = append(out.Series, s)
		did = append(did, name+": "+what.String())
	}
	for i := range d.Series {
		s := &d.Series[i]
		if slices.ContainsFunc(f.rates, func(name string) bool { return called(s.Info, name) }) {
			continue
		}
		mean, what, err := s.Resample(float64(f.every))
		if err != nil {
			return nil, nil, err
		}
		out.Series = append(out.Series, mean)
		did = append(did, s.Name+": "+what.String())
	}
	return out, did, nil
}

// called reports whether a series has the name, with any labels.
func called(info telemetry.Info, name string) bool {
	return info.Name == name || info.Column == name || strings.HasPrefix(info.Column, name+"{")
}

// understood is the summary, one series a row; for people without the columns that only
// programs read.
func understood(arg string, d *telemetry.Data, people bool) *table {
	t := &table{
		meta:    []fact{{"version", "metastable " + version()}, {"file", arg}, {"format", d.Format}},
		label:   "series",
		columns: []string{"samples", "missing", "refused", "repaired", "step_s", "gaps", "longest_gap_s", "least", "most"},
	}
	if !people {
		t.columns = append(t.columns, "from_s", "to_s")
	}
	repaired := map[string]int{}
	for _, w := range d.Warnings {
		if w.Kind.Repairs() {
			repaired[w.Series] += w.Count
		}
	}
	from, to, elapsed := math.Inf(1), math.Inf(-1), false
	for i := range d.Series {
		s := &d.Series[i]
		longest, least, most := 0.0, math.NaN(), math.NaN()
		gaps := s.Gaps()
		for _, g := range gaps {
			longest = max(longest, g.To-g.From)
		}
		first, last := math.NaN(), math.NaN()
		if n := len(s.T); n > 0 {
			least, most = slices.Min(s.V), slices.Max(s.V)
			first, last = s.T[0], s.T[n-1]
			from, to, elapsed = min(from, first), max(to, last), s.Elapsed
		}
		row := []float64{float64(len(s.T)), float64(s.Missing), float64(s.Refused), float64(repaired[s.Name]), s.Step(), float64(len(gaps)), longest, least, most}
		if !people {
			row = append(row, first, last)
		}
		name := s.Name
		if s.Unit != "" {
			name += " (" + s.Unit + ")"
		}
		t.labels, t.rows = append(t.labels, name), append(t.rows, row)
	}
	t.notes = append(t.notes, d.Format)
	switch {
	case from > to:
		t.notes = append(t.notes, "no samples")
	case elapsed:
		t.notes = append(t.notes, fmt.Sprintf("from %g s to %g s after the start of the recording", from, to))
	default:
		t.notes = append(t.notes, fmt.Sprintf("from %s to %s, %s", utc(from), utc(to), humanTime(to-from)))
	}
	return t
}

// utc writes a time to the millisecond.
func utc(s float64) string {
	return time.UnixMilli(int64(math.Round(1000 * s))).UTC().Format("2006-01-02T15:04:05.999Z")
}

// condensed writes warnings of one kind about several series in one line.
func condensed(all []telemetry.Warning) []string {
	var lines []string
	told := map[telemetry.Kind]bool{}
	for _, w := range all {
		if w.Series == "" || w.Kind == telemetry.NotRead {
			lines = append(lines, w.String())
			continue
		}
		if told[w.Kind] {
			continue
		}
		told[w.Kind] = true
		others := 0
		for _, o := range all {
			if o.Kind == w.Kind && o.Series != w.Series && o.Series != "" {
				others++
				w.Count += o.Count
			}
		}
		if others > 0 {
			w.Series += fmt.Sprintf(" and %d more", others)
		}
		lines = append(lines, w.String())
	}
	return lines
}
