package markov

import (
	"math"
	"testing"
)

// mm1 is the number in an M/M/1/K queue.
func mm1(lambda, mu float64, k int) *Chain {
	return NewChain(k+1, func(i int, add func(int, float64)) {
		if i < k {
			add(i+1, lambda)
		}
		if i > 0 {
			add(i-1, mu)
		}
	})
}

func at(state int) func(int) bool { return func(i int) bool { return i == state } }

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Abs(want)) {
		t.Errorf("%s: got %.14g, want %.14g (off by %.2g)", what, got, want, math.Abs(got/want-1))
	}
}

// The values are those of the recursion m_{i+1} = 1/λ + (μ/λ) m_i for the time from i to
// i+1, printed to 12 digits.
func TestExactFirstPassage(t *testing.T) {
	for _, c := range []struct {
		lambda, mu float64
		k, from    int
		to         int
		want       float64
	}{
		{.2, .5, 100, 0, 100, 3.45723070992e40},
		{9.5, 10, 100, 0, 100, 6516.15278827},
		{.5, 1, 20, 0, 20, 4194260},
		{9.5, 10, 100, 100, 0, 162.22498011},
		{11, 10, 100, 100, 0, 151475.735738},
	} {
		mean, _, err := mm1(c.lambda, c.mu, c.k).HittingTimes(at(c.to))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "mean", mean[c.from], c.want, 1e-11) // 12 printed digits
	}
}

// M/M/1/K blocking; Erlang B and C and the abandonment of M/M/c+M (Erlang A), printed to
// 12 and 10 digits, see for instance Gross, Shortle, Thompson & Harris, Fundamentals of
// Queueing Theory (2008), sections 2.5 to 2.10.
func TestExactQueues(t *testing.T) {
	for _, c := range []struct {
		rho  float64
		k    int
		want float64
	}{{.5, 5, .015873015873}, {.9, 10, .0508137313274}, {1.5, 10, .337232080138}} {
		pi, err := mm1(c.rho, 1, c.k).Stationary()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "blocking", pi[c.k], c.want, 1e-10)
	}
	servers := func(lambda, theta float64, c, k int) []float64 {
		pi, err := NewChain(k+1, func(i int, add func(int, float64)) {
			if i < k {
				add(i+1, lambda)
			}
			if i > 0 {
				add(i-1, float64(min(i, c))+theta*float64(max(0, i-c)))
			}
		}).Stationary()
		if err != nil {
			t.Fatal(err)
		}
		return pi
	}
	near(t, "Erlang B", servers(8, 0, 10, 10)[10], .121661064253, 1e-10)
	wait, lost := 0.0, 0.0
	for i, p := range servers(8, 0, 10, 200) { // 0.8^190 is cut off: 4e-19
		if i >= 10 {
			wait += p
		}
	}
	near(t, "Erlang C", wait, .409180150796, 1e-10)
	for i, p := range servers(120, 1, 100, 400) {
		lost += p * math.Max(0, float64(i-100)) / 120
	}
	near(t, "Erlang A", lost, .1676929557, 1e-9)
}

// schlogl is Schlögl's reaction A + 2X ⇄ 3X, B ⇄ X with its classical constants: c1 3e-7,
// c2 1e-4, c3 1e-3, c4 3.5, N1 1e5, N2 2e5.
func schlogl(top int) *Chain {
	return NewChain(top+1, func(i int, add func(int, float64)) {
		x := float64(i)
		if i < top {
			add(i+1, 3e-7*1e5*x*(x-1)/2+1e-3*2e5)
		}
		if i > 0 {
			add(i-1, 1e-4*x*(x-1)*(x-2)/6+3.5*x)
		}
	})
}

// The switching times are those of the birth–death recursion, printed to 12 digits.
func TestExactSchloglSwitching(t *testing.T) {
	c := schlogl(1500)
	up, _, err := c.HittingTimes(at(570))
	if err != nil {
		t.Fatal(err)
	}
	down, _, err := c.HittingTimes(at(85))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "85 to 570", up[85], 50307.8238841, 1e-11)
	near(t, "570 to 85", down[570], 178099.010331, 1e-11)
}

// The time from 1 to 0 of M/M/1 is a busy period: mean 1/(μ−λ), second moment
// 2μ/(μ−λ)³.
func TestExactSecondMoment(t *testing.T) {
	mean, second, err := mm1(.5, 1, 200).HittingTimes(at(0))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", mean[1], 2, 1e-12)
	near(t, "second moment", second[1], 16, 1e-12)
}

// Gambler's ruin from i between 0 and K: (r^i − 1)/(r^K − 1), r = μ/λ.
func TestExactCommittor(t *testing.T) {
	q, err := mm1(2, 3, 60).Committor(at(0), at(60))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{1, 30, 59} {
		near(t, "committor", q[i], (math.Pow(1.5, float64(i))-1)/(math.Pow(1.5, 60)-1), 1e-12)
	}
}

// A chain in two dimensions against the product of two queues.
func TestExactProduct(t *testing.T) {
	const n, m = 12, 7
	a, _ := mm1(.7, 1, n-1).Stationary()
	b, _ := mm1(3, 2, m-1).Stationary()
	pi, err := NewChain(n*m, func(i int, add func(int, float64)) {
		x, y := i/m, i%m
		if x < n-1 {
			add(i+m, .7)
		}
		if x > 0 {
			add(i-m, 1)
		}
		if y < m-1 {
			add(i+1, 3)
		}
		if y > 0 {
			add(i-1, 2)
		}
	}).Stationary()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pi {
		near(t, "product", p, a[i/m]*b[i%m], 1e-13)
	}
}

func TestInvariantUnreachable(t *testing.T) {
	split := NewChain(4, func(i int, add func(int, float64)) { add(i^1, 1) })
	if _, err := split.Stationary(); err != ErrUnreachable {
		t.Errorf("stationary law of a chain in two parts: %v", err)
	}
	if _, _, err := split.HittingTimes(at(0)); err != ErrUnreachable {
		t.Errorf("hitting times of a chain in two parts: %v", err)
	}
}
