package stability

import (
	"errors"
	"math"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// A Picture is the scalar return map Φ of a moment as people see it: if the database
// carried the load, this is the load that would come back, everything else at rest
// under it. Loads are over the capacity.
type Picture struct {
	Pool       int // that the load is of
	Load, Back []float64
	Equilibria []PictureState
	Cobwebs    []Walk
}

// A PictureState is a fixed point of the map. Stable is that of the whole system.
type PictureState struct {
	Load   float64
	Stable bool
	Proved bool
}

// A Walk is where the map leads from a load, again and again.
type Walk struct {
	Name  string
	Loads []float64
}

// ErrNoPicture reports a system whose return map is not scalar.
var ErrNoPicture = errors.New("stability: no picture of the return map, it is not scalar")

const (
	pictured = 600  // loads
	strides  = 40   // of a walk, at most
	nudge    = 0.01 // of the load, to either side of the tipping point
)

// NewPicture draws up the return map at the moment with the equilibria given, and walks
// from empty caches and from either side of the tipping point. It fails with
// ErrNoPicture.
func NewPicture(sc *model.Scenario, sys *model.System, at model.Moment, res *Result) (*Picture, error) {
	m, err := model.NewReturnMap(sys.Freeze(at))
	if err != nil {
		return nil, errors.Join(ErrNoPicture, err)
	}
	axis := newLoadAxis(sys, sc, at)
	if m.Dim() != 1 || axis == nil {
		return nil, ErrNoPicture
	}
	scale := axis.at(share(sys, at))
	back := func(load float64) float64 {
		var out [1]float64
		m.Map(out[:], []float64{max(0, (load-scale.base)/scale.slope)})
		return scale.slope*out[0] + scale.base
	}
	_, hi := m.Box()
	p := &Picture{}
	_, _, p.Pool = loadLine(sys, at, 1)
	from, to := scale.coordinate(0), scale.coordinate(hi[0]*1.05)
	for k := range pictured {
		load := scale.slope*max(0, scale.rate(from+(to-from)*float64(k)/(pictured-1))) + scale.base
		if n := len(p.Load); n > 0 && load <= p.Load[n-1] {
			continue // rounding
		}
		p.Load, p.Back = append(p.Load, load), append(p.Back, back(load))
	}
	tipping := math.NaN()
	for i := range res.Equilibria {
		e := &res.Equilibria[i]
		load := scale.base + scale.slope*e.Rates[0]
		if math.IsNaN(tipping) && !e.Stable {
			tipping = load
		}
		p.Equilibria = append(p.Equilibria, PictureState{load, e.Stable, e.Certainty == fixedpoint.Proved})
	}
	for _, start := range []struct {
		name string
		load float64
	}{
		{"from empty caches", m.ColdLoad()[p.Pool]},
		{"from above tipping", tipping * (1 + nudge)},
		{"from below tipping", tipping * (1 - nudge)},
	} {
		if math.IsNaN(start.load) {
			continue
		}
		w := Walk{Name: start.name, Loads: []float64{start.load}}
		for range strides {
			last := w.Loads[len(w.Loads)-1]
			next := back(last)
			w.Loads = append(w.Loads, next)
			if math.Abs(next-last) <= 1e-4*next {
				break
			}
		}
		p.Cobwebs = append(p.Cobwebs, w)
	}
	return p, nil
}
