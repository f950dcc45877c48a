package data_test

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

const slack = "slack-2022-02-22"

// The order of the acts and the clock times 06:00 and 09:14 are published (sources 1
// and 4 of the incident page). The bounds are those of the words: "absorbed" is no
// failed boot and a load below one, "down" less than one boot in twenty.
func TestSlackStoryInvariant(t *testing.T) {
	s := tell(t, scenariotest.Shipped(t, slack))

	// Two steps off-peak bite and are absorbed.
	s.above("boot_success", 0.9999, 0, 6*hour)
	s.below("load.main", 0.8, 0, 6*hour)
	for _, end := range []float64{0*hour + 50*minute, 3*hour + 20*minute} {
		s.below("hit_rate.gdm_members", 0.94, end, end)
	}
	s.above("hit_rate.gdm_members", 0.998, 2.9*hour, 3*hour) // refilled between them

	// The third tips, just after 06:00.
	s.below("boot_success", 0.05, 6*hour+15*minute, 6*hour+40*minute)
	s.below("hit_rate.gdm_members", 0.9, 6*hour+15*minute, 6*hour+40*minute)
	s.above("load.main", 1, 6*hour+10*minute, 6*hour+39*minute)

	// The outage is one, and over before the status page closes.
	if len(s.outages) != 1 || !(s.outages[0][0] > 6*hour && s.outages[0][0] < 6*hour+12*minute && s.outages[0][1] > 7.5*hour && s.outages[0][1] < 9*hour+14*minute) {
		t.Errorf("outages %v s, want one from just after 06:00 to before 09:14", s.outages)
	}

	// The throttle drains the queues within two minutes, and the cache refills.
	s.above("boot_success", 0.999, 6*hour+42*minute, 7*hour+5*minute)
	s.below("in_system.main", 10, 6*hour+42*minute, 7*hour+5*minute)
	s.rising("hit_rate.gdm_members", 6*hour+41*minute, 7*hour+5*minute)
	s.above("hit_rate.gdm_members", 0.95, 7*hour+5*minute, 7*hour+5*minute)

	// One large relaxation relapses: the load is above one and the refill ends.
	s.below("boot_success", 0.3, 7*hour+7*minute, 7*hour+15*minute)
	s.above("load.main", 1.3, 7*hour+5*minute, 7*hour+14*minute)
	if a, b := s.at("hit_rate.gdm_members", 7*hour+7*minute), s.at("hit_rate.gdm_members", 7*hour+14*minute); b > a {
		t.Errorf("the hit rate rises from %g to %g during the relapse", a, b)
	}

	// Throttled again, small steps come home.
	s.above("boot_success", 0.999, 7*hour+17*minute, 14*hour)
	s.below("load.main", 0.9, 7*hour+15.5*minute, 14*hour)
	s.rising("hit_rate.gdm_members", 7*hour+17*minute, 9*hour)

	// The fix takes load off the primaries: first some, then all of the query's.
	if a, b := s.at("load.main", 7*hour+34*minute), s.at("load.main", 7*hour+36*minute); b > 0.9*a {
		t.Errorf("load of the primaries %g before the query reads only what is missing, %g after", a, b)
	}
	for _, at := range []float64{8*hour + 10*minute, 11 * hour} {
		background := 3200.0 / 8000 * s.at("boots_per_s", at) / 3000 // follows traffic
		numtest.Check(t, "load of the primaries without the query", s.at("load.main", at), background, 1e-9, 0)
	}

	// Home by 09:14: everybody gets in, nobody waits, and the day goes on.
	if peak, left := slices.Max(s.during("waiting_clients", 0, 14*hour)), s.at("waiting_clients", 9*hour+14*minute); !(peak > 1e6 && left < 1e-4*peak) {
		t.Errorf("%g clients wait at 09:14 of %g at most", left, peak)
	}
	s.below("waiting_clients", 1, 9.5*hour, 14*hour)
	s.above("hit_rate.gdm_members", 0.999, 9*hour+14*minute, 14*hour)
	for _, at := range []float64{9*hour + 14*minute, 11 * hour, 14 * hour} {
		numtest.Check(t, "goodput over offered boots", s.goodput(at), 1, 1e-3, 0)
	}
}

// "Pausing changed nothing" (source 1): by 06:18 it is too late. Before the tipping
// point it saves the morning. The throttle that
// follows is left out, so that what is seen is the pause.
func TestSlackPauseInvariant(t *testing.T) {
	morning := func(pauseAt float64) *story {
		sc := until(scenariotest.Shipped(t, slack), 6*hour+40*minute)
		sc.Timeline[noted(t, sc, "rollout paused")].At = pauseAt
		return tell(t, until(sc, sc.Duration))
	}
	paused, never := morning(6*hour+18*minute), morning(math.Inf(1))
	const spared = 0.25 * 4 / 20 // of the content, by pausing 4 minutes before the end of 20
	for at := 6*hour + 19*minute; at < 6*hour+40*minute; at += minute {
		numtest.Check(t, "boot success with and without the pause", paused.at("boot_success", at), never.at("boot_success", at), 0, 0.01)
		numtest.Check(t, "hit rate with and without the pause", paused.at("hit_rate.gdm_members", at), never.at("hit_rate.gdm_members", at), 0, spared)
	}
	paused.below("boot_success", 0.05, 6*hour+19*minute, 6*hour+40*minute)
	never.below("boot_success", 0.05, 6*hour+19*minute, 6*hour+40*minute)

	saved := morning(6*hour + 6*minute)
	saved.above("boot_success", 0.9999, 0, 6*hour+40*minute)
	saved.below("load.main", 1, 0, 6*hour+40*minute)
	saved.rising("hit_rate.gdm_members", 6*hour+7*minute, 6*hour+40*minute)
}

// Without any throttle the outage goes on, whatever is done to the query meanwhile.
func TestSlackThrottleIsNeededInvariant(t *testing.T) {
	sc := until(scenariotest.Shipped(t, slack), 12*hour)
	sc.Timeline = slices.DeleteFunc(sc.Timeline, func(e model.Entry) bool { return e.Action == model.ThrottleTo })
	s := tell(t, sc)
	s.below("boot_success", 0.05, 6*hour+15*minute, 12*hour)
}

// How large a step at 07:05 is too large? The load is (4 W P + background)/8000, with
// P = 0.765 the share of boots that miss then, and reaches one at 1,645 boots/s:
// (8000 − 3200·2780/3000) / (4·0.765).
func TestSlackStepInvariant(t *testing.T) {
	for limit, relapses := range map[string]bool{"1500/s": false, "1800/s": true} {
		sc := until(scenariotest.Shipped(t, slack, "timeline.5.throttle", limit), 7*hour+15*minute)
		s := tell(t, sc)
		if down := s.end("boot_success") < 0.9; down != relapses {
			t.Errorf("%s at 07:05: boot success %g at 07:15", limit, s.end("boot_success"))
		}
	}
}

// The same small steps come home without the change of the query as well, with less
// room: the fix is what makes the steps safe, not what ends the outage.
func TestSlackFixMakesRoomInvariant(t *testing.T) {
	fixed := tell(t, scenariotest.Shipped(t, slack))
	unfixed := tell(t, without(t, scenariotest.Shipped(t, slack), "query reads only the missing", "query reads from replicas", "query asks the owning shards"))
	unfixed.above("boot_success", 0.999, 7*hour+17*minute, 14*hour)
	for at := 7*hour + 40*minute; at < 9*hour; at += 5 * minute {
		if a, b := fixed.at("load.main", at), unfixed.at("load.main", at); !(a < b) {
			t.Errorf("at %g h: load %g with the fix, %g without", at/hour, a, b)
		}
	}
}
