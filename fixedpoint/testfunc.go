package fixedpoint

import (
	"math"
	"math/cmplx"
)

// Test functions along a branch of equilibria change sign at
//   - testFold: the tangent's component along the parameter;
//   - testBranch: the determinant of the Jacobian bordered by the tangent;
//   - testPair: the determinant of the bialternate product 2J ⊙ I, the product of all
//     sums of two eigenvalues (Kuznetsov, Elements of Applied Bifurcation Theory, section 10.2).
const (
	testFold = iota
	testBranch
	testPair
	numTests
)

// equilibria is the curve F(u, q) = 0 in one parameter.
type equilibria struct {
	*scaled
	jac     []float64
	spectra *eigenvalues
}

func newEquilibria(s *scaled) *equilibria {
	return &equilibria{scaled: s, jac: make([]float64, s.n*s.n), spectra: newEigenvalues(s.n, s.prob.Mass)}
}

func (e *equilibria) size() int                 { return e.n + 1 }
func (e *equilibria) jacobian(dst, y []float64) { e.scaled.jacobian(dst, e.n+1, y) }
func (e *equilibria) use(*node)                 {}

func (e *equilibria) finish(nd, _ *node) {
	e.scaled.jacobian(e.jac, e.n, nd.y)
	nd.eig = e.spectra.of(e.jac)
	nd.tests = []float64{testFold: nd.t[e.n], testBranch: nd.det, testPair: pairProduct(nd.eig)}
}

// pairProduct returns the product of all sums of two eigenvalues, the determinant of the
// bialternate product, kept from under- and overflow; 1 without a pair.
func pairProduct(eig []complex128) float64 {
	sign, log := 1.0, 0.0
	for i, v := range eig {
		for _, w := range eig[i+1:] {
			if paired(v, w) && real(v)+real(w) < 0 {
				sign = -sign // the other sums come as conjugates, whose product is positive
			}
			log += math.Log(cmplx.Abs(v + w))
		}
	}
	return sign * math.Exp(min(max(log, -690), 690))
}

// criticalPair returns the pair of eigenvalues, conjugate or both real, whose sum is
// smallest in size; the sum is 1 without a pair.
func criticalPair(eig []complex128) (sum float64, a, b complex128) {
	least := math.Inf(1)
	for i, v := range eig {
		for _, w := range eig[i+1:] {
			if s := real(v) + real(w); paired(v, w) && math.Abs(s) < least {
				least, sum, a, b = math.Abs(s), s, v, w
			}
		}
	}
	if math.IsInf(least, 1) {
		return 1, 0, 0
	}
	return sum, a, b
}

// paired reports whether two eigenvalues are conjugate or both real.
func paired(v, w complex128) bool {
	return imag(v) == -imag(w) && (imag(v) == 0 || real(v) == real(w))
}

// unstable returns the least and the greatest number of eigenvalues with a positive real part,
// given that rounding leaves the sign of the smallest in doubt.
func unstable(eig []complex128) (least, most int) {
	size := 1.0 // the eigenvalues are in units of the rate
	for _, v := range eig {
		size = max(size, cmplx.Abs(v))
	}
	for _, v := range eig {
		if real(v) > 1e-7*size {
			least++
		}
		if real(v) > -1e-7*size {
			most++
		}
	}
	return least, most
}

func countUnstable(eig []complex128) int {
	var n int
	for _, v := range eig {
		if real(v) > 0 {
			n++
		}
	}
	return n
}
