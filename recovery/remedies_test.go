package recovery_test

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/recovery"
)

// The published remedies of 22 February each move the tipping point: reading only what
// is missing and asking only the
// owning shards. Every remedy for which the tipping hit rate falls absorbs no less.
func TestWeigh_slack(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	var some []recovery.Remedy
	for _, r := range recovery.Remedies(sc) {
		if slices.Contains([]string{"read only what is missing", "ask only the owning shards", "half the time-out", "propagate deadlines"}, r.Name) {
			some = append(some, r)
		}
	}
	effects, err := recovery.Weigh(sc, morning, some, &recovery.Settings{Steps: 3})
	if err != nil {
		t.Fatal(err)
	}
	none := effects[0]
	if none.Name != "" || !none.Down || !(none.Home > 0) {
		t.Errorf("as it is: %+v", none)
	}
	for _, e := range effects[1:] {
		helps := e.Name == "read only what is missing" || e.Name == "ask only the owning shards"
		if more := e.Absorbs > none.Absorbs+0.1; more != helps {
			t.Errorf("%s: absorbs %g, without it %g", e.Name, e.Absorbs, none.Absorbs)
		}
		if helps && (e.Down || e.Home != 0) {
			t.Errorf("%s: the third step tips it all the same", e.Name)
		}
		if !math.IsNaN(e.Tipping) && helps && e.Tipping >= none.Tipping {
			t.Errorf("%s: tips at hit rate %g, without it at %g", e.Name, e.Tipping, none.Tipping)
		}
		if len(e.Warnings) > 0 {
			t.Errorf("%s: %v", e.Name, e.Warnings)
		}
	}
}

// A scenario that has a remedy already is not offered it again.
func TestRemedies_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	before := len(recovery.Remedies(sc))
	for path, value := range map[string]string{"classes.gdm_members.fetch": "missing", "classes.gdm_members.route": "keyed"} {
		if err := sc.Set(path, value); err != nil {
			t.Fatal(err)
		}
	}
	if after := len(recovery.Remedies(sc)); after != before-2 {
		t.Errorf("%d remedies, then %d, want two fewer", before, after)
	}
}
