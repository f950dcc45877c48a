package markov

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

func pathOf(t *testing.T, file string, ends []float64) *Path {
	t.Helper()
	m, err := New(scenariotest.Parse(t, file))
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Path(ends, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *Path) at(row int, column string) float64 {
	return p.Rows[row][slices.Index(p.Columns, column)]
}

// An M/M/1/10 queue at rest, without retries: mean and refusals are closed forms
// (benchmarks of queueing texts: ρ = 0.9, K = 10 refuses 0.0508137313274).
func TestPathExactAtRest(t *testing.T) {
	p := pathOf(t, `
name: rest
duration: 20s
traffic: {boots: 9/s, session_length: 1s}
classes: {call: {per_boot: 1, cached: false}}
pools: {main: {capacity: 10/s, queue_limit: 10, timeout: 1s}}
`, []float64{5, 20})
	mean, late, accepted := 0.0, 0.0, 0.0
	total := 0.0
	for n := range 11 {
		w := math.Pow(0.9, float64(n))
		total += w
		mean += w * float64(n)
		if n == 10 {
			continue
		}
		accepted += w
		term, sum := 1.0, 0.0 // P(Gamma(n+1, 10) > 1) = Σ e^{−10} 10^k/k!, k ≤ n
		for k := range n + 1 {
			if k > 0 {
				term *= 10 / float64(k)
			}
			sum += term
		}
		late += w * sum * math.Exp(-10)
	}
	for row := range p.Rows {
		for _, c := range []struct {
			column string
			want   float64
		}{
			{"in_system.main", mean / total},
			{"refused.main", 0.0508137313274},
			{"timeout.main", late / accepted},
			{"boot_success", (accepted - late) / total},
			{"attempts_per_s", 9},
			{"load.main", 0.9},
		} {
			if got := p.at(row, c.column); math.Abs(got/c.want-1) > 1e-9 {
				t.Errorf("row %d: %s = %.12g, want %.12g", row, c.column, got, c.want)
			}
		}
	}
}

// While nothing is served or refused, an M/M/1 queue that was empty is a Poisson count: its
// mean over a window is that of a straight line. Capacity all but vanishes at 10 s.
func TestPathExactGrowth(t *testing.T) {
	p := pathOf(t, `
name: growth
duration: 30s
traffic: {boots: 0.5/s, session_length: 1s}
classes: {call: {per_boot: 1, cached: false}}
pools: {main: {capacity: 1k/s, queue_limit: 60, timeout: none}}
timeline: [{at: 10s, change: {pools.main.capacity: 1e-9/s}}]
`, []float64{10, 20, 30})
	const before = 0.0005 / (1 - 0.0005) // ρ/(1 − ρ)
	for row, grown := range []float64{0, 2.5, 7.5} {
		if got := p.at(row, "in_system.main"); math.Abs(got-before-grown) > 1e-6 {
			t.Errorf("mean work in window %d = %.9g, want %.9g", row, got, before+grown)
		}
	}
}

// Cold keys fill while they are asked for and expire: with an ample database the cold share
// relaxes to 1/(1 + νT) with the rate ν + 1/T, and so do its means over windows.
func TestPathExactFill(t *testing.T) {
	p := pathOf(t, `
name: fill
duration: 20s
traffic: {boots: 2/s, session_length: 1s}
classes: {q: {per_boot: 1, keys: 10, ttl: 10s, fetch: missing}}
pools: {main: {capacity: 1k/s, queue_limit: 20, timeout: 10s}}
initial: cold
`, []float64{4, 20})
	const nu, expire = 0.2, 0.1
	mean := func(from, to float64) float64 {
		rest, r := expire/(nu+expire), nu+expire
		return rest + (1-rest)*(math.Exp(-r*from)-math.Exp(-r*to))/(r*(to-from))
	}
	// Simpson's rule errs by at most (r h)^4/180 of the transient, h an eighth of the window.
	for row, c := range []struct{ want, tol float64 }{{mean(0, 4), 3e-6}, {mean(4, 20), 8e-4}} {
		if got := 1 - p.at(row, "hit_rate.q"); math.Abs(got-c.want) > c.tol {
			t.Errorf("cold share in window %d = %.9g, want %.9g", row, got, c.want)
		}
	}
}
