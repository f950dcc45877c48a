package stability

import (
	"math"
	"testing"

	"github.com/metastable/metastable/model"
)

// Retries on a first-come-first-served server whose dead work is still done, three
// retries, μ = 10, τ = 1: the collapsed state exists iff λ ≥ μ/4 (the load 4λ keeps the
// queue full), the healthy branch ends at λ = 6.9371737 (closed form, solved in 30
// digits). Traffic is a share of 4.7185869/s.
func TestLimits_retries_exact(t *testing.T) {
	l, err := FindLimits(compile(t, "testdata/retries.yaml"), model.Moment{Traffic: 1, Throttle: -1})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "safe", l.Safe, 2.5/4.7185869, 2e-3) // with a queue of 100k the fold lies a little above
	within(t, "end", l.End, 6.9371737/4.7185869, 1e-4)
	if math.Abs(l.ColdLoad[0]-0.47185869) > 1e-12 {
		t.Errorf("cold load %g", l.ColdLoad[0])
	}
}

// Slack: the load with an empty cache at the peak is (3000·4 + 3200)/8000 of the
// capacity. Below the throttle line the cold load of what is admitted just fits: the
// collapsed state needs 4u + 3200 > 8000 (closed form without time-outs at load 1).
func TestLimits_slack_exact(t *testing.T) {
	l, err := FindLimits(compile(t, slack), model.Moment{Traffic: 1, Throttle: -1})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(l.ColdLoad[0]-1.9) > 1e-12 {
		t.Errorf("cold load %g, want 1.9", l.ColdLoad[0])
	}
	within(t, "throttle", l.Throttle, 1200, 0.02)
	// The states on both sides are what the bracket says.
	for x, want := range map[float64]states{l.End.Lo: {true, true}, l.End.Hi: {false, true}, l.Safe.Lo * 0.99: {true, false}} {
		if got, err := look(compile(t, slack), model.Moment{Traffic: x, Throttle: math.Inf(1)}); err != nil || got != want {
			t.Errorf("traffic %g: %+v, %v; want %+v", x, got, err, want)
		}
	}
}

func within(t *testing.T, what string, b Bracket, want, tol float64) {
	t.Helper()
	if !(b.Lo <= b.Hi && b.Hi-b.Lo <= 2*limitTol*b.Lo) {
		t.Errorf("%s: bracket %+v is not narrow", what, b)
	}
	if math.Abs(b.Lo-want) > tol*want && math.Abs(b.Hi-want) > tol*want {
		t.Errorf("%s: %+v, want %g", what, b, want)
	}
}

// A look-aside cache in front of a database of 300 requests/s (Bronson et al., HotOS
// 2021): hidden capacity 300 of 2,500 requests/s, since after a flush every request is
// a miss; the time-out of 1 s leaves the fold within half a percent of it.
func TestLimits_hotos21_exact(t *testing.T) {
	l, err := FindLimits(compile(t, "../data/scenarios/hotos21-cache.yaml"), model.Moment{Traffic: -1, Throttle: -1})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "safe", l.Safe, 300./2500, 5e-3)
	within(t, "throttle", l.Throttle, 300, 5e-3)
}
