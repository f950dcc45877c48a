package stability

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// Without traffic everything decays by the exponential of its rates, far below the smallest
// floats, and the run goes on to its end: at all times the sessions are those of the start times
// exp(−t/length), since nobody replaces them.
func TestDecay_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	sys := scenariotest.Compile(t, sc)
	y, err := sys.Freeze(model.Moment{Traffic: 0.8, Throttle: -1}).Start()
	if err != nil {
		t.Fatal(err)
	}
	quiet := sys.Freeze(model.Moment{Traffic: 0, Throttle: -1})
	if err := quiet.Consistent(0, y); err != nil {
		t.Fatal(err)
	}
	const sessions = 6 // column
	row := make([]float64, len(quiet.Columns()))
	quiet.Observe(row, 0, y)
	first := row[sessions]
	for _, rtol := range []float64{1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10} {
		set := integration(quiet, nil)
		set.RTol, set.ATol = rtol, rtol/10
		for i := range set.ATols {
			set.ATols[i] = quiet.Scales()[i] * rtol / 10
		}
		set.Output = []float64{3600, 36000, 1e6}
		set.Record = func(at float64, y []float64) {
			quiet.Observe(row, 0, y)
			// local errors add up to a few hundred times the tolerance
			if want := first * math.Exp(-at/sc.Traffic.SessionLength); math.Abs(row[sessions]-want) > 300*rtol*(want+1) {
				t.Errorf("tolerance %g: %.10g sessions at %g s, want %.10g", rtol, row[sessions], at, want)
			}
		}
		end, err := ode.Solve(quiet, y, 0, forever, set)
		if err != nil || end.Status != ode.Complete {
			t.Errorf("tolerance %g: %v at %.6g s, %v", rtol, end.Status, end.T, err)
		}
	}
}
