package fixedpoint

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
)

// Spectrum is what the linearization M x' = J x says about an equilibrium.
type Spectrum struct {
	// Eigenvalues in decreasing order of the real part, then of the imaginary part.
	Eigenvalues []complex128

	// Errors bound what rounding does to each eigenvalue, to first order: the error of
	// the matrix times the condition of the eigenvalue; or, where that decides on its sign, the most
	// that it does to a defective pair.
	Errors []float64

	// Stable, Unstable and Undecided count the eigenvalues whose real part is negative,
	// positive, or within its error of zero.
	Stable, Unstable, Undecided int
}

// Add adds real eigenvalues that are known to their own rounding.
func (s *Spectrum) Add(values []float64) {
	for _, v := range values {
		i, _ := slices.BinarySearchFunc(s.Eigenvalues, v, func(e complex128, v float64) int { return cmp.Compare(v, real(e)) })
		s.Eigenvalues = slices.Insert(s.Eigenvalues, i, complex(v, 0))
		s.Errors = slices.Insert(s.Errors, i, epsilon*math.Abs(v))
		if v < 0 {
			s.Stable++
		} else {
			s.Unstable++
		}
	}
}

// Leading returns the largest real part.
func (s *Spectrum) Leading() float64 { return real(s.Eigenvalues[0]) }

// Verdict is the stability of an equilibrium by its linearization.
type Verdict string

// Verdicts.
const (
	Stable    Verdict = "stable"    // all real parts are negative
	Unstable  Verdict = "unstable"  // one is positive
	Undecided Verdict = "undecided" // no real part is positive, one may be zero
)

// Verdict returns the stability that the signs imply.
func (s *Spectrum) Verdict() Verdict {
	switch {
	case s.Unstable > 0:
		return Unstable
	case s.Undecided > 0:
		return Undecided
	}
	return Stable
}

// ErrIndex reports algebraic equations that do not determine the algebraic unknowns.
var ErrIndex = errors.New("fixedpoint: the Jacobian of the algebraic equations is singular")

// Stability returns the eigenvalues of M x' = J x. jac is J, n×n row-major; mass is the diagonal
// of M with entries 0 or 1, nil for all 1. Unknowns without a time derivative are
// eliminated: the eigenvalues are those of the Schur complement. Entries are taken to be
// known to rounding of the largest ones; where units differ much, pass J_ij s_j/s_i with
// typical sizes s of the unknowns.
//
// It fails when J is not finite, no unknown has a derivative, or with [ErrIndex].
func Stability(jac []float64, n int, mass []float64) (*Spectrum, error) {
	return stability(jac, n, mass, epsilon, false)
}

// stability is Stability with relative errors relErr of the entries of J; sharp asks for the
// condition of every eigenvalue.
func stability(jac []float64, n int, mass []float64, relErr float64, sharp bool) (*Spectrum, error) {
	if n < 1 || len(jac) != n*n {
		return nil, fmt.Errorf("fixedpoint: Jacobian has %d entries, want %d×%d", len(jac), n, n)
	}
	if !finite(jac) {
		return nil, fmt.Errorf("fixedpoint: the Jacobian is not finite")
	}
	a, m, err := schur(jac, n, mass)
	if err != nil {
		return nil, err
	}
	matrixError := 4 * float64(m) * max(relErr, epsilon) * norm2(a)
	// A defective pair moves by the root of the error: no condition beyond that.
	most := 2 * math.Sqrt(matrixError*norm2(a))
	form, ok := newHessenberg(a, m)
	if !ok {
		return nil, fmt.Errorf("fixedpoint: the eigenvalues of the Jacobian do not converge")
	}
	slices.SortFunc(form.values, func(a, b complex128) int {
		if c := cmp.Compare(real(b), real(a)); c != 0 {
			return c
		}
		return cmp.Compare(imag(b), imag(a))
	})
	s := &Spectrum{}
	for i, v := range form.values {
		e := most
		switch {
		case !sharp && math.Abs(real(v)) > most:
		case i > 0 && cmplx.Abs(v-form.values[i-1]) <= matrixError: // one and the same, for all that is known
			e = s.Errors[i-1]
		default:
			e = min(most, matrixError/form.cosine(v))
		}
		s.Eigenvalues = append(s.Eigenvalues, v)
		s.Errors = append(s.Errors, e)
		switch re := real(v); {
		case re > e:
			s.Unstable++
		case re < -e:
			s.Stable++
		default:
			s.Undecided++
		}
	}
	return s, nil
}

// spectrumAt returns the spectrum of jac, the Jacobian of p at some point, in units of Scale.
func (p *Problem) spectrumAt(jac []float64) (*Spectrum, error) {
	n := p.Dim
	scaled := slices.Clone(jac)
	for i := range n {
		for j := range n {
			scaled[i*n+j] *= p.scale(j) / p.scale(i)
		}
	}
	relErr := epsilon
	if p.JacX == nil {
		relErr = differenceError
	}
	return stability(scaled, n, p.Mass, relErr, true)
}

// schur returns the m×m Jacobian of the unknowns with mass 1, the others eliminated.
func schur(jac []float64, n int, mass []float64) (a []float64, m int, err error) {
	if mass == nil {
		return slices.Clone(jac), n, nil
	}
	if len(mass) != n {
		return nil, 0, fmt.Errorf("fixedpoint: mass has length %d, want %d", len(mass), n)
	}
	var dynamic, algebraic []int
	for i, v := range mass {
		switch v {
		case 1:
			dynamic = append(dynamic, i)
		case 0:
			algebraic = append(algebraic, i)
		default:
			return nil, 0, fmt.Errorf("fixedpoint: mass[%d] %g is neither 0 nor 1", i, v)
		}
	}
	m = len(dynamic)
	if m == 0 {
		return nil, 0, fmt.Errorf("fixedpoint: no unknown has a time derivative")
	}
	block := func(rows, cols []int) []float64 {
		b := make([]float64, 0, len(rows)*len(cols))
		for _, i := range rows {
			for _, j := range cols {
				b = append(b, jac[i*n+j])
			}
		}
		return b
	}
	a = block(dynamic, dynamic)
	if len(algebraic) == 0 {
		return a, m, nil
	}
	lin := newEquilibrated(len(algebraic))
	if !lin.factor(block(algebraic, algebraic)) {
		return nil, 0, ErrIndex
	}
	outer, column := block(dynamic, algebraic), make([]float64, len(algebraic))
	for c, j := range dynamic {
		for k, i := range algebraic {
			column[k] = jac[i*n+j]
		}
		lin.solve(column)
		for r := range dynamic {
			a[r*m+c] -= dot(outer[r*len(algebraic):(r+1)*len(algebraic)], column)
		}
	}
	return a, m, nil
}
