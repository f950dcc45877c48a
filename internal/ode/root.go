package ode

import "math"

// crossing returns the first floating-point number found at which f has the sign of
// fb, or is zero, given f(a) = fa and f(b) = fb of opposite signs (fb may be zero):
// the ITP method of Oliveira & Takahashi (ACM TOMS 47, 5, 2020), which never needs
// more than one evaluation beyond bisection.
func crossing(f func(float64) float64, a, fa, b, fb float64) float64 {
	if fb == 0 {
		return b
	}
	sign := math.Copysign(1, fb)
	fa, fb = sign*fa, sign*fb
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
		switch fx := sign * f(x); {
		case fx > 0:
			b, fb = x, fx
		case fx < 0:
			a, fa = x, fx
		case fx == 0:
			return x
		default: // not a number: nothing better than the end known to be finite
			return b
		}
		radius /= 2
	}
	return b
}
