package ode

import (
	"errors"
	"math"
)

// DAE is a [Dense] problem M y' = f(t, y) with algebraic components. Make one with
// [NewDAE].
type DAE struct {
	*Dense
	dy []float64
}

// NewDAE returns the problem diag(mass) y' = f(t, y), whose index must be 1: the
// Jacobian of the algebraic equations in the algebraic components is regular. mass
// holds zeros and ones; the functions are those of [NewDense].
func NewDAE(mass []float64, f, jacobian, dfdt func(dst []float64, t float64, y []float64)) *DAE {
	d := NewDense(len(mass), f, jacobian, dfdt)
	d.mass = mass
	return &DAE{Dense: d, dy: make([]float64, len(mass))}
}

// Mass implements [Algebraic].
func (d *DAE) Mass() []float64 { return d.mass }

var errNewton = errors.New("ode: Newton's method does not find a consistent state")

// Consistent implements [Algebraic] by Newton's method on the algebraic components.
func (d *DAE) Consistent(t float64, y []float64) error {
	const (
		maxIterations = 30
		tolerance     = 1e-13 // of a correction, relative to the largest component
	)
	n := d.n
	dfdt := make([]float64, n)
	for range maxIterations {
		d.f(d.dy, t, y)
		d.Linearize(dfdt, t, y)
		for i, m := range d.mass {
			row := d.lu[i*n : i*n+n]
			for j := range row {
				row[j] = -d.jac[i*n+j]
			}
			if m != 0 {
				clear(row)
				row[i], d.dy[i] = 1, 0
			}
		}
		if err := d.eliminate(); err != nil {
			return err
		}
		d.Solve(d.dy)
		var step, size float64
		for i, v := range d.dy {
			y[i] += v
			step, size = max(step, math.Abs(v)), max(size, math.Abs(y[i]))
		}
		if step <= tolerance*size {
			return nil
		}
	}
	return errNewton
}

var (
	_ Problem   = (*DAE)(nil)
	_ Algebraic = (*DAE)(nil)
)
