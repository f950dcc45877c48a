package data_test

import (
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

const facebook = "facebook-2010-09-23"

// The order of the acts and the 2.5 h are published (sources 1 to 3 of the incident
// page), and so are "hundreds of thousands of queries a second".
func TestFacebookStoryInvariant(t *testing.T) {
	s := tell(t, scenariotest.Shipped(t, facebook))
	invalid, fixed, off, back := 30*minute, 36*minute, 110*minute, 130*minute
	s.above("boot_success", 0.9999, 0, invalid)

	// The value looks invalid: down within a minute.
	s.below("boot_success", 0.01, invalid+minute, fixed)
	s.above("load.config_db", 5, invalid+minute, fixed)

	// The value is fixed and nothing changes: what is read is deleted again.
	s.below("boot_success", 0.01, fixed, off-minute)
	s.below("hit_rate.config", 0.01, fixed, off-minute)

	// Half of those who fail press reload, again and again: 1 + 1/2 + 1/4 + … = 2
	// attempts a visitor.
	numtest.Check(t, "attempts per second in the outage", s.at("attempts_per_s", off-5*minute), 500e3, 1e-3, 0)

	// All traffic stopped: the databases recover, the cache stays empty.
	s.below("in_system.config_db", 1, off+minute, back)
	s.below("hit_rate.config", 0.01, off, back-minute)

	// Slow re-admission comes home: no one who is let in fails, the cache fills.
	s.above("boot_success", 0.999, back, 210*minute)
	s.below("load.config_db", 0.5, back, 210*minute)
	s.rising("hit_rate.config", back+minute, 140*minute)
	s.above("hit_rate.config", 0.999, 170*minute, 210*minute)
	if peak, left := slices.Max(s.during("waiting_clients", 0, back)), s.at("waiting_clients", 180*minute); !(peak > 1e6 && left < 0.01*peak) {
		t.Errorf("%g clients wait 2.5 h after the beginning, of %g at most", left, peak)
	}
	numtest.Check(t, "goodput over offered boots", s.goodput(205*minute), 1, 1e-6, 0)

	if len(s.outages) != 1 || !(s.outages[0][1]-s.outages[0][0] > 2*hour && s.outages[0][1]-s.outages[0][0] < 2.75*hour) {
		t.Errorf("outages %v s, want one of about 2.5 h", s.outages)
	}
}

// What ends the outage, and what would have.
func TestFacebookCounterfactualsInvariant(t *testing.T) {
	open := []string{"let back 1k/s", "let back 5k/s", "let back 30k/s", "let back 100k/s", "let back 260k/s"}

	t.Run("a failed read that deletes nothing", func(t *testing.T) {
		s := tell(t, until(scenariotest.Shipped(t, facebook, "classes.config.on_error", "keep"), 110*minute))
		s.below("boot_success", 0.01, 32*minute, 35*minute) // the invalid value still takes the site down
		s.above("boot_success", 0.9999, 37*minute, 110*minute)
		s.above("hit_rate.config", 0.999, 37*minute, 110*minute)
	})
	t.Run("traffic never stopped", func(t *testing.T) {
		sc := scenariotest.Shipped(t, facebook)
		sc.Timeline = slices.DeleteFunc(sc.Timeline, func(e model.Entry) bool { return e.Action == model.ThrottleTo })
		s := tell(t, sc)
		s.below("boot_success", 0.01, 32*minute, 210*minute)
	})
	t.Run("all let back at once", func(t *testing.T) {
		sc := without(t, scenariotest.Shipped(t, facebook), open...)
		sc.Timeline[noted(t, sc, "throttle off")].At = 130 * minute
		s := tell(t, sc)
		s.below("boot_success", 0.5, 131*minute, 210*minute)
		s.above("load.config_db", 2.5, 131*minute, 210*minute)
	})
}
