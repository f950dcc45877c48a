package special

import (
	"math"

	"gonum.org/v1/gonum/lapack/gonum"
)

// law holds the recurrence of the orthonormal polynomials of a law,
//
//	√b_{k+1} p_{k+1} = (s − a_k) p_k − √b_k p_{k−1}.
type law struct{ a, b []float64 }

// largest is the law of the largest of v standard normal numbers, with the density
// v Φ(s)^{v−1} φ(s); by the procedure of Stieltjes on a fine grid (Gautschi 2004,
// Orthogonal Polynomials, section 2.2.3).
func largest(v float64) law {
	const (
		step = 1. / 16
		deep = 37 // the density is left out below e^{−deep}
	)
	c := coupling{v: v, logV: math.Log(v)}
	var s, w, p, last []float64
	total := 0.0
	for x := c.vanish(deep) - 1; x < tailPoint(c.logV+deep)+1; x += step {
		d := math.Exp((v-1)*logPhi(max(x, logPhiMin)) - x*x/2)
		s, w, p, last = append(s, x), append(w, d), append(p, 1), append(last, 0)
		total += d
	}
	for i := range w {
		w[i] /= total
	}
	n := shardsRules[len(shardsRules)-1].n
	l := law{make([]float64, n), make([]float64, n)}
	for k := range n {
		for i, x := range s {
			l.a[k] += w[i] * x * p[i] * p[i]
		}
		if k == n-1 {
			break
		}
		norm := 0.0
		for i, x := range s {
			p[i], last[i] = (x-l.a[k])*p[i]-math.Sqrt(l.b[k])*last[i], p[i]
			norm += w[i] * p[i] * p[i]
		}
		l.b[k+1] = norm
		for i := range p {
			p[i] /= math.Sqrt(norm)
		}
	}
	return l
}

// gauss returns the nodes and weights of the Gauss rule with n nodes: the
// eigenvalues of the Jacobi matrix, and the reciprocal sums of the squared
// polynomials there.
func (l *law) gauss(n int) (s, w []float64) {
	s, off := append([]float64(nil), l.a[:n]...), make([]float64, n-1)
	for k := range off {
		off[k] = math.Sqrt(l.b[k+1])
	}
	if !(gonum.Implementation{}).Dsterf(n, s, append([]float64(nil), off...)) {
		panic("special: no eigenvalues of a Jacobi matrix")
	}
	w = make([]float64, n)
	for i, x := range s {
		last, p, sum := 0.0, 1.0, 1.0
		for k := range off {
			before := 0.0
			if k > 0 {
				before = off[k-1] * last
			}
			last, p = p, ((x-l.a[k])*p-before)/off[k]
			sum += p * p
		}
		w[i] = 1 / sum
	}
	return s, w
}
