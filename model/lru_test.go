package model

import (
	"container/list"
	"math"
	"math/rand/v2"
	"testing"
)

// A simulated LRU cache into which a miss inserts with probability o: hit rates and
// occupancies agree with the characteristic time for each o. 400 keys, 60 entries,
// Zipf 0.8, two million requests: the standard error of the hit rate is below 5e-4; the
// approximation itself is good to half a percent at this size (Che 2002).
func TestEvictionAgainstSimulation(t *testing.T) {
	const keys, size, alpha = 400, 60, 0.8
	s := compiled(t, ranked(keys, alpha), map[string]float64{"cache.size": size})
	s.Reset()
	if _, err := s.Start(); err != nil {
		t.Fatal(err)
	}
	c, k := &s.now.par.class[0], &s.work.class[0]
	for _, o := range []float64{1, 0.3, 0.02} {
		k.rate, k.o = 1, o
		lo, hi := -5.0, 40.0
		for range 100 {
			mid := (lo + hi) / 2
			if s.evict(mid, false); s.work.lruRes < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		k.drive[driveFill], k.drive[driveAccess] = o, 1
		want := 0.0
		for b, r := range c.rho {
			fill, loss := c.binRate(r, &k.drive)
			want += c.pi[b] * fill / (fill + loss)
		}
		got := simulateLRU(c.pi, size, o)
		if math.Abs(got-want) > 0.01*want {
			t.Errorf("o = %g: hit rate %.4f, simulated %.4f", o, want, got)
		}
	}
}

// simulateLRU returns the hit rate of the second half of two million requests.
func simulateLRU(pi []float64, size int, o float64) float64 {
	r := rand.New(rand.NewPCG(11, 12))
	sum := make([]float64, len(pi))
	total := 0.0
	for i, p := range pi {
		total += p
		sum[i] = total
	}
	order, at := list.New(), make([]*list.Element, len(pi))
	const requests = 2_000_000
	hits := 0
	for n := range requests {
		u, key := r.Float64()*total, 0
		for lo, hi := 0, len(sum)-1; lo <= hi; {
			if mid := (lo + hi) / 2; sum[mid] < u {
				lo = mid + 1
			} else {
				key, hi = mid, mid-1
			}
		}
		if e := at[key]; e != nil {
			order.MoveToFront(e)
			if n >= requests/2 {
				hits++
			}
			continue
		}
		if r.Float64() >= o {
			continue
		}
		if order.Len() == size {
			oldest := order.Back()
			at[oldest.Value.(int)] = nil
			order.Remove(oldest)
		}
		at[key] = order.PushFront(key)
	}
	return float64(hits) / (requests / 2)
}
