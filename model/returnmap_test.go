package model

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/metastable/metastable/internal/numtest"
)

// equilibrium is a row of the table of equilibria that an independent implementation
// of the equations made (Newton's method on the whole system).
type equilibrium struct {
	traffic, throttle           float64
	load, n, v, attempts        float64
	hit, success, late, refused float64
	stable                      bool
}

func readEquilibria(t testing.TB) []equilibrium {
	t.Helper()
	file, err := os.Open("testdata/reference/slack.equilibria.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []equilibrium
	for _, l := range lines[1:] {
		var x [10]float64
		for i := range x {
			if i == 1 && l[i] == "" {
				x[i] = math.Inf(1)
			} else if x[i], err = strconv.ParseFloat(l[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, equilibrium{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], l[10] == "True"})
	}
	return rows
}

func slackMap(t testing.TB, traffic, throttle float64) *ReturnMap {
	t.Helper()
	m, err := NewReturnMap(mustCompile(t, reference(t, "slack")).Freeze(Moment{Traffic: traffic, Throttle: throttle}))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every row of the table is a fixed point, with the queue, the hit rate and the
// success that the table has. The table's unstable rows are taken with a 40-node
// Gauss–Hermite rule for the success of a scatter, which is off by up to 2e-3 there;
// with that rule in place of the integral they are fixed points as well.
func TestReturnMap_reference_exact(t *testing.T) {
	for _, r := range readEquilibria(t) {
		name := fmt.Sprintf("traffic %g, throttle %g, load %.4g", r.traffic, r.throttle, r.load)
		m := slackMap(t, r.traffic, r.throttle)
		u := []float64{r.load*8000 - 3200*r.traffic} // beside the background
		m.load(m.s, u, nil, false)
		k, p := &m.s.work.class[0], &m.s.work.pool[0]
		if !r.stable {
			gr := gaussHermite40(p.r, (corrRefuse-corrRefuseSlope*p.r)*p.share, 256)
			k.o = gr * gaussHermite40(k.p, corrTimeout*p.share, 256)
			k.gr, k.grc, k.oc = gr, 1-gr, 1-k.o
		}
		m.flow(m.s, m.fails(m.s, u))
		numtest.Check(t, name+": rate", k.rate*k.sh.calls*k.sh.w, u[0], 1e-6, 0)
		numtest.Check(t, name+": n", p.n, r.n, 1e-6, 0)
		numtest.Check(t, name+": v", p.v, r.v, 1e-6, 0)
		numtest.Check(t, name+": attempts", m.s.work.flow.attempts, r.attempts, 1e-6, 0)
		numtest.Check(t, name+": hit rate", k.hot, r.hit, 1e-6, 1e-12)
		numtest.Check(t, name+": success", k.s, r.success, 1e-6, 1e-12)
		numtest.Check(t, name+": refused", p.r, r.refused, 1e-6, 1e-12)
	}
}

// gaussHermite40 is G(f, r) by 40 Gauss–Hermite nodes.
func gaussHermite40(f, r, v float64) float64 {
	if f <= 0 || f >= 1 {
		return 1 - f
	}
	norm := distuv.UnitNormal
	x, w := make([]float64, 40), make([]float64, 40)
	quad.Hermite{}.FixedLocations(x, w, math.Inf(-1), math.Inf(1))
	sum := 0.0
	for i := range x {
		z := math.Sqrt2 * x[i]
		s := (-norm.Quantile(f) + math.Sqrt(r)*z) / math.Sqrt(1-r)
		sum += w[i] / math.Sqrt(math.Pi) * math.Pow(norm.CDF(s), v)
	}
	return sum
}

// A fixed point of the map is an equilibrium of the whole system: iterate from no
// load and from full load, and look at the residual of every equation.
func TestReturnMap_state_exact(t *testing.T) {
	for _, traffic := range []float64{0.4, 1, 1.2} {
		for _, throttle := range []float64{math.Inf(1), 2000, 1200} {
			m := slackMap(t, traffic, throttle)
			lo, hi := m.Box()
			for _, u := range [][]float64{lo, hi} {
				for range 200 {
					m.Map(u, u)
				}
				checkRest(t, fmt.Sprintf("traffic %g, throttle %g, rate %g", traffic, throttle, u[0]), m.s, m.State(u), 0)
			}
		}
	}
}

// The image of every point of a box lies within the bounds of the box.
func TestReturnMap_bounds_invariant(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, throttle := range []float64{math.Inf(1), 2000} {
		for _, traffic := range []float64{0.3, 1} {
			m := slackMap(t, traffic, throttle)
			if !m.Signs() {
				t.Fatal("the signs of this scenario are known")
			}
			_, top := m.Box()
			lo, hi, imgLo, imgHi, u, img := []float64{0}, []float64{0}, []float64{0}, []float64{0}, []float64{0}, []float64{0}
			for range 300 {
				a := top[0] * math.Exp(-9*r.Float64())
				b := a * (1 - math.Exp(-6*r.Float64()))
				lo[0], hi[0] = b, a
				m.Bounds(lo, hi, imgLo, imgHi)
				for range 5 {
					u[0] = b + (a-b)*r.Float64()
					m.Map(img, u)
					if eps := 1e-11 * (1 + img[0]); img[0] < imgLo[0]-eps || img[0] > imgHi[0]+eps {
						t.Errorf("traffic %g, throttle %g: %g in [%g, %g] goes to %g outside [%g, %g]", traffic, throttle, u[0], b, a, img[0], imgLo[0], imgHi[0])
					}
				}
			}
		}
	}
}

func BenchmarkReturnMap(b *testing.B) {
	for _, c := range []struct {
		name string
		rate float64
	}{{"healthy", 132}, {"tipping", 4792}, {"collapsed", 240000}} {
		b.Run(c.name, func(b *testing.B) {
			m := slackMap(b, 1, math.Inf(1))
			u, img := []float64{c.rate}, []float64{0}
			b.ReportAllocs()
			for b.Loop() {
				m.Map(img, u)
			}
		})
	}
}
