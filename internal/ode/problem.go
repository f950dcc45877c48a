// Package ode integrates stiff initial-value problems and index-1
// differential-algebraic problems in semi-explicit form,
//
//	M y' = f(t, y),   M diagonal with entries 0 or 1,
//
// with scheduled discontinuities, state events and dense output, for one
// trajectory and for many.
package ode

// A Problem is M y' = f(t, y). Implementations may keep scratch space: one
// Problem serves one integration at a time.
type Problem interface {
	// Dim returns the number of components of y in force. It may change in
	// [Scheduled.Enter] and nowhere else.
	Dim() int

	// Eval stores f(t, y) in dst. len(dst) = len(y) = Dim(). y is finite; a value
	// that is not makes the integrator take a shorter step.
	Eval(dst []float64, t float64, y []float64)

	Linear
}

// Linear is the linear algebra of a problem: it knows the structure of the
// Jacobian J = ∂f/∂y, the integrator does not.
type Linear interface {
	// Linearize evaluates J at (t, y), keeps it, and stores ∂f/∂t in dfdt.
	Linearize(dfdt []float64, t float64, y []float64)

	// Factor prepares solutions with shift·M − J, J from the last Linearize.
	// It fails when that matrix is singular to working precision.
	Factor(shift float64) error

	// Solve overwrites rhs with the solution of (shift·M − J) x = rhs.
	Solve(rhs []float64)
}

// EvalLinearizer is implemented by problems that get f on the way to J.
type EvalLinearizer interface {
	// EvalLinearize does the work of Eval and Linearize at one point.
	EvalLinearize(dst, dfdt []float64, t float64, y []float64)
}

// Delayed is implemented by problems whose f looks back in time.
type Delayed interface {
	// Lag returns how far f looks back at least, +Inf if it does not: no step is
	// longer.
	Lag() float64

	// Remember is called with each accepted step, in order, before anything at a
	// later time is asked: at stores the state at a time in [t0, t1] in dst and
	// returns it.
	Remember(t0, t1 float64, at func(dst []float64, t float64) []float64)
}

// Algebraic is implemented by problems that have algebraic components.
type Algebraic interface {
	// Mass returns the diagonal of M, Dim() entries that are 0 or 1.
	Mass() []float64

	// Consistent adjusts the algebraic components of y so that their equations
	// hold at (t, y). It is called at the start and after every discontinuity.
	Consistent(t float64, y []float64) error
}

// Scheduled is implemented by problems with discontinuities at known times. No
// step crosses one.
type Scheduled interface {
	// Breaks returns the times of the discontinuities in increasing order. Those
	// outside the interval of integration are allowed: entries at or before its
	// start are entered before the first step.
	Breaks() []float64

	// Enter puts the parameters of the piece that follows break k in force at time
	// t and returns y for it: the same values, with components appended or removed
	// when Dim changes. y has capacity for MaxDim of [Resizable], if the problem
	// has it; append grows it in any case.
	Enter(k int, t float64, y []float64) []float64

	// Jump applies the instantaneous change of state of break k, if any.
	Jump(k int, t float64, y []float64)
}
