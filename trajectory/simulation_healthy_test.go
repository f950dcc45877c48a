package trajectory

import (
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

// The healthy steady state: 8 runs of 3,000 s. There are no time-outs in it.
//
// The variance is that of the unfinished work, v + b n of the model's v. The equations
// take queries of all sizes for exponential with the mean residual b and miss the third
// moment: exact for Poisson arrivals is n² + ⅔ n E[w³]/E[w²] (Takács 1962), 107.9 where
// they have 93.8.
func TestSimulation_healthy_golden(t *testing.T) {
	for name, means := range map[string][]mean{
		"base": {
			{column: "hit_rate.q", fluid: "0.99923", des: 0.99923, se: 0.00001},
			{column: "miss.q", fluid: "0.02285", des: 0.02291, se: 0.00009},
			{column: "load.main", fluid: "0.4343", des: 0.4344, se: 0.0001},
			{column: "in_system.main", fluid: "0.949", des: 0.949, se: 0.001},
		},
		"healthy-a": { // TTL 2 h
			{column: "hit_rate.q", fluid: "0.99095", des: 0.99095, se: 0.00001},
			{column: "miss.q", fluid: "0.2386", des: 0.2386, se: 0.0001},
			{column: "load.main", fluid: "0.7579", des: 0.7579, se: 0.0001},
			{column: "in_system.main", fluid: "7.57", des: 7.59, se: 0.01},
			{column: "variance", fluid: "93.8", des: 109, se: 0.2, off: 15.2},
		},
		"healthy-b": { // missing, TTL 15 min
			{column: keyMiss, fluid: "0.0626", des: 0.0626, se: 0.0001},
			{column: "miss.q", fluid: "0.8564", des: 0.8560, se: 0.0003},
			{column: "load.main", fluid: "0.7916", des: 0.7917, se: 0.0001},
			{column: "in_system.main", fluid: "4.23", des: 4.23, se: 0.005},
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := scenariotest.Compile(t, reference(t, "des-"+name))
			y, err := sys.Start()
			if err != nil {
				t.Fatal(err)
			}
			r := &Result{Columns: sys.Columns(), Rows: [][]float64{make([]float64, len(sys.Columns()))}}
			sys.Observe(r.Rows[0], 0, y)
			for _, m := range means {
				if m.column == "variance" {
					q := queueOf(y, 40+6) // after 40 bins and 6 backoff stages
					m.check(t, q.v+q.b*q.n)
					continue
				}
				m.check(t, observable(t, r, 0, m.column))
			}
		})
	}
}

// A queue is a pool's part of the state of a system with one pool.
type queue struct{ n, v, b, share float64 }

// queueOf reads the state after so many bins and backoff stages: n, v, the sessions,
// b and the common share.
func queueOf(y []float64, at int) queue {
	return queue{n: y[at], v: y[at+1], b: y[at+3], share: y[at+4]}
}
