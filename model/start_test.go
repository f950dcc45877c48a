package model

import (
	"fmt"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// A pool that has next to nothing to do starts as any other: n = ρ/(1 − ρ) down to where
// rounding hides it.
func TestStartIdleExact(t *testing.T) {
	for _, rho := range []float64{1e-9, 1e-6, 1e-3} {
		s := compiled(t, queueFile, map[string]float64{"traffic.boots": 1, "pools.p.capacity": 1 / rho})
		y := started(t, s)
		numtest.Check(t, fmt.Sprintf("ρ %g: n", rho), y[s.lay.pool[0].n], rho/(1-rho), 1e-11, 1e-15)
	}
	s := compiled(t, queueFile, map[string]float64{"traffic.boots": 0})
	for i, v := range started(t, s)[:s.lay.nState] {
		if !(v >= 0 && v < 1e-100) {
			t.Errorf("without traffic component %d starts at %g", i, v)
		}
	}
}

// A start that is given has the hit rate and the work it asks for, above and below
// those of the healthy equilibrium, and an empty cache is empty.
func TestStartGivenExact(t *testing.T) {
	const file = cacheFile + "initial: {hit_rate: %g, in_system: 40}\n"
	for _, boots := range []float64{0, 50} {
		for _, hit := range []float64{0, 0.3, 0.97, 1} {
			s := compiled(t, fmt.Sprintf(file, hit), map[string]float64{"classes.q.ttl": 600, "traffic.boots": boots})
			o := observed(s, 0, started(t, s))
			numtest.Check(t, fmt.Sprintf("%g boots/s, asked for %g: hit rate", boots, hit), o["hit_rate.q"], hit, 1e-14, 0)
			numtest.Check(t, "work", o["in_system.p"], 40, 0, 0)
		}
	}
	s := compiled(t, cacheFile+"initial: cold\n", nil)
	numtest.Check(t, "cold", observed(s, 0, started(t, s))["hit_rate.q"], 0, 0, 0)
}
