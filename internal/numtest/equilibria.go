package numtest

import "fmt"

// An Equilibrium is a smooth problem F(x, p) = 0 whose solutions in x, and whose
// special points over p, are known. Matrices are dense and row-major.
type Equilibrium struct {
	Name   string
	Dim    int      // of x
	Params []string // names of the parameters

	F    func(dst, x, p []float64)
	JacX func(dst, x, p []float64) // ∂F_i/∂x_j in dst[i*Dim+j]
	JacP func(dst, x, p []float64) // ∂F_i/∂p_k in dst[i*len(Params)+k]

	// P are parameters of interest, X0 is an equilibrium there or near one: a start
	// for a branch. Every known equilibrium and special point lies in [Lo, Hi].
	P, X0  []float64
	Lo, Hi []float64

	Sets   []EquilibriumSet
	Points []SpecialPoint
}

// An EquilibriumSet is all equilibria in the box of the problem for one choice of the parameters.
type EquilibriumSet struct {
	P []float64
	X [][]float64 // in increasing order of the first unknown, then of the next
	// Tol is the error of the reference, relative to max(1, |x|).
	Tol float64
}

// Kinds of special points.
const (
	Fold              = "fold"
	Hopf              = "Hopf"
	BranchPoint       = "branch point"
	NeutralSaddle     = "neutral saddle" // eigenvalues ±λ: no Hopf point
	Cusp              = "cusp"
	BogdanovTakens    = "Bogdanov–Takens"
	BoundaryCollision = "boundary" // a branch ends where F is not smooth
)

// A SpecialPoint is where equilibria change their number or their stability when the
// parameter Free varies.
type SpecialPoint struct {
	Kind  string
	Free  int       // index of the parameter that varies along the branch
	P     []float64 // all parameters
	X     []float64 // nil: not known to this accuracy
	Omega float64   // of a Hopf point; 0: not known
	// Tol is the error of the reference for P[Free], relative to max(1, |P[Free]|).
	Tol float64
}

// Scaled returns the problem with time measured in another unit: every rate, and so
// F, multiplied by rate. Equilibria and parameters stay, eigenvalues are multiplied.
func (e Equilibrium) Scaled(rate float64) Equilibrium {
	times := func(f func(dst, x, p []float64)) func(dst, x, p []float64) {
		return func(dst, x, p []float64) {
			f(dst, x, p)
			for i := range dst {
				dst[i] *= rate
			}
		}
	}
	e.Name = fmt.Sprintf("%s × %g", e.Name, rate)
	e.F, e.JacX, e.JacP = times(e.F), times(e.JacX), times(e.JacP)
	points := make([]SpecialPoint, len(e.Points))
	for i, s := range e.Points {
		s.Omega *= rate
		points[i] = s
	}
	e.Points = points
	return e
}

// Stretched returns the problem in unknowns z with x_j = size z_j: roots and the box
// divided by size. size > 0.
func (e Equilibrium) Stretched(size float64) Equilibrium {
	inner := e
	at := func(z []float64) []float64 {
		x := make([]float64, len(z))
		for i := range z {
			x[i] = size * z[i]
		}
		return x
	}
	by := func(x []float64) []float64 {
		z := make([]float64, len(x))
		for i := range x {
			z[i] = x[i] / size
		}
		return z
	}
	e.Name = fmt.Sprintf("%s, x / %g", e.Name, size)
	e.F = func(dst, z, p []float64) { inner.F(dst, at(z), p) }
	e.JacX = func(dst, z, p []float64) {
		inner.JacX(dst, at(z), p)
		for i := range dst {
			dst[i] *= size
		}
	}
	e.JacP = func(dst, z, p []float64) { inner.JacP(dst, at(z), p) }
	e.X0, e.Lo, e.Hi = by(e.X0), by(e.Lo), by(e.Hi)
	e.Sets = make([]EquilibriumSet, len(inner.Sets))
	for i, s := range inner.Sets {
		s.X = make([][]float64, len(inner.Sets[i].X))
		for k, x := range inner.Sets[i].X {
			s.X[k] = by(x)
		}
		e.Sets[i] = s
	}
	e.Points = make([]SpecialPoint, len(inner.Points))
	for i, s := range inner.Points {
		if s.X != nil {
			s.X = by(s.X)
		}
		e.Points[i] = s
	}
	return e
}
