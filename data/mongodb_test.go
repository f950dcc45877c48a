package data_test

import (
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
)

// mongodb reports whether the scenario recovers with a capacity, 1/s, and parameters set.
func mongodb(t *testing.T, capacity float64, set ...string) bool {
	t.Helper()
	sc := scenariotest.Shipped(t, "osdi22-mongodb", set...)
	if err := sc.SetFloat("pools.primary.capacity", capacity); err != nil {
		t.Fatal(err)
	}
	return outcome(t, sc).end("boot_success") > 0.99
}

// Huang et al., OSDI 2022, the four runs of the incident page. Each recovers from some
// capacity on. The first must not and the other three must: a range of capacities
// remains, and the scenario's lies in it.
func TestMongoDBCapacityInvariant(t *testing.T) {
	from := func(set ...string) float64 {
		return threshold(t, 8e3, 40e3, 10, func(c float64) bool { return mongodb(t, c, set...) })
	}
	high := from()                            // −80 % for 10 s: does not recover
	low := max(from("timeline.0.over", "9s"), // 9 s: recovers
		from("timeline.0.capacity", "22%"), // −78 %: recovers
		from("traffic.boots", "4200/s"))    // a third less load: recovers
	if !(high > 1.03*low) {
		t.Fatalf("no capacity has all four outcomes: three recover from %g/s on, the first from %g/s", low, high)
	}
	numtest.Check(t, "lower end as on the incident page", low, 17.4e3, 0.01, 0)
	numtest.Check(t, "upper end as on the incident page", high, 18.4e3, 0.01, 0)
	c := (low + high) / 2
	for name, run := range map[string]struct {
		set  []string
		want bool
	}{
		"metastable":     {nil, false},
		"baseline":       {[]string{"timeline.0.capacity", "22%"}, true},
		"no_metastable1": {[]string{"timeline.0.over", "9s"}, true},
		"no_metastable2": {[]string{"traffic.boots", "4200/s"}, true},
	} {
		if got := mongodb(t, c, run.set...); got != run.want {
			t.Errorf("%s at %g/s: recovers: %v, want %v", name, c, got, run.want)
		}
	}
}

// Attempts of three times the load and a goodput down by 90 %, as published, cannot
// stand together where every failed insert has had its five attempts: with a share g of
// the inserts served, there are at least g + 5 (1 − g) attempts an insert, 4.6 at
// g = 0.1. The measured client is bounded and falls behind its own schedule; the
// scenario's is not, and when down it has five attempts an insert and no goodput. It
// passes three on its way there, in the outage and after it.
func TestMongoDBAmplificationInvariant(t *testing.T) {
	s := tell(t, scenariotest.Shipped(t, "osdi22-mongodb"))
	numtest.Check(t, "attempts over offered when down", s.at("attempts_per_s", 120)/6200, 5, 1e-3, 0)
	for at := 65.0; at <= 180; at++ {
		if g := s.goodput(at); g > 0.1 {
			t.Errorf("goodput is %g of the load at %g s, want a loss of 90 %% at least", g, at)
		}
	}
	if before, after := s.at("attempts_per_s", 69)/6200, s.at("attempts_per_s", 72)/6200; !(before < 3 && after > 3) {
		t.Errorf("attempts over offered %g just before the CPU is back and %g just after, want 3 between", before, after)
	}
}
