package model

import "math"

// mixes bounds the mean residual query (the mean query in system under processor sharing) and the
// common share of a pool to which classes bring the given work, over their parts in it and
// the shapes in the two copies of the system: means over queries.
func (m *ReturnMap) mixes(i int, work ends) (b, share ends) {
	p, bg := &m.s.now.par.pool[i], m.s.work.pool[i].bg
	m.mix.reset()
	m.common.reset()
	for j, q := range m.rate {
		x, y := &m.easy.work.class[q].sh, &m.s.work.class[q].sh // every moment falls with the hit rate
		if m.s.now.par.class[q].pool != i || !(y.w > 0) {
			continue
		}
		part := m.part[j]
		calls := ends{part.lo / y.w, part.hi / x.w}
		m.common.add(ends{calls.lo * x.w2, calls.hi * y.w2}, ends{x.ww / x.w2, y.ww / y.w2})
		if p.ps {
			m.mix.add(part, ends{x.w2 / y.w, y.w2 / x.w})
			continue
		}
		odd := ends{(p.ca - 1) * x.w * x.w, (p.ca - 1) * y.w * y.w}
		if p.ca < 1 {
			odd = ends{odd.hi, odd.lo}
		}
		m.mix.add(part, ends{
			max(0, x.w2*(1+p.cs)+odd.lo) / (2 * y.w), (y.w2*(1+p.cs) + odd.hi) / (2 * x.w),
		})
	}
	single := (p.cs + p.ca) / 2 // of single point reads, as in System.mix
	if p.ps {
		single = 1
	}
	b = m.mix.mean(work, bg, single, single)
	if p.corr >= 0 {
		return b, ends{p.corr, p.corr}
	}
	share = m.common.mean(work, bg, 0, 0)
	return b, ends{share.lo / (1 + p.cs), share.hi / (1 + p.cs)}
}

// A weighing is values with weights, per unit of work, of which bounds are known.
type weighing struct{ weight, value []ends }

func (w *weighing) reset() { w.weight, w.value = w.weight[:0], w.value[:0] }

func (w *weighing) add(weight, value ends) {
	w.weight, w.value = append(w.weight, weight), append(w.value, value)
}

// mean bounds the weighted mean of the values under that work, and of one more of weight
// beside. It is empty without any weight.
func (w *weighing) mean(work ends, beside, value, empty float64) ends {
	if len(w.weight) == 0 || work.hi == 0 {
		if beside > 0 {
			return ends{value, value}
		}
		return ends{empty, empty}
	}
	out := ends{w.least(1), -w.least(-1)}
	if beside > 0 {
		var sum ends
		for _, x := range w.weight {
			sum = ends{sum.lo + x.lo, sum.hi + x.hi}
		}
		few, many := beside/(beside+work.hi*sum.hi), beside/(beside+work.lo*sum.lo)
		return ends{toward(out.lo, value, few, many), -toward(-out.hi, -value, few, many)}
	}
	if work.lo == 0 {
		return ends{min(out.lo, empty), max(out.hi, empty)}
	}
	return out
}

// toward is the least value on the way from x to y between the given shares of it.
func toward(x, y, few, many float64) float64 {
	if y < x {
		return x + many*(y-x)
	}
	return x + few*(y-x)
}

// least returns the least weighted mean of the values times sign: those above it have
// their least weights, those below their largest.
func (w *weighing) least(sign float64) float64 {
	mean := math.Inf(1)
	for range 2 + len(w.weight) {
		sum, total := 0.0, 0.0
		for k, x := range w.weight {
			at, v := x.lo, w.value[k].lo
			if sign < 0 {
				v = -w.value[k].hi
			}
			if v < mean {
				at = x.hi
			}
			sum, total = sum+at*v, total+at
		}
		if total == 0 || sum/total >= mean {
			break
		}
		mean = sum / total
	}
	return mean
}
