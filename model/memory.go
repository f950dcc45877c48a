package model

import (
	"math"
	"slices"
	"sort"
)

// memory is the past that a fixed time to live looks back on: an entry filled at s
// expires at s + T unless a flush or a rollout emptied it in between,
//
//	dx/dt = fill (1 − x) − in(t − T) · surviving share − …,
//
// with in = fill (1 − x) the inflow of warm keys. Inflows are kept as quartics in
// time, one a step of the integrator.
type memory struct {
	class []int // classes with a fixed time to live
	at    []int // offset of each one's bins in the rows below
	width int   // bins of all of them
	past  []float64
	steps []memStep
	emits []emission
	x     []float64 // expiry of the content now, 1/s
	rest  []float64 // and of the content still to come
	dx    []float64 // their rates of change, 1/s²
	drest []float64
	state []float64
}

// memStep is the inflow during one step: memNodes rows of bins each.
type memStep struct {
	t0, t1   float64
	in, rest []float64
}

// emission is what empties content: a rollout step, or a flush when t1 = t0.
type emission struct {
	t0, t1 float64
	share  float64
}

const memNodes = 5

// Lag returns the longest step (s) an integrator may take: the shortest fixed time to
// live, or +Inf without one.
func (s *System) Lag() float64 {
	lag := math.Inf(1)
	for _, c := range s.pieces[0].par.class {
		if c.fixed {
			lag = min(lag, 1/c.age)
		}
	}
	return lag
}

// newMemory returns the memory the classes need, nil without a fixed time to live.
func (s *System) newMemory() *memory {
	m := new(memory)
	for q, c := range s.pieces[0].par.class {
		if c.fixed {
			m.class, m.at = append(m.class, q), append(m.at, m.width)
			m.width += len(c.pi)
		}
	}
	if m.class == nil {
		return nil
	}
	for _, r := range []*[]float64{&m.past, &m.x, &m.rest, &m.dx, &m.drest} {
		*r = make([]float64, m.width)
	}
	m.state = make([]float64, s.MaxDim())
	for k, p := range s.pieces[1:] {
		t := s.breaks[k]
		if p.keep < 1 {
			m.emits = append(m.emits, emission{t, t, 1 - p.keep})
		}
		if !p.rolling {
			continue
		}
		end := s.end
		if k+1 < len(s.breaks) {
			end = s.breaks[k+1]
		}
		if n := len(m.emits); n > 0 && !p.rollStart && m.emits[n-1].t1 == t {
			m.emits[n-1].t1 = end // the same step, past a break
			m.emits[n-1].share += p.loss * (end - t)
			continue
		}
		m.emits = append(m.emits, emission{t, end, p.loss * (end - t)})
	}
	return m
}

// forget starts a new past: contents x that have flowed in evenly during the last
// time to live.
func (s *System) forget(y []float64) {
	m := s.mem
	m.steps = m.steps[:0]
	for i, q := range m.class {
		for b := range s.lay.class[q].bins {
			m.past[m.at[i]+b] = y[s.lay.class[q].at+b] * s.now.par.class[q].age
		}
	}
}

// Remember keeps the inflows of the step from t0 to t1, whose states at gives.
func (s *System) Remember(t0, t1 float64, at func(dst []float64, t float64) []float64) {
	m := s.mem
	if m == nil {
		return
	}
	st := memStep{t0: t0, t1: t1, in: make([]float64, memNodes*m.width)}
	st.rest = st.in
	if s.now.rolling {
		st.rest = make([]float64, memNodes*m.width)
	}
	for j := range memNodes {
		t := t0 + (t1-t0)*float64(j)/(memNodes-1)
		y := at(m.state[:s.Dim()], t)
		s.core(t, y, false)
		for i, q := range m.class {
			c, l, d := &s.now.par.class[q], &s.lay.class[q], &s.work.class[q].drive
			row := st.in[j*m.width+m.at[i]:]
			rest := st.rest[j*m.width+m.at[i]:]
			for b, rho := range c.rho {
				fill, _ := c.binRate(rho, d)
				row[b] = fill * (1 - y[l.at+b])
				if s.now.rolling {
					rest[b] = fill * (1 - y[s.lay.base+l.at+b])
				}
			}
		}
	}
	m.steps = append(m.steps, st)
}

// expire computes what expires at t, and how fast that changes.
func (s *System) expire(t float64) {
	m := s.mem
	for i, q := range m.class {
		c := &s.now.par.class[q]
		// At a break the inflow jumps: before it the earlier side counts, from it on
		// the later one.
		then, side := t-1/c.age, 1e-14*(t+1/c.age)
		if t > s.now.t0 {
			side = -side
		}
		then += side
		lo, hi := m.at[i], m.at[i]+len(c.pi)
		x, rest, dx, drest := m.x[lo:hi], m.rest[lo:hi], m.dx[lo:hi], m.drest[lo:hi]
		if then <= 0 || len(m.steps) == 0 {
			copy(x, m.past[lo:hi])
			copy(rest, x)
			clear(dx)
			clear(drest)
		} else {
			k := sort.Search(len(m.steps), func(k int) bool { return m.steps[k].t1 >= then })
			k = min(k, len(m.steps)-1)
			m.steps[k].read(then, lo, hi, m.width, x, rest, dx, drest)
		}
		m.survive(then, t, x, rest, dx, drest)
	}
}

// expireInto subtracts what expires from the rates of a class with a fixed time to
// live, or with slope its rate of change from their slopes.
func (s *System) expireInto(dst []float64, q int, slope bool) {
	if !s.now.par.class[q].fixed || s.settling {
		return
	}
	m, l := s.mem, &s.lay.class[q]
	x, rest := m.x, m.rest
	if slope {
		x, rest = m.dx, m.drest
	}
	lo := m.at[slices.Index(m.class, q)]
	axpy(dst[l.at:l.at+l.bins], -1, x[lo:lo+l.bins])
	if s.now.rolling {
		axpy(dst[s.lay.base+l.at:s.lay.base+l.at+l.bins], -1, rest[lo:lo+l.bins])
	}
}

// read interpolates the inflows at time t.
func (st *memStep) read(t float64, lo, hi, width int, x, rest, dx, drest []float64) {
	h := st.t1 - st.t0
	var w, d [memNodes]float64
	lagrange((t-st.t0)/h, &w, &d)
	clear(x)
	clear(rest)
	clear(dx)
	clear(drest)
	for j := range memNodes {
		axpy(x, w[j], st.in[j*width+lo:j*width+hi])
		axpy(rest, w[j], st.rest[j*width+lo:j*width+hi])
		axpy(dx, d[j]/h, st.in[j*width+lo:j*width+hi])
		axpy(drest, d[j]/h, st.rest[j*width+lo:j*width+hi])
	}
}

// lagrange stores the values and slopes at u in 0…1 of the polynomials that are 1 at
// one of memNodes even points and 0 at the others.
func lagrange(u float64, w, d *[memNodes]float64) {
	const gap = 1.0 / (memNodes - 1)
	for j := range w {
		w[j], d[j] = 1, 0
		for k := range w {
			if k != j {
				q := 1 / (float64(j-k) * gap)
				d[j] = d[j]*(u-float64(k)*gap)*q + w[j]*q
				w[j] *= (u - float64(k)*gap) * q
			}
		}
	}
}

// survive scales what flowed in at time then by what is left of it at t. A step that
// was running then had emptied some nodes already: what flowed into those stays; the
// nodes still to come held rest. Later steps and flushes empty all alike, and the
// nodes still to come of a step that runs at t hold what the earlier ones left.
func (m *memory) survive(then, t float64, x, rest, dx, drest []float64) {
	for _, e := range m.emits {
		switch {
		case e.t1 < then || e.t0 > t || (e.t1 == e.t0 && e.t0 == then):
		case e.t1 == e.t0: // flush
			for _, r := range [][]float64{x, rest, dx, drest} {
				scale(r, 1-e.share)
			}
		default:
			rate := e.share / (e.t1 - e.t0)
			from, to := max(e.t0, then), min(e.t1, t)
			moving := rate // of the share emptied since
			switch {
			case e.t0 <= then && to < t: // from running to over: shrinks as then moves on
				moving = -rate
			case e.t0 <= then: // running at both ends
				moving = 0
			case to < t:
				moving = 0
			}
			gone := rate * (to - from)
			if e.t0 > then { // the nodes held what had flowed in everywhere
				copy(rest, x)
				copy(drest, dx)
			}
			for b := range x {
				x[b] -= gone * rest[b]
				dx[b] -= gone*drest[b] + moving*rest[b]
			}
			if to < t { // over: nothing still to come
				copy(rest, x)
				copy(drest, dx)
			}
		}
	}
}

func scale(x []float64, a float64) {
	for i := range x {
		x[i] *= a
	}
}
