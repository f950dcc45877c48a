package fixedpoint

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// eigenvalues computes the spectra of matrices of one order, and keeps its storage.
type eigenvalues struct {
	mass   []float64
	n      int
	a      []float64
	wr, wi []float64
	work   []float64
}

func newEigenvalues(n int, mass []float64) *eigenvalues {
	e := &eigenvalues{
		mass: mass, n: n, a: make([]float64, n*n), wr: make([]float64, n), wi: make([]float64, n),
		work: make([]float64, 1),
	}
	e.geev(n, -1)
	e.work = make([]float64, max(int(e.work[0]), 4*n))
	return e
}

func (e *eigenvalues) geev(m, lwork int) (first int) {
	return lapack64.Geev(lapack.LeftEVNone, lapack.RightEVNone,
		blas64.General{Rows: m, Cols: m, Stride: m, Data: e.a}, e.wr[:m], e.wi[:m],
		blas64.General{Stride: 1}, blas64.General{Stride: 1}, e.work, lwork)
}

// of returns the eigenvalues of M x' = J x; none where they cannot be computed.
func (e *eigenvalues) of(jac []float64) []complex128 {
	m := e.n
	copy(e.a, jac)
	if e.mass != nil {
		var a []float64
		var err error
		if a, m, err = schur(jac, e.n, e.mass); err != nil {
			return nil
		}
		copy(e.a, a)
	}
	if !finite(e.a[:m*m]) || e.geev(m, len(e.work)) != 0 {
		return nil
	}
	eig := make([]complex128, m)
	for i := range eig {
		eig[i] = complex(e.wr[i], e.wi[i])
	}
	return eig
}
