package trajectory

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// The simulation tests compare the equations with a discrete-event simulation of the
// same systems (docs, "The fluid model against a discrete-event simulation"): every
// request, every query at every shard, every key and every client on its own. They use
// the scenarios des-*.yaml.

// A mean is one figure of the simulation, a mean over independent runs, beside what
// the equations gave in an independent implementation.
type mean struct {
	column string
	t      float64 // end of the averaging window, s
	fluid  string  // independent implementation, as printed; empty: unknown
	des    float64 // discrete-event simulation
	se     float64 // standard error of des, or a unit of its last digit; 0: not simulated
	off    float64 // known error of the equations, with its reason beside the table; 0: none
}

// check compares a value with both. The equations have to agree with themselves to a
// unit of the last printed digit and 1e-4, and with the simulation to three standard
// errors beyond their known error, which may not exceed the difference that is on
// record.
func (m mean) check(t *testing.T, got float64) {
	t.Helper()
	name := fmt.Sprintf("%s at %g s", m.column, m.t)
	if m.se > 0 {
		numtest.Check(t, name+" (simulation)", got, m.des, 0, m.off+3*m.se)
	}
	if m.fluid == "" {
		return
	}
	fluid, unit := printed(t, m.fluid)
	numtest.Check(t, name+" (independent implementation)", got, fluid, 1e-4, unit)
	if m.off > math.Abs(fluid-m.des)+unit {
		t.Errorf("%s: %g allowed, more than the known difference of %g", name, m.off, fluid-m.des)
	}
}

// printed returns a printed number and a unit of its last digit.
func printed(t *testing.T, s string) (v, unit float64) {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	_, decimals, _ := strings.Cut(s, ".")
	return v, math.Pow(10, -float64(len(decimals)))
}

// checkMeans runs a scenario and compares means over windows of so many seconds.
func checkMeans(t *testing.T, sc *model.Scenario, window float64, means []mean) {
	t.Helper()
	set := &Settings{Average: window}
	for _, m := range means {
		if n := len(set.Times); n == 0 || set.Times[n-1] < m.t {
			set.Times = append(set.Times, m.t)
		}
	}
	r := run(t, scenariotest.Compile(t, sc), set)
	i := 0
	for _, m := range means {
		for r.Rows[i][model.ColTime] < m.t {
			i++
		}
		m.check(t, observable(t, r, i, m.column))
	}
}

// keyMiss is a column of its own: the miss probability of one key.
const keyMiss = "1 - hit_rate.q"

// observable returns the value of a column in row i.
func observable(t *testing.T, r *Result, i int, column string) float64 {
	t.Helper()
	if column == keyMiss {
		return 1 - observable(t, r, i, "hit_rate.q")
	}
	for j, c := range r.Columns {
		if c == column {
			return r.Rows[i][j]
		}
	}
	t.Fatalf("no column %q in %q", column, r.Columns)
	return 0
}

// enlarge makes the system so many times larger at equal time scales: fluctuations
// shrink with the square root.
func enlarge(t testing.TB, sc *model.Scenario, times float64) {
	t.Helper()
	main := sc.Pools[0].Value
	for path, v := range map[string]float64{
		"traffic.boots":          sc.Traffic.Boots,
		"classes.q.keys":         sc.Classes[0].Value.Keys,
		"pools.main.capacity":    main.Capacity,
		"pools.main.background":  main.Background.Rate,
		"pools.main.queue_limit": main.QueueLimit,
	} {
		if err := sc.SetFloat(path, times*v); err != nil {
			t.Fatal(err)
		}
	}
}
