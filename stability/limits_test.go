package stability

import (
	"errors"
	"math"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/model"
)

var asIs = model.Moment{Traffic: -1, Throttle: -1}

// Retries on a first-come-first-served server whose dead work is still done, three
// retries, μ = 10, τ = 1: the collapsed state exists iff λ ≥ μ/4 (the load 4λ keeps the
// queue full), the healthy branch ends at λ = 6.9371737 (closed form, solved in 30
// digits). Traffic is a share of 4.7185869/s.
func TestLimits_retries_exact(t *testing.T) {
	sys := compile(t, "testdata/retries.yaml")
	safe, err := SafeTraffic(sys, asIs, nil)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "safe", safe, 2.5/4.7185869, 2e-3) // with a queue of 100k the fold lies a little above
	room, err := Headroom(sys, model.Moment{Traffic: 0.5, Throttle: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "headroom", room, 6.9371737/4.7185869/0.5, 1e-4)
	cold, err := ColdLoad(sys, asIs)
	if err != nil {
		t.Fatal(err)
	}
	numtest.Check(t, "cold load", cold[0], 0.47185869, 1e-12, 0)
}

// Slack: the load with an empty cache at the peak is (3000·4 + 3200)/8000 of the
// capacity. Below the throttle line the cold load of what is admitted just fits: the
// collapsed state needs 4u + 3200 > 8000 (closed form without time-outs at load 1).
func TestLimits_slack_exact(t *testing.T) {
	sys := compile(t, slack)
	peak := model.Moment{Traffic: 1, Throttle: math.Inf(1)}
	cold, err := ColdLoad(sys, peak)
	if err != nil {
		t.Fatal(err)
	}
	numtest.Check(t, "cold load", cold[0], 1.9, 1e-12, 0)
	line, err := ThrottleLine(sys, peak, nil)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "throttle", line, 1200, 0.02)
	room, err := Headroom(sys, peak, nil)
	if err != nil {
		t.Fatal(err)
	}
	safe, err := SafeTraffic(sys, peak, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The verdicts on both sides are what the brackets say.
	for x, want := range map[float64]Verdict{room.Lo: Metastable, room.Hi: CertainToFail, safe.Lo: AlwaysSafe, safe.Hi: Metastable} {
		r, err := Equilibria(sys, model.Moment{Traffic: x, Throttle: math.Inf(1)}, nil)
		if err != nil || r.Verdict() != want {
			t.Errorf("traffic %g: %v (%v), %v; want %s; %v", x, r.Verdict(), r.Certainty, err, want, r.Warnings)
		}
	}
}

// A look-aside cache in front of a database of 300 requests/s (Bronson et al., HotOS
// 2021): hidden capacity 300 of 2,500 requests/s, since after a flush every request is
// a miss; the time-out of 1 s leaves the fold within half a percent of it.
func TestLimits_hotos21_exact(t *testing.T) {
	sys := compile(t, "../data/scenarios/hotos21-cache.yaml")
	safe, err := SafeTraffic(sys, asIs, nil)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "safe", safe, 300./2500, 5e-3)
	line, err := ThrottleLine(sys, asIs, nil)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "throttle", line, 300, 5e-3)

	// With one retry, half of the server's 300 requests/s.
	sys = compile(t, "../data/scenarios/hotos21-retry.yaml")
	if safe, err = SafeTraffic(sys, asIs, nil); err != nil {
		t.Fatal(err)
	}
	within(t, "safe with a retry", safe, 150./280, 5e-3)
}

// A tolerance that is asked for is kept; what cannot be proved or is interrupted is
// said, with the bracket so far.
func TestLimits_settings_invariant(t *testing.T) {
	sys := compile(t, "testdata/retries.yaml")
	for _, tol := range []float64{0.1, 1e-3, 1e-5} {
		b, err := SafeTraffic(sys, asIs, &Settings{Tol: tol})
		if err != nil || !(b.Lo < b.Hi && b.Hi-b.Lo <= tol*b.Lo) {
			t.Errorf("tolerance %g: %+v, %v", tol, b, err)
		}
	}
	done := make(chan struct{})
	close(done)
	if b, err := SafeTraffic(sys, asIs, &Settings{Done: done}); !errors.Is(err, ErrInterrupted) || b.Lo != 0 || !math.IsInf(b.Hi, 1) {
		t.Errorf("interrupted: %+v, %v", b, err)
	}
}

// The search agrees with the proof, to its tolerance; where nothing is proved it says
// so, and trajectories on both sides of the bracket end as it has it.
func TestLimits_searched_invariant(t *testing.T) {
	const cold = "../data/scenarios/cold-start.yaml" // two coordinates
	for _, path := range []string{"testdata/retries.yaml", "../data/scenarios/hotos21-cache.yaml", cold, slack} {
		sys := compile(t, path)
		at := model.Moment{Traffic: 1, Throttle: math.Inf(1)}
		for name, find := range map[string]func(*model.System, model.Moment, *Settings) (Limit, error){
			"headroom": Headroom, "safe": SafeTraffic, "throttle": ThrottleLine,
		} {
			if path == cold && name == "headroom" {
				continue // unlimited
			}
			proved, err := find(sys, at, nil)
			if err != nil || proved.Certainty != fixedpoint.Proved {
				t.Fatal(err, proved)
			}
			l := &looker{sys: sys}
			for x, want := range map[float64]bool{proved.Lo * (1 - 2e-3): true, proved.Hi * (1 + 2e-3): false} {
				a := at
				switch name {
				case "throttle":
					a.Throttle = x
				default:
					a.Traffic = x
				}
				s, err := l.look(a, both)
				if got := map[string]bool{"headroom": s.healthy, "safe": !s.collapsed, "throttle": s.healthy && !s.collapsed}[name]; err != nil || got != want {
					t.Errorf("%s: %s at %g: searched %v, proved %v (%v)", path, name, x, got, want, err)
				}
			}
		}
	}
}

func within(t *testing.T, what string, b Limit, want, tol float64) {
	t.Helper()
	if !(b.Lo < b.Hi && b.Hi-b.Lo <= 1e-4*b.Lo && b.Certainty == fixedpoint.Proved) {
		t.Errorf("%s: bracket %+v is not narrow", what, b)
	}
	if math.Abs(b.Lo-want) > tol*want && math.Abs(b.Hi-want) > tol*want {
		t.Errorf("%s: %+v, want %g", what, b, want)
	}
}
