package telemetry

import (
	"io"
	"math"
	"slices"
	"time"
)

// Settings of a reader. Nil and the zero value are the defaults.
type Settings struct {
	Zone      *time.Location // of times that name none; nil: UTC, with a warning
	BlankZero bool           // an empty cell is 0, as some exporters of Datadog write it; default: missing
}

// Data is what a file holds.
type Data struct {
	Format   string // such as "csv (wide, semicolons, decimal comma)"
	Series   []Series
	Warnings []Warning
}

// A Series is one quantity over time. T is strictly increasing; all numbers are finite.
type Series struct {
	Info
	T []float64 // s since 1970-01-01 UTC, or since the start of the recording where Elapsed
	V []float64 // in Unit
}

// Info tells what a series is, and what became of its cells in rows whose time can be
// read: Cells = Samples + Missing + Refused. Rows that cannot are in the warnings.
type Info struct {
	Name    string            // without the unit where that is no longer true
	Column  string            // as the file has it
	Unit    string            // s, 1/s, B, B/s, 1 (a share), or empty: a number as written
	Labels  map[string]string // of Prometheus and of CSV with columns of labels
	Elapsed bool              // times count from the start of the recording

	Cells, Samples, Missing, Refused int
}

// Find returns the series with a name, or else with a column of that name, or nil.
func (d *Data) Find(name string) *Series {
	for _, is := range []func(*Series) bool{
		func(s *Series) bool { return s.Name == name },
		func(s *Series) bool { return s.Column == name },
	} {
		for i := range d.Series {
			if is(&d.Series[i]) {
				return &d.Series[i]
			}
		}
	}
	return nil
}

// Read reads everything into memory, 16 bytes a sample. Samples are put in order of
// time, and those of one stamp become their mean. It fails with a *[ParseError] where
// nothing can be understood, and as r does.
func Read(r io.Reader, set *Settings) (*Data, error) {
	var t, v [][]float64
	rep, err := Scan(r, set, func(s Sample) error {
		for s.Series >= len(t) {
			t, v = append(t, nil), append(v, nil)
		}
		t[s.Series] = append(t[s.Series], s.T)
		v[s.Series] = append(v[s.Series], s.V)
		return nil
	})
	if err != nil {
		return nil, err
	}
	d := &Data{Format: rep.Format, Warnings: rep.Warnings}
	for i, info := range rep.Series {
		s := Series{Info: info}
		if i < len(t) {
			s.T, s.V = t[i], v[i]
		}
		s.sort()
		if more := s.merge() - rep.sameStamp[i]; more > 0 {
			d.warn(Warning{Kind: SameStamp, Series: s.Name, Count: more})
		}
		d.Series = append(d.Series, s)
	}
	return d, nil
}

// warn adds a warning to the one of its kind and series.
func (d *Data) warn(w Warning) {
	for i := range d.Warnings {
		own := &d.Warnings[i]
		if own.Kind == w.Kind && own.Series == w.Series && (w.Kind != Said || own.Cell == w.Cell) {
			own.Count += w.Count
			return
		}
	}
	d.Warnings = append(d.Warnings, w)
}

// sort puts the samples in order of time; those of one stamp keep their order.
func (s *Series) sort() {
	if slices.IsSorted(s.T) {
		return
	}
	order := make([]int, len(s.T))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch d := s.T[a] - s.T[b]; {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	t, v := make([]float64, len(order)), make([]float64, len(order))
	for i, k := range order {
		t[i], v[i] = s.T[k], s.V[k]
	}
	s.T, s.V = t, v
}

// merge puts the mean in the place of samples of one stamp, and returns how many went.
func (s *Series) merge() int {
	n := 0
	for i := 0; i < len(s.T); {
		k, sum := i, 0.0
		for ; k < len(s.T) && s.T[k] == s.T[i]; k++ {
			sum += s.V[k]
		}
		s.T[n], s.V[n] = s.T[i], sum/float64(k-i)
		if math.IsInf(sum, 0) {
			s.V[n] = s.V[i] // a sum too large for a number
		}
		n++
		i = k
	}
	gone := len(s.T) - n
	s.T, s.V = s.T[:n], s.V[:n]
	return gone
}

// Step returns the median time between samples (s); NaN for fewer than two.
func (s *Series) Step() float64 {
	if len(s.T) < 2 {
		return math.NaN()
	}
	d := make([]float64, len(s.T)-1)
	for i := range d {
		d[i] = s.T[i+1] - s.T[i]
	}
	slices.Sort(d)
	return d[(len(d)-1)/2]
}

// A Gap is a time without samples, from the last one before to the first one after (s).
type Gap struct{ From, To float64 }

// Gaps returns where samples are more than one and a half steps apart.
func (s *Series) Gaps() []Gap {
	most := 1.5 * s.Step()
	var gaps []Gap
	for i := 1; i < len(s.T); i++ {
		if s.T[i]-s.T[i-1] > most {
			gaps = append(gaps, Gap{s.T[i-1], s.T[i]})
		}
	}
	return gaps
}
