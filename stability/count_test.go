package stability

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// optionSets are the options beside several classes for which a number is claimed.
var optionSets = []struct {
	name string
	set  []string
}{
	{"all keys", []string{"classes.q0.fetch", "all", "classes.q0.on_error", "keep"}},
	{"several missing", []string{"classes.q0.fetch", "missing", "classes.q0.keys_per_request", "8", "classes.q0.route", "scatter"}},
	{"keyed", []string{"classes.q0.route", "keyed", "classes.q0.keys_per_request", "5", "pools.p.shards", "4"}},
	{"size", []string{"classes.q0.keys", "10000", "cache.size", "2000"}},
	{"delete", []string{"classes.q0.on_error", "delete", "classes.q0.keys_per_request", "1"}},
	{"coalesce", []string{"classes.q0.coalesce", "true"}},
	{"attempts", []string{"classes.q0.attempts", "2"}},
	{"sessions", []string{"classes.q0.per_session", "6/h"}},
}

// What Newton's method finds on the return map from many random points, anywhere in the box
// and near its edges, is in a proved box, and each proved box has its fixed point: the
// number is the one that brute force counts. Scalar maps are looked at on a dense grid.
func TestEquilibria_bruteForce_exact(t *testing.T) {
	proved, dims, several := 0, map[int]int{}, 0
	for k, o := range optionSets {
		for n := range 6 {
			r := rand.New(rand.NewPCG(31, uint64(100*k+n)))
			sc := randomScenario(t, r)
			set := append([]string{"pools.p.drop_expired", "false", "classes.q0.cached", "true"}, o.set...)
			for i := 0; i < len(set); i += 2 {
				if err := sc.Set(set[i], set[i+1]); err != nil {
					t.Fatal(o.name, err)
				}
			}
			sys, err := sc.Compile()
			if err != nil {
				t.Fatal(o.name, err)
			}
			m, err := model.NewReturnMap(sys.Freeze(asIs))
			if err != nil {
				continue
			}
			found, err := prove(m, nil)
			if err != nil || found.Certainty != fixedpoint.Proved {
				continue
			}
			proved++
			dims[m.Dim()]++
			if len(found.Equilibria) > 1 {
				several++
			}
			if got := bruteForce(t, m, found, r); got != len(found.Equilibria) {
				t.Errorf("%s %d: %d proved, %d by brute force\n%s", o.name, n, len(found.Equilibria), got, sc.YAML())
			}
		}
	}
	t.Logf("%d proved, %d with several states, by dimension %v", proved, several, dims)
	if proved < 32 || several < 10 {
		t.Errorf("%d proved, %d with several states: the test shows little", proved, several)
	}
}

// bruteForce counts fixed points of m.
func bruteForce(t *testing.T, m *model.ReturnMap, set *fixedpoint.Set, r *rand.Rand) (count int) {
	if m.Dim() == 1 {
		return changes(m)
	}
	lo, hi := m.Box()
	d := m.Dim()
	img := make([]float64, d)
	at := make([]float64, d)
	p := &fixedpoint.Problem{Dim: d, F: func(dst, x, _ []float64) {
		for i := range x {
			at[i] = min(max(x[i], lo[i]), hi[i])
		}
		m.Map(dst, at)
		for i := range dst {
			dst[i] -= x[i]
		}
	}}
	points := starts(m)
	for range 60 {
		x := make([]float64, d)
		for i := range x {
			x[i] = hi[i] * math.Pow(r.Float64(), 3)
			if r.IntN(2) == 0 {
				x[i] = hi[i] - x[i]
			}
		}
		points = append(points, x)
	}
	hits := make([]bool, len(set.Equilibria))
	for i := range set.Equilibria {
		points = append(points, set.Equilibria[i].X)
	}
next:
	for _, x := range points {
		res, err := fixedpoint.Newton(p, x, nil, nil)
		if err != nil || res.Status != fixedpoint.Converged {
			continue
		}
		for k := range set.Equilibria {
			b := set.Equilibria[k].Box
			inside := true
			for i, v := range res.X {
				tol := 1e-8 * hi[i]
				inside = inside && v >= b.Lo[i]-tol && v <= b.Hi[i]+tol
			}
			if inside {
				hits[k] = true
				continue next
			}
		}
		m.Map(img, res.X)
		for i, v := range res.X { // a stop at the edge, or where rounding ends it, is none
			if !(math.Abs(img[i]-v) <= 1e-9*hi[i]) {
				continue next
			}
		}
		t.Errorf("%v goes to %v and is in none of the boxes %v", res.X, img, set.Equilibria)
	}
	for _, hit := range hits {
		if hit {
			count++
		}
	}
	return count
}

// changes counts the changes of sign of a scalar map's residual on a dense grid, which is
// even in the logarithm of the rate and near the top linear.
func changes(m *model.ReturnMap) (count int) {
	const points = 4000
	_, hi := m.Box()
	var y [1]float64
	last := 1.
	for k := range 2*points + 1 {
		x := hi[0] * math.Pow(10, 10*float64(k-points)/points) / 10
		if k > points {
			x = hi[0] * (0.1 + 0.9001*float64(k-points)/points)
		}
		m.Map(y[:], []float64{x})
		if now := y[0] - x; (now > 0) != (last > 0) {
			count++
			last = now
		}
	}
	return count
}
