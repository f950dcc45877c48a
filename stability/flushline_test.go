package stability

import (
	"errors"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

// A diagram over flushes that is interrupted covers what was traced, and nothing is said of the rest.
func TestPhaseDiagram_flushInterrupted_exact(t *testing.T) {
	done := make(chan struct{})
	close(done)
	d, err := PhaseDiagram(scenariotest.Shipped(t, "osdi22-cache"), asIs, Axis{TrafficAxis, 0.1, 1.5}, Axis{FlushAxis, 0, 1}, &Settings{Done: done})
	if !errors.Is(err, ErrInterrupted) || len(d.Cells) != 0 {
		t.Errorf("at once: %+v, %v", d, err)
	}
	l := &flushLine{
		out: &Phase{}, p: Axis{TrafficAxis, 0, 4}, by: Axis{FlushAxis, 0, 1},
		points: []flushPoint{{p: 0, flush: 0.75}, {p: 1, flush: 0.25}},
	}
	l.cells()
	if n := len(l.out.Cells); n != 2*flushCells/4 {
		t.Errorf("%d cells, want an absorbed and a tipping one in a quarter of %d columns", n, flushCells)
	}
	for _, c := range l.out.Cells {
		if c.X[1] > 1 || c.Verdict == CertainToFail {
			t.Errorf("beyond what was traced: %+v", c)
		}
	}
}
