package trajectory

import (
	"fmt"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
)

// Half the content is lost at 5 min, with TTLs that expire in stages: 1 − hit rate in
// windows of 60 s, by an independent implementation. The simulation with an
// exponential TTL agrees with the first row to 0.0003; stages were not simulated.
//
// The two implementations differ by up to 0.00017, 0.35 %, late in the run, and not
// early; no number of bins removes it.
func TestSimulation_ttl_golden(t *testing.T) {
	times := []float64{660, 1260, 2100, 2220, 2760, 4140}
	for law, want := range map[string][]float64{
		"exponential":  {0.0800, 0.0520, 0.0491, 0.0490, 0.0490, 0.0489},
		"{stages: 4}":  {0.0684, 0.0401, 0.0483, 0.0489, 0.0496, 0.0489},
		"{stages: 16}": {0.0679, 0.0312, 0.0533, 0.0566, 0.0541, 0.0496},
	} {
		sc := reference(t, "des-ttl-echo", "classes.q.ttl_law", law)
		r := run(t, scenariotest.Compile(t, sc), &Settings{Times: times, Average: 60})
		for i, at := range times {
			numtest.Check(t, fmt.Sprintf("%s at %g s", law, at), observable(t, r, i, keyMiss), want[i], 0, 0.0002)
		}
	}
}
