package des

import (
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/model"
)

// A plan is a scenario as one run after another reads it: what is in force when, and the
// laws that are costly to set up.
type plan struct {
	set         Settings
	span        float64
	initial     model.Initial
	classes     []string
	pools       []string
	epochs      []epoch // the first is the warm-up, the second starts at 0
	marks       []float64
	spaces      []keySpace // of the classes' keys
	keys        int        // of all classes
	shards      []int      // of the pools
	narrow      []bool     // pools whose shards are scaled, not their number
	shared      []bool     // pools with processor sharing
	nodes, room int        // cache nodes, entries of each; room 0: no limit
	gap         law        // of the times between boots
	most        int        // keys of a request
	coalesce    []bool
}

// An epoch is a time in which all rates are constant or linear.
type epoch struct {
	t    float64
	sc   *model.Scenario
	mult line // of the traffic, 1 at the profile's 1

	boots    line // 1/s
	limit    line // of the throttle, 1/s
	shedAll  bool
	validate float64
	kappa    []float64 // factors of the pools' capacities

	class   []classPar
	pool    []poolPar
	clients clientPar
	life    float64 // mean length of a session, s
	outage  float64 // s
	hold    float64 // s
	pace    float64 // nodes/s
	flushes float64 // per restart

	flush   []float64 // what happens at t
	rollout float64   // share of the nodes, 0: no step starts
	over    float64   // s
	pause   bool
}

// line is v + rate·(t − the epoch's t).
type line struct{ v, rate float64 }

type classPar struct {
	perBoot, perSession, m   float64
	cached, missing, scatter bool
	deletes, late, essential bool
	pool, tries              int
	visit, key               float64 // work units
	ttl                      float64 // s
	stages                   int     // of the TTL, 0: fixed
	anyShard                 bool    // one key stands for all: any shard may own it
}

type poolPar struct {
	mu, mark   float64 // capacity of a shard, and its integral up to the epoch's t
	limit, tau float64
	drop       bool
	other      line // background, 1/s and shard
	service    law
}

type clientPar struct {
	wait   []float64 // mean before each further attempt, the last repeats
	giveUp float64
	most   int     // attempts in all, 0: no limit
	budget float64 // +Inf: none
}

// lasting is a factor in force until some time.
type lasting struct{ until, value float64 }

func newPlan(sc *model.Scenario, s *Settings) (*plan, error) {
	set, err := s.withDefaults(sc.Duration, sc.Initial.Kind == "healthy" || sc.Initial.Kind == "")
	if err != nil {
		return nil, err
	}
	p := &plan{set: set, span: sc.Duration, initial: sc.Initial}
	for _, q := range sc.Classes {
		p.classes = append(p.classes, q.Name)
	}
	for _, q := range sc.Pools {
		p.pools = append(p.pools, q.Name)
	}
	if err := p.schedule(sc); err != nil {
		return nil, err
	}
	if err := p.structure(sc); err != nil {
		return nil, err
	}
	for i := range p.epochs {
		p.fill(&p.epochs[i])
		for j := range p.pools { // the work a shard can do up to the epoch
			if i > 0 {
				before := &p.epochs[i-1]
				p.epochs[i].pool[j].mark = before.pool[j].mark + before.pool[j].mu*(p.epochs[i].t-before.t)
			}
		}
		for _, c := range p.epochs[i].class {
			p.most = max(p.most, int(math.Ceil(c.m)))
		}
	}
	p.windows()
	return p, nil
}

// windows sets the ends of the rows' windows, two halves of the warm-up first.
func (p *plan) windows() {
	if p.set.Warmup > 0 {
		p.marks = append(p.marks, -p.set.Warmup/2)
	}
	p.marks = append(p.marks, 0)
	for i := 1; ; i++ {
		t := float64(i) * p.set.Every
		if t >= p.span*(1-1e-12) {
			break
		}
		p.marks = append(p.marks, t)
	}
	p.marks = append(p.marks, p.span)
}

// schedule builds the epochs: the timeline's entries, the ends of what lasts and the
// kinks of the traffic.
func (p *plan) schedule(sc *model.Scenario) error {
	times := kinks(sc)
	for _, e := range sc.Timeline {
		times = append(times, e.At)
		if e.Over > 0 && e.Action != model.Rollout {
			times = append(times, e.At+e.Over)
		}
	}
	times = append(times, 0)
	slices.Sort(times)
	times = slices.Compact(times)
	times = slices.DeleteFunc(times, func(t float64) bool { return t > sc.Duration })

	b := &builder{sc: sc, traffic: lasting{math.Inf(1), 1}, validate: lasting{math.Inf(1), 0}, limit: line{v: sc.Throttle.Limit}, rampEnd: math.Inf(1), shedAll: sc.Throttle.Priority == "all"}
	b.kappa = slices.Repeat([]lasting{{math.Inf(1), 1}}, len(sc.Pools))
	warm := b.epoch(0)
	warm.t, warm.mult.rate, warm.limit.rate = -p.set.Warmup, 0, 0
	p.epochs = append(p.epochs, warm)
	next := 0
	for _, t := range times {
		b.expire(t)
		b.flush, b.rollout, b.pause = nil, 0, false
		for ; next < len(sc.Timeline) && sc.Timeline[next].At <= t; next++ {
			if err := b.apply(&sc.Timeline[next]); err != nil {
				return fmt.Errorf("des: timeline.%d: %w", next, err)
			}
		}
		p.epochs = append(p.epochs, b.epoch(t))
	}
	return nil
}

// builder follows what is in force through the timeline.
type builder struct {
	sc                *model.Scenario
	traffic, validate lasting
	kappa             []lasting
	limit             line
	from, rampEnd     float64 // of the limit
	target            float64
	shedAll           bool
	flush             []float64
	rollout, over     float64
	pause             bool
}

func (b *builder) expire(t float64) {
	if t >= b.traffic.until {
		b.traffic = lasting{math.Inf(1), 1}
	}
	if t >= b.validate.until {
		b.validate = lasting{math.Inf(1), 0}
	}
	for i, k := range b.kappa {
		if t >= k.until {
			b.kappa[i] = lasting{math.Inf(1), 1}
		}
	}
	if t >= b.rampEnd {
		b.limit, b.rampEnd = line{v: b.target}, math.Inf(1)
	}
}

func (b *builder) limitAt(t float64) float64 {
	if b.limit.rate == 0 {
		return b.limit.v
	}
	return b.limit.v + b.limit.rate*(t-b.from)
}

func (b *builder) apply(e *model.Entry) error {
	until := math.Inf(1)
	if e.Over > 0 {
		until = e.At + e.Over
	}
	switch e.Action {
	case model.Rollout:
		b.rollout, b.over = e.Value, e.Over
	case model.Pause:
		b.pause, b.rollout = true, 0
	case model.ThrottleTo:
		b.limit, b.rampEnd = line{v: e.Value}, math.Inf(1)
	case model.Ramp:
		v := b.limitAt(e.At)
		b.limit = line{v, (e.Value - v) / e.Over}
		b.from, b.rampEnd, b.target = e.At, until, e.Value
	case model.Flush:
		b.flush = append(b.flush, e.Value)
	case model.Capacity:
		i := 0
		if e.Pool != "" {
			i = slices.IndexFunc(b.sc.Pools, func(p model.Named[model.Pool]) bool { return p.Name == e.Pool })
		}
		b.kappa[i] = lasting{until, e.Value}
	case model.TrafficTo:
		b.traffic = lasting{until, e.Value}
	case model.Validate:
		b.validate = lasting{until, e.Value}
	case model.Change:
		sc := b.sc.Clone()
		for _, c := range e.Change {
			if err := sc.Set(c.Path, c.Value); err != nil {
				return err
			}
		}
		if err := sameStructure(b.sc, sc); err != nil {
			return err
		}
		b.sc = sc
	}
	if e.Priority != "" {
		b.shedAll = e.Priority == "all"
	}
	return nil
}

// epoch freezes what is in force from t on.
func (b *builder) epoch(t float64) epoch {
	f := profile(&b.sc.Traffic, t)
	e := epoch{
		t: t, sc: b.sc, mult: line{f.v * b.traffic.value, f.rate * b.traffic.value},
		limit: line{b.limitAt(t), b.limit.rate}, shedAll: b.shedAll, validate: b.validate.value,
		flush: b.flush, rollout: b.rollout, over: b.over, pause: b.pause,
	}
	for _, k := range b.kappa {
		e.kappa = append(e.kappa, k.value)
	}
	return e
}

// kinks returns the times in (0, duration) where the profile of the traffic bends.
func kinks(sc *model.Scenario) []float64 {
	var out []float64
	for shift := 0.0; shift < sc.Duration; shift += sc.Traffic.Repeat {
		for _, p := range sc.Traffic.Profile.Points {
			if t := p.T + shift; t > 0 && t < sc.Duration {
				out = append(out, t)
			}
		}
		if math.IsInf(sc.Traffic.Repeat, 1) {
			break
		}
		if t := shift + sc.Traffic.Repeat; t < sc.Duration {
			out = append(out, t)
		}
	}
	return out
}

// profile returns the factor of the traffic at t and its slope just after.
func profile(tr *model.Traffic, t float64) line {
	points := tr.Profile.Points
	if len(points) == 0 {
		return line{v: 1}
	}
	if !math.IsInf(tr.Repeat, 1) {
		t = math.Mod(t, tr.Repeat)
		if tr.Repeat-t < 1e-9*tr.Repeat {
			t = 0
		}
	}
	i := 0
	for i < len(points) && points[i].T <= t+1e-9*(1+t) {
		i++
	}
	switch i {
	case 0:
		return line{v: points[0].Value}
	case len(points):
		return line{v: points[i-1].Value}
	}
	a, b := points[i-1], points[i]
	slope := (b.Value - a.Value) / (b.T - a.T)
	return line{a.Value + slope*(t-a.T), slope}
}
