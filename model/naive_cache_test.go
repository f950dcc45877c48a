package model

import "math"

// zipfSums sums the weights one by one.
func zipfSums(c *Class) (keys, pi []float64) {
	cut, total := 0.0, 0.0
	for i := 1; i <= c.Popularity.Bins; i++ {
		to, share := math.Round(math.Pow(c.Keys, float64(i)/float64(c.Popularity.Bins))), 0.0
		for k := cut + 1; k <= to; k++ {
			share += math.Pow(k, -c.Popularity.Zipf)
		}
		if to > cut {
			keys, pi = append(keys, to-cut), append(pi, share)
		}
		cut, total = to, total+share
	}
	for i := range pi {
		pi[i] /= total
	}
	return keys, pi
}

// content fills dx and dy.
func (d *textbook) content(reads, o, oc, noRefusal []float64) {
	fills := make([]float64, len(o))
	for i := range o {
		fills[i] = o[i]
		if d.sc.Classes[i].Value.LateFill {
			fills[i] = noRefusal[i]
		}
		fills[i] = math.Max(fills[i], 1e-9) // a cache nothing fills has no characteristic time
	}
	window := d.characteristicTime(reads, fills)
	for i := range d.sc.Classes {
		c := &d.sc.Classes[i].Value
		pool := d.poolOf(c)
		p := &d.sc.Pools[pool].Value
		sojourn := (d.n[pool] + 1) / p.Capacity
		for b := range d.x[i] {
			nu := reads[i] * c.KeysPerRequest * d.pi[i][b] / d.keys[i][b]
			fill, gone := nu*o[i], 0.0
			if c.LateFill {
				fill = nu * noRefusal[i]
			}
			switch {
			case c.Coalesce:
				fill /= 1 + nu*noRefusal[i]*math.Min(sojourn, p.Timeout)
			case c.LateFill:
				fill /= 1 + fill*sojourn
			}
			if c.OnError == "delete" {
				fill *= math.Exp(-nu * math.Min(sojourn, p.Timeout) * oc[i])
				gone = nu * d.validate * oc[i]
			}
			if !math.IsInf(window, 1) {
				gone += nu / math.Expm1(nu*window)
			}
			k := float64(len(d.x[i][b]))
			for j, x := range d.x[i][b] {
				y := d.y[i][b][j]
				inX, inY := fill*(1-total(d.x[i][b])), fill*(1-total(d.y[i][b]))
				if j > 0 {
					inX, inY = k/c.TTL*d.x[i][b][j-1], k/c.TTL*d.y[i][b][j-1]
				}
				d.dx[i][b][j] = terms(inX, -x*k/c.TTL, -x*gone, -d.loss*y)
				d.dy[i][b][j] = terms(inY, -y*k/c.TTL, -y*gone)
			}
		}
	}
}

// characteristicTime solves Σ keys x = size, x = o E/(1 + o E), E = e^{νT} − 1, by
// bisection of log T.
func (d *textbook) characteristicTime(reads, fills []float64) float64 {
	occupied := func(window float64) float64 {
		t := 0.0
		for i := range d.keys {
			c := &d.sc.Classes[i].Value
			for b, k := range d.keys[i] {
				e := fills[i] * math.Expm1(reads[i]*c.KeysPerRequest*d.pi[i][b]/k*window)
				t += k * (1 - 1/(1+e))
			}
		}
		return t
	}
	lo, hi := -40.0, 40.0
	if occupied(math.Exp(hi)) < d.sc.Cache.Size {
		return math.Inf(1)
	}
	for range 200 {
		if mid := (lo + hi) / 2; occupied(math.Exp(mid)) < d.sc.Cache.Size {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp((lo + hi) / 2)
}

func total(x []float64) float64 {
	t := 0.0
	for _, v := range x {
		t += v
	}
	return t
}
