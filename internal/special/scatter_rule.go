package special

import "math"

// A level is the trapezoidal rule for ∫ φ(z) g(z) dz with step h: z = j h for
// |j| ≤ n.
type level struct {
	h    float64
	n    int
	z, w []float64 // index j + n
	tail []float64 // Σ w from the index on
}

// Levels of the rule: each step is 2^{−1/8} of the one before it.
const (
	levelCount  = 36
	levelStep   = 0.785 // ∫ φ to 4e−14
	levelOctave = 8
	levelReach  = 12 // φ = 2e−32
)

var levels = newLevels()

func newLevels() (ls [levelCount]level) {
	for k := range ls {
		h := levelStep * math.Exp2(-float64(k)/levelOctave)
		n := int(levelReach / h)
		l := level{h: h, n: n, z: make([]float64, 2*n+1), w: make([]float64, 2*n+1), tail: make([]float64, 2*n+2)}
		for i := 2 * n; i >= 0; i-- {
			l.z[i] = h * float64(i-n)
			l.w[i] = h * density(l.z[i])
			l.tail[i] = l.tail[i+1] + l.w[i]
		}
		ls[k] = l
	}
	return ls
}

// level returns the coarsest level whose error is below 5e−14. The step that
// is needed was measured over f, r and v: 1/h² = 1/0.785² + B²/c², B² = r/(1−r),
// 1/c² = 1.45² + (0.3 + ln v)²; it is found for all but the strongest coupling.
func (c *coupling) level() (k int, found bool) {
	a := 0.3 + c.logV
	q := 1 + levelStep*levelStep*c.r/(1-c.r)*(1.45*1.45+a*a)
	k = int(math.Ceil(levelOctave / 2 * log2Above(q)))
	return k, k < levelCount
}

// log2Above returns log₂ x, x > 0, or up to 0.0861 more: the bits of a number,
// read as one, are linear between powers of two.
func log2Above(x float64) float64 {
	return float64(math.Float64bits(x))*0x1p-52 - 1023 + 0.0861
}

// integrate adds the integral to t, and its derivatives if grad is set.
func (c *coupling) integrate(t *sums, grad bool) {
	k, found := c.level()
	if !found {
		c.integrateShards(t, grad)
		return
	}
	l := &levels[k]
	lo, hi, zero, one := c.window()
	from, to := l.index(lo), l.index(hi)+1
	// Nodes where Φ^v is 0 or 1 have their sum in the table.
	if cut := l.index((zero - c.c0) / c.c1); c.rare && cut > from && from >= -l.n {
		from = cut
		t.fail += l.tail[min(l.n-cut+1, 2*l.n+1)]
	}
	if cut := l.index((one-c.c0)/c.c1) + 1; !c.rare && cut < to {
		to = cut
		t.ok += l.tail[min(max(l.n+cut, 0), 2*l.n+1)]
	}
	if from < -l.n {
		c.integrateFar(l.h, from, min(to, -l.n), t, grad)
		from = -l.n
	}
	to = min(to, l.n+1)
	if from < to {
		c.sum(t, l.z[l.n+from:l.n+to], l.w[l.n+from:l.n+to], grad)
	}
}

// index returns the first j with z ≥ x, within ±1e6.
func (l *level) index(x float64) int { return int(math.Ceil(max(-1e6, min(1e6, x/l.h)))) }

// integrateFar sums nodes from ≤ j < to that the level does not hold: those of
// failures so rare that they come from z < −levelReach.
func (c *coupling) integrateFar(h float64, from, to int, t *sums, grad bool) {
	var z, w [32]float64
	for j := from; j < to; {
		n := min(len(z), to-j)
		for i := range n {
			z[i] = h * float64(j+i)
			w[i] = h * density(z[i])
		}
		c.sum(t, z[:n], w[:n], grad)
		j += n
	}
}
