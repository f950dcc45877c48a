package fixedpoint

import "fmt"

// Kind says what a special point is.
type Kind int

const (
	// Fold (saddle-node): two equilibria meet and vanish.
	Fold Kind = iota
	// BranchPoint: two branches cross.
	BranchPoint
	// Hopf: a conjugate pair of eigenvalues on the imaginary axis.
	Hopf
	// NeutralSaddle: two real eigenvalues λ and −λ. No change of stability.
	NeutralSaddle
	// Cusp of a curve of folds: two folds meet and vanish.
	Cusp
	// BogdanovTakens: a double eigenvalue zero, where a curve of Hopf points ends on one
	// of folds.
	BogdanovTakens
	// ZeroHopf (fold–Hopf): an eigenvalue zero and a pair on the imaginary axis.
	ZeroHopf
)

var kinds = [...]string{"fold", "branch point", "Hopf", "neutral saddle", "cusp", "Bogdanov–Takens", "zero-Hopf"}

// String returns the name of the kind.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kinds) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kinds[k]
}

// A Location is a point (x, p) and its arc length on the curve where it was found.
type Location struct {
	X, P      []float64 // all unknowns and all parameters
	ArcLength float64
}

// A Special is a special point of a branch or of a curve.
type Special struct {
	Kind Kind

	// Interval holds the arc lengths between which the test function changes sign, up to
	// rounding, and After the index of the last point of the curve before.
	Interval [2]float64
	After    int

	// Located is the end of the interval that is closer to the special point. Refined is the solution
	// of the augmented system, its arc length that of its projection; if Converged is false
	// that system could not be solved and Refined is Located.
	Located, Refined Location
	Converged        bool

	// Omega2 is ω² for an eigenvalue pair ±iω of Hopf and zero-Hopf points, in units of the rates
	// of the problem, and negative, −λ², for the pair ±λ of a neutral saddle.
	Omega2 float64
}
