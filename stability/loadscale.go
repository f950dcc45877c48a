package stability

import (
	"math"

	"github.com/metastable/metastable/model"
)

// A loadScale makes a coordinate of the rate of a scalar return map. A queue turns from
// short to full within a narrow band of loads around the capacity, and so does the map; far
// from it what matters is how far. The coordinate is
//
//	x = asinh((ρ − 1)/ε),   ρ = slope·u + base,
//
// ρ the load over the capacity at the rate u, ε one work unit over what a queue holds.
type loadScale struct {
	slope, base, width float64
	follows            float64 // base along the traffic
	small              float64 // queries/s per shard: below it rates count as small
}

func (s loadScale) coordinate(u float64) float64 {
	return math.Asinh((s.slope*u + s.base - 1) / s.width)
}

func (s loadScale) rate(x float64) float64 {
	return (1 + s.width*math.Sinh(x) - s.base) / s.slope
}

// slopes are the derivatives of the rate by the coordinate and by the traffic.
func (s loadScale) slopes(x float64) (byX, byTraffic float64) {
	return s.width * math.Cosh(x) / s.slope, -s.follows / s.slope
}

// A loadAxis is the scales of a compiled system: the background may follow the traffic.
type loadAxis struct{ slope, fixed, follows, width float64 }

// smallLoad is a load over the capacity below which queries do not matter.
const smallLoad = 1e-3

func (a *loadAxis) at(traffic float64) loadScale {
	return loadScale{a.slope, a.fixed + a.follows*traffic, a.width, a.follows, smallLoad / a.slope}
}

// newLoadAxis returns the scales of a system with a scalar return map; nil without one.
// The load follows from what first attempts bring to empty caches under two throttles.
func newLoadAxis(sys *model.System, sc *model.Scenario, at model.Moment) *loadAxis {
	slope, one, pool := loadLine(sys, at, 1)
	_, two, _ := loadLine(sys, at, 2)
	if !(slope > 0) || math.IsInf(slope, 1) || math.IsNaN(two) {
		return nil
	}
	p := &sc.Pools[pool].Value
	units := 1.0
	for _, v := range []float64{p.Capacity * p.Timeout, p.QueueLimit} {
		if !math.IsInf(v, 1) {
			units = max(units, v)
		}
	}
	return &loadAxis{slope, 2*one - two, two - one, 1 / min(units, 1e7)}
}

// loadLine returns the slope of the load over the rate, its value without queries, and
// the pool; NaN where there is no scalar return map.
func loadLine(sys *model.System, at model.Moment, traffic float64) (slope, base float64, pool int) {
	at.Traffic = traffic
	var most, lam [2]float64
	var cold [2][]float64
	limits := [2]float64{}
	for i := range limits {
		at.Throttle = math.Inf(1)
		lam[i] = sys.Freeze(at).Boots()
		limits[i] = lam[i] * 1e-3 * float64(1+i) // far below, so that as many are admitted
		at.Throttle = limits[i]
		m, err := model.NewReturnMap(sys.Freeze(at))
		if err != nil || m.Dim() != 1 {
			return math.NaN(), math.NaN(), 0
		}
		_, hi := m.Box()
		most[i], cold[i] = hi[0], m.ColdLoad()
	}
	perBoot := (most[1] - most[0]) / (limits[1] - limits[0])
	perSession := (most[0] - perBoot*limits[0]) / lam[0]
	rate := func(i int) float64 { return (perBoot + perSession) * limits[i] }
	for i := range cold[0] {
		if s := (cold[1][i] - cold[0][i]) / (rate(1) - rate(0)); s > 0 {
			slope, base, pool = s, cold[0][i]-s*rate(0), i
		}
	}
	return slope, base, pool
}
