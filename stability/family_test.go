package stability

import (
	"fmt"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
)

// The derivatives of the problem that curves are followed with are those that differences of
// order four show: by the coordinate, by the parameters that move a system in place, by one that
// compiles it, and below no load, where the problem goes on by reflection.
func TestFamily_slopes_convergence(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	for _, axes := range [][2]Axis{
		{{TrafficAxis, 0.1, 3}, {ThrottleAxis, 500, 9000}},
		{{"pools.main.capacity", 6000, 9000}, {TrafficAxis, 0.1, 3}},
	} {
		f, err := NewFamily(sc, asIs, axes[0], axes[1])
		if err != nil {
			t.Fatal(err)
		}
		prob := f.problem()
		var at, got [1]float64
		var byPar [2]float64
		value := func(x, p, q float64) float64 {
			prob.F(at[:], []float64{x}, []float64{p, q})
			return at[0]
		}
		along := func(h float64, g func(h float64) float64) float64 {
			return (8*(g(h)-g(-h)) - (g(2*h) - g(-2*h))) / (12 * h)
		}
		for k := range 40 {
			x := -11 + 0.4*float64(k)
			p, q := axes[0].at(math.Mod(0.1+0.618*float64(k), 1)), axes[1].at(math.Mod(0.3+0.414*float64(k), 1))
			name := fmt.Sprintf("%s = %g, %s = %g at %g", axes[0].Path, p, axes[1].Path, q, x)
			prob.JacX(got[:], []float64{x}, []float64{p, q})
			prob.JacP(byPar[:], []float64{x}, []float64{p, q})
			wide := [2]float64{axes[0].Hi - axes[0].Lo, axes[1].Hi - axes[1].Lo}
			numtest.Check(t, name+": by x", got[0], along(3e-4, func(h float64) float64 { return value(x+h, p, q) }), 1e-5, 1e-6)
			numtest.Check(t, name+": by the first", byPar[0]*wide[0], along(1e-4, func(h float64) float64 { return value(x, p+h*wide[0], q) }), 1e-5, 1e-5)
			numtest.Check(t, name+": by the second", byPar[1]*wide[1], along(1e-4, func(h float64) float64 { return value(x, p, q+h*wide[1]) }), 1e-5, 1e-5)
		}
	}
}
