package stability

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

// Up and down again over the traffic: the system jumps at the healthy fold on the way up and at the
// collapsed one on the way down, each to the next point of the other branch, and is back where it
// began.
func TestLoop_exact(t *testing.T) {
	for _, name := range []string{"slack-2022-02-22", "msf-replicated-db"} {
		d, err := Bifurcate(scenariotest.Shipped(t, name), asIs, Axis{TrafficAxis, 0.02, 3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := d.Loop(nil)
		if err != nil {
			t.Fatal(err)
		}
		at := folds(d)
		success := slices.Index(d.Columns, "boot_success")
		for _, c := range []struct {
			way     []LoopPoint
			fold    float64
			healthy bool // before the jump
		}{{l.Up, at[1], true}, {l.Down, at[0], false}} {
			jumps := 0
			for i, pt := range c.way {
				if !pt.Jump {
					continue
				}
				jumps++
				before := c.way[i-1]
				if math.Abs(before.P-c.fold) > 2e-3*3 || math.Abs(pt.P-c.fold) > 0.06*3 { // a step of the branch is at most 1/20 of the range
					t.Errorf("%s: from %.6g to %.6g, the fold is at %.6g", name, before.P, pt.P, c.fold)
				}
				if (before.Row[success] > pt.Row[success]) != c.healthy {
					t.Errorf("%s: the success of boots goes from %.3g to %.3g", name, before.Row[success], pt.Row[success])
				}
			}
			if jumps != 1 {
				t.Errorf("%s: %d jumps", name, jumps)
			}
		}
		if n := len(l.Down); n == 0 || l.Down[n-1].P != l.Up[0].P || !slices.Equal(l.Down[n-1].Row, l.Up[0].Row) {
			t.Errorf("%s: the loop does not close", name)
		}
	}
}
