// Package fixedpoint finds equilibria of smooth problems, all of them where it can be
// proved, and follows them through parameter space: stability, branches, folds, Hopf
// points, branch points, and the curves of these points in two parameters. It knows
// nothing of what the problem stands for.
package fixedpoint

// A Problem is a smooth map F(x, p) whose zeros in x are the equilibria of
// x' = F(x, p). Matrices are dense and row-major.
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
}
