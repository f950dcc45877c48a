package model

import "time"

// A Scenario is a cache-fronted, sharded database as its file describes it: who
// asks for what, how it is cached, what a miss costs, how the database behaves
// under load, how failed requests come back, what disturbs it and what protects it.
//
// Every number is in SI units: seconds, 1/s, work units (one work unit is one
// point read), shares in 0…1. The tags say how the file spells a field:
//
//	yaml     the key
//	unit     s (duration), time (duration since the start, or clock time), 1/s (rate), work,
//	         work/s, share (% allowed), count, 1 (plain number)
//	range    the allowed interval; ( and ) exclude the end
//	none     the word that stands for +Inf (no limit, never), or for a nil pointer
//	default  the value when the key is absent; a field without default is required
//	         unless it is a pointer, a slice or a struct
//	enum     the allowed words, separated by |
//	doc      one sentence for the schema and the documentation
type Scenario struct {
	Name        string         `yaml:"name" doc:"Short name: letters, digits, dots and dashes."`
	Title       string         `yaml:"title" default:"" doc:"Title of figures and reports."`
	Description string         `yaml:"description" default:"" doc:"What the scenario is about, and where its numbers come from."`
	Duration    float64        `yaml:"duration" unit:"s" range:"(0,1e9]" doc:"Length of a run."`
	Start       *time.Time     `yaml:"start" doc:"Wall clock of t = 0 (RFC 3339)."`
	Traffic     Traffic        `yaml:"traffic" doc:"New sessions that want to start."`
	Classes     Map[Class]     `yaml:"classes" doc:"Query classes by name."`
	Pools       Map[Pool]      `yaml:"pools" doc:"Database pools by name."`
	Cache       Cache          `yaml:"cache" doc:"The cache fleet."`
	Clients     Clients        `yaml:"clients" doc:"How failed boots come back; without this part a failed boot is gone."`
	Throttle    Throttle       `yaml:"throttle" default:"none" doc:"Limit on admitted boot attempts in force from t = 0."`
	Timeline    []Entry        `yaml:"timeline" doc:"What happens, in order of time."`
	Initial     Initial        `yaml:"initial" default:"healthy" doc:"State at t = 0; the healthy equilibrium unless given."`
	Uncertainty []Distribution `yaml:"uncertainty" doc:"Distributions of parameters, by path."`
}

// A Map is a mapping from names to values that keeps the order of the file.
type Map[T any] []Named[T]

// Named is one entry of a [Map].
type Named[T any] struct {
	Name  string
	Value T
}

// Traffic is the rate of new sessions that want to start.
type Traffic struct {
	Boots         float64 `yaml:"boots" unit:"1/s" range:"[0,1e9]" doc:"Boots per second where the profile is 1."`
	Profile       Profile `yaml:"profile" default:"none" doc:"Piecewise-linear factor over time; 1 throughout unless given."`
	Repeat        float64 `yaml:"repeat" unit:"s" range:"(0,1e9]" none:"none" default:"none" doc:"Period of the profile; without it the last value holds."`
	SessionLength float64 `yaml:"session_length" unit:"s" range:"(0,1e9]" doc:"Mean time a booted session lives."`
}

// A Profile is a piecewise-linear curve: points (time in s, factor), or the
// columns of a CSV file. The file's points are read when the scenario is loaded.
type Profile struct {
	Points []Point
	CSV    *CSVColumns // where Points were read from, nil for points in the scenario
}

// Point is one vertex of a [Profile].
type Point struct {
	T, Value float64 // s, –
}

// CSVColumns names two columns of a CSV file, relative to the scenario file.
type CSVColumns struct {
	CSV   string `yaml:"csv" doc:"File name, relative to the scenario file."`
	Time  string `yaml:"time" default:"time" doc:"Column of times (s)."`
	Value string `yaml:"value" default:"value" doc:"Column of values."`
}

// Class is a class of queries.
type Class struct {
	PerBoot        float64    `yaml:"per_boot" unit:"1" range:"[0,1e6]" default:"0" doc:"Requests of this class in one boot."`
	PerSession     float64    `yaml:"per_session" unit:"1/s" range:"[0,1e6]" default:"0" doc:"Requests of this class by one booted session."`
	KeysPerRequest float64    `yaml:"keys_per_request" unit:"1" range:"[1,1e6]" default:"1" doc:"Cache keys one request reads."`
	Keys           float64    `yaml:"keys" unit:"count" range:"[1,1e15]" default:"1" doc:"Distinct keys."`
	Popularity     Popularity `yaml:"popularity" doc:"How accesses spread over the keys."`
	TTL            float64    `yaml:"ttl" unit:"s" range:"(0,1e12]" none:"never" default:"never" doc:"Expiry of a cached entry."`
	TTLLaw         TTLLaw     `yaml:"ttl_law" default:"exponential" doc:"exponential (default), fixed, or {stages: k}."`
	Cached         bool       `yaml:"cached" default:"true" doc:"false: every read goes to the database."`
	Fetch          string     `yaml:"fetch" enum:"all|missing" default:"all" doc:"What a request with at least one miss reads: every key of the request, or the missing ones."`
	Route          string     `yaml:"route" enum:"scatter|keyed" default:"keyed" doc:"scatter: every shard is asked; keyed: the shard that owns each key."`
	Pool           string     `yaml:"pool" default:"" doc:"The pool that serves it; may be left out when there is one."`
	VisitCost      float64    `yaml:"visit_cost" unit:"work" range:"[0,1e9]" default:"1" doc:"Work per shard asked."`
	KeyCost        float64    `yaml:"key_cost" unit:"work" range:"[0,1e9]" default:"0" doc:"Work per key looked up."`
	OnError        string     `yaml:"on_error" enum:"keep|delete" default:"keep" doc:"What a failed read does to the cached entry."`
	LateFill       bool       `yaml:"late_fill" default:"false" doc:"An answer that comes after its time-out still fills the cache."`
	Coalesce       bool       `yaml:"coalesce" default:"false" doc:"One fetch in flight per missing key."`
	Attempts       int        `yaml:"attempts" unit:"count" range:"[1,100]" default:"1" doc:"Immediate attempts of one request inside the server."`
	Essential      bool       `yaml:"essential" default:"true" doc:"A boot fails when this class fails."`
}

// Popularity says how the accesses of a class spread over its keys: a Zipf law
// cut into bins, or weights measured by the user.
type Popularity struct {
	Zipf    float64  `yaml:"zipf" unit:"1" range:"[0,10]" default:"0" doc:"Zipf exponent; 0 is uniform."`
	Bins    int      `yaml:"bins" unit:"count" range:"[1,10000]" default:"24" doc:"Popularity bins, at logarithmically spaced ranks."`
	Weights []Weight `yaml:"weights" doc:"Measured instead of Zipf: [share of keys, share of accesses] per bin, hottest first."`
}

// Weight is one measured popularity bin.
type Weight struct {
	Keys, Accesses float64 // shares; each column sums to 1
}

// TTLLaw is the law of the time to live.
type TTLLaw struct {
	Kind   string // exponential, stages, fixed
	Stages int    // for stages: how many; 1 is exponential
}

// Pool is a database pool.
type Pool struct {
	Shards           int         `yaml:"shards" unit:"count" range:"[1,1e6]" default:"1" doc:"Number of shards."`
	Capacity         float64     `yaml:"capacity" unit:"work/s" range:"(0,1e9]" doc:"Work units per second and shard."`
	QueueLimit       float64     `yaml:"queue_limit" unit:"work" range:"(0,1e15]" none:"none" default:"none" doc:"Work units in system per shard beyond which a request is refused at once."`
	Timeout          float64     `yaml:"timeout" unit:"s" range:"(0,1e9]" none:"none" default:"none" doc:"The caller gives up; the work stays in the queue unless drop_expired."`
	DropExpired      bool        `yaml:"drop_expired" default:"false" doc:"A query past its deadline is dropped unserved."`
	Background       Background  `yaml:"background" default:"0/s" doc:"All other load: a rate, or {rate, follows: traffic}."`
	ShardCorrelation *float64    `yaml:"shard_correlation" unit:"share" range:"[0,1]" none:"auto" doc:"Common share of the work variance; auto (default) derives it from the mix."`
	Discipline       string      `yaml:"discipline" enum:"fifo|ps" default:"fifo" doc:"First come first served, or processor sharing."`
	QueueLaw         string      `yaml:"queue_law" enum:"panjer|diffusion" default:"panjer" doc:"How the two moments of a first-come-first-served queue are closed: panjer is exact for M/M/1 at rest; diffusion is closer to simulations near load 1."`
	ArrivalSCV       float64     `yaml:"arrival_scv" unit:"1" range:"[0,1000]" default:"1" doc:"Squared coefficient of variation of the times between queries."`
	ServiceSCV       float64     `yaml:"service_scv" unit:"1" range:"[0,1000]" default:"1" doc:"Squared coefficient of variation of a query's work about its nominal value."`
	ServiceCurve     *CurveTable `yaml:"service_curve" none:"none" doc:"Measured: CSV with columns load (work/s per shard), latency_mean (s), timeout_probability."`
}

// Background is load that no class describes, per shard.
type Background struct {
	Rate    float64 `yaml:"rate" unit:"work/s" range:"[0,1e15]" default:"0" doc:"Work units per second and shard."`
	Follows string  `yaml:"follows" enum:"none|traffic" default:"none" doc:"traffic: the rate holds where the profile is 1 and scales with it."`
}

// CurveTable is a measured service curve, read when the scenario is loaded: so many loads, which
// increase, and what was measured at each.
type CurveTable struct {
	CSV     string    `yaml:"csv" doc:"File name, relative to the scenario file."`
	Load    []float64 // work units/s of one shard
	Latency []float64 // mean, s
	Timeout []float64 // share of the queries that time out
}

// Cache is the cache fleet.
type Cache struct {
	Nodes             int     `yaml:"nodes" unit:"count" range:"[1,1e6]" default:"1" doc:"Number of cache nodes."`
	Size              float64 `yaml:"size" unit:"count" range:"(0,1e15]" none:"none" default:"none" doc:"Entries the whole cache can hold (LRU); none: no eviction."`
	Outage            float64 `yaml:"outage" unit:"s" range:"[0,1e9]" default:"30s" doc:"Mean time a restarting node is out of the catalog."`
	HoldDown          float64 `yaml:"hold_down" unit:"s" range:"[0,1e9]" default:"0s" doc:"The control plane waits this long before it replaces a node."`
	Pace              float64 `yaml:"pace" unit:"1/s" range:"(0,1e9]" none:"none" default:"none" doc:"The most nodes replaced per second."`
	FlushesPerRestart float64 `yaml:"flushes_per_restart" unit:"1" range:"[0,100]" default:"1" doc:"Times a restart costs a node its content."`
}

// Clients says how failed boots come back.
type Clients struct {
	Backoff     *Backoff `yaml:"backoff" none:"none" doc:"Mean waits before further attempts; without it there are no retries."`
	GiveUp      float64  `yaml:"give_up" unit:"share" range:"[0,1]" default:"0" doc:"Probability that a client stops after a failed attempt."`
	MaxAttempts *int     `yaml:"max_attempts" unit:"count" range:"[1,65]" none:"none" doc:"Attempts in all; none (default): the last stage repeats."`
	RetryBudget float64  `yaml:"retry_budget" unit:"1" range:"[0,1e6]" none:"none" default:"none" doc:"Most retries sent per first attempt; with 0 a client that failed waits for ever."`
}

// Backoff is exponential backoff: stage j waits min(cap, base·factor^j) on average.
type Backoff struct {
	Base   float64 `yaml:"base" unit:"s" range:"(0,1e9]" doc:"Mean wait before the second attempt."`
	Factor float64 `yaml:"factor" unit:"1" range:"[1,1000]" default:"2" doc:"Growth of the wait from attempt to attempt."`
	Cap    float64 `yaml:"cap" unit:"s" range:"(0,1e9]" doc:"Longest mean wait."`
}

// Throttle is a limit on admitted boot attempts: a rate, none, or {limit, priority}.
type Throttle struct {
	Limit    float64 `yaml:"limit" unit:"1/s" range:"[0,1e12]" none:"none" default:"none" doc:"Boots admitted per second."`
	Priority string  `yaml:"priority" enum:"boots|all" default:"boots" doc:"What is shed: boots alone, or every request alike."`
}

// Entry is one entry of the timeline: a time and exactly one action.
type Entry struct {
	At   float64 `yaml:"at" unit:"time" range:"[0,1e9]" doc:"When: a duration since the start, or a clock time h:mm."` // s
	Over float64 `yaml:"over" unit:"s" range:"[0,1e9]" default:"0s" doc:"How long it lasts or takes."`                 // s; 0 when absent
	Pool string  `yaml:"pool" default:"" doc:"For capacity: which pool; may be left out when there is one."`
	Note string  `yaml:"note" default:"" doc:"Name of the action in figures."`

	Action Action  // which of the following holds
	Value  float64 // Rollout, Flush, Capacity, Traffic, Validate: share; Throttle, Ramp: 1/s, +Inf for none

	Priority string `yaml:"priority" enum:"boots|all" default:"" doc:"For throttle and ramp: what is shed from now on."` // empty: as before
	Change   []Assignment
}

// Action is what a timeline entry does.
type Action int

// The actions of a timeline.
const (
	Rollout    Action = iota // restart a share of the cache nodes during Over
	Pause                    // end the rollout step where it is
	ThrottleTo               // set the limit
	Ramp                     // move the limit linearly to Value during Over
	Flush                    // lose a share of the cache's content at once
	Capacity                 // multiply a pool's capacity during Over, or for good
	TrafficTo                // multiply the boots during Over, or for good
	Validate                 // share of cached reads sent to the database all the same, during Over or for good
	Change                   // change parameters for good
)

// Assignment sets the parameter at a path, such as pools.main.capacity, to a
// value as the file spells it.
type Assignment struct {
	Path, Value string
}

// Distribution is the uncertainty of one parameter, in the unit of the parameter.
type Distribution struct {
	Path   string  // as of [Scenario.Set]
	Kind   string  // lognormal, normal, uniform
	Median float64 // lognormal
	CV     float64 // lognormal: standard deviation over mean
	Mean   float64 // normal
	SD     float64 // normal
	Lo, Hi float64 // uniform
}

// Initial is the state at t = 0. A state that is given is what people read off their
// dashboards in an outage; the rest is that of the healthy equilibrium.
type Initial struct {
	Kind     string  // healthy, cold, given; the rest is for given
	HitRate  float64 `yaml:"hit_rate" unit:"share" range:"[0,1]" doc:"Hit probability of one key, every class alike."`
	InSystem float64 `yaml:"in_system" unit:"work" range:"[0,1e15]" none:"full" default:"0" doc:"Work units in system per shard of every pool; full: at the queue limit of every pool that has one."`
	Waiting  float64 `yaml:"waiting" unit:"count" range:"[0,1e15]" default:"0" doc:"Clients waiting to try again, in the stages of backoff where an outage that gathers so many leaves them."`
}
