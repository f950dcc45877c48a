package ode

import (
	"errors"
	"math"
)

// Dense is a Problem with n components and a full Jacobian, made of functions. Make
// one with [NewDense].
type Dense struct {
	n        int
	f        func(dst []float64, t float64, y []float64)
	jacobian func(dst []float64, t float64, y []float64)
	dfdt     func(dst []float64, t float64, y []float64)

	jac    []float64 // row-major n×n
	lu     []float64 // row-major factors of the permuted matrix
	pivot  []int     // row exchanged with row i in step i
	mass   []float64 // nil: the identity
	f0, f1 []float64
	point  []float64
}

// NewDense returns the problem y' = f(t, y) with n components.
//
// jacobian stores ∂f_i/∂y_j in dst[i*n+j]; dfdt stores ∂f/∂t in dst. In place of
// one that is nil, forward differences are used: n evaluations of f for the one, 1
// for the other. These evaluations are not in [Stats].
func NewDense(n int, f, jacobian, dfdt func(dst []float64, t float64, y []float64)) *Dense {
	if n <= 0 || f == nil {
		panic("ode: dense problem without components or function")
	}
	return &Dense{
		n: n, f: f, jacobian: jacobian, dfdt: dfdt,
		jac: make([]float64, n*n), lu: make([]float64, n*n), pivot: make([]int, n),
		f0: make([]float64, n), f1: make([]float64, n), point: make([]float64, n),
	}
}

// Autonomous is the dfdt of an f that does not depend on t.
func Autonomous(dst []float64, _ float64, _ []float64) { clear(dst) }

// Dim returns n.
func (d *Dense) Dim() int { return d.n }

// Eval stores f(t, y) in dst.
func (d *Dense) Eval(dst []float64, t float64, y []float64) { d.f(dst, t, y) }

// Linearize implements [Linear].
func (d *Dense) Linearize(dfdt []float64, t float64, y []float64) {
	d.EvalLinearize(d.f0, dfdt, t, y)
}

// EvalLinearize implements [EvalLinearizer].
func (d *Dense) EvalLinearize(dst, dfdt []float64, t float64, y []float64) {
	d.f(dst, t, y)
	if d.jacobian != nil {
		d.jacobian(d.jac, t, y)
	} else {
		d.differences(dst, t, y)
	}
	if d.dfdt != nil {
		d.dfdt(dfdt, t, y)
		return
	}
	dt := increment(t)
	d.f(dfdt, t+dt, y)
	for i, f := range dst {
		dfdt[i] = (dfdt[i] - f) / dt
	}
}

// differences stores the Jacobian at (t, y), where f is f0.
func (d *Dense) differences(f0 []float64, t float64, y []float64) {
	copy(d.point, y)
	for j, yj := range y {
		dy := increment(yj)
		d.point[j] = yj + dy
		d.f(d.f1, t, d.point)
		d.point[j] = yj
		for i := range d.f1 {
			d.jac[i*d.n+j] = (d.f1[i] - f0[i]) / dy
		}
	}
}

// increment returns a step for a forward difference at v that is exact in floating
// point: √ε relative to v, or to 1e-3 when v is smaller than that.
func increment(v float64) float64 {
	dv := math.Copysign(0x1p-26*max(math.Abs(v), 1e-3), v)
	return (v + dv) - v
}

var errSingular = errors.New("ode: singular matrix")

// Factor implements [Linear].
func (d *Dense) Factor(shift float64) error {
	n, a := d.n, d.lu
	for i, v := range d.jac {
		a[i] = -v
	}
	for i := range n {
		if d.mass == nil || d.mass[i] != 0 {
			a[i*n+i] += shift
		}
	}
	return d.eliminate()
}

// eliminate factors lu in place by Gaussian elimination with partial pivoting.
func (d *Dense) eliminate() error {
	n, a := d.n, d.lu
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[p*n+k]) {
				p = i
			}
		}
		d.pivot[k] = p
		rowk := a[k*n : k*n+n]
		if p != k {
			rowp := a[p*n : p*n+n]
			for j := range rowk {
				rowk[j], rowp[j] = rowp[j], rowk[j]
			}
		}
		if !(math.Abs(rowk[k]) > 0) {
			return errSingular
		}
		inv := 1 / rowk[k]
		for i := k + 1; i < n; i++ {
			rowi := a[i*n : i*n+n]
			l := rowi[k] * inv
			rowi[k] = l
			if l == 0 {
				continue
			}
			for j := k + 1; j < n; j++ {
				rowi[j] -= l * rowk[j]
			}
		}
	}
	return nil
}

// Solve implements [Linear].
func (d *Dense) Solve(rhs []float64) {
	n, a := d.n, d.lu
	for k, p := range d.pivot {
		rhs[k], rhs[p] = rhs[p], rhs[k]
	}
	for i := 1; i < n; i++ {
		s := rhs[i]
		for j, l := range a[i*n : i*n+i] {
			s -= l * rhs[j]
		}
		rhs[i] = s
	}
	for i := n - 1; i >= 0; i-- {
		s := rhs[i]
		for j := i + 1; j < n; j++ {
			s -= a[i*n+j] * rhs[j]
		}
		rhs[i] = s / a[i*n+i]
	}
}

var (
	_ Problem        = (*Dense)(nil)
	_ EvalLinearizer = (*Dense)(nil)
)
