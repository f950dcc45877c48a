package calibrate

import (
	"fmt"
	"math"

	"github.com/metastable/metastable/model"
)

// A LoadTest is what a pool, or a whole server, did at each of several loads once it had
// settled. Columns that were not measured are nil.
type LoadTest struct {
	Load    []float64 // offered point reads, 1/s per shard, increasing
	Latency []float64 // mean, s, of all reads, were none given up
	Timeout []float64 // share of the reads that time out
	Refused []float64 // share refused at once
	Goodput []float64 // answered in time, 1/s per shard
}

// columns returns what was measured, with the noise it has.
func (l *LoadTest) columns() []Channel {
	var out []Channel
	for _, c := range []Channel{
		{Name: "latency", Y: l.Latency, Noise: Noise{Kind: Relative}},
		{Name: "timeout_share", Y: l.Timeout, Noise: Noise{Kind: Binomial}},
		{Name: "refused_share", Y: l.Refused, Noise: Noise{Kind: Binomial}},
		{Name: "goodput", Y: l.Goodput, Noise: Noise{Kind: Relative}},
	} {
		if c.Y != nil {
			c.X = l.Load
			if c.Noise.Kind == Relative {
				c.Noise.Floor = leastFloor(c.Y)
			}
			out = append(out, c)
		}
	}
	return out
}

// leastFloor is a thousandth of the least value above 0: a load test has latencies over
// decades, and the small ones tell of the scale as the large ones do. 0 where there is none.
func leastFloor(y []float64) float64 {
	least := math.Inf(1)
	for _, v := range y {
		if v > 0 {
			least = min(least, v)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least / 1000
}

// Pool makes the problem of finding numbers of a pool: the parameters are those of
// [model.Pool] by their keys, such as capacity, service_scv, queue_limit and timeout; the
// others are those of the pool given. What is predicted is the pool at rest under Poisson
// arrivals of point reads; loads beyond the capacity need a queue_limit.
func (l *LoadTest) Pool(pool model.Pool, params []Param) (*Problem, error) {
	sc := oneRead(pool)
	for _, p := range params {
		for _, v := range []float64{p.Lo, p.Hi} {
			if err := sc.Clone().SetFloat(poolPath+p.Name, v); err != nil {
				return nil, fmt.Errorf("calibrate: parameter %s: bound %g: %w", p.Name, v, err)
			}
		}
	}
	channels := l.columns()
	for _, c := range channels {
		if err := checkShare(c.Name, c.Name, c.Y); err != nil {
			return nil, err
		}
	}
	return &Problem{Params: params, Channels: channels, New: func() Predictor {
		return func(dst, values []float64) error {
			sc := sc.Clone()
			for i, p := range params {
				if err := sc.SetFloat(poolPath+p.Name, values[i]); err != nil {
					return err
				}
			}
			for i, load := range l.Load {
				at, err := atRest(sc, load)
				if err != nil {
					return err
				}
				for c := range channels {
					dst[c*len(l.Load)+i] = at[channels[c].Name]
				}
			}
			return nil
		}
	}}, nil
}

const poolPath = "pools.pool."

// oneRead is a pool of one shard whose clients read one thing and do not retry.
func oneRead(pool model.Pool) *model.Scenario {
	pool.Shards = 1
	return &model.Scenario{
		Name: "load-test", Duration: 1, Traffic: model.Traffic{SessionLength: 1, Repeat: math.Inf(1)},
		Classes:  model.Map[model.Class]{{Name: "read", Value: model.Class{PerBoot: 1, KeysPerRequest: 1, Keys: 1, Popularity: model.Popularity{Bins: 1}, TTL: math.Inf(1), TTLLaw: model.TTLLaw{Kind: "exponential"}, Fetch: "all", Route: "keyed", Pool: "pool", VisitCost: 1, OnError: "keep", Attempts: 1, Essential: true}}},
		Pools:    model.Map[model.Pool]{{Name: "pool", Value: pool}},
		Cache:    model.Cache{Nodes: 1, Size: math.Inf(1), Pace: math.Inf(1), FlushesPerRestart: 1},
		Clients:  model.Clients{RetryBudget: math.Inf(1)},
		Throttle: model.Throttle{Limit: math.Inf(1), Priority: "boots"},
		Initial:  model.Initial{Kind: "healthy"},
	}
}

// atRest returns what the pool does at a load.
func atRest(sc *model.Scenario, load float64) (map[string]float64, error) {
	sc.Traffic.Boots = load
	sys, err := sc.Compile()
	if err != nil {
		return nil, err
	}
	y, err := sys.Start()
	if err != nil {
		return nil, err
	}
	names := sys.Columns()
	row := sys.Clone()
	values := make([]float64, len(names))
	row.Observe(values, 0, y)
	at := map[string]float64{}
	for _, q := range []string{"latency", "timeout_share", "refused_share", "goodput"} {
		read, err := newReader(sc, names, q)
		if err != nil {
			return nil, err
		}
		at[q] = read(values)
	}
	return at, nil
}

// Curve returns the measured points as a service curve. A share of time-outs that was not
// measured is 0. It fails without latencies.
func (l *LoadTest) Curve() (*model.CurveTable, error) {
	if len(l.Latency) != len(l.Load) {
		return nil, fmt.Errorf("calibrate: a service curve needs a latency for each load")
	}
	if err := checkShare("the share of time-outs", "timeout_share", l.Timeout); err != nil {
		return nil, err
	}
	timeout := l.Timeout
	if timeout == nil {
		timeout = make([]float64, len(l.Load))
	}
	return &model.CurveTable{Load: l.Load, Latency: l.Latency, Timeout: timeout}, nil
}

// A USL is the universal scalability law (Gunther 2007, Guerrilla Capacity Planning,
// chapter 6): n clients that wait for their answers are served λn/(1 + σ(n−1) + κn(n−1))
// times a second.
type USL struct {
	Lambda float64 // answers of one client alone, 1/s
	Sigma  float64 // share of the work that queues
	Kappa  float64 // cost of agreement between pairs
}

// Throughput returns answers/s of n clients.
func (u USL) Throughput(n float64) float64 {
	return u.Lambda * n / (1 + u.Sigma*(n-1) + u.Kappa*n*(n-1))
}

// Peak returns the number of clients with the highest throughput; +Inf without Kappa.
func (u USL) Peak() float64 { return math.Sqrt((1 - u.Sigma) / u.Kappa) }

// ServiceCurve returns points of the law up to its peak, or to most clients, as a curve of
// latency over load: by Little's law n clients at a throughput X see a latency of n/X. A
// latency that exceeds timeout (s; +Inf: none) is taken for exponentially distributed.
func (u USL) ServiceCurve(most, timeout float64) *model.CurveTable {
	const points = 40
	out, end := &model.CurveTable{}, math.Min(most, 0.999*u.Peak())
	for i := range points {
		n := 1 + (end-1)*float64(i)/(points-1)
		x := u.Throughput(n)
		out.Load = append(out.Load, x)
		out.Latency = append(out.Latency, n/x)
		out.Timeout = append(out.Timeout, math.Exp(-timeout*x/n))
	}
	return out
}

// USLProblem makes the problem of finding the law from throughputs (1/s) of numbers of
// clients. Its parameters are Lambda, Sigma and Kappa.
func USLProblem(clients, throughput []float64, noise Noise) (*Problem, error) {
	if len(clients) != len(throughput) || len(clients) < 3 {
		return nil, fmt.Errorf("calibrate: %d numbers of clients and %d throughputs: want as many, at least 3", len(clients), len(throughput))
	}
	each := 0.0
	for i, n := range clients {
		if !(n > 0) {
			return nil, fmt.Errorf("calibrate: %g clients: want above 0", n)
		}
		each = max(each, throughput[i]/n)
	}
	if each == 0 {
		return nil, fmt.Errorf("calibrate: nothing was served at any load")
	}
	return &Problem{
		Params: []Param{
			{Name: "lambda", Lo: each / 10, Hi: each * 10, Log: true},
			{Name: "sigma", Lo: 0, Hi: 1},
			{Name: "kappa", Lo: 1e-9, Hi: 1, Log: true},
		},
		Channels: []Channel{{Name: "throughput", X: clients, Y: throughput, Noise: noise}},
		New: func() Predictor {
			return func(dst, v []float64) error {
				u := USL{v[0], v[1], v[2]}
				for i, n := range clients {
					dst[i] = u.Throughput(n)
				}
				return nil
			}
		},
	}, nil
}
