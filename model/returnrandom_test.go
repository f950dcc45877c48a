package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomSystem is one to three classes in front of one or two pools, and any of the
// options a return map knows.
func randomSystem(t testing.TB, r *rand.Rand) (*System, string) {
	t.Helper()
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	between := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }
	rarely := func(option string) string {
		if r.IntN(6) == 0 {
			return ", " + option
		}
		return ""
	}
	pools, boots, keys := 1+r.IntN(2), between(10, 3000), 0.0
	var shards, cold [2]float64
	for i := range pools {
		shards[i] = math.Round(between(1, 100))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "name: random\nduration: 1h\ntraffic: {boots: %g/s, session_length: 10m}\nclasses:\n", boots)
	for q := range 1 + r.IntN(3) {
		to := r.IntN(pools)
		m, n := math.Round(between(1, 30)), math.Round(between(1e3, 1e6))
		visit, key, asked, route := between(0.5, 5), between(0.01, 2), between(1, 3), pick("scatter", "keyed")
		if keys += n; route == "keyed" {
			cold[to] += asked * (visit + key) * m / shards[to]
		} else {
			cold[to] += asked * (visit + key*m)
		}
		fmt.Fprintf(&text, "  q%d: {per_boot: %g, keys_per_request: %g, keys: %g, popularity: {zipf: %.2f, bins: 8}, ttl: %gs, fetch: %s, route: %s, pool: p%d, visit_cost: %g, key_cost: %g, cached: %s%s%s%s%s%s%s}\n",
			q, asked, m, n, 1.2*r.Float64(), between(600, 1e6), pick("all", "missing"), route, to, visit, key, pick("true", "true", "true", "false"),
			rarely("on_error: delete"), rarely("coalesce: true"), rarely("late_fill: true"), rarely("attempts: 2"), rarely("per_session: 1/h"), rarely("ttl_law: {stages: 3}"))
	}
	text.WriteString("pools:\n")
	for i := range pools {
		capacity := between(0.1, 3) * (cold[i] + 0.01) * boots
		fmt.Fprintf(&text, "  p%d: {shards: %g, capacity: %g/s, queue_limit: %g, timeout: %gs, background: %g/s, service_scv: %s, arrival_scv: %s, discipline: %s}\n",
			i, shards[i], capacity, between(0.2, 20)*capacity, between(0.1, 1), float64(r.IntN(2))*0.3*capacity, pick("1", "0.2", "3"), pick("1", "1", "0.5", "2"), pick("fifo", "fifo", "ps"))
	}
	if r.IntN(4) == 0 {
		fmt.Fprintf(&text, "cache: {nodes: 1, size: %g}\n", math.Round(keys*between(0.05, 0.9)))
	}
	fmt.Fprintf(&text, "clients: {backoff: {base: 1s, factor: 2, cap: 8s}, give_up: %.2f}\nthrottle: %s\n",
		0.1+0.8*r.Float64(), pick("none", "none", fmt.Sprintf("%g/s", between(0.3, 3)*boots)))
	sc, err := Parse("random", []byte(text.String()), nil)
	if err != nil {
		t.Fatal(err, text.String())
	}
	s, err := sc.Compile()
	if err != nil {
		t.Fatal(err, text.String())
	}
	return s, text.String()
}

// The image of every point of a box lies within the bounds of the box, and the bounds of
// a point are its image, whatever the options of the scenario.
func TestReturnMap_randomBounds_invariant(t *testing.T) {
	const scenarios, boxes, points = 400, 20, 12
	const rounding = 1e-9 // relative to the coordinate's range: what inner equations leave
	for n := range scenarios {
		r := rand.New(rand.NewPCG(11, uint64(n)))
		s, text := randomSystem(t, r)
		m, err := NewReturnMap(s.Freeze(Moment{Traffic: 1, Throttle: -1}))
		if err != nil {
			t.Fatal(err)
		}
		if !m.Signs() {
			t.Fatalf("the signs are known\n%s", text)
		}
		_, top := m.Box()
		dim := m.Dim()
		lo, hi, u, img, imgLo, imgHi := make([]float64, dim), make([]float64, dim), make([]float64, dim), make([]float64, dim), make([]float64, dim), make([]float64, dim)
	next:
		for range boxes {
			width := math.Exp(-12 * r.Float64())
			for i := range lo {
				mid := top[i] * math.Exp(-7*r.Float64())
				if i >= m.Rates() && r.IntN(2) == 0 {
					mid = 1 - mid
				}
				lo[i], hi[i] = max(0, mid*(1-width)), min(top[i], mid*(1+width))
			}
			m.Bounds(lo, hi, imgLo, imgHi)
			for range points {
				for i := range u {
					switch r.IntN(4) {
					case 0:
						u[i] = lo[i]
					case 1:
						u[i] = hi[i]
					default:
						u[i] = lo[i] + (hi[i]-lo[i])*r.Float64()
					}
				}
				m.Map(img, u)
				for i, v := range img {
					if eps := rounding*top[i] + 1e-9*v; !(v >= imgLo[i]-eps && v <= imgHi[i]+eps) {
						t.Errorf("%d: coordinate %d of %d (%d rates): %v in [%v, %v] goes to %g outside [%g, %g]\n%s", n, i, dim, m.Rates(), u, lo, hi, v, imgLo[i], imgHi[i], text)
						break next
					}
				}
			}
			m.Map(img, u)
			m.Bounds(u, u, imgLo, imgHi)
			for i, v := range img {
				if eps := rounding*top[i] + 1e-9*v; math.Abs(imgLo[i]-v) > eps || math.Abs(imgHi[i]-v) > eps {
					t.Errorf("%d: coordinate %d of %d (%d rates): %v goes to %g and by its bounds to [%g, %g]\n%s", n, i, dim, m.Rates(), u, v, imgLo[i], imgHi[i], text)
					break next
				}
			}
		}
	}
}
