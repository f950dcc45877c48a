package model

import (
	"fmt"
	"math"
	"slices"
)

// Compile turns the scenario into a [System]. It fails when the scenario has a part
// that the equations cannot carry, or when a change of the timeline would alter the
// layout of the state.
func (sc *Scenario) Compile() (*System, error) { return sc.compile(nil) }

// Recompile is Compile with the tables of a system compiled before, as far as they are the
// same; nil: none.
func (sc *Scenario) Recompile(before *System) (*System, error) {
	if before == nil {
		return sc.Compile()
	}
	return sc.compile(before.tables)
}

func (sc *Scenario) compile(older *tables) (*System, error) {
	s := &System{name: sc.Name, end: sc.Duration, initial: sc.Initial, tables: newTables(older)}
	par, err := sc.params(s.tables)
	if err != nil {
		return nil, err
	}
	for _, c := range sc.Classes {
		s.classes = append(s.classes, c.Name)
	}
	for _, p := range sc.Pools {
		s.pools = append(s.pools, p.Name)
	}
	s.lay = newLayout(sc, par)
	if err := s.schedule(sc, par); err != nil {
		return nil, err
	}
	s.tables.older = nil
	s.work = newScratch(&s.lay)
	s.arr = newArrow(&s.lay)
	s.mem = s.newMemory()
	s.Reset()
	return s, nil
}

func (sc *Scenario) params(t *tables) (*params, error) {
	p := &params{
		boots:   sc.Traffic.Boots,
		session: sc.Traffic.SessionLength,
		giveUp:  sc.Clients.GiveUp,
		budget:  sc.Clients.RetryBudget,
		size:    sc.Cache.Size,
	}
	p.wait, p.lastFeeds = sc.Clients.waits()
	for _, c := range sc.Classes {
		k, err := sc.class(c.Name, c.Value, t)
		if err != nil {
			return nil, err
		}
		if k.cached {
			p.keys += c.Value.Keys
		}
		p.class = append(p.class, k)
	}
	for _, c := range sc.Pools {
		k, err := c.Value.compile()
		if err != nil {
			return nil, fmt.Errorf("pools.%s: %w", c.Name, err)
		}
		p.pool = append(p.pool, k)
	}
	if p.keys <= p.size {
		p.size = math.Inf(1)
	}
	for q := range p.class {
		p.class[q].drives = p.class[q].driveList(!math.IsInf(p.size, 1))
	}
	return p, nil
}

// waits returns the mean wait of each backoff stage and whether the last one feeds
// itself: it does unless the number of attempts is limited.
func (c *Clients) waits() (d []float64, lastFeeds bool) {
	if c.Backoff == nil {
		return nil, false
	}
	b := c.Backoff
	if c.MaxAttempts != nil {
		for j := range *c.MaxAttempts - 1 {
			d = append(d, min(b.Cap, b.Base*math.Pow(b.Factor, float64(j))))
		}
		return d, false
	}
	for w := b.Base; ; w *= b.Factor {
		d = append(d, min(b.Cap, w))
		if w >= b.Cap*(1-1e-12) || b.Factor <= 1 {
			return d, true
		}
	}
}

func (sc *Scenario) class(name string, c Class, t *tables) (class, error) {
	k := class{
		perBoot: c.PerBoot, perSession: c.PerSession, m: c.KeysPerRequest,
		cached: c.Cached, missing: c.Fetch == "missing", scatter: c.Route == "scatter",
		del: c.OnError == "delete", late: c.LateFill, coalesce: c.Coalesce && c.Cached,
		essential: c.Essential, attempts: c.Attempts,
		c0: c.VisitCost, c1: c.KeyCost,
	}
	k.pool = slices.IndexFunc(sc.Pools, func(p Named[Pool]) bool { return p.Name == c.Pool })
	if k.pool < 0 {
		return k, fmt.Errorf("classes.%s.pool: no pool is called %q", name, c.Pool)
	}
	k.shards = float64(sc.Pools[k.pool].Value.Shards)
	if k.scatter && k.shards > 1 {
		k.table = t.shardsOf(k.shards)
	}
	if !c.Cached {
		return k, nil
	}
	k.fixed = c.TTLLaw.Kind == "fixed" && !math.IsInf(c.TTL, 1)
	if k.fixed && (k.del || !math.IsInf(sc.Cache.Size, 1)) {
		return k, fmt.Errorf("classes.%s.ttl_law: fixed cannot be combined with on_error: delete or a cache size; {stages: k} can", name)
	}
	k.age = float64(c.compartments()) / c.TTL
	var phi []float64
	if c.Popularity.Weights == nil {
		shares := t.binsOf(zipf{c.Keys, c.Popularity.Zipf, c.Popularity.Bins})
		phi, k.pi = shares.keys, shares.accesses
	}
	for _, w := range c.Popularity.Weights {
		phi, k.pi = append(phi, w.Keys), append(k.pi, w.Accesses)
	}
	k.rho = make([]float64, len(phi))
	k.keysIn = make([]float64, len(phi))
	for b, f := range phi {
		k.keysIn[b] = c.Keys * f
		k.rho[b] = k.m * k.pi[b] / k.keysIn[b]
	}
	return k, nil
}

// compartments is the number of ttl stages of a bin. Without expiry one is enough.
func (c *Class) compartments() int {
	if c.TTLLaw.Kind == "stages" && !math.IsInf(c.TTL, 1) {
		return c.TTLLaw.Stages
	}
	return 1
}

func (p *Pool) compile() (pool, error) {
	k := pool{
		shards: float64(p.Shards), mu: p.Capacity, limit: p.QueueLimit, tau: p.Timeout,
		cs: p.ServiceSCV, ca: p.ArrivalSCV, drop: p.DropExpired, ps: p.Discipline == "ps",
		follows: p.Background.Follows == "traffic", bg: p.Background.Rate, corr: -1,
	}
	k.law = panjer{}
	if p.QueueLaw == "diffusion" {
		k.law = diffusion{}
	}
	if p.ShardCorrelation != nil {
		k.corr = *p.ShardCorrelation
	}
	if p.ServiceCurve != nil {
		c, err := newCurve(p.ServiceCurve)
		if err != nil {
			return k, err
		}
		k.curve = c
	}
	return k, nil
}

func newLayout(sc *Scenario, par *params) layout {
	l := layout{theta: -1, lru: -1, nz: len(par.wait)}
	n := 0
	coalesce := make([]bool, len(par.class))
	for q, c := range par.class {
		coalesce[q] = c.coalesce
		k := sc.Classes[q].Value.compartments()
		l.class = append(l.class, binLayout{at: n, bins: len(c.pi), k: k})
		n += len(c.pi) * k
	}
	l.z = n
	n += l.nz
	for _, p := range par.pool {
		pl := poolLayout{n: -1, v: -1}
		if p.curve == nil {
			pl.n, pl.v = n, n+1
			n += 2
		}
		l.pool = append(l.pool, pl)
	}
	l.s = n
	n++
	l.nState = n
	for i := range l.pool {
		l.pool[i].b, l.pool[i].share = n, n+1
		n += 2
	}
	if l.nz > 0 {
		l.theta = n
		n++
	}
	if !math.IsInf(par.size, 1) {
		l.lru = n
		n++
	}
	l.base = n
	l.core = newCoreIndex(&l, coalesce)
	return l
}

// sameAs reports whether a state laid out as l can be read as o.
func (l *layout) sameAs(o *layout) bool {
	return l.base == o.base && l.z == o.z && l.nz == o.nz && l.lru == o.lru && l.core.size == o.core.size &&
		slices.Equal(l.class, o.class) && slices.Equal(l.pool, o.pool)
}
