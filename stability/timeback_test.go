package stability

import (
	"errors"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// A flush of the healthy state, run as a scenario of its own with the outage located in the
// rows: it ends when the time back says so. OSDI 2022's cache at 600 requests/s has one
// state, which takes 8 hours to come back.
func TestTimeBack_run_exact(t *testing.T) {
	const path, boots = "../data/scenarios/osdi22-cache.yaml", "600/s"
	sys := compile(t, path, "traffic.boots", boots)
	r, err := Equilibria(sys, asIs, nil)
	if err != nil || len(r.Equilibria) != 1 || r.Verdict() != AlwaysSafe {
		t.Fatal(err, r.Equilibria, r.Verdict())
	}
	back, err := TimeBack(sys, asIs, r, nil)
	if err != nil || !(back > 8*3600 && back < 9*3600) {
		t.Fatal(back, err)
	}
	run, err := trajectory.Run(compile(t, path, "traffic.boots", boots, "duration", "12h"), nil)
	if err != nil {
		t.Fatal(err)
	}
	out := trajectory.Outages(run.Rows)
	const flushed = 15 // s, in the file
	if len(out) != 1 {
		t.Fatal(out)
	}
	// the run begins a little off rest, and between its rows it is straight
	numtest.Check(t, "time back", back, out[0][1]-flushed, 2e-3, 0)
}

// Without a cache there is nothing to lose; the state that Slack falls into after a flush is no
// way back, unless so little traffic comes that nothing tips; a collapsed system is not healthy.
func TestTimeBack_exact(t *testing.T) {
	for _, c := range []struct {
		path string
		at   model.Moment
		want func(float64, error) bool
	}{
		{"testdata/retries.yaml", asIs, func(b float64, err error) bool { return err == nil && b == 0 }},
		{slack, model.Moment{Traffic: 1, Throttle: -1}, func(b float64, err error) bool { return err == nil && math.IsInf(b, 1) }},
		{slack, model.Moment{Traffic: 0.02, Throttle: -1}, func(b float64, err error) bool { return err == nil && b < 600 }},
		{"testdata/retries.yaml", model.Moment{Traffic: 3, Throttle: -1}, func(_ float64, err error) bool { return errors.Is(err, ErrNoHealthy) }},
	} {
		sys := compile(t, c.path)
		r, err := Equilibria(sys, c.at, nil)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := TimeBack(sys, c.at, r, nil); !c.want(back, err) {
			t.Errorf("%s %+v: %g, %v", c.path, c.at, back, err)
		}
	}
}
