package ode

import "math"

// crossing returns a point where f has the sign of fb (or is zero, if fb is) and no
// longer that of fa a unit in the last place of b before; f(a) = fa and f(b) = fb
// must differ in sign. It is the ITP method of Oliveira & Takahashi (ACM TOMS 47, 5,
// 2020), which never needs more than one evaluation beyond bisection.
func crossing(f func(float64) float64, a, fa, b, fb float64) float64 {
	sign := -math.Copysign(1, fa)
	fa, fb = sign*fa, sign*fb
	ends := fb == 0 // zero counts as crossed
	big := max(math.Abs(a), math.Abs(b))
	eps := (math.Nextafter(big, math.Inf(1)) - big) / 2
	k1 := 0.2 / (b - a)
	radius := (b - a) // eps·2^(n½ + 1), halved with every evaluation
	for b-a > 2*eps {
		mid := a + (b-a)/2
		if !(a < mid && mid < b) {
			break
		}
		x := (fb*a - fa*b) / (fb - fa)
		toMid := math.Copysign(1, mid-x)
		if delta := k1 * (b - a) * (b - a); delta <= math.Abs(mid-x) {
			x += toMid * delta
		} else {
			x = mid
		}
		if r := radius - (b-a)/2; math.Abs(x-mid) > r {
			x = mid - toMid*r
		}
		if !(a < x && x < b) {
			x = mid
		}
		if fx := sign * f(x); fx > 0 || fx == 0 && ends {
			b, fb = x, fx
		} else {
			a, fa = x, fx
		}
		radius /= 2
	}
	return b
}
