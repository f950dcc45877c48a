package special

import "math"

const (
	expBits  = 7 // e^x = 2^k · 2^{i/128} · (1 + p)
	expSteps = 1 << expBits
	expScale = expSteps / math.Ln2
	expMin   = -700
)

// exp2Table holds the bits of 2^{i/128}.
var exp2Table = func() (t [expSteps]uint64) {
	for i := range t {
		t[i] = math.Float64bits(math.Exp2(float64(i) / expSteps))
	}
	return t
}()

// expParts returns a and p with e^x = a + a p, so that e^x − 1 = (a − 1) + a p
// keeps its accuracy near x = 0; expMin ≤ x ≤ 0. The relative error of e^x is
// 1e−15 + |x|·1e−16, that of e^x − 1 near 0 is 1e−12.
func expParts(x float64) (a, p float64) {
	k := x*expScale + rounder
	u := x - (k-rounder)*(1/expScale)
	b := math.Float64bits(k)
	a = math.Float64frombits(exp2Table[b%expSteps] + b>>expBits<<52)
	return a, u + u*u*(0.5+u*(1.0/6+u*(1.0/24)))
}

// fastExp returns e^x for x ≤ 0, or 0 below expMin.
func fastExp(x float64) float64 {
	if x < expMin {
		return 0
	}
	a, p := expParts(x)
	return a + a*p
}
