package stability

import (
	"errors"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// A computation that is to end ends before it has divided or searched much, says so, and what it
// returns claims nothing.
func TestDone_exact(t *testing.T) {
	done := make(chan struct{})
	close(done)
	stop := &Settings{Done: done}
	for _, path := range []string{slack, lookAside, "testdata/restless.yaml"} {
		sys := compile(t, path)
		r, err := Equilibria(sys, asIs, stop)
		if !errors.Is(err, ErrInterrupted) {
			t.Errorf("%s: %v, want %v", path, err, ErrInterrupted)
			continue
		}
		if r == nil || r.Certainty != fixedpoint.Searched || r.Evals > 200 {
			t.Errorf("%s: %+v: claims too much, or took too long", path, r)
		}
		if _, err := SafeTraffic(sys, asIs, stop); !errors.Is(err, ErrInterrupted) {
			t.Errorf("%s: the safe traffic: %v", path, err)
		}
		if _, err := count(sys, model.Moment{Traffic: -1, Throttle: -1}, stop); !errors.Is(err, ErrInterrupted) {
			t.Errorf("%s: the count: %v", path, err)
		}
	}
}
