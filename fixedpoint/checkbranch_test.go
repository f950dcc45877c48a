package fixedpoint

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
)

// checkBranch recomputes what a branch of prob claims and returns every violation:
//   - the points are equilibria, in the range, in the domain, with the tangent of the branch;
//   - their eigenvalues have the stated signs, as far as rounding decides;
//   - consecutive points are no further apart than a step, their tangents no more than
//     the angle, their arc lengths increase accordingly;
//   - stability changes only at special points;
//   - special points lie in their intervals, and are what they are called.
func checkBranch(prob *Problem, br *Branch) error {
	if len(br.Points) == 0 {
		return errors.New("fixedpoint: a branch without points")
	}
	s, err := newScaled(prob, br.Points[0].X, br.Base, br.Param)
	if err != nil {
		return err
	}
	k := &branchCheck{
		s: s, prob: prob, br: br, res: make([]float64, s.n), a: make([]float64, s.n*(s.n+1)), y: make([]float64, s.n+1),
		spectra: make([]*Spectrum, len(br.Points)),
	}
	for i := range br.Points {
		k.point(i)
	}
	for i := range len(br.Points) - 1 {
		k.step(i)
	}
	for _, sp := range br.Special {
		k.special(sp)
	}
	return errors.Join(k.errs...)
}

type branchCheck struct {
	s         *scaled
	prob      *Problem
	br        *Branch
	res, a, y []float64
	spectra   []*Spectrum
	errs      []error
}

func (k *branchCheck) fail(format string, args ...any) {
	k.errs = append(k.errs, fmt.Errorf(format, args...))
}

// at makes (x, p) the point and returns its scaled residual: the largest |F_i| over what a
// change of all unknowns by their size makes of F_i.
func (k *branchCheck) at(x []float64, p float64) float64 {
	n, param := k.s.n, k.br.Param
	for i, v := range x {
		k.y[i] = v / k.s.sx[i]
	}
	k.y[n] = p / k.s.sp[param]
	k.s.residual(k.res, k.y)
	k.s.jacobian(k.a, n+1, k.y)
	var worst float64
	for i, f := range k.res {
		var size float64
		for j, v := range k.a[i*(n+1) : (i+1)*(n+1)] {
			size += math.Abs(v) * max(1, math.Abs(k.y[j]))
		}
		if f != 0 {
			worst = max(worst, math.Abs(f)/size)
		}
	}
	return worst
}

func (k *branchCheck) point(i int) {
	pt, set, n := k.br.Points[i], k.br.Settings, k.s.n
	if r := k.at(pt.X, pt.P); !(r <= 10*set.Tol) {
		k.fail("point %d: residual %g", i, r)
	}
	if slack := 1e-12 * max(1, math.Abs(pt.P)); !(pt.P >= set.Min-slack && pt.P <= set.Max+slack) {
		k.fail("point %d: parameter %g outside [%g, %g]", i, pt.P, set.Min, set.Max)
	}
	if set.Domain != nil && !set.Domain(k.s.x, k.s.p) {
		k.fail("point %d: outside the domain", i)
	}
	if l := norm2(pt.Tangent); !(math.Abs(l-1) <= 1e-12) {
		k.fail("point %d: tangent of length %g", i, l)
	}
	for r := range n {
		row := k.a[r*(n+1) : (r+1)*(n+1)]
		if off := math.Abs(dot(row, pt.Tangent)); !(off <= 1e-7*norm2(row)+1e-9) {
			k.fail("point %d: tangent off by %g in equation %d", i, off, r)
		}
	}
	jac := make([]float64, n*n)
	k.prob.jacX(jac, pt.X, k.s.p)
	relErr := epsilon
	if k.prob.JacX == nil {
		relErr = differenceError
	}
	sp, err := stability(jac, n, k.prob.Mass, relErr, true)
	if err != nil {
		k.fail("point %d: %w", i, err)
		return
	}
	k.spectra[i] = sp
	if pt.Unstable != countUnstable(pt.Eigenvalues) || pt.Stable != (pt.Unstable == 0) {
		k.fail("point %d: %d unstable, stable %v, eigenvalues %v", i, pt.Unstable, pt.Stable, pt.Eigenvalues)
	}
	if pt.Unstable < sp.Unstable || pt.Unstable > sp.Unstable+sp.Undecided {
		k.fail("point %d: %d unstable, recomputed %d to %d", i, pt.Unstable, sp.Unstable, sp.Unstable+sp.Undecided)
	}
}

func (k *branchCheck) step(i int) {
	a, b, set := k.br.Points[i], k.br.Points[i+1], k.br.Settings
	var sum float64
	for j := range k.s.n {
		d := (b.X[j] - a.X[j]) / k.s.sx[j]
		sum += d * d
	}
	d := (b.P - a.P) / k.s.sp[k.br.Param]
	length := math.Sqrt(sum + d*d)
	cos := math.Cos(set.MaxAngle)
	if !(length <= set.MaxStep/cos*(1+1e-9)) {
		k.fail("points %d and %d: %g apart, the longest step is %g", i, i+1, length, set.MaxStep)
	}
	if c := dot(a.Tangent, b.Tangent); !(c >= cos-1e-9) {
		k.fail("points %d and %d: tangents turn by %g", i, i+1, math.Acos(c))
	}
	if gain := b.ArcLength - a.ArcLength; !(math.Abs(gain-length) <= 0.2*length+1e-12) {
		k.fail("points %d and %d: arc lengths differ by %g, %g apart", i, i+1, gain, length)
	}
	k.stability(i)
}

// stability checks that the special points between two points explain the change of stability.
func (k *branchCheck) stability(i int) {
	sa, sb := k.spectra[i], k.spectra[i+1]
	if sa == nil || sb == nil || sa.Undecided > 0 || sb.Undecided > 0 {
		return
	}
	// A branch that turns at a branch point keeps its stability there, though no fold is listed.
	most, turns := 0, 0
	if t := k.s.n; (k.br.Points[i].Tangent[t] < 0) != (k.br.Points[i+1].Tangent[t] < 0) {
		turns = 1
	}
	crossings := turns
	for _, sp := range k.br.Special {
		switch {
		case sp.After != i:
		case sp.Kind == Hopf:
			most += 2
		case sp.Kind == Fold:
			most++
		case sp.Kind == BranchPoint:
			most++
			crossings++
		}
	}
	change := sa.Unstable - sb.Unstable
	change = max(change, -change)
	if change > most || (change-crossings)%2 != 0 {
		k.fail("points %d and %d: %d and %d unstable, at most %d explained, with %d real eigenvalues that cross",
			i, i+1, sa.Unstable, sb.Unstable, most, crossings)
	}
}

func (k *branchCheck) special(sp Special) {
	n := k.s.n
	if sp.After < 0 || sp.After >= len(k.br.Points)-1 {
		k.fail("%v: after point %d of %d", sp.Kind, sp.After, len(k.br.Points))
		return
	}
	a, b := k.br.Points[sp.After], k.br.Points[sp.After+1]
	slack := 1e-6 * max(1, b.ArcLength)
	if lo, hi := sp.Interval[0], sp.Interval[1]; !(lo <= hi && lo >= a.ArcLength-slack && hi <= b.ArcLength+slack) {
		k.fail("%v: interval %v outside its step [%g, %g]", sp.Kind, sp.Interval, a.ArcLength, b.ArcLength)
	}
	for _, l := range []Location{sp.Located, sp.Refined} {
		if !(l.ArcLength >= sp.Interval[0] && l.ArcLength <= sp.Interval[1]) {
			k.fail("%v: arc length %g outside its interval %v", sp.Kind, l.ArcLength, sp.Interval)
		}
		if r := k.at(l.X, l.P[k.br.Param]); !(r <= 10*k.br.Settings.Tol) {
			k.fail("%v: residual %g", sp.Kind, r)
		}
	}
	if !sp.Converged {
		return
	}
	jac := make([]float64, n*n) // of the refined point, the last set
	k.s.jacobian(jac, n, k.y)
	eig := newEigenvalues(n, k.prob.Mass).of(jac)
	var least, most float64 = math.Inf(1), 0
	for _, v := range eig {
		least, most = min(least, cmplx.Abs(v)), max(most, cmplx.Abs(v))
	}
	switch sp.Kind {
	case Fold, BranchPoint:
		if n > 1 && !(least <= 1e-6*most) {
			k.fail("%v: eigenvalues %v, none is zero", sp.Kind, eig)
		}
		if n == 1 && !(most <= 1e-6) {
			k.fail("%v: eigenvalue %g of the rate", sp.Kind, most)
		}
	case Hopf, NeutralSaddle:
		sum, u, v := criticalPair(eig)
		if !(math.Abs(sum) <= 1e-6*most) {
			k.fail("%v: sum of eigenvalues %g, the largest is %g", sp.Kind, sum, most)
		}
		if kappa := real(u*v) * k.s.rate * k.s.rate; !(math.Abs(kappa-sp.Omega2) <= 1e-6*math.Abs(kappa)) || (kappa > 0) != (sp.Kind == Hopf) {
			k.fail("%v: ω² = %g, stated %g", sp.Kind, kappa, sp.Omega2)
		}
	}
}
