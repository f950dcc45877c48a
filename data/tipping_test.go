package data_test

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// steady returns the scenario with its traffic held at a factor of the profile, and
// nothing on its timeline.
func steady(t *testing.T, name string, factor float64, set ...string) *model.Scenario {
	t.Helper()
	sc := until(scenariotest.Shipped(t, name, set...), hour)
	sc.Timeline = nil
	sc.Traffic.Profile = model.Profile{Points: []model.Point{{T: 0, Value: factor}}}
	sc.Traffic.Repeat = math.Inf(1)
	return sc
}

// comesBack reports whether at the end of the run all boots offered succeed again.
func comesBack(t *testing.T, sc *model.Scenario) bool {
	t.Helper()
	s := outcome(t, sc)
	return s.end("boot_success") > 0.99 && s.end("admitted_per_s") > 0.99*s.end("boots_per_s")
}

// threshold returns, to within width, the value between lo and hi from which on ok is
// true. It fails if ok is true at lo or false at hi.
func threshold(t *testing.T, lo, hi, width float64, ok func(float64) bool) float64 {
	t.Helper()
	if ok(lo) || !ok(hi) {
		t.Fatalf("no threshold between %g and %g: %v and %v", lo, hi, ok(lo), ok(hi))
	}
	for hi-lo > width {
		if mid := (lo + hi) / 2; ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// tippingHitRate is the lowest hit rate right after an instant flush from which the
// system comes back.
func tippingHitRate(t *testing.T, sc *model.Scenario) float64 {
	t.Helper()
	return threshold(t, 0, 1, 0.01, func(h float64) bool { return comesBack(t, flushed(sc, 1-h)) })
}

func flushed(sc *model.Scenario, share float64) *model.Scenario {
	sc = sc.Clone()
	sc.Timeline = []model.Entry{{At: minute, Action: model.Flush, Value: share}}
	return sc
}

// At the daily peak each change of the query moves the tipping point: less of the
// cache is needed to come back. A query that reads only the missing keys, on replicas,
// each from the shard that owns it, comes back even from an empty cache: a cold boot
// then costs a shard (1 + 0.1)·30/256 work units and not 1 + 0.1·30.
func TestSlackTippingPointInvariant(t *testing.T) {
	changes := []string{"classes.gdm_members.fetch", "missing", "classes.gdm_members.pool", "replicas", "classes.gdm_members.route", "keyed"}
	var h []float64
	for n := 0; n < len(changes); n += 2 {
		h = append(h, tippingHitRate(t, steady(t, slack, 1, changes[:n]...)))
	}
	if !(h[0] > 0.95 && h[1] < h[0]-0.1 && h[2] < h[1]-0.1) {
		t.Errorf("tipping hit rates %.2f: want them to fall by more than 0.1 at each change", h)
	}
	if !comesBack(t, flushed(steady(t, slack, 1, changes...), 1)) {
		t.Error("keyed by user the loss of the whole cache is not absorbed")
	}
}

// Is there a collapsed state? The cold load of W boots/s is (4 W + 3200 f)/8000 at a
// factor f of the traffic. At night, f = 0.35, it exceeds one only above 1,720 boots/s,
// 1.64 attempts for each new boot: with the shipped retries, up to 20, or two of them,
// the collapse lasts; with a budget of 1.2 or without retries it does not. At the daily
// peak the cold load of the new boots alone is 1.9, and fewer retries do not help.
func TestSlackFewerRetriesInvariant(t *testing.T) {
	for _, c := range []struct {
		name   string
		factor float64
		set    []string
		want   bool
	}{
		{"night, as shipped", 0.35, nil, false},
		{"night, two attempts on average", 0.35, []string{"clients.give_up", "50%"}, false},
		{"night, retry budget 0.2", 0.35, []string{"clients.retry_budget", "0.2"}, true},
		{"night, no retries", 0.35, []string{"clients.max_attempts", "1"}, true},
		{"peak, no retries", 1, []string{"clients.max_attempts", "1"}, false},
	} {
		sc := steady(t, slack, c.factor, c.set...)
		sc.Initial = model.Initial{Kind: "given", InSystem: 20000} // empty cache, full queues
		if got := comesBack(t, sc); got != c.want {
			t.Errorf("%s: comes back: %v, want %v", c.name, got, c.want)
		}
	}
}
