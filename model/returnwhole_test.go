package model

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/metastable/metastable/internal/numtest"
)

// The maps of a pool that drops expired queries and of one with a measured service curve are
// those of the whole system: where the map leads, from no load and from full load, no
// equation of the system moves, and the system offers the load that the map says.
func TestReturnMap_droppedAndMeasured_exact(t *testing.T) {
	const text = `
name: whole
duration: 1h
traffic: {boots: 300/s, session_length: 1m}
classes:
  q: {per_boot: 1, keys_per_request: %d, keys: 5000, popularity: {zipf: 0.8, bins: 8}, ttl: 1h, fetch: %s, pool: p, visit_cost: 1, key_cost: 0.1}
pools:
  p: %s
clients: {backoff: {base: 1s, factor: 2, cap: 8s}, give_up: 0.5}
`
	pools := map[string]string{
		"dropped":  "{shards: 4, capacity: %g/s, queue_limit: 20000, timeout: 300ms, drop_expired: true}",
		"measured": "{shards: 4, capacity: %g/s, service_curve: {csv: curve.csv}, timeout: 1s}",
	}
	for name, pool := range pools {
		for _, capacity := range []float64{100, 1200} {
			for _, ask := range []struct {
				keys  int
				fetch string
			}{{1, "all"}, {6, "all"}, {6, "missing"}} {
				what := fmt.Sprintf("%s, capacity %g, %+v", name, capacity, ask)
				sc, err := Parse("whole", fmt.Appendf(nil, text, ask.keys, ask.fetch, fmt.Sprintf(pool, capacity)), fstest.MapFS{"curve.csv": {Data: []byte(curveCSV)}})
				if err != nil {
					t.Fatal(err)
				}
				s, err := sc.Compile()
				if err != nil {
					t.Fatal(err)
				}
				m, err := NewReturnMap(s.Freeze(Moment{Traffic: 1, Throttle: -1}))
				if err != nil {
					t.Fatal(err)
				}
				for _, way := range []float64{0, 1} {
					u := make([]float64, m.Dim())
					m.Diagonal(u, way)
					img := make([]float64, m.Dim())
					for range 200 {
						m.Map(img, u)
						for i := range u { // halfway: some of the maps alternate
							u[i] = (u[i] + img[i]) / 2
						}
					}
					y := m.State(u)
					checkRest(t, fmt.Sprintf("%s, from %g of the way", what, way), m.s, y, 0)
					numtest.Check(t, what+": load", observed(m.s, 0, y)["load.p"]*capacity, u[0], 1e-9, 1e-9)
				}
			}
		}
	}
}
