// Package fixedpoint finds equilibria of smooth problems, all of them where it can be
// proved, and follows them through parameter space: stability, branches, folds, Hopf
// points, branch points, and the curves of these points in two parameters. It knows
// nothing of what the problem stands for.
package fixedpoint

import (
	"fmt"
	"math"
)

// A Problem is a smooth map F(x, p) whose zeros in x are the equilibria of
// M x' = F(x, p). Matrices are dense and row-major.
type Problem struct {
	// Dim is the number n of unknowns x, Params the number of parameters p.
	Dim, Params int

	// F stores F(x, p) in dst; all of dst is written.
	F func(dst, x, p []float64)

	// JacX stores ∂F_i/∂x_j in dst[i*n+j]. Nil: central differences.
	JacX func(dst, x, p []float64)

	// JacP stores ∂F_i/∂p_k in dst[i*Params+k]. Nil: central differences.
	JacP func(dst, x, p []float64)

	// Scale holds typical sizes of the unknowns, against which steps and residuals
	// are judged; nil: all 1. ScaleP likewise for the parameters.
	Scale, ScaleP []float64

	// Mass is the diagonal of M, entries 0 (algebraic equations) or 1; nil: all 1.
	// It matters for stability alone.
	Mass []float64
}

const epsilon = 0x1p-52

// differenceError bounds the relative error of a Jacobian by central differences with
// the step ε^{1/3}: about ε^{2/3}, with room for higher derivatives.
const differenceError = 1e-9

// check reports what makes the problem, the parameters or the point x unusable. A nil
// x is not checked.
func (p *Problem) check(x, par []float64) error {
	switch {
	case p.Dim < 1:
		return fmt.Errorf("fixedpoint: Dim %d is not positive", p.Dim)
	case p.F == nil:
		return fmt.Errorf("fixedpoint: no F")
	case len(par) != p.Params:
		return fmt.Errorf("fixedpoint: %d parameters given, the problem has %d", len(par), p.Params)
	case x != nil && len(x) != p.Dim:
		return fmt.Errorf("fixedpoint: point of dimension %d, the problem has %d", len(x), p.Dim)
	}
	for _, v := range []struct {
		name   string
		values []float64
		length int
	}{{"Scale", p.Scale, p.Dim}, {"ScaleP", p.ScaleP, p.Params}} {
		if v.values != nil && len(v.values) != v.length {
			return fmt.Errorf("fixedpoint: %s has length %d, want %d", v.name, len(v.values), v.length)
		}
		for i, s := range v.values {
			if !(s > 0) || math.IsInf(s, 0) {
				return fmt.Errorf("fixedpoint: %s[%d] %g is not a positive number", v.name, i, s)
			}
		}
	}
	if p.Mass != nil && len(p.Mass) != p.Dim {
		return fmt.Errorf("fixedpoint: Mass has length %d, want %d", len(p.Mass), p.Dim)
	}
	for i, m := range p.Mass {
		if m != 0 && m != 1 {
			return fmt.Errorf("fixedpoint: Mass[%d] %g is neither 0 nor 1", i, m)
		}
	}
	if !finite(x) {
		return fmt.Errorf("fixedpoint: the point %v is not finite", x)
	}
	if !finite(par) {
		return fmt.Errorf("fixedpoint: the parameters %v are not finite", par)
	}
	return nil
}

// scale returns the typical size of unknown i.
func (p *Problem) scale(i int) float64 {
	if p.Scale == nil {
		return 1
	}
	return p.Scale[i]
}

// weight returns the unit in which unknown i is measured near the value x: max(Scale, |x|).
func (p *Problem) weight(i int, x float64) float64 { return max(p.scale(i), math.Abs(x)) }

// scaleP returns the typical size of parameter k.
func (p *Problem) scaleP(k int) float64 {
	if p.ScaleP == nil {
		return 1
	}
	return p.ScaleP[k]
}

// jacX stores ∂F/∂x at (x, par) in dst.
func (p *Problem) jacX(dst, x, par []float64) {
	if p.JacX != nil {
		p.JacX(dst, x, par)
		return
	}
	differences(dst, p.Dim, x, p.scale, func(f, x []float64) { p.F(f, x, par) })
}

// differences stores the Jacobian of f, with n values, at v in dst by central
// differences with steps ε^{1/3} max(scale, |v|).
func differences(dst []float64, n int, v []float64, scale func(int) float64, f func(dst, v []float64)) {
	at := append([]float64(nil), v...)
	up, down := make([]float64, n), make([]float64, n)
	for k := range v {
		h := math.Cbrt(epsilon) * max(scale(k), math.Abs(v[k]))
		hi, lo := v[k]+h, v[k]-h
		at[k] = hi
		f(up, at)
		at[k] = lo
		f(down, at)
		at[k] = v[k]
		for i := range n {
			dst[i*len(v)+k] = (up[i] - down[i]) / (hi - lo)
		}
	}
}
