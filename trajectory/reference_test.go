package trajectory

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// The tables come from an independent implementation of the same equations (SciPy,
// BDF, rtol 1e-8, atol 1e-10), whose own error is below 1e-5.
func TestRun_reference_exact(t *testing.T) {
	for _, name := range []string{"slack", "hotos25-queue35", "hotos25-queue150"} {
		t.Run(name, func(t *testing.T) {
			want := table(t, name)
			set := &Settings{RTol: 1e-8}
			for _, row := range want {
				set.Times = append(set.Times, row[0])
			}
			got := run(t, scenariotest.Compile(t, reference(t, name)), set)
			if len(got.Rows) != len(want) || len(got.Columns) != len(want[0]) {
				t.Fatalf("%d rows of %d columns, want %d of %d", len(got.Rows), len(got.Columns), len(want), len(want[0]))
			}
			for i, row := range got.Rows {
				for j, v := range row {
					numtest.Check(t, got.Columns[j]+" at "+number(row[0])+" s", v, want[i][j], 1e-4, 1e-6)
				}
			}
		})
	}
}

// The default tolerance keeps every observable of the reference day within 20 times
// itself of a tight run: that is what the default ATol is chosen for.
func TestRun_tolerance_convergence(t *testing.T) {
	sys := scenariotest.Compile(t, reference(t, "slack"))
	tight := run(t, sys, &Settings{RTol: 1e-10})
	for _, rtol := range []float64{1e-5, 1e-6, 1e-7} {
		for i, row := range run(t, sys, &Settings{RTol: rtol}).Rows {
			for j, v := range row {
				numtest.Check(t, tight.Columns[j]+" at "+number(row[0])+" s", v, tight.Rows[i][j], 20*rtol, rtol)
			}
		}
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func run(t testing.TB, sys *model.System, s *Settings) *Result {
	t.Helper()
	r, err := Run(sys, s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status.Early() || len(r.Warnings) > 0 {
		t.Fatalf("%v at %g s, warnings %v", r.Status, r.T, r.Warnings)
	}
	return r
}

// reference reads a scenario that the tests of the equations use, too.
func reference(t testing.TB, name string, set ...string) *model.Scenario {
	t.Helper()
	return scenariotest.Read(t, "../model/testdata/reference/"+name+".yaml", set...)
}

func table(t *testing.T, name string) [][]float64 {
	t.Helper()
	file, err := os.ReadFile("testdata/reference/" + name + ".trajectory.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for _, l := range lines[1:] {
		row := make([]float64, len(l))
		for i, v := range l {
			if row[i], err = strconv.ParseFloat(v, 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return rows
}
