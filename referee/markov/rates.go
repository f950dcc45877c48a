package markov

import "math"

// chain returns the chain on a grid.
func (r *rates) chain(g Grid) *Chain {
	late := make([]float64, g.Queue) // that of the last place is never asked for with a limit
	for n := range late {
		late[n] = r.late(n)
	}
	if r.cached {
		return r.cacheChain(g, late)
	}
	return r.orbitChain(g, late)
}

// dwell is the mean time in the orbit: the backoff, and before it, for the failures that
// are time-outs, the time-out.
func (r *rates) dwell() float64 {
	if share := r.failing().late; share > 0 && !math.IsInf(r.timeout, 1) {
		return r.wait + share*r.timeout
	}
	return r.wait
}

// orbitChain is the chain of queries in system and clients that wait to come back.
func (r *rates) orbitChain(g Grid, late []float64) *Chain {
	full, edge, dwell := g.Queue-1, g.Other-1, r.dwell()
	return NewChain(g.Len(), func(i int, add func(int, float64)) {
		n, m := g.At(i)
		back := 0.0
		if m > 0 {
			back = math.Min(float64(m)/dwell, r.retriesAtMost())
		}
		next, slow := min(n+1, full), late[n]
		if n == full { // refused
			slow = 1
		}
		again := r.again(slow)
		for _, a := range []struct {
			rate float64
			from int // clients in the orbit without this one
		}{{r.first, m}, {back, m - 1}} {
			if a.rate == 0 {
				continue
			}
			into := min(a.from+1, edge)
			add(g.Index(next, into), a.rate*slow*again)
			add(g.Index(next, a.from), a.rate*(1-slow*again))
		}
		add(g.Index(next, m), r.background)
		if n > 0 {
			add(g.Index(n-1, m), r.serve)
		}
	})
}

// cacheChain is the chain of queries in system and keys that are not in the cache.
func (r *rates) cacheChain(g Grid, late []float64) *Chain {
	full, keys := g.Queue-1, float64(g.Other-1)
	return NewChain(g.Len(), func(i int, add func(int, float64)) {
		n, cold := g.At(i)
		if n < full {
			misses := r.first * float64(cold) / keys
			lost := late[n]
			if r.lateFill {
				lost = 0
			}
			add(g.Index(n+1, max(0, cold-1)), misses*(1-lost))
			add(g.Index(n+1, cold), misses*lost+r.background)
		}
		if warm := keys - float64(cold); warm > 0 {
			add(g.Index(n, cold+1), warm/r.ttl)
		}
		if n > 0 {
			add(g.Index(n-1, cold), r.serve)
		}
	})
}
