package stability

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/model"
)

// The unit of work is a matter of taste: with seven of it in place of one the same
// states come out.
func TestEquilibria_scale_invariant(t *testing.T) {
	at := model.Moment{Traffic: 1, Throttle: 2000}
	one, err := Equilibria(compile(t, slack), at, nil)
	if err != nil {
		t.Fatal(err)
	}
	seven, err := Equilibria(compile(t, slack,
		"classes.gdm_members.visit_cost", "7", "classes.gdm_members.key_cost", "0.7",
		"pools.main.capacity", "56000/s", "pools.main.queue_limit", "140000", "pools.main.background.rate", "0/s"), at, nil)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := Equilibria(compile(t, slack, "pools.main.background.rate", "0/s"), at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(one.Equilibria) != 3 || len(bare.Equilibria) != len(seven.Equilibria) || bare.Certainty != seven.Certainty {
		t.Fatalf("%d, %d and %d equilibria", len(one.Equilibria), len(bare.Equilibria), len(seven.Equilibria))
	}
	for i := range bare.Equilibria {
		a, b := &bare.Equilibria[i], &seven.Equilibria[i]
		for _, c := range []struct {
			name   string
			factor float64
		}{{"hit_rate.gdm_members", 1}, {"load.main", 1}, {"boot_success", 1}, {"attempts_per_s", 1}, {"in_system.main", 7}} {
			numtest.Check(t, c.name, bare.Value(b, c.name), c.factor*bare.Value(a, c.name), 1e-7, 1e-12)
		}
	}
}

// More queries never bring fewer back, so where the computed map falls between nearby
// points that is its error: less than a tenth of what the proofs allow for.
func TestMapError_invariant(t *testing.T) {
	for _, traffic := range []float64{0.4, 1} {
		m := returnMap(t, compile(t, slack), model.Moment{Traffic: traffic, Throttle: math.Inf(1)})
		_, hi := m.Box()
		up, down := []float64{0}, []float64{0}
		for k := range 400 {
			u := hi[0] * math.Pow(10, -float64(k)/80)
			for _, d := range []float64{1e-15, 1e-13, 1e-11} {
				m.Map(down, []float64{u})
				m.Map(up, []float64{u * (1 + d)})
				if fall := down[0] - up[0]; fall > 0.1*(mapError*down[0]+absError) {
					t.Errorf("traffic %g: from the rate %g to %g times that the map falls by %g of %g", traffic, u, 1+d, fall, down[0])
				}
			}
		}
	}
}
