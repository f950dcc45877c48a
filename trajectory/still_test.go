package trajectory

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// Where nothing is asked for, runs go to their end and every number is one: a cache of limited size
// that one class fills and another never uses, and a throttle that lets nobody in for a while and is
// ramped up from there, with such a cache and without; then as many are admitted as the ramp allows.
func TestRun_nothingAsked_exact(t *testing.T) {
	const ramp = "timeline: [{at: 50m, throttle: 0}, {at: 55m, ramp: 10/s, over: 20m}]\n"
	for _, c := range []struct {
		name, text string
		admitted   float64 // boots/s at the end
	}{
		{"idle class", "classes: {item: {per_boot: 1, keys: 1M}, idle: {keys: 1G}}\ncache: {size: 10k}\n", 100},
		{"ramp", "classes: {item: {per_boot: 1}}\n" + ramp, 10},
		{"both", "classes: {idle: {keys: 10M}, item: {per_boot: 3}}\ncache: {size: 10k}\n" + ramp, 10},
	} {
		sc, err := model.Parse(c.name, []byte("name: t\nduration: 2h\ntraffic: {boots: 100/s, session_length: 1m}\npools: {p: {capacity: 1000/s}}\n"+c.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := sc.Compile()
		if err != nil {
			t.Fatal(err)
		}
		r := run(t, sys, nil)
		if r.Status != ode.Complete {
			t.Errorf("%s: %v", c.name, r.Status)
		}
		for _, row := range r.Rows {
			for i, v := range row {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: %s is %g at %g s", c.name, r.Columns[i], v, row[0])
				}
			}
		}
		if got := r.Rows[len(r.Rows)-1][r.index(t, "admitted_per_s")]; math.Abs(got/c.admitted-1) > 0.03 { // its minimum is smooth
			t.Errorf("%s: %g/s admitted at the end, want %g", c.name, got, c.admitted)
		}
	}
}
