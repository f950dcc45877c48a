package model

// A workload is the rate of work that classes from:to of a ReturnMap bring to a pool, or
// the rate of queries of one class if they are free.
type workload struct {
	pool, from, to int
	free           bool
	boots          bool // boots alone ask for them
}

// A returnScratch is what evaluations of a ReturnMap work with, per class.
type returnScratch struct {
	part        []ends // in the work of its pool
	few, many   []float64
	asks, back  []ends // reads/s, and work that comes back
	mix, common weighing
}

// addClasses lists the classes that are used, pool by pool, those that cost nothing apart.
func (m *ReturnMap) addClasses() {
	par := m.s.now.par
	for i := range par.pool {
		for _, free := range []bool{false, true} {
			g := workload{pool: i, from: len(m.rate), free: free, boots: true}
			for q := range par.class {
				c := &par.class[q]
				if c.pool != i || c.perBoot == 0 && c.perSession == 0 || free != (c.shapeOf(0).w == 0) {
					continue
				}
				m.rate = append(m.rate, q)
				g.to, g.boots = len(m.rate), g.boots && c.perSession == 0
				if free {
					m.loads = append(m.loads, g)
					g.from, g.boots = g.to, true
				}
			}
			if g.to > g.from {
				m.loads = append(m.loads, g)
			}
		}
	}
	n := len(m.rate)
	m.part, m.asks, m.back = make([]ends, n), make([]ends, n), make([]ends, n)
	m.few, m.many = make([]float64, n), make([]float64, n)
}

// split stores the part of each class in the work of its pool, and its least and most
// work, over the box lo ≤ u ≤ hi.
func (m *ReturnMap) split(lo, hi []float64) {
	k := len(m.loads)
	for i, g := range m.loads {
		left := ends{1, 1}
		for j := g.from; j < g.to; j++ {
			m.part[j] = left
			if j < g.to-1 {
				m.part[j] = ends{left.lo * lo[k], left.hi * hi[k]}
				left = ends{left.lo * (1 - hi[k]), left.hi * (1 - lo[k])}
				k++
			}
			m.few[j], m.many[j] = lo[i]*m.part[j].lo, hi[i]*m.part[j].hi
		}
	}
}

// join stores the totals of the work that comes back and the part of each class in it
// and those after it in lo and hi; unit bounds what the work of boots is proportional to.
func (m *ReturnMap) join(lo, hi []float64, unit ends) {
	k := len(m.rate)
	for i := len(m.loads) - 1; i >= 0; i-- {
		g := m.loads[i]
		by := ends{1, 1}
		if g.boots {
			by = unit
		}
		var sum, rest ends
		for j := g.to - 1; j >= g.from; j-- {
			b := m.back[j]
			part := ends{b.lo / by.lo, b.hi / by.hi}
			if j < g.to-1 {
				k--
				lo[k], hi[k] = portion(part.lo, rest.hi), portion(part.hi, rest.lo)
			}
			sum = ends{sum.lo + b.lo, sum.hi + b.hi}
			rest = ends{rest.lo + part.lo, rest.hi + part.hi}
		}
		lo[i], hi[i] = sum.lo, sum.hi
	}
}

// portion is x of x + rest.
func portion(x, rest float64) float64 {
	if x == 0 {
		return 0
	}
	return x / (x + rest)
}

// Dim returns the number of coordinates.
func (m *ReturnMap) Dim() int {
	if m.fail >= 0 {
		return m.fail + 1
	}
	return len(m.rate) + len(m.hit)
}

// Rates returns how many of the coordinates, the first ones, are rates; the others are
// shares of 1.
func (m *ReturnMap) Rates() int { return len(m.loads) }

// HitRates returns which coordinates, from:to, are hit rates of one key.
func (m *ReturnMap) HitRates() (from, to int) { return len(m.rate), len(m.rate) + len(m.hit) }

// Box returns bounds that hold every equilibrium: rates from 0, and shares from 0 to 1.
func (m *ReturnMap) Box() (lo, hi []float64) {
	lo, hi = make([]float64, m.Dim()), make([]float64, m.Dim())
	m.full(hi)
	for i := m.Rates(); i < len(hi); i++ {
		hi[i] = 1
	}
	return lo, hi
}

// Diagonal stores in dst the point a share of the way from no load and full caches, where
// nothing fails, to full load and empty ones, where all fails.
func (m *ReturnMap) Diagonal(dst []float64, way float64) {
	m.full(dst)
	for i := range m.Rates() {
		dst[i] *= way
	}
	for i := range m.hit {
		dst[len(m.rate)+i] = 1 - way
	}
	if m.fail >= 0 {
		dst[m.fail] = way
	}
}

// full stores the most that may be asked of the pools in the first coordinates.
func (m *ReturnMap) full(dst []float64) {
	par := m.s.now.par
	top := m.attempts(1)
	adm, _, _, _, _ := smin(top, m.s.now.u)
	if m.s.now.shedAll {
		adm = top
	}
	for i, q := range m.rate {
		c := &par.class[q]
		most := (c.perBoot*adm + c.perSession*par.session*m.s.now.lam) * float64(c.attempts) * c.mostCalls() * perCall(c.shapeOf(0)) * (1 + 1e-9)
		m.back[i] = ends{most, most}
	}
	m.join(dst, dst, ends{1, 1})
}
