package fixedpoint

import (
	"math"
	"math/cmplx"
	"slices"
)

// Test functions of curves of folds.
const (
	testCusp     = iota // wᵀ F_xx[v, v]
	testTakens          // wᵀ v
	testFoldPair        // the product of the sums of two of the other eigenvalues
)

// foldCurve is folds as a curve in two parameters.
type foldCurve struct {
	*folds
	spectra *eigenvalues
}

func (f *foldCurve) use(nd *node) {
	copy(f.c, nd.aux[:f.n])
	copy(f.b, nd.aux[f.n:])
	f.last = f.last[:0]
}

func (f *foldCurve) finish(nd, prev *node) {
	n := f.n
	f.folds.solve(nd.y)
	nd.aux = slices.Concat(f.v[:n], f.w[:n])
	v, w := nd.aux[:n], nd.aux[n:]
	normalise(v)
	normalise(w)
	if prev != nil {
		orient(v, prev.aux[:n])
		orient(w, prev.aux[n:])
	}
	nd.eig = f.spectra.of(f.jac)
	nd.eig = withoutLeast(nd.eig)
	nd.tests = []float64{testCusp: f.bend(nd.y, v, w), testTakens: f.product(w, v), testFoldPair: pairProduct(nd.eig)}
}

// product returns wᵀ M v.
func (f *foldCurve) product(w, v []float64) float64 {
	if f.prob.Mass == nil {
		return dot(w, v)
	}
	var sum float64
	for i, m := range f.prob.Mass {
		sum += m * w[i] * v[i]
	}
	return sum
}

// bend returns wᵀ F_xx[v, v].
func (f *foldCurve) bend(y, v, w []float64) float64 {
	f.scaled.second(f.folds.second, y, v)
	var sum float64
	for i := range f.n {
		sum += w[i] * dot(f.folds.second[i*f.size():][:f.n], v)
	}
	return sum
}

func (f *foldCurve) kind(test int, nd *node) (k Kind, kappa float64, ok bool) {
	switch test {
	case testCusp:
		return Cusp, 0, true
	case testTakens:
		return BogdanovTakens, 0, true
	}
	_, a, b := criticalPair(nd.eig)
	return ZeroHopf, real(a * b), real(a*b) > 0
}

// Test functions of curves of Hopf points.
const (
	testKappa    = iota // ω²
	testHopfZero        // an eigenvalue beside the pair
)

// hopfCurve is hopfs as a curve in two parameters.
type hopfCurve struct {
	*hopfs
	spectra *eigenvalues
}

func (h *hopfCurve) use(nd *node) {
	copy(h.c, nd.aux[:2*h.n])
	copy(h.b, nd.aux[2*h.n:4*h.n])
	copy(h.e1[:], nd.aux[4*h.n:])
	copy(h.e2[:], nd.aux[4*h.n+4:])
	h.last = h.last[:0]
}

func (h *hopfCurve) finish(nd, _ *node) {
	n, kappa := h.n, nd.y[h.n+2]
	h.hopfs.solve(nd.y)
	nd.aux = slices.Concat(h.v, h.w, make([]float64, 8))
	orthonormalise(nd.aux[:2*n], n, 2)
	orthonormalise(nd.aux[2*n:4*n], n, 2)
	h.use(nd)
	h.combine(nd.y)
	copy(nd.aux[4*n:], h.e1[:])
	copy(nd.aux[4*n+4:], h.e2[:])

	nd.eig = h.spectra.of(h.jac)
	nd.eig = withoutPair(nd.eig, kappa)
	sign, size := 1.0, 1.0
	for _, v := range nd.eig {
		if imag(v) == 0 && real(v) < 0 {
			sign = -sign
		}
		size = min(size, cmplx.Abs(v))
	}
	nd.tests = []float64{testKappa: kappa, testHopfZero: sign * size}
}

func (h *hopfCurve) kind(test int, nd *node) (k Kind, kappa float64, ok bool) {
	if test == testKappa {
		return BogdanovTakens, 0, true
	}
	kappa = nd.tests[testKappa]
	return ZeroHopf, kappa, kappa > 0
}

// orient turns v so that it is not against ref.
func orient(v, ref []float64) {
	if dot(v, ref) >= 0 {
		return
	}
	for i := range v {
		v[i] = -v[i]
	}
}

// withoutLeast removes the eigenvalue closest to zero, if there are any.
func withoutLeast(eig []complex128) []complex128 {
	if len(eig) == 0 {
		return nil
	}
	k := 0
	for i, v := range eig {
		if cmplx.Abs(v) < cmplx.Abs(eig[k]) {
			k = i
		}
	}
	return slices.Delete(eig, k, k+1)
}

// withoutPair removes the pair of eigenvalues with sum 0 and product kappa, if there are any.
func withoutPair(eig []complex128, kappa float64) []complex128 {
	if len(eig) < 2 {
		return nil
	}
	least, i0, j0 := math.Inf(1), 0, 1
	for i, v := range eig {
		for j, w := range eig[:i] {
			if d := cmplx.Abs(v*w-complex(kappa, 0)) + cmplx.Abs(v+w)*cmplx.Abs(v-w); d < least {
				least, i0, j0 = d, j, i
			}
		}
	}
	eig = slices.Delete(eig, j0, j0+1)
	return slices.Delete(eig, i0, i0+1)
}

// codim2Point is the point of a curve where a test function vanishes. Near its zero each
// test function above is smooth: the critical eigenvalues change, the signs of the others do not.
type codim2Point struct {
	codim2
	at   *node
	test int
}

func (c *codim2Point) residual(dst, y []float64) {
	c.use(c.at)
	c.codim2.residual(dst, y)
	dst[c.size()-1] = c.value(y)
}

func (c *codim2Point) node(y []float64) *node {
	c.use(c.at)
	nd := &node{y: y}
	c.finish(nd, c.at)
	return nd
}

func (c *codim2Point) value(y []float64) float64 { return c.node(y).tests[c.test] }

func (c *codim2Point) jacobian(dst, y []float64) {
	n := c.size()
	c.use(c.at)
	c.codim2.jacobian(dst, y)
	gradient(dst[(n-1)*n:n*n], y, c.value)
}

// codim2 finds and refines the special points between the nodes of a curve.
func (w *walk) codim2(c codim2, nodes []*node) []Special {
	d := &detector{tracer: w.tracer, tests: len(nodes[0].tests)}
	var found []Special
	for i := range len(nodes) - 1 {
		for _, e := range d.step(nodes[i], nodes[i+1], 0) {
			at, in := d.locate(e)
			kind, kappa, ok := c.kind(e.test, at)
			if !ok {
				continue
			}
			sp := Special{
				Kind: kind, After: i, Interval: [2]float64{in.lo.s, in.hi.s}, Located: w.location(at.y, at),
			}
			sp.Refined = sp.Located
			y, point := slices.Clone(at.y), &codim2Point{c, at, e.test}
			if newton(point, y, w.tol) {
				sp.refined(w.location(y, at), distance(y, at.y) <= 1e-3*max(1, norm2(at.y)))
			}
			if sp.Converged {
				_, kappa, _ = c.kind(e.test, point.node(y))
			}
			sp.Omega2 = kappa * w.s.rate * w.s.rate
			found = append(found, sp)
		}
	}
	sortSpecials(found)
	return found
}
