package des

import (
	"flag"
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

var long = flag.Bool("long", false, "run the long comparisons as well")

// reference reads a scenario that the tests of the equations use, too.
func reference(t testing.TB, name string, set ...string) *model.Scenario {
	t.Helper()
	return scenariotest.Read(t, "../../model/testdata/reference/"+name+".yaml", set...)
}

func simulate(t testing.TB, sc *model.Scenario, s Settings) *Result {
	t.Helper()
	r, err := Run(sc, &s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// at returns a column and its standard error in the row that ends at the time.
func (r *Result) at(t testing.TB, time float64, column string) (mean, se float64) {
	t.Helper()
	i, j := r.cell(t, time, column)
	return r.Mean[i][j], r.SE[i][j]
}

// cell returns where a column is in the row that ends at the time.
func (r *Result) cell(t testing.TB, time float64, column string) (i, j int) {
	t.Helper()
	j = slices.Index(r.Columns, column)
	i = slices.IndexFunc(r.Mean, func(row []float64) bool { return math.Abs(row[0]-time) < 1e-6 })
	if i < 0 || j < 0 {
		t.Fatalf("no row at %g s, or no column %q in %q", time, column, r.Columns)
	}
	return i, j
}

// last returns a column and its standard error in the last row.
func (r *Result) last(t testing.TB, column string) (mean, se float64) {
	t.Helper()
	return r.at(t, r.Mean[len(r.Mean)-1][0], column)
}

// within fails when a mean is more than k standard errors, its own and that of what it is
// compared with, away.
func within(t testing.TB, name string, got, se, want, wantSE, k float64) {
	t.Helper()
	if d := math.Abs(got - want); !(d <= k*math.Hypot(se, wantSE)) {
		t.Errorf("%s = %.6g ± %.2g, want %.6g ± %.2g: off by %.1f standard errors, allowed %g", name, got, se, want, wantSE, d/math.Hypot(se, wantSE), k)
	}
}
