package des

import (
	"fmt"
	"math"
)

// thin warns of what a scale leaves too little of for the smaller system to be like the
// whole.
func (p *plan) thin() (warnings []error) {
	if p.set.Scale == 1 {
		return nil
	}
	warn := func(format string, args ...any) {
		warnings = append(warnings, fmt.Errorf("des: scale %g leaves "+format+"; a larger one may mend it", append([]any{p.set.Scale}, args...)...))
	}
	const few = 10
	e := &p.epochs[len(p.epochs)-1]
	for q := range e.class {
		c := &e.class[q]
		if keys := float64(len(p.spaces[q].weights)); c.cached && keys < few*c.m {
			warn("%g keys in classes.%s for requests of %g", keys, p.classes[q], c.m)
		}
	}
	if p.room > 0 && p.room < few {
		warn("room for %d keys on each of %d cache nodes", p.room, p.nodes)
	}
	for i, shards := range p.shards {
		par := &e.pool[i]
		w := p.query(e, i)
		if whole := p.size(i, e.sc.Pools[i].Value.Shards); math.Abs(whole-1) > 0.1 && !p.narrow[i] {
			warn("%d shards in pools.%s that are %.2g times as large", shards, p.pools[i], whole)
		}
		if n := par.limit / w; n < few {
			warn("room for %.2g queries before a shard of pools.%s refuses", n, p.pools[i])
		}
		if n := par.tau * par.mu / w; n < few {
			warn("the time for %.2g queries at a shard of pools.%s until a time-out", n, p.pools[i])
		}
	}
	if n := e.boots.v * p.set.Every; n < few {
		warn("%.2g boots in a window of %g s", n, p.set.Every)
	}
	return warnings
}

// query is the work of a class's query at a shard of a pool, the largest of the classes.
func (p *plan) query(e *epoch, pool int) float64 {
	w := 0.0
	for q := range e.class {
		c := &e.class[q]
		if c.pool != pool {
			continue
		}
		one := c.visit + c.key
		if c.scatter && !c.missing {
			one = c.visit + c.key*c.m
		}
		w = max(w, one)
	}
	return w
}
