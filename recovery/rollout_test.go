package recovery_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
	"github.com/metastable/metastable/trajectory"
)

// The rollout found from the morning on restarts every node once, and the scenario's own run with
// it on the timeline has no outage; twice as fast it has one.
func TestFindRollout_slack(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	r, err := recovery.FindRollout(sc, 6*3600, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := func(factor float64) [][2]float64 {
		day := sc.Clone()
		day.Timeline = nil
		for _, w := range r.Waves {
			day.Timeline = append(day.Timeline, model.Entry{
				At: r.Waves[0].At + factor*(w.At-r.Waves[0].At), Over: factor * w.Over, Action: model.Rollout, Value: w.Share,
			})
		}
		sys, err := day.Compile()
		if err != nil {
			t.Fatal(err)
		}
		res, err := trajectory.Run(sys, &trajectory.Settings{Detail: true})
		if err != nil {
			t.Fatal(err)
		}
		return trajectory.Outages(res.Detail.Rows)
	}
	total := 0.0
	for _, w := range r.Waves {
		total += w.Share
	}
	if math.Abs(total-1) > 1e-9 {
		t.Errorf("the waves restart %g of the nodes", total)
	}
	if outages := run(1); outages != nil {
		t.Errorf("outages %v", outages)
	}
	if outages := run(0.3); outages == nil {
		t.Errorf("no outage at three times the pace: the schedule is timid: %v", r.Waves)
	}
	t.Log(r.Waves, r.Runs)
}

// Nodes that keep their content may all restart at once; a rollout as the cache
// cannot bear at any pace is not found.
func TestFindRollout_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	if err := sc.Set("cache.flushes_per_restart", "0"); err != nil {
		t.Fatal(err)
	}
	r, err := recovery.FindRollout(sc, 3600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []recovery.Wave{{At: 3600, Share: 1, Over: 600}}; !slices.Equal(r.Waves, want) {
		t.Errorf("%v, want %v", r.Waves, want)
	}
	if err := sc.Set("cache.flushes_per_restart", "1"); err != nil {
		t.Fatal(err)
	}
	sc.Duration = 9 * 3600
	if _, err := recovery.FindRollout(sc, 8*3600, nil); !errors.Is(err, recovery.ErrNoRollout) {
		t.Errorf("%v, want ErrNoRollout", err)
	}
	if _, err := recovery.FindRollout(scenariotest.Shipped(t, "hotos21-retry"), 0, nil); !errors.Is(err, recovery.ErrNoCache) {
		t.Errorf("%v, want ErrNoCache", err)
	}
}

// Where a node that is away for 30 s is waited for, fewer are replaced by empty ones, and with a
// slow pace fewer too: the rollout from 8:00 is done sooner with either. The best of
// both is no later than the best of each.
func TestReplacements_slack(t *testing.T) {
	all, err := recovery.Replacements(scenariotest.Shipped(t, "slack-2022-02-22"), 8*3600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if own := all[0]; len(all) != 16 || own.HoldDown != 0 || !math.IsInf(own.Pace, 1) || own.Rollout == nil {
		t.Fatalf("%d, the first %+v", len(all), all[0])
	}
	paces, holds := all[:4], []recovery.Replacement{all[0], all[4], all[8], all[12]}
	best := all[recovery.Soonest(all)].Rollout.End
	for _, some := range [][]recovery.Replacement{paces, holds} {
		i := recovery.Soonest(some)
		if end := some[i].Rollout.End; i == 0 || !(end < all[0].Rollout.End) || end < best {
			t.Errorf("of %+v the best is %d, done at %g s; as it is at %g s, the best of both at %g s", some, i, end, all[0].Rollout.End, best)
		}
	}
}

// Without an outage there is nothing to wait for, and where nothing is absorbed nothing is best.
func TestReplacements_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	sc.Duration = 8*3600 + 60
	sc.Cache.Outage = 0
	all, err := recovery.Replacements(sc, 8*3600, nil)
	if err != nil || len(all) != 4 || recovery.Soonest(all) != -1 {
		t.Errorf("%+v, %v; want four paces without a rollout", all, err)
	}
}
