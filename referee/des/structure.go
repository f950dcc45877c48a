package des

import (
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/model"
)

// What a run holds in memory at most.
const (
	mostKeys       = 1 << 26 // 3 GB
	mostShards     = 1 << 20
	mostNodes      = 1 << 16
	mostPerRequest = 1 << 12
)

// keySpace is the keys of one class: where they are among all keys, and how popular.
type keySpace struct {
	first   int
	weights []float64 // of all accesses of the class
	pick    alias
}

// structure sets up what stays as it is during a run, and refuses what cannot be simulated.
func (p *plan) structure(sc *model.Scenario) error {
	if err := p.refuse(sc); err != nil {
		return err
	}
	scale := p.set.Scale
	p.gap = law{sc.Pools[0].Value.ArrivalSCV}
	p.narrow = make([]bool, len(sc.Pools))
	for i := range p.epochs {
		for _, q := range p.epochs[i].sc.Classes {
			if q.Value.Route == "scatter" {
				p.narrow[poolOf(sc, &q.Value)] = true
			}
		}
	}
	total := 0
	for i, q := range sc.Pools {
		n := q.Value.Shards
		if !p.narrow[i] {
			n = max(1, int(math.Round(float64(n)*scale)))
		}
		p.shards, p.shared = append(p.shards, n), append(p.shared, q.Value.Discipline == "ps")
		if total += n; total > mostShards {
			return fmt.Errorf("des: pools.%s.shards: %d shards in all; the limit is %d (see Scale)", q.Name, total, mostShards)
		}
	}
	p.nodes = sc.Cache.Nodes
	if p.nodes > mostNodes {
		return fmt.Errorf("des: cache.nodes: %d; the limit is %d", p.nodes, mostNodes)
	}
	if !math.IsInf(sc.Cache.Size, 1) {
		p.room = max(1, int(math.Round(sc.Cache.Size*scale/float64(p.nodes))))
	}
	for _, q := range sc.Classes {
		c := q.Value
		p.coalesce = append(p.coalesce, c.Coalesce && c.Cached)
		n := 1.0
		if c.Cached || c.Keys > 1 {
			n = max(1, math.Round(c.Keys*scale))
		}
		if float64(p.keys)+n > mostKeys {
			return fmt.Errorf("des: classes.%s.keys: %.4g keys in all; the limit is %d (see Scale)", q.Name, float64(p.keys)+n, mostKeys)
		}
		w := popularity(&c.Popularity, int(n))
		s := keySpace{first: p.keys, weights: w}
		if len(w) > 1 {
			s.pick = newAlias(w)
		}
		p.spaces = append(p.spaces, s)
		p.keys += int(n)
	}
	return nil
}

// popularity returns the share of the accesses that each of n keys has.
func popularity(pop *model.Popularity, n int) []float64 {
	w := make([]float64, n)
	if len(pop.Weights) == 0 {
		sum := 0.0
		for i := range w {
			w[i] = math.Pow(float64(i+1), -pop.Zipf)
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
		return w
	}
	keys, i := 0.0, 0
	for _, b := range pop.Weights {
		keys += b.Keys
		end := min(n, max(i+1, int(math.Round(keys*float64(n)))))
		for j := i; j < end; j++ {
			w[j] = b.Accesses / float64(end-i)
		}
		i = end
	}
	return w
}

// refuse names what the scenario asks for and no simulation can do.
func (p *plan) refuse(sc *model.Scenario) error {
	for _, e := range p.epochs {
		for _, q := range e.sc.Pools {
			key := "des: pools." + q.Name
			switch v := &q.Value; {
			case v.ServiceCurve != nil:
				return fmt.Errorf("%s.service_curve: a measured curve has no queries to simulate; give capacity and timeout", key)
			case v.ShardCorrelation != nil:
				return fmt.Errorf("%s.shard_correlation: comes out of a simulation and cannot be set; want auto", key)
			case v.ArrivalSCV != e.sc.Pools[0].Value.ArrivalSCV:
				return fmt.Errorf("%s.arrival_scv: %g, but %g in pools.%s; boots come by one law", key, v.ArrivalSCV, e.sc.Pools[0].Value.ArrivalSCV, e.sc.Pools[0].Name)
			}
		}
		for _, q := range e.sc.Classes {
			if m := q.Value.KeysPerRequest; m > mostPerRequest {
				return fmt.Errorf("des: classes.%s.keys_per_request: %g; the limit is %d", q.Name, m, mostPerRequest)
			}
		}
	}
	return nil
}

// sameStructure reports what a change would have to rebuild.
func sameStructure(a, b *model.Scenario) error {
	const stays = "has to stay as it is during a run"
	for i := range a.Pools {
		x, y := &a.Pools[i].Value, &b.Pools[i].Value
		if x.Shards != y.Shards || x.Discipline != y.Discipline || x.ArrivalSCV != y.ArrivalSCV {
			return fmt.Errorf("change: pools.%s: the shards, discipline or arrival_scv %s", a.Pools[i].Name, stays)
		}
	}
	for i := range a.Classes {
		x, y := &a.Classes[i].Value, &b.Classes[i].Value
		if x.Keys != y.Keys || x.Cached != y.Cached || x.Coalesce != y.Coalesce || x.Popularity.Zipf != y.Popularity.Zipf || !slices.Equal(x.Popularity.Weights, y.Popularity.Weights) {
			return fmt.Errorf("change: classes.%s: what keys there are, cached and coalesce %s", a.Classes[i].Name, stays)
		}
	}
	if a.Cache.Nodes != b.Cache.Nodes || a.Cache.Size != b.Cache.Size {
		return fmt.Errorf("change: cache: the nodes or size %s", stays)
	}
	return nil
}

func poolOf(sc *model.Scenario, c *model.Class) int {
	i := slices.IndexFunc(sc.Pools, func(p model.Named[model.Pool]) bool { return p.Name == c.Pool })
	return max(i, 0) // the only one may be left out
}

// fill compiles an epoch's parameters from its scenario.
func (p *plan) fill(e *epoch) {
	sc, scale := e.sc, p.set.Scale
	e.boots = line{sc.Traffic.Boots * e.mult.v * scale, sc.Traffic.Boots * e.mult.rate * scale}
	e.limit.v, e.limit.rate = e.limit.v*scale, e.limit.rate*scale
	e.life = sc.Traffic.SessionLength
	e.outage, e.hold, e.pace, e.flushes = sc.Cache.Outage, sc.Cache.HoldDown, sc.Cache.Pace, sc.Cache.FlushesPerRestart
	for _, q := range sc.Classes {
		c := &q.Value
		stages := map[string]int{"fixed": 0, "stages": max(1, c.TTLLaw.Stages)}
		k, ok := stages[c.TTLLaw.Kind]
		if !ok {
			k = 1
		}
		e.class = append(e.class, classPar{
			perBoot: c.PerBoot, perSession: c.PerSession, m: c.KeysPerRequest,
			cached: c.Cached, missing: c.Fetch == "missing", scatter: c.Route == "scatter",
			deletes: c.OnError == "delete", late: c.LateFill, essential: c.Essential,
			pool: poolOf(sc, c), tries: max(1, c.Attempts), visit: c.VisitCost, key: c.KeyCost,
			ttl: c.TTL, stages: k, anyShard: !c.Cached && c.Keys <= 1,
		})
	}
	for i, q := range sc.Pools {
		v, size := &q.Value, p.size(i, q.Value.Shards)
		par := poolPar{
			mu: v.Capacity * e.kappa[i] * size, limit: v.QueueLimit * size, tau: v.Timeout,
			drop: v.DropExpired, other: line{v: v.Background.Rate * size}, service: law{v.ServiceSCV},
		}
		if v.Background.Follows == "traffic" {
			par.other = line{par.other.v * e.mult.v, par.other.v * e.mult.rate}
		}
		e.pool = append(e.pool, par)
	}
	e.clients = clientsOf(&sc.Clients)
}

// size is how large a simulated shard is beside a real one.
func (p *plan) size(pool, shards int) float64 {
	if p.narrow[pool] {
		return p.set.Scale
	}
	return float64(shards) * p.set.Scale / float64(p.shards[pool])
}

func clientsOf(c *model.Clients) clientPar {
	par := clientPar{giveUp: c.GiveUp, budget: c.RetryBudget}
	if c.Backoff == nil {
		par.most = 1
		return par
	}
	if c.MaxAttempts != nil {
		par.most = *c.MaxAttempts
	}
	for w := c.Backoff.Base; ; w *= c.Backoff.Factor {
		par.wait = append(par.wait, min(w, c.Backoff.Cap))
		if w >= c.Backoff.Cap*(1-1e-12) || c.Backoff.Factor <= 1 || len(par.wait) > 64 {
			return par
		}
	}
}
