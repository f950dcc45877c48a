package fixedpoint

import (
	"errors"
	"math"
	"math/cmplx"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

func TestExactSpectrum(t *testing.T) {
	for _, c := range []struct {
		name    string
		jac     []float64
		n       int
		mass    []float64
		want    []complex128
		verdict Verdict
	}{
		{"scalar", []float64{-2}, 1, nil, []complex128{-2}, Stable},
		{"order", []float64{-2, 0, 0, 3}, 2, nil, []complex128{3, -2}, Unstable},
		{"focus", []float64{-1, 2, -2, -1}, 2, nil, []complex128{-1 + 2i, -1 - 2i}, Stable},
		{"center", []float64{0, 1, -1, 0}, 2, nil, []complex128{1i, -1i}, Undecided},
		{"zero and stable", []float64{0, 0, 0, -1}, 2, nil, []complex128{0, -1}, Undecided},
		// y = 3x, so x' = −x + 2y = 5x
		{"algebraic", []float64{-1, 2, 3, -1}, 2, []float64{1, 0}, []complex128{5}, Unstable},
		// first unknown algebraic: x = y/2, y' = x − y = −y/2
		{"algebraic first", []float64{-2, 1, 1, -1}, 2, []float64{0, 1}, []complex128{-0.5}, Stable},
	} {
		s, err := Stability(c.jac, c.n, c.mass)
		if err != nil || len(s.Eigenvalues) != len(c.want) || s.Verdict() != c.verdict {
			t.Errorf("%s: %+v, %v, want %v, %s", c.name, s, err, c.want, c.verdict)
			continue
		}
		for i, v := range s.Eigenvalues {
			if cmplx.Abs(v-c.want[i]) > 1e-14*max(1, cmplx.Abs(v)) {
				t.Errorf("%s: eigenvalue %v, want %v", c.name, v, c.want[i])
			}
		}
	}
}

// At a Bogdanov–Takens point the double zero moves by the root of the rounding error:
// neither sign is to be claimed.
func TestInvariantDefectiveZeroIsUndecided(t *testing.T) {
	for _, tilt := range []float64{0, 1e-17, -1e-17, 1e-16} {
		s, err := Stability([]float64{0, 1, tilt, 0}, 2, nil)
		if err != nil || s.Verdict() != Undecided || s.Undecided != 2 {
			t.Errorf("tilt %g: %+v, %v", tilt, s, err)
		}
	}
	if s, _ := Stability([]float64{0, 1, 1e-6, 0}, 2, nil); s.Unstable != 1 || s.Stable != 1 {
		t.Errorf("tilt 1e-6: %+v, want a saddle", s)
	}
}

// At folds and branch points one eigenvalue is zero; at Hopf points two are ±iω.
func TestExactSpectrumAtSpecialPoints(t *testing.T) {
	for _, e := range withKnownEquilibria() {
		for _, rate := range []float64{1, 1e6} {
			scaled := e.Scaled(rate)
			for _, point := range scaled.Points {
				jac := make([]float64, e.Dim*e.Dim)
				scaled.JacX(jac, point.X, point.P)
				s, err := Stability(jac, e.Dim, nil)
				if err != nil {
					t.Fatal(err)
				}
				want := 0.0
				switch point.Kind {
				case numtest.Hopf:
					want = point.Omega
				case numtest.Fold, numtest.BranchPoint:
				default:
					continue
				}
				nearest := math.Inf(1)
				for _, v := range s.Eigenvalues {
					nearest = min(nearest, cmplx.Abs(v-complex(0, want)))
				}
				// x is rounded: ε times the second derivatives, which are below 1e3
				if nearest > 1e-12*norm2(jac)+1e-13*rate {
					t.Errorf("%s, %s: no eigenvalue within %g of %gi", scaled.Name, point.Kind, nearest, want)
				}
			}
		}
	}
}

func TestExactStabilityRefuses(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		jac  []float64
		n    int
		mass []float64
	}{
		"size": {[]float64{1, 2}, 2, nil}, "NaN": {[]float64{nan}, 1, nil}, "mass length": {[]float64{1}, 1, []float64{1, 1}},
		"mass value": {[]float64{1}, 1, []float64{2}}, "all algebraic": {[]float64{1}, 1, []float64{0}},
	} {
		if _, err := Stability(c.jac, c.n, c.mass); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := Stability([]float64{1, 1, 1, 0}, 2, []float64{1, 0}); !errors.Is(err, ErrIndex) {
		t.Errorf("singular algebraic equations: %v", err)
	}
}
