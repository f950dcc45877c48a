package model

import "math"

// evict computes what an LRU cache smaller than its keys evicts (Che, Tung & Wang
// 2002): an entry is lost when it is not read for the characteristic time T_C, which
// solves Σ N φ_b (1 − e^{−ν_b T_C}) = size over all cached classes. logT is the
// logarithm of T_C counted in requests of all classes, which stays finite when the
// traffic stops.
func (s *System) evict(logT float64, grad bool) {
	par, w, ix := s.now.par, &s.work, &s.lay.core
	const floor = 1e-12 // 1/s; keeps the classes' shares defined without traffic
	total := 0.0
	for q := range par.class {
		if par.class[q].cached {
			total += w.class[q].rate + floor
		}
	}
	window := math.Exp(logT)
	full := 0.0
	for q := range par.class {
		c, k := &par.class[q], &w.class[q]
		if !c.cached {
			continue
		}
		share := (k.rate + floor) / total
		k.drive[driveAge] = share * window
		slope := 0.0 // of the occupancy, in requests of the class
		for b, r := range c.rho {
			gone := math.Exp(-r * k.drive[driveAge])
			full += c.keysIn[b] * (1 - gone)
			slope += c.keysIn[b] * gone * r
		}
		if !grad {
			continue
		}
		g := k.gDrive[driveAge]
		g[ix.tc] += k.drive[driveAge]
		axpy(g, window/total, k.gRate)
		for r := range par.class {
			if par.class[r].cached {
				axpy(g, -k.drive[driveAge]/total, w.class[r].gRate)
			}
		}
		axpy(w.gLRU, slope/par.size, g)
	}
	w.lruRes = full/par.size - 1
}

// binRate is how fast a bin whose keys are read rho times per request of the class
// fills (per missing share) and loses content (per warm share), expiry and rollouts
// aside; both 1/s.
func (c *class) binRate(rho float64, d *[driveKinds]float64) (fill, loss float64) {
	fill = rho * d[driveFill]
	if c.late {
		fill /= 1 + fill*d[driveDelay]
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
	if c.late {
		late = 1 / (1 + fill*d[driveDelay])
	}
	switch drive {
	case driveFill:
		return rho * late * late * spoil, 0
	case driveDelay:
		return -fill * fill * late * late * spoil, 0
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
