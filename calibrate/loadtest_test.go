package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

func mm1(t testing.TB) model.Pool { return scenariotest.Parse(t, shop).Pools[0].Value }

// The latency of M/M/1 is 1/(μ − λ), and a read is late with probability e^{−(μ−λ)τ}.
func TestAtRestExact(t *testing.T) {
	pool := mm1(t)
	pool.QueueLimit, pool.Timeout = math.Inf(1), 0.05
	sc := oneRead(pool)
	for _, load := range []float64{10, 50, 90} {
		at, err := atRest(sc, load)
		if err != nil {
			t.Fatal(err)
		}
		numtest.Check(t, "latency", at["latency"], 1/(100-load), 1e-6, 0)
		numtest.Check(t, "late", at["timeout_share"], math.Exp(-(100-load)*0.05), 1e-6, 0)
	}
}

// A pool is found from its load test: capacity 100/s, service_scv 2 (Pollaczek and
// Khinchine: waiting ρ(1 + c²)/(2(μ − λ))).
func TestPoolFromLoadTestExact(t *testing.T) {
	pool := mm1(t)
	pool.QueueLimit, pool.Timeout = math.Inf(1), math.Inf(1)
	test := &LoadTest{}
	r := rand.New(rand.NewPCG(1, 9))
	for load := 5.0; load < 95; load += 5 {
		test.Load = append(test.Load, load)
		wait := load / 100 * 3 / 2 / (100 - load)
		test.Latency = append(test.Latency, (0.01+wait)*(1+0.01*r.NormFloat64()))
	}
	p, err := test.Pool(pool, []Param{{Name: "capacity", Lo: 96, Hi: 300, Log: true}, {Name: "service_scv", Lo: 0.1, Hi: 10, Log: true}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(p, &Settings{Starts: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, truth := range []float64{100, 2} {
		pr, err := f.Profile(p.Params[i].Name, 0.99)
		if err != nil {
			t.Fatal(err)
		}
		if !(pr.Lo < truth && truth < pr.Hi && pr.Hi-pr.Lo < 0.2*truth) {
			t.Errorf("%v, want around %g", pr, truth)
		}
	}
	numtest.Check(t, "scale of the noise", f.Scales[0], 0.01, 0.5, 0) // 18 values: 17 % standard error
	if _, err := test.Pool(pool, []Param{{Name: "capcity", Lo: 1, Hi: 2}}); err == nil {
		t.Error("an unknown number of a pool is taken")
	}
	// Its measured curve takes the place of the queue.
	curve, err := test.Curve()
	if err != nil {
		t.Fatal(err)
	}
	sc := oneRead(model.Pool{Shards: 1, Capacity: 100, QueueLimit: math.Inf(1), Timeout: math.Inf(1), Discipline: "fifo", QueueLaw: "panjer", ArrivalSCV: 1, ServiceSCV: 1, Background: model.Background{Follows: "none"}, ServiceCurve: curve})
	at, err := atRest(sc, 50)
	if err != nil {
		t.Fatal(err)
	}
	numtest.Check(t, "latency at 50/s", at["latency"], test.Latency[9], 1e-9, 0)
}

// Points of the law itself, and its peak √((1 − σ)/κ) (Gunther 2007, equation 6.2).
func TestUSLExact(t *testing.T) {
	truth := USL{Lambda: 95, Sigma: 0.05, Kappa: 0.0008}
	var n, x []float64
	for _, c := range []float64{1, 2, 4, 8, 12, 16, 24, 32, 48, 64} {
		n, x = append(n, c), append(x, truth.Throughput(c))
	}
	p, err := USLProblem(n, x, Noise{Kind: Relative})
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(p, &Settings{Starts: 4})
	if err != nil {
		t.Fatal(err)
	}
	numtest.CheckSlice(t, "law", f.Values, []float64{95, 0.05, 0.0008}, 1e-4, 0)
	numtest.Check(t, "peak", truth.Peak(), math.Sqrt(0.95/0.0008), 1e-12, 0)
	for d := -1.0; d <= 1; d += 2 {
		if truth.Throughput(truth.Peak()+d) > truth.Throughput(truth.Peak()) {
			t.Errorf("more is served beside the peak")
		}
	}
	c := truth.ServiceCurve(1000, math.Inf(1))
	for i := range c.Load {
		if i > 0 && !(c.Load[i] > c.Load[i-1] && c.Latency[i] > c.Latency[i-1]) || c.Timeout[i] != 0 {
			t.Errorf("point %d of the curve: %g/s, %g s, %g late", i, c.Load[i], c.Latency[i], c.Timeout[i])
		}
	}
	if _, err := USLProblem([]float64{0, 1, 2}, []float64{0, 1, 2}, Noise{}); err == nil {
		t.Error("no clients are taken")
	}
}

// The SPEC SDM91 benchmark (Gunther 2007, Guerrilla Capacity Planning): users and scripts an
// hour. Least squares are published by the R package usl (Gunther and Moeding), example of its
// README: alpha 0.0277285 (standard error 0.0091217), beta 0.0001044 (0.0000199), gamma
// 89.9952330 (14.2134894), with 4 degrees of freedom and a residual standard error of 82.8;
// the throughput is highest at 96.5 users, and at most gamma/alpha = 3245.
func TestUSLOfSDM91Exact(t *testing.T) {
	p, err := USLProblem([]float64{1, 18, 36, 72, 108, 144, 216}, []float64{64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2}, Noise{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(p, &Settings{Starts: 6, Independent: true})
	if err != nil {
		t.Fatal(err)
	}
	numtest.Check(t, "gamma", f.Values[0], 89.995233, 1e-6, 0)
	numtest.Check(t, "alpha", f.Values[1], 0.0277285, 0, 5e-8)
	numtest.Check(t, "beta", f.Values[2], 0.0001044, 0, 5e-8)
	numtest.Check(t, "residual standard error", f.Scales[0]*math.Sqrt(7.0/4), 82.8, 0, 0.05)
	id := f.Identify() // with the most likely variance, which divides by 7, and of logarithms
	for i, want := range []float64{14.2134894 / 89.995233, 0.0091217, 0.0000199 / 0.0001044} {
		numtest.Check(t, "standard error of "+p.Params[i].Name, id.SD[i]*math.Sqrt(7.0/4), want, 3e-3, 0)
	}
	u := USL{f.Values[0], f.Values[1], f.Values[2]}
	numtest.Check(t, "peak", u.Peak(), 96.5, 0, 0.05)
	numtest.Check(t, "ceiling", u.Lambda/u.Sigma, 3245, 0, 1)
}
