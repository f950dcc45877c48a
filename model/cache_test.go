package model

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/special"
)

// cacheFile is one key a request, on a pool that never fails.
const cacheFile = `
name: cache
duration: 10h
traffic: {boots: 50/s, session_length: 1s}
classes: {q: {per_boot: 1, keys_per_request: 1, keys: 1000, popularity: {zipf: 1, bins: 1000}, ttl: never}}
pools: {p: {capacity: 500/s, background: 100/s}}
`

// Characteristic time in requests and hit rate of an LRU cache (Che, Tung & Wang
// 2002) with N keys, room for C, and Zipf exponent α: solutions of
// Σ 1 − e^{−π T} = C to all printed digits. Exact LRU (100, 10, 0.8) has the hit rate
// 0.2642807138. With a bin for every rank the model is that equation.
func TestCheExact(t *testing.T) {
	for _, c := range []struct {
		n, size, alpha float64
		requests, hit  float64
	}{
		{1000, 200, 1, 463.9553693, 0.6973846331},
		{100, 10, 0.8, 0, 0.2632608254},
	} {
		s := compiled(t, ranked(c.n, c.alpha), map[string]float64{"cache.size": c.size})
		y := started(t, s)
		name := fmt.Sprintf("N %g, C %g, α %g: ", c.n, c.size, c.alpha)
		numtest.Check(t, name+"hit rate", observed(s, 0, y)["hit_rate.q"], c.hit, 1e-9, 0)
		if c.requests > 0 {
			numtest.Check(t, name+"T_C", math.Exp(y[s.lay.lru]), c.requests, 1e-9, 0)
		}
		full := 0.0
		for b, x := range y[:s.lay.z] {
			full += x * s.pieces[0].par.class[0].keysIn[b]
		}
		numtest.Check(t, name+"entries", full, c.size, 1e-11, 0)
	}
}

// ranked is cacheFile with n keys and a bin for each.
func ranked(n, alpha float64) string {
	var b strings.Builder
	sum := 0.0
	for k := 1.0; k <= n; k++ {
		sum += math.Pow(k, -alpha)
	}
	for k := 1.0; k <= n; k++ {
		fmt.Fprintf(&b, "[%.17g, %.17g],", 1/n, math.Pow(k, -alpha)/sum)
	}
	f := strings.Replace(cacheFile, "{zipf: 1, bins: 1000}", "{weights: ["+strings.TrimSuffix(b.String(), ",")+"]}", 1)
	return strings.Replace(f, "keys: 1000", fmt.Sprintf("keys: %g", n), 1)
}

// A million keys, room for 10 %: Che's hit rate is 0.7793571707. Keys of one bin
// count as equally popular, which costs accuracy that more bins buy back.
func TestCheBinsConvergence(t *testing.T) {
	const want = 0.7793571707
	last := math.Inf(1)
	for _, bins := range []float64{24, 100, 400} {
		s := compiled(t, cacheFile, map[string]float64{
			"classes.q.keys": 1e6, "cache.size": 1e5, "classes.q.popularity.bins": bins,
		})
		err := math.Abs(observed(s, 0, started(t, s))["hit_rate.q"] - want)
		if err > last/8 {
			t.Errorf("%g bins: off by %g after %g, want about a 16th: the error is of order 2", bins, err, last)
		}
		last = err
	}
	if last > 1e-5 {
		t.Errorf("400 bins: off by %g", last)
	}
}

// An expiry that is not renewed: x = νT/(1 + νT), whatever the law of the TTL.
func TestTTLExact(t *testing.T) {
	for _, law := range []string{"exponential", "{stages: 5}", "fixed"} {
		for _, ttl := range []float64{1, 300, 1e6} {
			s := compiled(t, strings.Replace(cacheFile, "ttl: never", "ttl: 1s, ttl_law: "+law, 1), map[string]float64{
				"classes.q.ttl": ttl, "classes.q.popularity.bins": 10, "classes.q.keys_per_request": 4,
			})
			y := started(t, s)
			c, l := &s.pieces[0].par.class[0], s.lay.class[0]
			hit := 0.0
			for b, pi := range c.pi {
				nu := 50 * 4 * pi / c.keysIn[b] // every read succeeds
				x := nu * ttl / (1 + nu*ttl)
				hit += pi * x
				numtest.Check(t, fmt.Sprintf("TTL %g, %s, bin %d", ttl, law, b), total(y[l.at+b*l.k:l.at+(b+1)*l.k]), x, 1e-10, 0)
			}
			numtest.Check(t, "hit rate", observed(s, 0, y)["hit_rate.q"], hit, 1e-10, 0)
		}
	}
}

// When nothing fills, content decays as e^{−t/T}. With k stages of an old population,
// every stage alike, what is left is the mean of the chances that 1…k stages of rate
// k/T take longer than t.
func TestDecayExact(t *testing.T) {
	const ttl, quiet = 600.0, 60.0
	for _, k := range []int{1, 4} {
		file := strings.Replace(cacheFile, "ttl: never", fmt.Sprintf("ttl: %gs, ttl_law: {stages: %d}", ttl, k), 1)
		file = strings.Replace(file, "bins: 1000", "bins: 10", 1)
		s := compiled(t, file+"timeline: [{at: 1m, traffic: 0%}]", nil)
		var x0 []float64
		integrated(t, s, ode.Settings{RTol: 1e-9}, []float64{quiet, 300, 700, 3000}, func(at float64, y []float64) {
			left := 0.0
			for i := 1; i <= k; i++ {
				q, _ := special.GammaQ(float64(i), float64(k)*(at-quiet)/ttl)
				left += q / float64(k)
			}
			for b := range s.lay.class[0].bins {
				x := total(y[b*k : (b+1)*k])
				if at == quiet {
					x0 = append(x0, x)
				}
				numtest.Check(t, fmt.Sprintf("%d stages, bin %d at %g s", k, b, at), x, x0[b]*left, 1e-7, 1e-9)
			}
		})
	}
}

// One bin is the single-pool cache, and without a preference (α = 0) accesses fall on
// bins as keys do.
func TestBinsExact(t *testing.T) {
	s := compiled(t, strings.Replace(cacheFile, "ttl: never", "ttl: 1h", 1), map[string]float64{"classes.q.popularity.bins": 1})
	y := started(t, s)
	nu := 50.0 / 1000
	numtest.Check(t, "one bin", y[0], nu*3600/(1+nu*3600), 1e-12, 0)

	s = compiled(t, cacheFile, map[string]float64{"classes.q.popularity.zipf": 0, "classes.q.popularity.bins": 24})
	c := s.pieces[0].par.class[0]
	if len(c.pi) < 15 {
		t.Errorf("%d bins left of 24", len(c.pi))
	}
	for b, pi := range c.pi {
		numtest.Check(t, "α = 0: share of accesses", pi, c.keysIn[b]/1000, 1e-14, 0)
	}
}
