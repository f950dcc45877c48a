package fixedpoint

import (
	"fmt"
	"math"
	"slices"
)

// scaled is a Problem in units of Scale and ScaleP: u = x/Scale, q = p/ScaleP, and
// F/Scale over rate, a rate of the problem at the start. So neither the units of the
// unknowns nor that of time matter for steps and tolerances. A point y is u, followed
// by the active parameters in their units.
type scaled struct {
	prob   *Problem
	n      int
	active []int
	sx, sp []float64
	rate   float64

	x, p     []float64 // the point last set, as the problem sees it
	up, down []float64 // scratch for differences
	jp       []float64
	diff     []float64
	y        []float64
	jacDiff  []float64
	work     Work
}

// Work counts what a computation costs.
type Work struct {
	Steps, Rejected  int // of the continuation
	Evals, Jacobians int // of F; of its derivatives, those by differences not counted as Evals
}

func newScaled(prob *Problem, x, p []float64, active ...int) (*scaled, error) {
	n, m := prob.Dim, prob.Params
	if x == nil {
		return nil, fmt.Errorf("fixedpoint: no start")
	}
	if err := prob.check(x, p); err != nil {
		return nil, err
	}
	for _, k := range active {
		if k < 0 || k >= m {
			return nil, fmt.Errorf("fixedpoint: parameter %d is not in [0, %d)", k, m)
		}
	}
	s := &scaled{
		prob: prob, n: n, active: active, rate: 1,
		x: slices.Clone(x), p: slices.Clone(p), up: make([]float64, n), down: make([]float64, n),
		jp: make([]float64, n*m), diff: make([]float64, n*(n+len(active))), y: make([]float64, n+len(active)),
		jacDiff: make([]float64, n*(n+len(active))),
	}
	for i := range n {
		s.sx = append(s.sx, prob.scale(i))
	}
	for k := range m {
		s.sp = append(s.sp, prob.scaleP(k))
	}
	y := make([]float64, n+len(active))
	s.pack(y, x, p)
	jac := make([]float64, n*len(y))
	s.jacobian(jac, len(y), y)
	if size := maxNorm(jac); size > 0 && !math.IsInf(size, 0) {
		s.rate = size
	}
	return s, nil
}

// pack stores the point (x, p) in y; what follows the parameters stays.
func (s *scaled) pack(y, x, p []float64) {
	for i, v := range x {
		y[i] = v / s.sx[i]
	}
	for i, k := range s.active {
		y[s.n+i] = p[k] / s.sp[k]
	}
}

// set makes y the point of the problem.
func (s *scaled) set(y []float64) {
	for i := range s.x {
		s.x[i] = y[i] * s.sx[i]
	}
	for i, k := range s.active {
		s.p[k] = y[s.n+i] * s.sp[k]
	}
}

// at returns x and all parameters at y.
func (s *scaled) at(y []float64) (x, p []float64) {
	s.set(y)
	return slices.Clone(s.x), slices.Clone(s.p)
}

func (s *scaled) residual(dst, y []float64) {
	s.set(y)
	s.work.Evals++
	s.eval(dst)
}

func (s *scaled) eval(dst []float64) {
	s.prob.F(dst[:s.n], s.x, s.p)
	for i := range s.n {
		dst[i] /= s.sx[i] * s.rate
	}
}

// jacobian stores ∂F_i/∂u_j and, as far as cols allows, ∂F_i/∂q_k in dst[i*cols+...].
func (s *scaled) jacobian(dst []float64, cols int, y []float64) {
	s.set(y)
	s.work.Jacobians++
	s.jacX(dst, cols)
	if cols > s.n {
		s.jacP(dst, cols)
	}
}

// stepFor balances truncation and rounding of a central difference.
var stepFor = math.Cbrt(epsilon)

func (s *scaled) jacX(dst []float64, cols int) {
	n := s.n
	if s.prob.JacX == nil {
		for j := range n {
			s.difference(dst, cols, j, &s.x[j], s.sx[j])
		}
		return
	}
	s.prob.JacX(s.jacDiff[:n*n], s.x, s.p)
	for i := range n {
		for j := range n {
			dst[i*cols+j] = s.jacDiff[i*n+j] * s.sx[j] / (s.sx[i] * s.rate)
		}
	}
}

func (s *scaled) jacP(dst []float64, cols int) {
	n, m := s.n, s.prob.Params
	if s.prob.JacP == nil {
		for j, k := range s.active {
			s.difference(dst, cols, n+j, &s.p[k], s.sp[k])
		}
		return
	}
	s.prob.JacP(s.jp, s.x, s.p)
	for i := range n {
		for j, k := range s.active {
			dst[i*cols+n+j] = s.jp[i*m+k] * s.sp[k] / (s.sx[i] * s.rate)
		}
	}
}

// difference stores the central difference of F in the variable v of the given scale in column j.
func (s *scaled) difference(dst []float64, cols, j int, v *float64, scale float64) {
	was := *v
	h := stepFor * max(scale, math.Abs(was))
	*v = was + h
	hi := *v
	s.eval(s.up)
	*v = was - h
	s.eval(s.down)
	width := (hi - *v) / scale
	*v = was
	for i := range s.n {
		dst[i*cols+j] = (s.up[i] - s.down[i]) / width
	}
}

// second stores d/dε A(y + εv) at ε = 0, A = [F_u F_q] with the columns of the active
// parameters, in dst, n × (n+m): the second derivatives F_yy[v, ·]. v has length n for a
// direction in u, or n+m.
func (s *scaled) second(dst, y, v []float64) {
	cols := s.n + len(s.active)
	h := stepFor
	if s.prob.JacX == nil {
		h = 1e-4 // a difference of differences
	}
	h *= max(1, maxNorm(y[:len(v)])) / max(maxNorm(v), 1e-300)
	copy(s.y, y[:cols])
	axpy(s.y, h, v)
	s.jacobian(dst, cols, s.y)
	copy(s.y, y[:cols])
	axpy(s.y, -h, v)
	s.jacobian(s.diff, cols, s.y)
	for i := range dst[:s.n*cols] {
		dst[i] = (dst[i] - s.diff[i]) / (2 * h)
	}
}
