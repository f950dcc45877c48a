package fixedpoint

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
)

// checkCurve recomputes what a curve of prob claims and returns every violation: its points are
// equilibria with an eigenvalue zero, or with a pair of sum 0 and product Omega2; they
// are no further apart than a step and lie in the ranges; its special points lie in their intervals
// and have the eigenvalues of their kind.
func checkCurve(prob *Problem, cv *Curve) error {
	if len(cv.Points) == 0 {
		return errors.New("fixedpoint: a curve without points")
	}
	s, err := newScaled(prob, cv.Points[0].X, cv.Base, cv.Params[:]...)
	if err != nil {
		return err
	}
	k := &curveCheck{s: s, cv: cv, spectra: newEigenvalues(s.n, prob.Mass)}
	set := cv.Settings
	for i, pt := range cv.Points {
		name := fmt.Sprintf("point %d", i)
		p := append([]float64(nil), cv.Base...)
		for j, param := range cv.Params {
			p[param] = pt.P[j]
			if slack := 1e-12 * max(1, math.Abs(pt.P[j])); !(pt.P[j] >= set.Min[j]-slack && pt.P[j] <= set.Max[j]+slack) {
				k.fail("%s: parameter %d outside its range: %g", name, param, pt.P[j])
			}
		}
		k.singular(name, pt.X, p, cv.Kind, pt.Omega2)
		if l := norm2(pt.Tangent); !(math.Abs(l-1) <= 1e-12) {
			k.fail("%s: tangent of length %g", name, l)
		}
		if i == 0 {
			continue
		}
		last := cv.Points[i-1]
		if gain := pt.ArcLength - last.ArcLength; !(gain > 0 && gain <= set.MaxStep/math.Cos(set.MaxAngle)*(1+1e-9)) {
			k.fail("%s: arc length %g after the last", name, gain)
		}
		if c := dot(pt.Tangent, last.Tangent); !(c >= math.Cos(set.MaxAngle)-1e-9) {
			k.fail("%s: the tangent turns by %g", name, math.Acos(c))
		}
	}
	for _, sp := range cv.Special {
		k.special(sp)
	}
	return errors.Join(k.errs...)
}

type curveCheck struct {
	s       *scaled
	cv      *Curve
	spectra *eigenvalues
	errs    []error
}

func (k *curveCheck) fail(format string, args ...any) {
	k.errs = append(k.errs, fmt.Errorf(format, args...))
}

// multiple is the accuracy, in units of the rate, of eigenvalues that meet at a special point: the
// root of that of the point.
const multiple = 1e-4

// singular checks that (x, p) is an equilibrium with the eigenvalues of its kind.
func (k *curveCheck) singular(name string, x, p []float64, kind Kind, omega2 float64) []complex128 {
	n := k.s.n
	y, res, jac := make([]float64, n+2), make([]float64, n), make([]float64, n*n)
	k.s.pack(y, x, p)
	k.s.residual(res, y)
	k.s.jacobian(jac, n, y)
	size := max(1, maxNorm(jac))
	if r := maxNorm(res); !(r <= 10*k.cv.Settings.Tol*size*max(1, norm2(y))) {
		k.fail("%s: residual %g", name, r)
	}
	eig := k.spectra.of(jac)
	switch kind {
	case Hopf:
		kappa := complex(omega2/(k.s.rate*k.s.rate), 0)
		least := math.Inf(1)
		for i, v := range eig {
			for _, w := range eig[:i] {
				least = min(least, max(cmplx.Abs(v+w), cmplx.Abs(v*w-kappa)))
			}
		}
		if !(least <= multiple*size) {
			k.fail("%s: no pair with ω² = %g among the eigenvalues %v", name, omega2, eig)
		}
	default:
		if !(leastAbs(eig) <= multiple*size) {
			k.fail("%s: eigenvalues %v, none is zero", name, eig)
		}
	}
	return eig
}

func (k *curveCheck) special(sp Special) {
	a, b := k.cv.Points[sp.After], k.cv.Points[sp.After+1]
	slack := 1e-6 * max(1, b.ArcLength)
	if lo, hi := sp.Interval[0], sp.Interval[1]; !(lo <= hi && lo >= a.ArcLength-slack && hi <= b.ArcLength+slack) {
		k.fail("%v: interval %v outside its step [%g, %g]", sp.Kind, sp.Interval, a.ArcLength, b.ArcLength)
	}
	if s := sp.Refined.ArcLength; !(s >= sp.Interval[0] && s <= sp.Interval[1]) {
		k.fail("%v: arc length %g outside its interval %v", sp.Kind, s, sp.Interval)
	}
	name := sp.Kind.String()
	eig := k.singular(name, sp.Refined.X, sp.Refined.P, Fold, 0)
	switch sp.Kind {
	case ZeroHopf:
		k.singular(name, sp.Refined.X, sp.Refined.P, Hopf, sp.Omega2)
	case BogdanovTakens:
		if rest := withoutLeast(eig); !(leastAbs(rest) <= multiple) {
			k.fail("%v: eigenvalues %v and one that is zero", sp.Kind, rest)
		}
	}
}

func leastAbs(eig []complex128) float64 {
	least := math.Inf(1)
	for _, v := range eig {
		least = min(least, cmplx.Abs(v))
	}
	return least
}
