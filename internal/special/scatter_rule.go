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
	k = int(math.Ceil(levelOctave / 2 / math.Ln2 * math.Log(q)))
	return k, k < levelCount
}

// integrate adds the integral by a level to t; add sums over nodes.
func (c *coupling) integrate(l *level, t *sums, add func(*coupling, *sums, []float64, []float64)) {
	lo, hi, zero, one := c.window()
	from, to := l.index(lo), l.index(hi)+1
	// Nodes where Φ^v is 0 or 1 have their sum in the table.
	if cut := l.index((zero - c.c0) / c.c1); c.rare && cut > from && cut >= -l.n {
		from = cut
		t.fail += l.tail[min(l.n-cut+1, 2*l.n+1)]
	}
	if cut := l.index((one-c.c0)/c.c1) + 1; !c.rare && cut < to {
		to = cut
		t.ok += l.tail[min(max(l.n+cut, 0), 2*l.n+1)]
	}
	if from < -l.n {
		c.integrateFar(l.h, from, min(to, -l.n), t, add)
		from = -l.n
	}
	to = min(to, l.n+1)
	if from < to {
		add(c, t, l.z[l.n+from:l.n+to], l.w[l.n+from:l.n+to])
	}
}

// index returns the first j with z ≥ x, within ±1e6.
func (l *level) index(x float64) int { return int(math.Ceil(max(-1e6, min(1e6, x/l.h)))) }

// integrateFar sums nodes from ≤ j < to that the level does not hold: those of
// failures so rare that they come from z < −levelReach.
func (c *coupling) integrateFar(h float64, from, to int, t *sums, add func(*coupling, *sums, []float64, []float64)) {
	var z, w [32]float64
	for j := from; j < to; {
		n := min(len(z), to-j)
		for i := range n {
			z[i] = h * float64(j+i)
			w[i] = h * density(z[i])
		}
		add(c, t, z[:n], w[:n])
		j += n
	}
}

const (
	expBits  = 6 // e^x = 2^k · 2^{i/64} · (1 + p)
	expSteps = 1 << expBits
	expScale = expSteps / math.Ln2
	expHi    = 0x1.62e42fefa0000p-1 / expSteps
	expLo    = 0x1.cf79abc9e3b39p-40 / expSteps
	rounder  = 0x1.8p52
)

// exp2Table holds 2^{i/64}.
var exp2Table = func() (t [expSteps]float64) {
	for i := range t {
		t[i] = math.Exp2(float64(i) / expSteps)
	}
	return t
}()

// expParts returns a and p with e^x = a + a p, so that e^x − 1 = (a − 1) + a p
// keeps its accuracy near x = 0; −700 < x < 700.
func expParts(x float64) (a, p float64) {
	kf := x*expScale + rounder
	k := int64(math.Float64bits(kf)<<32) >> 32
	kf -= rounder
	u := (x - kf*expHi) - kf*expLo
	a = math.Float64frombits(math.Float64bits(exp2Table[k&(expSteps-1)]) + uint64(k>>expBits)<<52)
	return a, u + u*u*(0.5+u*(1.0/6+u*(1.0/24+u*(1.0/120))))
}

// add adds the nodes to t.ok and t.fail.
func (c *coupling) add(t *sums, z, w []float64) {
	v, c0, c1 := c.v, c.c0, c.c1
	pieces := logPhiTable.pieces
	var ok, fail float64
	for i, zi := range z[:len(w)] {
		s := c0 + c1*zi
		y := (s - logPhiMin) * logPhiScale
		if !(y >= 0) {
			fail += w[i]
			continue
		}
		k := int(y)
		if k >= len(pieces) {
			ok += w[i]
			fail += w[i] * v * upperTail(s)
			continue
		}
		x := v * pieces[k].at(2*(y-float64(k))-1)
		if x < -700 {
			fail += w[i]
			continue
		}
		a, p := expParts(x)
		ok += w[i] * (a + a*p)
		fail += w[i] * ((1 - a) - a*p)
	}
	t.ok += ok
	t.fail += fail
}

// addGrad adds the nodes to all of t.
func (c *coupling) addGrad(t *sums, z, w []float64) {
	pieces := logPhiTable.pieces
	for i, zi := range z[:len(w)] {
		s := c.c0 + c.c1*zi
		y := (s - logPhiMin) * logPhiScale
		if !(y >= 0) {
			t.fail += w[i]
			continue
		}
		var l, d, e float64
		if k := int(y); k < len(pieces) {
			l, d = pieces[k].grad(2*(y-float64(k)) - 1)
			d *= 2 * logPhiScale
			x := c.v * l
			if x < -700 {
				t.fail += w[i]
				continue
			}
			a, p := expParts(x)
			e = w[i] * (a + a*p)
			t.fail += w[i] * ((1 - a) - a*p)
		} else {
			e, l, d = w[i], -upperTail(s), density(s)
			t.fail -= e * c.v * l
		}
		t.ok += e
		t.dv += e * l
		d1 := e * d
		t.d += d1
		t.zd += d1 * zi
		t.dd += d1 * d
	}
}
