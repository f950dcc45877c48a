package stability

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

func folds(d *Bifurcation) (at []float64) {
	for _, b := range d.Branches {
		for _, s := range b.Special {
			if s.Kind == fixedpoint.Fold {
				at = append(at, s.P)
			}
		}
	}
	slices.Sort(at)
	return at
}

// The server with retries of TestLimits_retries_exact: the healthy branch ends at λ =
// 6.9371737 (closed form, solved in 30 digits) of 4.7185869/s; the collapsed one begins a little
// above μ/4 = 2.5 with a queue limit of 100k.
func TestBifurcate_retries_exact(t *testing.T) {
	d, err := Bifurcate(scenariotest.Read(t, "testdata/retries.yaml"), asIs, Axis{TrafficAxis, 0.1, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := folds(d)
	if len(at) != 2 || len(d.Branches) != 1 || d.Certainty != fixedpoint.Proved {
		t.Fatalf("folds at %v of %d branches, %v", at, len(d.Branches), d.Certainty)
	}
	numtest.Check(t, "healthy fold", at[1], 6.9371737/4.7185869, 0, 3e-8) // digits of the source
	numtest.Check(t, "collapsed fold", at[0], 2.5/4.7185869, 0, 2e-3)
}

// Folds that continuation refines are where bisection with a proved number of equilibria
// (Headroom, SafeTraffic) sees states appear and go, to the width of its bracket.
func TestBifurcate_limits_exact(t *testing.T) {
	for _, name := range []string{"slack-2022-02-22", "msf-replicated-db"} {
		sc := scenariotest.Shipped(t, name)
		d, err := Bifurcate(sc, asIs, Axis{TrafficAxis, 0.02, 3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := sc.Compile()
		if err != nil {
			t.Fatal(err)
		}
		at := folds(d)
		if len(at) != 2 {
			t.Fatalf("%s: folds at %v", name, at)
		}
		room, err := Headroom(sys, asIs, nil)
		if err != nil {
			t.Fatal(err)
		}
		safe, err := SafeTraffic(sys, asIs, nil)
		if err != nil {
			t.Fatal(err)
		}
		now := share(sys, asIs)
		within(t, name+" headroom", room, at[1]/now, 1e-4)
		within(t, name+" safe traffic", safe, at[0], 1e-4)
	}
}

// Every point is an equilibrium of the whole system, and stability changes at special
// points alone.
func TestBifurcate_invariant(t *testing.T) {
	for _, c := range []struct {
		name string
		axis Axis
	}{
		{"slack-2022-02-22", Axis{ThrottleAxis, 100, 5000}},
		{"hotos21-cache", Axis{"pools.database.capacity", 100, 1000}},
		{"cold-start", Axis{TrafficAxis, 0.05, 0.3}}, // the whole system
	} {
		sc := scenariotest.Shipped(t, c.name)
		d, err := Bifurcate(sc, asIs, c.axis, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f, err := NewFamily(sc, asIs, c.axis)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range d.Branches {
			if b.Err() != nil {
				t.Errorf("%s: branch %d: %v", c.name, i, b.Err())
			}
			for j, pt := range b.Points {
				m, err := f.member([]float64{pt.P})
				if err != nil {
					t.Fatal(err)
				}
				// The map is good to 1e-11 of the load; a queue at the load 1 − 1e-4 shows that 1e4 times larger.
				if r := leftover(m.sys, pt.State); !(r <= 1e-6) {
					t.Errorf("%s: branch %d, %s = %.6g: residual %.2g", c.name, i, c.axis.Path, pt.P, r)
				}
				special := slices.ContainsFunc(b.Special, func(s SpecialPoint) bool { return s.After == j-1 })
				if j > 0 && pt.Unstable != b.Points[j-1].Unstable && !special {
					t.Errorf("%s: branch %d: %d unstable eigenvalues become %d at %s = %.6g without a special point", c.name, i, b.Points[j-1].Unstable, pt.Unstable, c.axis.Path, pt.P)
				}
			}
		}
	}
}

// leftover is the residual of the whole system as [fixedpoint.Result] scales it.
func leftover(s *model.System, y []float64) (worst float64) {
	n := s.Dim()
	f, jac, scale := make([]float64, n), make([]float64, n*n), scales(s)
	s.EvalLinearize(f, make([]float64, n), 0, y)
	s.Jacobian(jac)
	for i := range n {
		sum := 0.0
		for j := range n {
			sum += math.Abs(jac[i*n+j]) * max(scale[j], math.Abs(y[j]))
		}
		worst = max(worst, math.Abs(f[i])/sum)
	}
	return worst
}

func TestBifurcate_input_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "hotos21-retry")
	for _, c := range []struct {
		axis Axis
		is   error
		text string
	}{
		{Axis{TrafficAxis, 1, 1}, ErrAxis, "empty"},
		{Axis{TrafficAxis, 2, 1}, ErrAxis, "above its end"},
		{Axis{TrafficAxis, -1, 1}, ErrAxis, "negative"},
		{Axis{TrafficAxis, 0, math.Inf(1)}, ErrAxis, "finite"},
		{Axis{"pools.database.capasity", 1, 2}, nil, "did you mean pools.database.capacity?"},
		{Axis{"classes", 1, 2}, nil, "not a number"},
		{Axis{"clients.give_up", 0.5, 2}, nil, "clients.give_up"},
	} {
		_, err := Bifurcate(sc, asIs, c.axis, nil)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v: %v, want %q", c.axis, err, c.text)
		}
	}
}
