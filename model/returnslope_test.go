package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The derivatives of scalar return maps are those that differences of order four show, whatever the
// options of the scenario.
func TestReturnMap_slope_convergence(t *testing.T) {
	const scenarios, points = 500, 4
	seen := 0
	for n := range scenarios {
		r := rand.New(rand.NewPCG(12, uint64(n)))
		s, text := randomSystem(t, r)
		at := Moment{Traffic: 1, Throttle: s.now.par.boots * math.Exp(r.NormFloat64())}
		frozen := s.Freeze(at)
		m, err := NewReturnMap(frozen)
		if err != nil {
			t.Fatal(err)
		}
		if m.Dim() > 1 {
			continue
		}
		_, top := m.Box()
		for range points {
			u := top[0] * math.Exp(-5*r.Float64())
			got, ok := m.Slope(u)
			if !ok {
				break
			}
			seen++
			value := func(u, traffic, throttle float64) float64 {
				var img [1]float64
				s.Refreeze(frozen, Moment{Traffic: traffic, Throttle: throttle})
				m.Map(img[:], []float64{u})
				return img[0]
			}
			if v := value(u, at.Traffic, at.Throttle); math.Abs(v-got.Value) > 1e-13*v {
				t.Errorf("%d: %g goes to %.17g, with its slope to %.17g\n%s", n, u, v, got.Value, text)
			}
			for k, want := range [3]float64{got.Rate * u, got.Traffic * at.Traffic, got.Throttle * at.Throttle} {
				along := func(h float64) float64 {
					x := [3]float64{u, at.Traffic, at.Throttle}
					x[k] *= 1 + h
					return value(x[0], x[1], x[2])
				}
				best := math.Inf(1)
				for _, h := range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
					d := (8*(along(h)-along(-h)) - (along(2*h) - along(-2*h))) / (12 * h)
					best = min(best, math.Abs(d-want))
				}
				if !(best <= 1e-6*(math.Abs(want)+got.Value)) {
					t.Errorf("%d: derivative %d at %g of %g (%g) is %g, off by %g\n%s", n, k, u, top[0], got.Value, want, best, text)
				}
			}
			s.Refreeze(frozen, at)
		}
	}
	if seen < 150 {
		t.Errorf("only %d points of scalar maps", seen)
	}
}
