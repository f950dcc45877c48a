package calibrate

import (
	"math"

	"github.com/metastable/metastable/model"
)

// newLatency returns the reader of (n + w)/μ at a pool: n is the work in system, w that of
// the mean read, μ the capacity, all as in force at the time of the row.
func newLatency(sc *model.Scenario, columns []string, pool string) reader {
	at := map[string]int{}
	for i, c := range columns {
		at[c] = i
	}
	stages := stagesOf(sc, pool)
	return func(row []float64) float64 {
		t := row[0]
		st := &stages[0]
		for i := range stages {
			if stages[i].from <= t {
				st = &stages[i]
			}
		}
		n := row[at["in_system."+pool]]
		p := poolOf(st.sc, pool)
		mu := p.Capacity * st.factor
		if p.ServiceCurve != nil { // Little
			return n / math.Max(row[at["load."+pool]]*mu, 1e-300)
		}
		reads, work := 0.0, 0.0
		for _, c := range st.sc.Classes {
			q := &c.Value
			if q.Pool != pool && (q.Pool != "" || len(st.sc.Pools) > 1) {
				continue
			}
			rate, w := visits(q, float64(p.Shards), row[at["hit_rate."+c.Name]], row[at["miss."+c.Name]])
			rate *= q.PerBoot*row[at["admitted_per_s"]] + q.PerSession*row[at["sessions"]]
			reads, work = reads+rate, work+rate*w
		}
		w := 1.0
		if reads > 0 {
			w = work / reads
		}
		return (n + w) / mu
	}
}

// visits returns, per request of a class, the reads that reach one shard and the work of
// each.
func visits(q *model.Class, shards, hit, miss float64) (reads, work float64) {
	if !q.Cached {
		hit, miss = 0, 1
	}
	if miss <= 0 {
		return 0, 0
	}
	keys := q.KeysPerRequest // of a request that misses
	if q.Fetch == "missing" {
		keys = q.KeysPerRequest * (1 - hit) / miss
	}
	if q.Route == "scatter" {
		return miss, q.VisitCost + q.KeyCost*keys
	}
	asked := 1.0
	if shards > 1 {
		asked = shards * (1 - math.Pow(1-1/shards, keys))
	}
	return miss * asked / shards, (q.VisitCost + q.KeyCost) * keys / asked
}

// A stage is a scenario with the changes of its timeline until a time.
type stage struct {
	from   float64 // s
	sc     *model.Scenario
	factor float64 // of the pool's capacity
}

// stagesOf follows the changes and the pool's capacity over the timeline. A capacity that
// comes back does so at the end of its entry.
func stagesOf(sc *model.Scenario, pool string) []stage {
	out := []stage{{0, sc, 1}}
	add := func(from float64, sc *model.Scenario, factor float64) {
		out = append(out, stage{from, sc, factor})
	}
	for i := range sc.Timeline {
		e, last := &sc.Timeline[i], out[len(out)-1]
		switch {
		case e.Action == model.Change:
			next := last.sc.Clone()
			for _, a := range e.Change {
				if next.Set(a.Path, a.Value) != nil {
					return out // cannot be: the scenario was checked
				}
			}
			add(e.At, next, last.factor)
		case e.Action == model.Capacity && (e.Pool == pool || e.Pool == "" && len(sc.Pools) == 1):
			add(e.At, last.sc, e.Value)
			if e.Over > 0 {
				add(e.At+e.Over, last.sc, last.factor)
			}
		}
	}
	return out
}

func poolOf(sc *model.Scenario, name string) *model.Pool {
	for i := range sc.Pools {
		if sc.Pools[i].Name == name {
			return &sc.Pools[i].Value
		}
	}
	return &model.Pool{Capacity: math.NaN()}
}
