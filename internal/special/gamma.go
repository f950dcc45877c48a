// Package special holds the special functions of the model: the regularized
// incomplete gamma function, the success probability of a scatter and the
// popularity bins of a Zipf law.
package special

import "math"

// GammaQ returns the regularized upper incomplete gamma function
// Q(a, x) = Γ(a, x)/Γ(a), a > 0, x ≥ 0.
func GammaQ(a, x float64) float64 {
	switch {
	case x <= 0:
		return 1
	case a == 1:
		return math.Exp(-x)
	case x > a && (x-a)*(x-a) > 1492*x:
		return 0
	case x < a && (a-x)*(a-x) > 80*a:
		return 1
	}
	lg, _ := math.Lgamma(a + 1)
	pre := math.Exp(a*math.Log(x) - x - lg)
	if x < a+1 {
		sum, t := 1.0, 1.0
		for n := 1.0; t > 1e-17*sum; n++ {
			t *= x / (a + n)
			sum += t
		}
		return 1 - pre*sum
	}
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for i := 1.0; i < 1e5; i++ {
		an := i * (a - i)
		b += 2
		d = 1 / (an*d + b)
		c = b + an/c
		h *= d * c
		if math.Abs(d*c-1) < 1e-16 {
			break
		}
	}
	return pre * a * h
}

// GammaQGrad returns Q(a, x) and its derivatives by a and by x.
func GammaQGrad(a, x float64) (q, da, dx float64) {
	q = GammaQ(a, x)
	if q == 0 || q == 1 {
		return q, 0, 0
	}
	h := 1e-5 * a
	da = (8*(GammaQ(a+h, x)-GammaQ(a-h, x)) - GammaQ(a+2*h, x) + GammaQ(a-2*h, x)) / (12 * h)
	lg, _ := math.Lgamma(a)
	return q, da, -math.Exp((a-1)*math.Log(x) - x - lg)
}
