package stability

import (
	"math"
	"os"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// At a Hopf point the spectrum of the equilibrium found there anew has a pair on the imaginary axis, and
// on either side of it the equilibrium is stable or not.
func TestBifurcate_hopf_exact(t *testing.T) {
	text, err := os.ReadFile("testdata/restless.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sc, err := model.Parse("restless", text, nil)
	if err != nil {
		t.Fatal(err)
	}
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
