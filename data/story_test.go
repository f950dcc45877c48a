package data_test

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/data"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// minute and hour in seconds: times of the tests read as on the timeline.
const (
	minute = 60.0
	hour   = 3600.0
)

// A story is a run that a test asks what happened.
type story struct {
	t       *testing.T
	columns []string
	rows    [][]float64
	outages [][2]float64
}

// without removes the entries of the timeline that have one of the notes.
func without(t *testing.T, sc *model.Scenario, notes ...string) *model.Scenario {
	t.Helper()
	for _, note := range notes {
		i := noted(t, sc, note)
		sc.Timeline = slices.Delete(sc.Timeline, i, i+1)
	}
	return sc
}

// until ends the run at a time, with the entries of the timeline before it.
func until(sc *model.Scenario, end float64) *model.Scenario {
	sc.Timeline = slices.DeleteFunc(sc.Timeline, func(e model.Entry) bool { return e.At >= end })
	sc.Duration = end
	return sc
}

// noted returns the index of the entry of the timeline that has the note.
func noted(t *testing.T, sc *model.Scenario, note string) int {
	t.Helper()
	i := slices.IndexFunc(sc.Timeline, func(e model.Entry) bool { return e.Note == note })
	if i < 0 {
		t.Fatalf("%s: no entry is noted %q", sc.Name, note)
	}
	return i
}

// tell runs a scenario from start to end, with 1,681 rows and its outages.
func tell(t *testing.T, sc *model.Scenario) *story {
	t.Helper()
	return run(t, sc, &trajectory.Settings{Every: sc.Duration / 1680, Detail: true})
}

// outcome runs a scenario for what there is at its end.
func outcome(t *testing.T, sc *model.Scenario) *story {
	t.Helper()
	return run(t, sc, &trajectory.Settings{Times: []float64{sc.Duration}})
}

func run(t *testing.T, sc *model.Scenario, set *trajectory.Settings) *story {
	t.Helper()
	sys, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	r, err := trajectory.Run(sys, set)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status.Early() || len(r.Warnings) > 0 {
		t.Fatalf("%s: %v at %g s, warnings %v", sc.Name, r.Status, r.T, r.Warnings)
	}
	s := &story{t: t, columns: r.Columns, rows: r.Rows}
	if r.Detail != nil {
		s.outages = trajectory.Outages(r.Detail.Rows)
	}
	return s
}

// during returns the values of a column from one time to another.
func (s *story) during(column string, from, to float64) []float64 {
	s.t.Helper()
	i := slices.Index(s.columns, column)
	if i < 0 {
		s.t.Fatalf("no column %q in %q", column, s.columns)
	}
	var v []float64
	for _, row := range s.rows {
		if row[0] >= from && row[0] <= to {
			v = append(v, row[i])
		}
	}
	if len(v) == 0 {
		s.t.Fatalf("no row from %g to %g s", from, to)
	}
	return v
}

// at returns the value of a column in the first row at or after a time.
func (s *story) at(column string, t float64) float64 {
	s.t.Helper()
	return s.during(column, t, math.Inf(1))[0]
}

// end returns the value of a column in the last row.
func (s *story) end(column string) float64 {
	s.t.Helper()
	return s.rows[len(s.rows)-1][slices.Index(s.columns, column)]
}

// goodput returns the share of the offered boots that succeed at a time.
func (s *story) goodput(t float64) float64 {
	s.t.Helper()
	return s.at("admitted_per_s", t) * s.at("boot_success", t) / s.at("boots_per_s", t)
}

// above and below check a column throughout a time.
func (s *story) above(column string, least, from, to float64) {
	s.t.Helper()
	if low := slices.Min(s.during(column, from, to)); !(low > least) {
		s.t.Errorf("%s falls to %g between %g and %g min, want more than %g", column, low, from/minute, to/minute, least)
	}
}

func (s *story) below(column string, most, from, to float64) {
	s.t.Helper()
	if high := slices.Max(s.during(column, from, to)); !(high < most) {
		s.t.Errorf("%s rises to %g between %g and %g min, want less than %g", column, high, from/minute, to/minute, most)
	}
}

// rising checks that a column never falls within a time.
func (s *story) rising(column string, from, to float64) {
	s.t.Helper()
	if v := s.during(column, from, to); !slices.IsSorted(v) {
		s.t.Errorf("%s does not rise throughout %g to %g min: from %g to %g", column, from/minute, to/minute, v[0], v[len(v)-1])
	}
}

// Every action has a name for figures.
func TestNotesInvariant(t *testing.T) {
	for _, name := range data.Names() {
		for i, e := range scenariotest.Shipped(t, name).Timeline {
			if n := len([]rune(e.Note)); n == 0 || n > 32 {
				t.Errorf("%s: timeline.%d has a note of %d letters, want 1 to 32: %q", name, i, n, e.Note)
			}
		}
	}
}
