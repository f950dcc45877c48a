// Package audit finds the cached queries that hide a load which their database cannot
// carry: it works out, from an inventory of queries with their rates and hit rates, what
// each would ask of its pool if the cache lost content.
package audit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Query is a cached query of an inventory.
type Query struct {
	Name    string
	Pool    string  // by name
	Rate    float64 // requests/s
	HitRate float64 // of one key, 0 to 1
	Keys    float64 // keys of one request, ≥ 1
	Scatter bool    // every shard is asked; otherwise the owners of the keys
	Missing bool    // only the missing keys are read; otherwise all keys of a request that misses one

	// VisitCost and KeyCost are the work units of asking a shard and of looking up a key:
	// one unit is a point read.
	VisitCost, KeyCost float64

	TTL float64 // s; +Inf: entries do not expire. No load depends on it.
}

// A Pool is a database pool: so many shards that each do Capacity work units/s, of which
// Background/s go to what is not cached.
type Pool struct {
	Name                 string
	Shards               float64
	Capacity, Background float64 // work units/s of one shard
}

// work returns the work units/s that the query brings to a shard of its pool at a hit
// rate. With fetch all a request with one miss reads all its m keys: it misses with
// probability 1 − hᵐ, keys taken as alike. A scatter costs every shard the visit and
// every key; a keyed read costs the owner of each key both (docs/model.md, "Load").
func (q *Query) work(hit, shards float64) float64 {
	misses := 0 - math.Expm1(q.Keys*math.Log(hit)) // P(a request misses something), never −0
	if hit <= 0 {
		misses = 1
	}
	read := q.Keys * misses
	if q.Missing {
		read = q.Keys * (1 - hit)
	}
	if q.Scatter {
		return q.Rate * (q.VisitCost*misses + q.KeyCost*read)
	}
	return q.Rate * (q.VisitCost + q.KeyCost) * read / shards
}

// Losses are the shares of hit rate at which loads are listed.
var Losses = []float64{0.01, 0.05, 0.25}

// A Remedy is a change of one query, or of the capacity of its pool. All other queries stay
// as they are.
type Remedy struct {
	Name  string
	Loads []float64 // of the pool over its capacity when the query loses so much; see Losses
	Cold  float64   // the same when it loses all
	Bears float64   // share of its hit rate that it may lose before the pool saturates
}

// A Finding is what a query hides.
type Finding struct {
	Query
	Now        float64   // load that it brings to its pool over the capacity
	Cold       float64   // the same with nothing of it cached
	Loads      []float64 // of the whole pool over its capacity when this query alone loses so much of its hit rate; see Losses
	Elasticity float64   // relative growth of the query's load per relative growth of its misses, now

	// Bears is the share of its hit rate that this query alone may lose before the pool
	// saturates, 1 if it may lose all, and Saturates the hit rate that is left then, NaN
	// if it may lose all.
	Bears, Saturates float64

	// LoadBearing: with this query's cache empty and all others as they are the pool
	// is past its capacity.
	LoadBearing bool

	Remedies []Remedy // what would change it, the best first
	Sentence string   // what a reviewer needs
}

// A PoolFinding is what the queries of a pool hide together.
type PoolFinding struct {
	Pool
	Now, Cold   float64   // load over capacity, now and with empty caches (the cold-load ratio)
	Loads       []float64 // when all queries lose so much; see Losses
	Bears       float64   // share of the hit rates that all may lose before it saturates; 1 if all of them
	LoadBearing bool      // Cold > 1
}

// A Report is the findings, those that hide most first: the queries by what they bear,
// then by their cold load.
type Report struct {
	Queries []Finding
	Pools   []PoolFinding
}

// Run audits an inventory. It fails on one without queries, on values out of range, on
// pools that are there twice and on queries of unknown pools, naming them. Formulas: those of
// the model at given hit rates (docs/model.md, "Load").
func Run(queries []Query, pools []Pool) (*Report, error) {
	if len(queries) == 0 {
		return nil, errors.New("audit: no queries")
	}
	a := &auditor{queries: queries}
	for _, p := range pools {
		if !(p.Shards >= 1 && p.Capacity > 0 && p.Background >= 0) || math.IsInf(p.Shards+p.Capacity+p.Background, 1) {
			return nil, fmt.Errorf("audit: pool %q: %g shards of %g work units/s with a background of %g", p.Name, p.Shards, p.Capacity, p.Background)
		}
		if a.pool(p.Name) != nil {
			return nil, fmt.Errorf("audit: pool %q is there twice", p.Name)
		}
		a.pools = append(a.pools, p)
	}
	for i := range queries {
		if err := queries[i].check(a); err != nil {
			return nil, err
		}
	}
	r := &Report{}
	for i := range queries {
		r.Queries = append(r.Queries, a.finding(i))
	}
	for i := range a.pools {
		r.Pools = append(r.Pools, a.poolFinding(&a.pools[i]))
	}
	slices.SortStableFunc(r.Queries, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.Bears, y.Bears), -cmp.Compare(x.Cold, y.Cold))
	})
	slices.SortStableFunc(r.Pools, func(x, y PoolFinding) int {
		return cmp.Or(cmp.Compare(x.Bears, y.Bears), -cmp.Compare(x.Cold, y.Cold))
	})
	return r, nil
}

func (q *Query) check(a *auditor) error {
	for _, f := range []struct {
		name   string
		v      float64
		lo, hi float64
	}{
		{"rate", q.Rate, 0, 1e12},
		{"hit rate", q.HitRate, 0, 1},
		{"keys per request", q.Keys, 1, 1e9},
		{"visit cost", q.VisitCost, 0, 1e9},
		{"key cost", q.KeyCost, 0, 1e9},
	} {
		if !(f.v >= f.lo && f.v <= f.hi) {
			return fmt.Errorf("audit: query %q: %s %g outside %g to %g", q.Name, f.name, f.v, f.lo, f.hi)
		}
	}
	if a.pool(q.Pool) == nil {
		var names []string
		for _, p := range a.pools {
			names = append(names, p.Name)
		}
		return fmt.Errorf("audit: query %q: no pool is called %q; there are %s", q.Name, q.Pool, Quoted(names))
	}
	return nil
}

type auditor struct {
	queries []Query
	pools   []Pool
}

func (a *auditor) pool(name string) *Pool {
	for i := range a.pools {
		if a.pools[i].Name == name {
			return &a.pools[i]
		}
	}
	return nil
}

// load returns the load of a pool over its capacity when its queries have lost the shares
// that loss gives of their hit rates, with the query at index swap, unless −1, replaced.
func (a *auditor) load(p *Pool, loss func(i int) float64, swap int, with *Query) float64 {
	w := p.Background
	for i := range a.queries {
		q := &a.queries[i]
		if i == swap {
			q = with
		}
		if q.Pool == p.Name {
			w += q.work(q.HitRate*(1-loss(i)), p.Shards)
		}
	}
	return w / p.Capacity
}

// bears returns the largest loss at which the load is at most 1.
func bears(load func(loss float64) float64) float64 {
	lo, hi := 0.0, 1.0
	if load(hi) <= 1 {
		return 1
	}
	if load(lo) > 1 {
		return 0
	}
	for hi-lo > 1e-9 {
		if mid := (lo + hi) / 2; load(mid) <= 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// alone is the load of the pool when the query at index i alone loses a share.
func (a *auditor) alone(p *Pool, i int, q *Query, loss float64) float64 {
	return a.load(p, func(k int) float64 {
		if k == i {
			return loss
		}
		return 0
	}, i, q)
}

func (a *auditor) finding(i int) Finding {
	q := &a.queries[i]
	p := a.pool(q.Pool)
	f := Finding{
		Query:      *q,
		Now:        q.work(q.HitRate, p.Shards) / p.Capacity,
		Cold:       q.work(0, p.Shards) / p.Capacity,
		Elasticity: q.elasticity(p.Shards),
		Saturates:  math.NaN(),
	}
	f.Bears = bears(func(x float64) float64 { return a.alone(p, i, q, x) })
	f.LoadBearing = f.Bears < 1
	if f.LoadBearing {
		f.Saturates = q.HitRate * (1 - f.Bears)
	}
	for _, x := range Losses {
		f.Loads = append(f.Loads, a.alone(p, i, q, x))
	}
	for _, r := range q.remedies() {
		pool := *p
		pool.Capacity *= r.capacity
		rem := Remedy{Name: r.name, Cold: a.alone(&pool, i, &r.query, 1)}
		for _, x := range Losses {
			rem.Loads = append(rem.Loads, a.alone(&pool, i, &r.query, x))
		}
		rem.Bears = bears(func(x float64) float64 { return a.alone(&pool, i, &r.query, x) })
		f.Remedies = append(f.Remedies, rem)
	}
	slices.SortStableFunc(f.Remedies, func(x, y Remedy) int {
		return cmp.Or(-cmp.Compare(x.Bears, y.Bears), cmp.Compare(x.Cold, y.Cold))
	})
	f.Sentence = sentence(&f, p)
	return f
}

// elasticity is d ln work / d ln (1 − h) at the hit rate of the query, 1 where it has no
// misses to grow.
func (q *Query) elasticity(shards float64) float64 {
	miss, h := 1-q.HitRate, q.HitRate
	if miss == 0 || q.work(h, shards) == 0 {
		return 1
	}
	const step = 1e-6
	up, down := q.work(1-miss*(1+step), shards), q.work(1-miss*(1-step), shards)
	if miss*(1+step) > 1 {
		return 0 // nothing hits: it cannot grow
	}
	return (math.Log(up) - math.Log(down)) / (math.Log1p(step) - math.Log1p(-step))
}

func (a *auditor) poolFinding(p *Pool) PoolFinding {
	all := func(x float64) float64 { return a.load(p, func(int) float64 { return x }, -1, nil) }
	f := PoolFinding{Pool: *p, Now: all(0), Cold: all(1), Bears: bears(all)}
	f.LoadBearing = f.Cold > 1
	for _, x := range Losses {
		f.Loads = append(f.Loads, all(x))
	}
	return f
}

// A change is what a remedy does to the query and to the capacity of its pool.
type change struct {
	name     string
	query    Query
	capacity float64
}

func (q *Query) remedies() []change {
	var out []change
	if !q.Missing && q.Keys > 1 {
		c := change{"reading only what is missing", *q, 1}
		c.query.Missing = true
		out = append(out, c)
	}
	if q.Scatter {
		c := change{"asking only the owning shards", *q, 1}
		c.query.Scatter = false
		out = append(out, c)
	}
	return append(out, change{"twice the capacity", *q, 2})
}
