package referee

import (
	"strconv"
	"testing"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/referee/des"
	"github.com/metastable/metastable/stability"
)

// A rollout step that is absorbed: the hit rate of the whole system by the fluid is within two
// points of that of a twentieth simulated, all along.
func TestSlackInvariantAbsorbedStep(t *testing.T) {
	sc := scenario(t, "step")
	scale := 0.02
	if *long {
		scale = 0.05
	}
	r := compare(t, sc, Settings{Method: Simulation, Scale: scale, Replications: 2, Seed: 1, Every: 300})
	for i, p := range r.Series("hit_rate.gdm_members") {
		if d := p.Fluid - p.Mean; d > 0.02 || d < -0.02 {
			t.Errorf("to %g s: fluid %.4f, simulated %.4f", p.T, p.Fluid, p.Mean)
		}
		if success := r.Simulated.Mean[i][4]; success < 0.99 {
			t.Errorf("to %g s: success %g: the step was not absorbed", p.T, success)
		}
	}
}

// Flushes two points below and above the largest that the fluid absorbs: no run of the former
// tips and every run of the latter does. Fetching what is missing needs a larger part of the
// system: what tips a small one is a common excursion of all shards.
func TestSlackInvariantTippingFlush(t *testing.T) {
	for _, c := range []struct {
		fetch, shards string
		scale         float64
		runs          int
		long          bool
	}{
		{"all", "4", 0.05, 3, false},
		{"all", "16", 0.05, 20, true},
		{"missing", "16", 0.2, 10, true},
	} {
		if c.long && !*long {
			continue
		}
		t.Run(c.fetch+" by "+c.shards, func(t *testing.T) {
			sc := scenario(t, "flush", "classes.gdm_members.fetch", c.fetch, "pools.main.shards", c.shards)
			edge, err := stability.LargestAbsorbed(sc, model.Moment{Time: 30, Traffic: -1, Throttle: -1}, stability.Shock{Kind: stability.FlushShock}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if below := tipped(t, sc, edge.Lo-0.02, c.scale, c.runs); below != 0 {
				t.Errorf("%d of %d tip 2 points below %v", below, c.runs, edge)
			}
			if above := tipped(t, sc, edge.Hi+0.02, c.scale, c.runs); above != c.runs {
				t.Errorf("%d of %d tip 2 points above %v", above, c.runs, edge)
			}
		})
	}
}

// The flush that tips half of 100 runs, 20 of each size, is within two points of what the fluid
// absorbs. The half is that of a step up between the sizes: their middle, lower by a step for every
// 20 runs that tip.
func TestSlackGoldenTippingShare(t *testing.T) {
	if !*long {
		t.Skip("takes long: -long")
	}
	const runs = 20
	for _, c := range []struct {
		fetch             string
		scale, from, step float64
	}{{"all", 0.05, 0.024, 0.002}, {"missing", 0.2, 0.32, 0.01}} {
		sc := scenario(t, "flush")
		if err := sc.Set("classes.gdm_members.fetch", c.fetch); err != nil {
			t.Fatal(err)
		}
		edge, err := stability.LargestAbsorbed(sc, model.Moment{Time: 30, Traffic: -1, Throttle: -1}, stability.Shock{Kind: stability.FlushShock}, nil)
		if err != nil {
			t.Fatal(err)
		}
		half := c.from + 4.5*c.step
		for i := range 5 {
			n := tipped(t, sc, c.from+float64(i)*c.step, c.scale, runs)
			t.Logf("%s: flush of %g: %d of %d tip", c.fetch, c.from+float64(i)*c.step, n, runs)
			half -= c.step * float64(n) / runs
		}
		t.Logf("%s: half of them at %.4g, fluid %v", c.fetch, half, edge)
		if d := half - (edge.Lo+edge.Hi)/2; d > 0.02 || d < -0.02 {
			t.Errorf("%s: half of the runs tip at a flush of %g, the fluid at %v", c.fetch, half, edge)
		}
	}
}

// tipped counts the runs in which fewer than half of the boots succeed at the end.
func tipped(t *testing.T, sc *model.Scenario, flush, scale float64, runs int) (n int) {
	t.Helper()
	if err := sc.Set("timeline.0.flush", strconv.FormatFloat(flush, 'g', -1, 64)); err != nil {
		t.Fatal(err)
	}
	r, err := des.Run(sc, &des.Settings{Replications: runs, Seed: 1, Scale: scale, Every: 30})
	if err != nil {
		t.Fatal(err)
	}
	const success = 4 // column
	for _, rows := range r.Runs {
		if rows[len(rows)-1][success] < 0.5 {
			n++
		}
	}
	return n
}
