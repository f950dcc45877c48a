package recovery_test

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
)

// The state of a moment of the outage, read off as people do (hit rate, clients that wait,
// queue full) and given, leads to nearly the same plan, and each of the two plans comes
// home from the other's state.
func TestFrom_restated(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	for _, moment := range []float64{6.5 * 3600, morning} {
		run := at(t, sc, moment)
		row := run.Observe()
		seen := map[string]float64{}
		for i, name := range run.Columns() {
			seen[name] = row[i]
		}
		state := model.Initial{
			InSystem: math.Inf(1),
			HitRate:  math.Round(1000*seen["hit_rate.gdm_members"]) / 1000,
			Waiting:  math.Round(seen["waiting_clients"]/1e5) * 1e5,
		}
		given, err := recovery.From(sc, state, moment, ahead, nil)
		if err != nil {
			t.Fatal(err)
		}
		plans := [2]*recovery.Recovery{}
		for i, s := range []*recovery.Situation{run, given} {
			if plans[i], err = recovery.Find(s, nil); err != nil {
				t.Fatal(err)
			}
		}
		for i, s := range []*recovery.Situation{given, run} {
			if v := home(t, s, plans[i].Plan); math.IsInf(v.Home, 1) {
				t.Errorf("at %g s: the plan %v does not come home from the other state", moment, plans[i].Plan)
			}
		}
		// Two units of the shortest hold, and the limits as near as two digits and half a
		// step of their factor.
		a, b := plans[0], plans[1]
		if math.Abs(a.Home-b.Home) > 120 {
			t.Errorf("at %g s: home after %g s and %g s", moment, a.Home, b.Home)
		}
		t.Logf("at %g s, %+v\n%v\n%v", moment, state, a.Plan, b.Plan)
	}
}
