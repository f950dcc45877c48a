package referee

import (
	"math"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/referee/des"
)

// Every option that the chain takes, at rest and through a surge, against the simulation with
// exponential waits, which is what the chain says of them, within 2 % of the interval: the chain takes
// the time until a time-out is noticed for exponential, too.
func TestChainInvariantOptions(t *testing.T) {
	for _, c := range []struct {
		name, file string
		set        []string // nil: does not take long
	}{
		{"plain", retries, nil},
		{"background", retries, []string{"traffic.boots", "3/s", "pools.main.background", "3/s"}},
		{"background follows", retries, []string{"traffic.boots", "3/s", "pools.main.background", "{rate: 2/s, follows: traffic}"}},
		{"budget", retries, []string{"clients.retry_budget", "0.1"}},
		{"attempts", retries, []string{"clients.max_attempts", "3"}},
		{"two attempts", retries, []string{"clients.max_attempts", "2"}},
		{"all give up", retries, []string{"clients.give_up", "1"}},
		{"no time-out", retries, []string{"pools.main.timeout", "none"}},
		{"costly queries", retries, []string{"classes.call.visit_cost", "2", "pools.main.capacity", "20/s"}},
		{"cache", caching, []string{}},
		{"late fill", caching, []string{"classes.call.late_fill", "true"}},
		{"cache, background", caching, []string{"pools.main.background", "1/s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.set != nil && !*long {
				t.Skip("takes long: -long")
			}
			sc := scenariotest.Parse(t, c.file, c.set...)
			r := compare(t, sc, Settings{Replications: 100, Every: 50, Seed: 1, Jitter: des.ExponentialJitter})
			if r.Chain == nil {
				t.Fatal(r.NoChain)
			}
			for _, q := range r.Quantities {
				if q.Column == uncompared {
					continue
				}
				p := q.Run
				t.Logf("%s: chain %.5g, simulated %.5g … %.5g, fluid %.5g", q.Column, p.Chain, p.Lo, p.Hi, p.Fluid)
				if off := math.Max(p.Lo-p.Chain, p.Chain-p.Hi); off > 0.02*math.Max(p.Mean, 0.1) {
					t.Errorf("%s: chain %.5g, simulated %.5g … %.5g", q.Column, p.Chain, p.Lo, p.Hi)
				}
			}
		})
	}
}

// Where keys are read again while they are fetched the chain says that it is off.
func TestChainInvariantInFlight(t *testing.T) {
	sc := scenariotest.Parse(t, caching, "classes.call.keys", "50", "traffic.boots", "60/s")
	r := compare(t, sc, Settings{Method: Chain, Every: 50})
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Error(), "while it is fetched") {
		t.Errorf("warnings %v", r.Warnings)
	}
}

const retries = `
name: retries
duration: 200s
traffic: {boots: 6/s, session_length: 1s}
classes: {call: {per_boot: 1, cached: false}}
pools: {main: {capacity: 10/s, queue_limit: 20, timeout: 1s}}
clients: {backoff: {base: 5s, factor: 1, cap: 5s}, give_up: 0.5}
timeline: [{at: 50s, traffic: 200%, over: 20s}]
`

const caching = `
name: caching
duration: 200s
traffic: {boots: 20/s, session_length: 1s}
classes: {call: {per_boot: 1, keys: 1000, popularity: {zipf: 0, bins: 1}, ttl: 200s, ttl_law: exponential}}
pools: {main: {capacity: 10/s, queue_limit: 30, timeout: 2s}}
timeline: [{at: 50s, flush: 25%}]
`
