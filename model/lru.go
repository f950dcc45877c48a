package model

import "math"

// evict computes what an LRU cache smaller than its keys evicts, with the
// characteristic-time approximation (Che, Tung & Wang 2002, doi:10.1109/JSAC.2002.801752): an entry is lost
// when it is not read for the time T_C. Only what is inserted pushes something out,
// and a miss inserts with the probability o that its read succeeds, so T_C solves
//
//	Σ N φ_b x_b = size,  x_b = o (e^{ν T_C} − 1)/(1 + o (e^{ν T_C} − 1)),
//
// over all cached classes (q-LRU: Garetto, Leonardi & Martina 2016,
// doi:10.1145/2896380). At o = 1 that is x = 1 − e^{−ν T_C}; in a collapse T_C grows and
// evictions cease. logT is the logarithm of T_C counted in requests of all classes,
// which stays finite when the traffic stops.
func (s *System) evict(logT float64, grad bool) {
	par, w, ix := s.now.par, &s.work, &s.lay.core
	total, n := 0.0, 0.0
	for q := range par.class {
		if par.class[q].cached {
			total += w.class[q].rate
			n++
		}
	}
	total += faint * faint // keeps the classes' shares defined when none is used
	floor := idle * total
	all := total + n*floor
	window := math.Exp(logT)
	full := 0.0
	for q := range par.class {
		c, k := &par.class[q], &w.class[q]
		if !c.cached {
			continue
		}
		o, gO := k.fills(c)
		if o < leastFill {
			o, gO = leastFill, nil
		}
		share := (k.rate + floor) / all
		k.drive[driveAge] = share * window
		slope, slopeO := 0.0, 0.0 // of the occupancy
		for b, r := range c.rho {
			stay := math.Exp(-r * k.drive[driveAge])
			come := -math.Expm1(-r * k.drive[driveAge])
			all := stay + o*come
			full += c.keysIn[b] * o * come / all
			slope += c.keysIn[b] * r * o * stay / (all * all)
			slopeO += c.keysIn[b] * stay * come / (all * all)
		}
		if !grad {
			continue
		}
		g := k.gDrive[driveAge]
		g[ix.tc] += k.drive[driveAge]
		if total > 1e-100 { // below, rounding is all that is left of a slope
			axpy(g, window/all, k.gRate)
			for r := range par.class {
				if par.class[r].cached {
					axpy(g, window*idle/all-k.drive[driveAge]*(1+n*idle)/all, w.class[r].gRate)
				}
			}
		}
		axpy(w.gLRU, slope/par.size, g)
		if gO != nil {
			axpy(w.gLRU, slopeO/par.size, gO)
		}
	}
	w.lruRes = full/par.size - 1
}

// idle is the share of all requests that a class nobody asks is given: its keys make
// room last, and a cache larger than all keys in use still has a characteristic time.
const idle = 1e-12

// leastFill bounds the success of reads from below where a cache without insertions
// would have no characteristic time.
const leastFill = 1e-9

// fills returns the probability that a miss fills the cache, and its gradient.
func (k *classFlow) fills(c *class) (o float64, gO []float64) {
	if c.late {
		return k.gr, k.gGr
	}
	return k.o, k.gO
}

// binRate is how fast a bin whose keys are read rho times per request of the class
// fills (per missing share) and loses content (per warm share), expiry and rollouts
// aside; both 1/s.
func (c *class) binRate(rho float64, d *[driveKinds]float64) (fill, loss float64) {
	fill = rho * d[driveFill]
	if c.late || c.coalesce {
		fill /= 1 + rho*d[driveFlight]
	}
	if c.del {
		fill *= math.Exp(-rho * d[driveSpoil])
		loss = rho * d[driveDelete]
	}
	if len(c.drives) > 0 && c.drives[len(c.drives)-1] == driveAge {
		loss += rho * d[driveAccess] / math.Expm1(rho*d[driveAge])
	}
	return fill, loss
}

// binSlopes are the derivatives of binRate with respect to one drive.
func (c *class) binSlopes(drive int, rho float64, d *[driveKinds]float64) (dfill, dloss float64) {
	fill := rho * d[driveFill]
	spoil, late := 1.0, 1.0
	if c.del {
		spoil = math.Exp(-rho * d[driveSpoil])
	}
	if c.late || c.coalesce {
		late = 1 / (1 + rho*d[driveFlight])
	}
	switch drive {
	case driveFill:
		return rho * late * spoil, 0
	case driveFlight:
		return -rho * fill * late * late * spoil, 0
	case driveSpoil:
		return -rho * fill * late * spoil, 0
	case driveDelete:
		return 0, rho
	}
	a := rho * d[driveAge]
	e := math.Expm1(a)
	if drive == driveAccess {
		return 0, rho / e
	}
	return 0, rho * rho * d[driveAccess] / (e * math.Expm1(-a))
}
