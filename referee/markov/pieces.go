package markov

import (
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/model"
)

// A piece is a stretch of a scenario in which nothing is changed from outside.
type piece struct {
	from, to float64 // s
	rates    rates
	flush    float64 // share of the warm keys lost as it begins
}

// rates are what a scenario is to a chain.
type rates struct {
	cached bool

	first      float64 // new clients, 1/s
	background float64 // queries of no client, 1/s
	serve      float64 // queries, 1/s
	work       float64 // of a query, work units
	places     int     // in system; 0: no limit
	timeout    float64 // s

	retries  bool
	wait     float64 // mean backoff, s
	giveUp   float64
	attempts int     // in all; 0: no limit
	budget   float64 // most retries per first attempt

	keys     int
	ttl      float64 // s
	lateFill bool
}

// ratesOf reads the scenario as it is when boots and capacity are multiplied.
func ratesOf(sc *model.Scenario, traffic, capacity float64) (rates, error) {
	if err := supported(sc); err != nil {
		return rates{}, err
	}
	q, p := &sc.Classes[0].Value, &sc.Pools[0].Value
	fits := fitsPool
	if q.Cached {
		fits = fitsCache
	}
	if err := fits(sc); err != nil {
		return rates{}, err
	}
	r := rates{
		cached: q.Cached, first: sc.Traffic.Boots * traffic, background: p.Background.Rate,
		serve: p.Capacity * capacity / work(q), work: work(q), timeout: p.Timeout,
		giveUp: sc.Clients.GiveUp, budget: sc.Clients.RetryBudget,
		keys: int(q.Keys), ttl: q.TTL, lateFill: q.LateFill,
	}
	if p.Background.Follows == "traffic" {
		r.background *= traffic
	}
	if !math.IsInf(p.QueueLimit, 1) {
		r.places = int(p.QueueLimit / work(q))
	}
	if b := sc.Clients.Backoff; b != nil {
		r.retries, r.wait = r.giveUp < 1, b.Base
	}
	if k := sc.Clients.MaxAttempts; k != nil {
		r.attempts = *k
		r.retries = r.retries && *k > 1
	}
	return r, nil
}

// cut takes the timeline apart.
func cut(sc *model.Scenario) ([]piece, error) {
	times := []float64{0, sc.Duration}
	for _, e := range sc.Timeline {
		times = append(times, e.At)
		if e.Over > 0 {
			times = append(times, math.Min(e.At+e.Over, sc.Duration))
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	now := sc.Clone()
	traffic, capacity := held{1, math.Inf(1)}, held{1, math.Inf(1)}
	var pieces []piece
	next := 0
	for i, t := range times[:len(times)-1] {
		traffic, capacity = traffic.after(t), capacity.after(t)
		keep := 1.0
		for ; next < len(sc.Timeline) && sc.Timeline[next].At <= t; next++ {
			e := &sc.Timeline[next]
			until := math.Inf(1)
			if e.Over > 0 {
				until = e.At + e.Over
			}
			switch e.Action {
			case model.TrafficTo:
				traffic = held{e.Value, until}
			case model.Capacity:
				capacity = held{e.Value, until}
			case model.Flush:
				keep *= 1 - e.Value
			case model.Change:
				for _, a := range e.Change {
					if err := now.Set(a.Path, a.Value); err != nil {
						return nil, err
					}
				}
			default:
				return nil, &UnsupportedError{fmt.Sprintf("timeline.%d.%s", next, e.Action), "the chain's rates change by steps; want traffic, capacity, flush or change"}
			}
		}
		r, err := ratesOf(now, traffic.value, capacity.value)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece{t, times[i+1], r, 1 - keep})
	}
	first := &pieces[0].rates
	for _, p := range pieces {
		if p.rates.places != first.places || p.rates.keys != first.keys || p.rates.cached != first.cached {
			return nil, &UnsupportedError{"timeline", fmt.Sprintf("at %g s the number of states changes (queue_limit, costs, keys or cached)", p.from)}
		}
		if p.flush > 0 && !p.rates.cached {
			return nil, &UnsupportedError{"timeline", fmt.Sprintf("a flush at %g s, and nothing is cached", p.from)}
		}
	}
	return pieces, nil
}

// held is a factor that holds for a while.
type held struct{ value, until float64 }

func (h held) after(t float64) held {
	if t >= h.until {
		return held{1, math.Inf(1)}
	}
	return h
}
