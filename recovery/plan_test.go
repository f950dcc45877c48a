package recovery

import (
	"errors"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/ode"
)

// A cart is x″ = limit on a line, to be brought to rest at the origin from the right.
type cart struct{ t, x, v float64 }

func (c cart) time() float64 { return c.t }

func (c cart) hold(a, d float64) (state, error) {
	return cart{c.t + d, c.x + c.v*d + a*d*d/2, c.v + a*d}, nil
}

// safe: braking as hard as a from now on stops the cart before the origin.
func (c cart) safe(a float64) (bool, error) {
	return c.v >= 0 || c.x-c.v*c.v/(2*a) >= 0, nil
}

// The double integrator comes to rest at the origin, with |x″| ≤ 1, in 2√x at the
// least: it accelerates until the last moment at which braking is still in time, √x.
func TestLast_doubleIntegrator_exact(t *testing.T) {
	for _, x := range []float64{0.25, 1, 9} {
		half, err := last(cart{x: x}, -1, 1, 100, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := 2*half, 2*math.Sqrt(x); math.Abs(got-want) > 1e-5 {
			t.Errorf("from %g: %g s, want %g", x, got, want)
		}
	}
}

// A question is a state of which only safe matters.
type question func(limit float64) bool

func (question) time() float64                      { return 0 }
func (q question) hold(_, _ float64) (state, error) { return q, nil }
func (q question) safe(limit float64) (bool, error) { return q(limit), nil }

// The viability kernel of |x| ≤ 1 under |x″| ≤ 1: v ≤ √(2(1−x)), and by symmetry
// v ≥ −√(2(1+x)). Whether a speed is viable is decided by braking until it stops.
func TestBound_viability_exact(t *testing.T) {
	for _, x := range []float64{-0.9, -0.5, 0, 0.5, 0.9} {
		stopsInside := question(func(v float64) bool {
			var c state = cart{x: x, v: v}
			c, _ = c.hold(-1, v)
			return c.(cart).x <= 1
		})
		lo, hi, err := bound(stopsInside, 10, 1e-7)
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Sqrt(2 * (1 - x)); lo > want+1e-9 || hi < want-1e-9 || hi-lo > 1e-5 {
			t.Errorf("at %g: %g to %g, want %g", x, lo, hi, want)
		}
	}
}

// The safe overshoot of a fold: x' = x² + R0 − R2 t² from the stable branch tips if and
// only if R0 > √R2 (Ritchie, Karabacak, Sieber, Proc. R. Soc. A 475, 2019).
func TestBound_overshoot_exact(t *testing.T) {
	for _, r2 := range []float64{0.25, 1, 4} {
		holds := question(func(r0 float64) bool {
			const far = 30
			f := func(dst []float64, t float64, y []float64) { dst[0] = y[0]*y[0] + r0 - r2*t*t }
			jac := func(dst []float64, _ float64, y []float64) { dst[0] = 2 * y[0] }
			dfdt := func(dst []float64, t float64, _ []float64) { dst[0] = -2 * r2 * t }
			p := ode.NewDense(1, f, jac, dfdt)
			end, err := ode.Solve(p, []float64{-math.Sqrt(r2*far*far - r0)}, -far, far, &ode.Settings{
				RTol: 1e-10, Events: []ode.Event{{Terminal: true, Value: func(_ float64, y []float64) float64 { return y[0] - 100 }}},
			})
			return err == nil && end.Status == ode.Complete && end.Y[0] < 0
		})
		lo, hi, err := bound(holds, 10, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Sqrt(r2); math.Abs(lo-want) > 1e-3*want || math.Abs(hi-want) > 1e-3*want {
			t.Errorf("R2 = %g: R0 up to %g to %g, want %g", r2, lo, hi, want)
		}
	}
}

// A tank that has to be filled to half of a level before the level may be set: from
// level a to b > a it takes time (b/2 − x)/a. The staircase takes the least whole
// number of units, for the slowest of the group.
type tank struct{ t, x, speed float64 }

func (k tank) time() float64 { return k.t }
func (k tank) hold(a, d float64) (state, error) {
	return tank{k.t + d, k.x + a*k.speed*d, k.speed}, nil
}
func (k tank) safe(b float64) (bool, error) { return k.x >= b/2, nil }

func TestStaircase_exact(t *testing.T) {
	set := &Settings{MinHold: 10, Margin: 1e-12}
	group := []state{tank{speed: 0.02}, tank{speed: 0.01}, tank{speed: 0.04}}
	plan, err := staircase(group, []float64{1, 3.9, 10}, set, 1e4)
	if err != nil {
		t.Fatal(err)
	}
	// The slowest has 0.01 t in its tank: 1.95 at 195 s, and 5 another 3/0.039 = 77 s after 200 s.
	want := Plan{{0, 1}, {200, 3.9}, {280, 10}}
	for i := range want {
		if plan[i] != want[i] {
			t.Errorf("step %d: %v, want %v", i, plan[i], want[i])
		}
	}
	if _, err := staircase(group, []float64{1, 3.9, 10}, set, 270); !errors.Is(err, ErrNoPlan) {
		t.Errorf("within 270 s: %v, want ErrNoPlan", err)
	}
}

func TestLimits_exact(t *testing.T) {
	got := limits(5, 100, 1000, 1)
	want := []float64{100, 220, 460, 1000, math.Inf(1)} // 100·10^(i/3), two digits
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
