package model

import (
	"math"
	"slices"

	"github.com/metastable/metastable/internal/special"
)

// A System is a compiled [Scenario]: flat arrays in SI units, the right-hand side
// of its equations, their exact Jacobian in arrow form, and its schedule of
// discontinuities. It has the methods that an integrator and an equilibrium solver
// ask of a problem
//
//	M y' = f(t, y),   M diagonal with entries 0 (algebraic) or 1.
//
// The state y holds, in this order:
//
//	x       content of each popularity bin of each cached class (share of its keys
//	        that are warm), one number a bin, or one a compartment with ttl_law stages
//	z       clients waiting in each backoff stage
//	n, v    per pool: mean work in system per shard (work units) and its variance; with
//	        drop_expired v + b n, the variance of the time to serve it in work units²
//	s       booted sessions
//	closure per pool: mean residual query b (work units) and common share; then the
//	        dwell's delay θ (s), and the logarithm of the LRU characteristic time in
//	        requests. These are algebraic: the mix of queries determines them, and
//	        they determine the success of reads and with it the mix.
//	y       while a rollout step runs: content of the nodes still to come, as x
//
// A System keeps scratch space and the piece of the schedule in force: it serves one
// goroutine at a time. [System.Clone] is cheap; clones share all tables.
type System struct {
	name    string
	classes []string
	pools   []string
	lay     layout
	breaks  []float64
	pieces  []*piece // pieces[k+1] follows breaks[k]
	initial Initial
	end     float64 // s
	tables  *tables

	now      *piece // in force
	work     scratch
	arr      arrow
	mem      *memory // nil without a fixed time to live
	settling bool    // at rest a fixed time to live and an exponential one are alike
}

// layout says where each part of the state lives.
type layout struct {
	z, s, nState int // offsets; nState counts the differential part without y
	nz           int // backoff stages
	theta, lru   int // closure offsets, −1 when absent
	base         int // dimension without the rollout's block
	class        []binLayout
	pool         []poolLayout
	core         coreIndex
}

type binLayout struct {
	at, bins, k int // offset, bins (0: not cached), compartments per bin
}

type poolLayout struct {
	n, v, b, share int // offsets; n = v = −1 for a measured service curve, whose b is the load W
}

// Name returns the scenario's name.
func (s *System) Name() string { return s.name }

// Span returns the length of a run in seconds; runs start at t = 0.
func (s *System) Span() float64 { return s.end }

// Dim returns the number of components of the state in force.
func (s *System) Dim() int {
	if s.now.rolling {
		return s.lay.base + s.lay.z
	}
	return s.lay.base
}

// Mass returns the diagonal of M: 0 for the closure variables, 1 elsewhere.
func (s *System) Mass() []float64 {
	m := make([]float64, s.Dim())
	for i := range m {
		if i < s.lay.nState || i >= s.lay.base {
			m[i] = 1
		}
	}
	return m
}

// Breaks returns the times (s) at which the parameters or the state jump or the
// forcing has a kink.
func (s *System) Breaks() []float64 { return s.breaks }

// Reset puts the parameters of t = 0 in force.
func (s *System) Reset() { s.now = s.pieces[0] }

// Enter puts the parameters that follow break k in force. A rollout step that
// starts appends its block, equal to x, to the state; one that ends removes it.
func (s *System) Enter(k int, _ float64, y []float64) []float64 {
	before := s.now.par
	s.now = s.pieces[k+1]
	if s.now.par != before { // of what drops, another number is the state
		for i := range s.lay.pool {
			if l := &s.lay.pool[i]; l.n >= 0 {
				s.now.par.pool[i].setVariance(y, l, before.pool[i].varianceIn(y, l))
			}
		}
	}
	base, nx := s.lay.base, s.lay.z
	switch {
	case !s.now.rolling:
		return y[:base]
	case s.now.rollStart || len(y) == base:
		return append(y[:base], y[:nx]...)
	}
	return y
}

// Jump applies the flushes of break k.
func (s *System) Jump(k int, _ float64, y []float64) {
	keep := s.pieces[k+1].keep
	if keep == 1 {
		return
	}
	for i := range s.lay.z {
		y[i] *= keep
	}
	for i := s.lay.base; i < len(y); i++ {
		y[i] *= keep
	}
}

// Clone returns a System that can run beside s.
func (s *System) Clone() *System {
	c := *s
	c.work = newScratch(&c.lay)
	c.arr = newArrow(&c.lay)
	c.mem = c.newMemory()
	c.Reset()
	return &c
}

// NewState returns a zero state with room for every block the system can have.
func (s *System) NewState() []float64 {
	return make([]float64, s.lay.base, s.lay.base+s.lay.z)
}

// MaxDim returns the largest dimension the state can have.
func (s *System) MaxDim() int { return s.lay.base + s.lay.z }

// Scales returns the sizes against which absolute tolerances are meant, for each of
// MaxDim components: what a tenth of a second of boots brings for clients and sessions, at
// least 1, and 1 for everything else.
func (s *System) Scales() []float64 {
	d := make([]float64, s.MaxDim())
	for i := range d {
		d[i] = 1
	}
	people := max(1, s.pieces[0].par.boots/10)
	for j := range s.lay.nz {
		d[s.lay.z+j] = people
	}
	d[s.lay.s] = people
	return d
}

// Inside reports whether y is a state: contents in 0…1, clients, queues and sessions
// that are not negative, each up to what a tolerance of 1e-3 leaves.
func (s *System) Inside(y []float64) bool {
	const slack = 1e-3
	for i, v := range y {
		switch {
		case math.IsNaN(v):
			return false
		case i < s.lay.z || i >= s.lay.base:
			if v < -slack || v > 1+slack {
				return false
			}
		case i < s.lay.nState && v < -slack:
			return false
		}
	}
	return true
}

// coreIndex numbers the few quantities through which everything is coupled: the
// border of the arrow.
type coreIndex struct {
	size             int // the gradient slot of time has this index
	h, miss          []int
	n, v, b, share   []int
	retry, s, th, tc int
}

func newCoreIndex(l *layout, coalesce []bool) coreIndex {
	c := coreIndex{retry: -1, th: -1, tc: -1}
	next := func() int { c.size++; return c.size - 1 }
	for q, b := range l.class {
		c.h = append(c.h, -1)
		c.miss = append(c.miss, -1)
		if b.bins > 0 {
			c.h[q] = next()
			if coalesce[q] {
				c.miss[q] = next()
			}
		}
	}
	for _, p := range l.pool {
		n, v := -1, -1
		if p.n >= 0 {
			n, v = next(), next()
		}
		c.n, c.v = append(c.n, n), append(c.v, v)
		c.b, c.share = append(c.b, next()), append(c.share, next())
	}
	if l.nz > 0 {
		c.retry, c.th = next(), next()
	}
	c.s = next()
	if l.lru >= 0 {
		c.tc = next()
	}
	return c
}

// piece is what is in force between two breaks.
type piece struct {
	par   *params
	lasts *params // of a frozen system: those that par is made of, without limits

	t0             float64
	lam, lamRate   float64 // λ at t0 and its slope: 1/s, 1/s²
	mult, multRate float64 // profile times traffic factor, for background that follows
	u, uRate       float64 // throttle at t0 (+Inf: none) and its slope
	shedAll        bool
	kappa          []float64 // capacity factor per pool
	validate       float64
	absent         absence
	loss           float64 // 1/s: hazard at which the content still to come is emptied
	rolling        bool    // the nodes of a step are replaced
	rollStart      bool    // and the first of them as this piece starts
	keep           float64 // content left by the flushes at the piece's start
}

// params are the compiled parameters: one set for each change of the timeline.
type params struct {
	boots     float64
	session   float64 // s
	class     []class
	pool      []pool
	wait      []float64 // mean wait of each backoff stage (s)
	lastFeeds bool
	giveUp    float64
	leave     float64 // 1/s: clients that leave while the budget holds them back, in a bounded system
	budget    float64
	size      float64 // LRU entries, +Inf: no eviction
	keys      float64 // keys of all cached classes
}

type class struct {
	perBoot, perSession float64
	m                   float64
	cached, missing     bool
	scatter, del        bool
	late, coalesce      bool
	essential           bool
	fixed               bool // a fixed time to live
	attempts            int
	pool                int
	shards              float64
	table               *special.Shards // of a scatter, which asks all
	c0, c1              float64
	age                 float64   // 1/s: compartments / TTL
	pi                  []float64 // share of the accesses per bin
	rho                 []float64 // accesses to one key of the bin per request of the class
	keysIn              []float64 // keys of the bin
	drives              []int     // which scalars move its bins (see eval.go)
}

type pool struct {
	shards, mu, limit, tau float64
	cs, ca                 float64 // squared coefficients of variation: service, arrivals
	drop, ps               bool
	law                    queueLaw
	follows                bool
	bg                     float64
	corr                   float64 // fixed common share, −1: derived
	curve                  *curve
}

// Pools returns the names of the pools in the order of the columns.
func (s *System) Pools() []string { return slices.Clone(s.pools) }
