package fixedpoint

import (
	"math"
	"slices"
)

// The systems below have the singularity as their solution and stay regular there:
// minimally augmented systems (Govaerts, Numerical Methods for Bifurcations of
// Dynamical Equilibria, 2000, chapters 3 and 4; Griewank & Reddien 1984). A matrix
// that should lose rank is bordered so that it stays regular; the corner of the inverse
// is zero iff the rank is lost, and its derivative is −wᵀ (dA) v with the null vectors
// v and w that the bordered solves give.

// folds is F(u, q) = 0, g(u, q) = 0 with [J b; cᵀ 0](v, g) = (0, 1): one parameter
// determines a fold, two a curve of folds.
type folds struct {
	*scaled
	b, c   []float64 // borders: the last null vectors, of length 1
	v, w   []float64 // null vectors, each with g as its last element
	lu     *square
	jac    []float64 // J
	full   []float64 // J and the derivatives by the parameters
	second []float64
	last   []float64 // where the above hold; empty: nowhere
}

func newFolds(s *scaled, right, left []float64) *folds {
	n := s.n
	return &folds{
		scaled: s, b: slices.Clone(left), c: slices.Clone(right), v: make([]float64, n+1), w: make([]float64, n+1),
		lu: newSquare(n + 1), jac: make([]float64, n*n), full: make([]float64, n*(n+len(s.active))),
		second: make([]float64, n*(n+len(s.active))),
	}
}

func (f *folds) size() int { return f.n + len(f.active) }

// solve computes v, w and g at y.
func (f *folds) solve(y []float64) {
	if slices.Equal(f.last, y) {
		return
	}
	f.last = append(f.last[:0], y...)
	f.scaled.jacobian(f.full, f.size(), y)
	for i := range f.n {
		copy(f.jac[i*f.n:(i+1)*f.n], f.full[i*f.size():])
	}
	f.lu.border(f.jac, f.b, f.c, f.n)
	clear(f.v)
	clear(f.w)
	f.v[f.n], f.w[f.n] = 1, 1
	if !f.lu.factor() {
		f.v[f.n] = math.NaN()
		return
	}
	f.lu.solve(f.v)
	f.lu.solveT(f.w)
}

func (f *folds) residual(dst, y []float64) {
	f.scaled.residual(dst, y)
	f.solve(y)
	dst[f.n] = f.v[f.n]
}

func (f *folds) jacobian(dst, y []float64) {
	cols := f.size()
	f.solve(y)
	f.scaled.second(f.second, y, f.v[:f.n])
	copy(dst, f.full)
	last := dst[f.n*cols : (f.n+1)*cols]
	clear(last)
	for i := range f.n {
		axpy(last, -f.w[i], f.second[i*cols:(i+1)*cols])
	}
}

// hopfs is F(u, q) = 0 with J² + κ of rank n − 2, where eigenvalues ±i√κ are: Hopf
// points for κ > 0, neutral saddles for κ < 0. κ, over rate², is the unknown after the
// parameters. Of the four elements of the corner G two combinations are set to zero,
// those in which G moves when κ and when the real part of the pair changes.
type hopfs struct {
	*scaled
	b, c         []float64 // n × 2, column after column
	v, w, g      []float64
	e1, e2       [4]float64
	lu           *square
	jac, m, prod []float64
	full, second []float64
	last         []float64 // where v, w and g hold; empty: nowhere
	x            []float64
	left, leftJ  []float64
}

func newHopfs(s *scaled, right, left []float64) *hopfs {
	n := s.n
	cols := n + len(s.active)
	return &hopfs{
		scaled: s, b: slices.Clone(left), c: slices.Clone(right), v: make([]float64, 2*n), w: make([]float64, 2*n),
		g: make([]float64, 4), lu: newSquare(n + 2), jac: make([]float64, n*n), m: make([]float64, n*n),
		prod: make([]float64, n), full: make([]float64, n*cols), second: make([]float64, n*cols), x: make([]float64, n+2),
		left: make([]float64, n), leftJ: make([]float64, n),
	}
}

func (h *hopfs) size() int { return h.n + len(h.active) + 1 }

// squared stores J² + κ in m.
func (h *hopfs) squared(kappa float64) {
	n := h.n
	clear(h.m)
	for i := range n {
		row := h.m[i*n : (i+1)*n]
		for k := range n {
			axpy(row, h.jac[i*n+k], h.jac[k*n:(k+1)*n])
		}
		row[i] += kappa
	}
}

// solve computes v, w and G at y.
func (h *hopfs) solve(y []float64) {
	if slices.Equal(h.last, y) {
		return
	}
	h.last = append(h.last[:0], y...)
	n, wide := h.n, h.n+len(h.active)
	h.scaled.jacobian(h.full, wide, y)
	for i := range n {
		copy(h.jac[i*n:(i+1)*n], h.full[i*wide:])
	}
	h.squared(y[h.size()-1])
	h.lu.border(h.m, h.b, h.c, n)
	ok := h.lu.factor()
	for j := range 2 {
		clear(h.x)
		h.x[n+j] = 1
		if !ok {
			h.g[j], h.g[2+j] = math.NaN(), math.NaN()
			continue
		}
		h.lu.solve(h.x)
		copy(h.v[j*n:], h.x[:n])
		h.g[j], h.g[2+j] = h.x[n], h.x[n+1] // g[2i+j]
		clear(h.x)
		h.x[n+j] = 1
		h.lu.solveT(h.x)
		copy(h.w[j*n:], h.x[:n])
	}
}

// combine chooses the two combinations of the elements of G at y.
func (h *hopfs) combine(y []float64) {
	n := h.n
	h.solve(y)
	for j := range 2 {
		v := h.v[j*n : (j+1)*n]
		h.times(h.prod, v)
		for i := range 2 {
			h.e1[2*i+j] = dot(h.w[i*n:(i+1)*n], v)
			h.e2[2*i+j] = dot(h.w[i*n:(i+1)*n], h.prod)
		}
	}
	normalise(h.e1[:])
	axpy(h.e2[:], -dot(h.e1[:], h.e2[:]), h.e1[:])
	normalise(h.e2[:])
}

// times stores J v in dst.
func (h *hopfs) times(dst, v []float64) {
	for i := range h.n {
		dst[i] = dot(h.jac[i*h.n:(i+1)*h.n], v)
	}
}

func (h *hopfs) residual(dst, y []float64) {
	h.scaled.residual(dst, y)
	h.solve(y)
	dst[h.n], dst[h.n+1] = dot(h.e1[:], h.g), dot(h.e2[:], h.g)
}

func (h *hopfs) jacobian(dst, y []float64) {
	n, cols, wide := h.n, h.size(), h.n+len(h.active)
	h.solve(y)
	for i := range n {
		copy(dst[i*cols:], h.full[i*wide:(i+1)*wide])
		dst[i*cols+cols-1] = 0
	}
	row1, row2 := dst[n*cols:(n+1)*cols], dst[(n+1)*cols:(n+2)*cols]
	clear(row1)
	clear(row2)
	left, leftJ := h.left, h.leftJ
	for j := range 2 {
		v := h.v[j*n : (j+1)*n]
		h.times(h.prod, v)
		for pass := range 2 {
			// dG_ij = −w_iᵀ (dJ J + J dJ) v_j
			if pass == 0 {
				h.scaled.second(h.second, y, h.prod)
			} else {
				h.scaled.second(h.second, y, v)
			}
			for _, c := range [2]struct {
				e   *[4]float64
				row []float64
			}{{&h.e1, row1}, {&h.e2, row2}} {
				clear(left)
				axpy(left, c.e[j], h.w[:n])
				axpy(left, c.e[2+j], h.w[n:])
				if pass == 0 {
					c.row[cols-1] -= dot(left, v)
				} else {
					clear(leftJ)
					for i, l := range left {
						axpy(leftJ, l, h.jac[i*n:(i+1)*n])
					}
					copy(left, leftJ)
				}
				for i, l := range left {
					axpy(c.row[:wide], -l, h.second[i*wide:(i+1)*wide])
				}
			}
		}
	}
}

// branchPoints is F(u, q) + μ b = 0 with A = [F_u F_q] of rank n − 1, in one parameter:
// the two corners of A bordered by b and two rows vanish. μ, zero at the solution, is the
// last unknown and makes the system square.
type branchPoints struct {
	*scaled
	b, c   []float64 // c: (n+1) × 2
	v, w   []float64 // v: (n+2) × 2, the last row holds the corners; w: n + 2
	lu     *square
	jac    []float64
	second []float64
}

func newBranchPoints(s *scaled, right, left []float64) *branchPoints {
	n := s.n
	return &branchPoints{
		scaled: s, b: slices.Clone(left), c: slices.Clone(right), v: make([]float64, 2*(n+2)), w: make([]float64, n+2),
		lu: newSquare(n + 2), jac: make([]float64, n*(n+1)), second: make([]float64, n*(n+1)),
	}
}

func (p *branchPoints) size() int { return p.n + 2 }

func (p *branchPoints) solve(y []float64) {
	n := p.n
	p.scaled.jacobian(p.jac, n+1, y)
	clear(p.lu.a)
	for i := range n {
		copy(p.lu.row(i), p.jac[i*(n+1):(i+1)*(n+1)])
		p.lu.row(i)[n+1] = p.b[i]
	}
	copy(p.lu.row(n), p.c[:n+1])
	copy(p.lu.row(n+1), p.c[n+1:])
	clear(p.v)
	clear(p.w)
	p.v[n], p.v[n+2+n+1], p.w[n+1] = 1, 1, 1
	if !p.lu.factor() {
		p.v[n+1] = math.NaN()
		return
	}
	p.lu.solve(p.v[:n+2])
	p.lu.solve(p.v[n+2:])
	p.lu.solveT(p.w)
}

func (p *branchPoints) residual(dst, y []float64) {
	n := p.n
	p.scaled.residual(dst, y)
	axpy(dst[:n], y[n+1], p.b)
	p.solve(y)
	dst[n], dst[n+1] = p.v[n+1], p.v[2*n+3]
}

func (p *branchPoints) jacobian(dst, y []float64) {
	n := p.n
	p.solve(y)
	p.scaled.jacobian(dst, n+2, y)
	for i := range n {
		dst[i*(n+2)+n+1] = p.b[i]
	}
	for k := range 2 {
		p.scaled.second(p.second, y, p.v[k*(n+2):k*(n+2)+n+1])
		row := dst[(n+k)*(n+2) : (n+k+1)*(n+2)]
		clear(row)
		for i := range n {
			axpy(row[:n+1], -p.w[i], p.second[i*(n+1):(i+1)*(n+1)])
		}
	}
}

// A singularity is as many equations as unknowns.
type singularity interface {
	size() int
	residual(dst, y []float64)
	jacobian(dst, y []float64)
}

// newton solves the singularity from y, in place, until the corrections are lost in
// rounding; ok is false unless the last one is at most tol.
func newton(g singularity, y []float64, tol float64) (ok bool) {
	lu, delta := newSquare(g.size()), make([]float64, g.size())
	last := math.Inf(1)
	for range 3 * maxNewton {
		g.jacobian(lu.a, y)
		g.residual(delta, y)
		if !lu.factor() {
			return false
		}
		lu.solve(delta)
		size := norm2(delta) / max(1, norm2(y))
		if !(size < math.Inf(1)) {
			return false
		}
		if size >= last/2 && last <= tol {
			return true
		}
		axpy(y, -1, delta)
		if size < 1e-15 {
			return true
		}
		last = size
	}
	return last <= tol
}
