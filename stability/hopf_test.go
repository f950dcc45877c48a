package stability

import (
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// At a Hopf point the spectrum of the equilibrium found there anew has a pair on the imaginary axis, and
// on either side of it the equilibrium is stable or not.
func TestBifurcate_hopf_exact(t *testing.T) {
	sc := scenariotest.Read(t, "testdata/restless.yaml")
	d, err := Bifurcate(sc, asIs, Axis{"pools.p.capacity", 1100, 1500}, nil)
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	for _, b := range d.Branches {
		for _, s := range b.Special {
			if s.Kind != fixedpoint.Hopf {
				continue
			}
			points++
			if !s.Converged {
				t.Errorf("the Hopf point at %.6g is not refined", s.P)
			}
			var stable [2]bool
			for i, p := range []float64{s.P * (1 - 1e-5), s.P * (1 + 1e-5)} {
				c := sc.Clone()
				if err := c.SetFloat("pools.p.capacity", p); err != nil {
					t.Fatal(err)
				}
				sys, err := c.Compile()
				if err != nil {
					t.Fatal(err)
				}
				e, err := polish(sys.Freeze(asIs), s.State)
				if err != nil {
					t.Fatal(err)
				}
				stable[i] = e.Stable
				// to first order the pair has moved by less than a hundredth of the frequency
				if w := math.Abs(imag(e.Leading)); math.Abs(real(e.Leading)) > 0.01*s.Omega || math.Abs(w-s.Omega) > 0.01*s.Omega {
					t.Errorf("at %.6g: eigenvalue %.3g, want ±%.3gi", p, e.Leading, s.Omega)
				}
			}
			if stable[0] == stable[1] {
				t.Errorf("stability does not change at %.6g", s.P)
			}
		}
	}
	if points == 0 {
		t.Error("no Hopf point")
	}
}

// Over capacity and traffic the curve of Hopf points parts where the only state is stable from where
// the system rests nowhere. On it the spectrum, computed anew from the state that Newton's method
// finds there, has a pair on the imaginary axis.
func TestPhaseDiagram_hopf_exact(t *testing.T) {
	sc := scenariotest.Read(t, "testdata/restless.yaml")
	at := func(capacity, traffic float64) *Equilibrium {
		c := sc.Clone()
		if err := c.SetFloat("pools.p.capacity", capacity); err != nil {
			t.Fatal(err)
		}
		sys, err := c.Compile()
		if err != nil {
			t.Fatal(err)
		}
		r, err := Equilibria(sys, model.Moment{Traffic: traffic, Throttle: -1}, nil)
		if err != nil || len(r.Equilibria) != 1 {
			t.Fatal(err, len(r.Equilibria))
		}
		return &r.Equilibria[0]
	}
	x, y := Axis{"pools.p.capacity", 1100, 1400}, Axis{TrafficAxis, 0.9, 1.1}
	d, err := PhaseDiagram(sc, asIs, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Boundaries) != 1 || d.Boundaries[0].Kind != HopfBoundary || d.Boundaries[0].Err() != nil {
		t.Fatalf("boundaries %v, want one curve of Hopf points", d.Boundaries)
	}
	b := &d.Boundaries[0]
	for k := 1; k < len(b.X)-1; k += len(b.X) / 3 {
		e := at(b.X[k], b.Y[k])
		if w := math.Abs(imag(e.Leading)); !(w > 1e-4 && math.Abs(real(e.Leading)) < 1e-4*w) {
			t.Errorf("at %.6g, %.4g: eigenvalue %.3g", b.X[k], b.Y[k], e.Leading)
		}
	}
	for _, c := range []struct {
		x, y float64
		want Verdict
	}{{1380, 0.92, AlwaysSafe}, {1120, 1.08, Restless}} {
		if got := d.At(c.x, c.y); got != c.want {
			t.Errorf("at %g, %g it is %s, want %s", c.x, c.y, got, c.want)
		}
	}
}

// Where the list says that no state is stable a long run from close to the only one goes away from
// it and never comes to rest; on the other side of the Hopf point it comes back.
func TestRestless_run_exact(t *testing.T) {
	for _, c := range []struct {
		capacity float64
		want     Verdict
	}{{1200, Restless}, {1240, AlwaysSafe}} {
		sc := scenariotest.Read(t, "testdata/restless.yaml")
		if err := sc.SetFloat("pools.p.capacity", c.capacity); err != nil {
			t.Fatal(err)
		}
		sys, err := sc.Compile()
		if err != nil {
			t.Fatal(err)
		}
		r, err := Equilibria(sys, asIs, nil)
		if err != nil || r.Verdict() != c.want || len(r.Equilibria) != 1 {
			t.Fatal(c.capacity, err, r.Verdict(), len(r.Equilibria))
		}
		frozen, rest := sys.Freeze(asIs), r.Equilibria[0].State
		y := slices.Clone(rest)
		for i := range contents(frozen) {
			y[i] *= 0.99
		}
		if err := frozen.Consistent(0, y); err != nil {
			t.Fatal(err)
		}
		near, far, last := math.Inf(1), 0.0, 0.0
		is := integration(frozen, nil)
		state := slices.Clone(y)
		const watched = 0.5e6 // s, of the 1e6: 150 periods of the pair
		is.MaxSteps = 1e6
		is.Step = func(p *ode.Interpolant) {
			p.At(state, p.T1)
			last = distance(frozen.Scales(), rest, state)
			if p.T1 > watched {
				near, far = min(near, last), max(far, last)
			}
		}
		end, err := ode.Solve(frozen, y, 0, 1e6, is)
		if err != nil || end.Status != ode.Complete {
			t.Fatal(c.capacity, err, end.Status)
		}
		if restless := c.want == Restless; restless && !(near > 0.01 && far > 0.1) || !restless && !(far < 1e-6) {
			t.Errorf("capacity %g, %s: the second half of a run stays between %.2g and %.2g away from the state", c.capacity, c.want, near, far)
		}
	}
}
