package fixedpoint

import (
	"math"

	"github.com/metastable/metastable/internal/numtest"
)

// A certified is a map whose fixed points, or zeros, are the equilibria of a problem with
// known answers.
type certified struct {
	e      numtest.Equilibrium
	set    int
	m      *Monotone
	unique bool // bounds of the slopes prove uniqueness
}

// fifo is the load that comes back; more load, more time-outs, more load.
func fifo(e numtest.Equilibrium, par []float64) *Monotone {
	return &Monotone{
		Dim: 1, Sign: [][]int8{{1}},
		Map: func(dst, x []float64) { e.F(dst, x, par); dst[0] += x[0] },
		Err: 1e-14,
	}
}

// cessiBound is y = F/(1 + μ²(y − 1)²), which rises to y = 1 and falls beyond.
func cessiBound(par []float64) *Monotone {
	g := func(d float64) float64 { return par[0] / (1 + par[1]*d*d) }
	return &Monotone{
		Dim: 1,
		Bound: func(dstLo, dstHi, lo, hi []float64) {
			near, far := 0.0, max(math.Abs(lo[0]-1), math.Abs(hi[0]-1)) // distances from 1
			if lo[0] > 1 || hi[0] < 1 {
				near = min(math.Abs(lo[0]-1), math.Abs(hi[0]-1))
			}
			dstLo[0], dstHi[0] = g(far), g(near)
		},
	}
}

// cessiSlope bounds g' = −2Fμ²d/(1 + μ²d²)², d = y − 1, by its factors.
func cessiSlope(par []float64) func(dstLo, dstHi, lo, hi []float64) {
	return func(dstLo, dstHi, lo, hi []float64) {
		dLo, dHi := lo[0]-1, hi[0]-1
		far, near := max(math.Abs(dLo), math.Abs(dHi)), 0.0
		if dLo > 0 || dHi < 0 {
			near = min(math.Abs(dLo), math.Abs(dHi))
		}
		w := func(d float64) float64 { q := 1 + par[1]*d*d; return 2 * par[0] * par[1] / (q * q) }
		ends := []float64{-dLo * w(far), -dLo * w(near), -dHi * w(far), -dHi * w(near)}
		dstLo[0], dstHi[0] = ends[0], ends[0]
		for _, v := range ends {
			dstLo[0], dstHi[0] = min(dstLo[0], v), max(dstHi[0], v)
		}
		dstLo[0] -= 1e-14 * math.Abs(dstLo[0])
		dstHi[0] += 1e-14 * math.Abs(dstHi[0])
	}
}

// toggleMap is u = a/(1 + v²), v = a/(1 + u²).
func toggleMap(a float64) *Monotone {
	return &Monotone{
		Dim: 2, Sign: [][]int8{{0, -1}, {-1, 0}},
		Map: func(dst, x []float64) { dst[0], dst[1] = a/(1+x[1]*x[1]), a/(1+x[0]*x[0]) },
	}
}

func toggleSlope(a float64) func(dstLo, dstHi, lo, hi []float64) {
	return func(dstLo, dstHi, lo, hi []float64) {
		clear(dstLo)
		clear(dstHi)
		for i := range 2 {
			j := 1 - i // −2a x/(1 + x²)², x >= 0, by its factors
			q := func(x float64) float64 { return (1 + x*x) * (1 + x*x) }
			dstLo[2*i+j] = -2 * a * hi[j] / q(lo[j]) * (1 + 1e-14)
			dstHi[2*i+j] = -2 * a * lo[j] / q(hi[j]) * (1 - 1e-14)
		}
	}
}

// cubicZeros is x_i − x_i³ = 0: the sum of an increasing and a decreasing function.
func cubicZeros(n int) *Monotone {
	return &Monotone{
		Dim: n, Zeros: true, ErrAbs: 1e-14,
		Mixed: func(dst, up, down []float64) {
			for i := range dst {
				dst[i] = up[i] - down[i]*down[i]*down[i]
			}
		},
	}
}

func cubicSlope(n int) func(dstLo, dstHi, lo, hi []float64) {
	return func(dstLo, dstHi, lo, hi []float64) {
		clear(dstLo)
		clear(dstHi)
		for i := range n {
			near, far := 0.0, max(math.Abs(lo[i]), math.Abs(hi[i]))
			if lo[i] > 0 || hi[i] < 0 {
				near = min(math.Abs(lo[i]), math.Abs(hi[i]))
			}
			dstLo[i*n+i], dstHi[i*n+i] = 1-3*far*far-1e-14, 1-3*near*near+1e-14
		}
	}
}

func certifiedMaps() []certified {
	fifoProblem, cessi, toggle := numtest.FIFORetries(10, 1, 3), numtest.Cessi(), numtest.Toggle()
	cessiPar := cessi.Sets[0].P
	sloped := func(m *Monotone, slope func(dstLo, dstHi, lo, hi []float64)) *Monotone {
		m.Slope = slope
		return m
	}
	return []certified{
		{fifoProblem, 0, fifo(fifoProblem, fifoProblem.Sets[0].P), false},
		{cessi, 0, cessiBound(cessiPar), false},
		{cessi, 0, sloped(cessiBound(cessiPar), cessiSlope(cessiPar)), true},
		{toggle, 0, toggleMap(4), false},
		{toggle, 0, sloped(toggleMap(4), toggleSlope(4)), true},
		{toggle, 1, toggleMap(1), false},
		{numtest.Cubic(1), 0, cubicZeros(1), false},
		{numtest.Cubic(2), 0, cubicZeros(2), false},
		{numtest.Cubic(3), 0, sloped(cubicZeros(3), cubicSlope(3)), true},
	}
}
