package stability

import (
	"math"
	"slices"

	"github.com/metastable/metastable/fixedpoint"
)

// hopf adds the Hopf points of a branch: where between two neighbours two eigenvalues of the
// whole system cross the imaginary axis. Each is refined by the secant method on the real part
// of the pair.
func (t *tracer) hopf(b *Branch, p []float64, k int) {
	for i := range len(b.Points) - 1 {
		lo, hi := &b.Points[i], &b.Points[i+1]
		if d := hi.Unstable - lo.Unstable; d != 2 && d != -2 {
			continue
		}
		if s, ok := t.crossing(lo, hi, p, k); ok {
			s.After = i
			b.Special = append(b.Special, s)
		}
	}
	slices.SortStableFunc(b.Special, func(a, c SpecialPoint) int { return a.After - c.After })
}

// crossing refines the Hopf point between two neighbours; ok is false where two real
// eigenvalues cross zero.
func (t *tracer) crossing(lo, hi *BranchPoint, p []float64, k int) (SpecialPoint, bool) {
	full := slices.Clone(p)
	real0, _ := t.pair(lo, full, k)
	var mid BranchPoint
	var omega float64
	a, b, fa, fb := 0.0, 1.0, real0, 0.0
	fb, _ = t.pair(hi, full, k)
	done := false
	for range 60 {
		s := a + (b-a)*fa/(fa-fb)
		if !(s > a && s < b) {
			s = (a + b) / 2
		}
		full[k] = lo.P + s*(hi.P-lo.P)
		r, err := fixedpoint.Newton(t.prob, mix(lo.x, hi.x, s), full, nil)
		if err != nil || r.Status.Early() {
			break
		}
		mid = t.point(r.X, full, k)
		var re float64
		re, omega = t.pair(&mid, full, k)
		if done = math.Abs(re) <= 1e-9*omega || b-a < 1e-12; done {
			break
		}
		if (re < 0) == (fa < 0) {
			a, fa = s, re
			fb /= 2
		} else {
			b, fb = s, re
			fa /= 2
		}
	}
	return SpecialPoint{BranchPoint: mid, Kind: fixedpoint.Hopf, Omega: omega, Converged: done, full: full}, omega > 0 && mid.State != nil
}

// pair returns the pair of complex eigenvalues that is closest to the imaginary axis.
func (t *tracer) pair(pt *BranchPoint, full []float64, k int) (re, omega float64) {
	p := slices.Clone(full)
	p[k] = pt.P
	m, err := t.f.member(p)
	if err != nil || pt.State == nil {
		return math.NaN(), 0
	}
	s, err := linearization(m.sys, pt.State)
	if err != nil {
		return math.NaN(), 0
	}
	re = math.Inf(1)
	for _, v := range s.Eigenvalues {
		if imag(v) > 0 && math.Abs(real(v)) < math.Abs(re) {
			re, omega = real(v), imag(v)
		}
	}
	return re, omega
}
