package markov

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/model"
)

// An UnsupportedError says what of a scenario no chain of this package represents.
type UnsupportedError struct {
	Key    string // path in the scenario, such as pools.main.discipline
	Reason string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("markov: %s: %s", e.Key, e.Reason)
}

// A rule refuses what a chain cannot say.
type rule struct {
	broken bool
	key    string
	reason string
}

func firstBroken(rules []rule) error {
	for _, r := range rules {
		if r.broken {
			return &UnsupportedError{r.key, r.reason}
		}
	}
	return nil
}

// supported checks what both chains ask of a scenario.
func supported(sc *model.Scenario) error {
	switch {
	case len(sc.Classes) != 1:
		return &UnsupportedError{"classes", fmt.Sprintf("%d of them; the chain has one", len(sc.Classes))}
	case len(sc.Pools) != 1:
		return &UnsupportedError{"pools", fmt.Sprintf("%d of them; the chain has one", len(sc.Pools))}
	}
	class, pool := "classes."+sc.Classes[0].Name, "pools."+sc.Pools[0].Name
	q, p := &sc.Classes[0].Value, &sc.Pools[0].Value
	rules := []rule{
		{len(sc.Traffic.Profile.Points) > 0, "traffic.profile", "rates change by steps only, in the timeline"},
		{!math.IsInf(sc.Throttle.Limit, 1), "throttle", "what its bucket lets through is more even than arrivals without memory; want none"},
		{sc.Initial.Kind == "given", "initial", "a hit rate and a mean are no law of states; want healthy or cold"},
		{q.PerSession > 0, class + ".per_session", "sessions are no state of the chain; want 0"},
		{q.PerBoot != 1, class + ".per_boot", "a boot is one request; want 1"},
		{!q.Essential, class + ".essential", "a failed request is a failed boot; want true"},
		{q.Attempts != 1, class + ".attempts", "attempts inside the server leave no trace in queue and orbit; want 1"},
		{p.Shards != 1, pool + ".shards", "the chain has one queue; want 1"},
		{p.Discipline != "fifo", pool + ".discipline", "the wait is known from the queue only when first come is first served; want fifo"},
		{p.DropExpired, pool + ".drop_expired", "the queue's length does not say which of its queries are expired; want false"},
		{p.ArrivalSCV != 1, pool + ".arrival_scv", "arrivals without memory have 1"},
		{p.ServiceSCV != 1, pool + ".service_scv", "work without memory has 1"},
		{p.ServiceCurve != nil, pool + ".service_curve", "a measured curve has no queue"},
		{p.Background.Rate > 0 && work(q) != 1, class + ".visit_cost", "background queries bring one unit of work and the class another; the queue has one kind, want 1 in all"},
		{!math.IsInf(p.QueueLimit, 1) && p.QueueLimit < work(q), pool + ".queue_limit", "no query fits"},
	}
	return firstBroken(rules)
}

// work is what one request brings to the one shard, in work units.
func work(q *model.Class) float64 { return q.VisitCost + q.KeyCost*q.KeysPerRequest }

// fitsPool checks what the chain of queue and orbit asks.
func fitsPool(sc *model.Scenario) error {
	b := sc.Clients.Backoff
	return firstBroken([]rule{
		{b != nil && b.Cap != b.Base && !(sc.Clients.MaxAttempts != nil && *sc.Clients.MaxAttempts <= 2), "clients.backoff.cap", "the orbit does not say who has waited how often; want one mean wait, cap = base"},
	})
}

// fitsCache checks what the chain of queue and cache asks.
func fitsCache(sc *model.Scenario) error {
	class, q := "classes."+sc.Classes[0].Name, &sc.Classes[0].Value
	pop := &q.Popularity
	return firstBroken([]rule{
		{sc.Clients.Backoff != nil, "clients.backoff", "queue, cache and waiting clients together are too many states; want none"},
		{q.KeysPerRequest != 1, class + ".keys_per_request", "want 1"},
		{len(pop.Weights) > 1 || len(pop.Weights) == 0 && pop.Zipf > 0 && pop.Bins > 1, class + ".popularity", "every key is like every other; want one bin"},
		{q.TTLLaw.Kind != "exponential" && q.TTLLaw.Kind != "" && !(q.TTLLaw.Kind == "stages" && q.TTLLaw.Stages == 1), class + ".ttl_law", "the number of warm keys does not say how old they are; want exponential"},
		{q.OnError != "keep", class + ".on_error", "want keep"},
		{q.Coalesce, class + ".coalesce", "fetches under way are no state of the chain; want false"},
		{q.Keys != math.Trunc(q.Keys), class + ".keys", "want a whole number"},
		{!math.IsInf(sc.Cache.Size, 1), "cache.size", "the chain evicts nothing; want none"},
	})
}
