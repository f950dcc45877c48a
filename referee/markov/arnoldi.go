package markov

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"
)

// A krylov asks for the eigenvalues of largest modulus of a linear operator that is known
// by its action, by Arnoldi's iteration with full orthogonalisation in the inner product
// Σ wᵢ xᵢ yᵢ (Saad 2011, Numerical Methods for Large Eigenvalue Problems, section 6.2).
// Where the operator is self-adjoint in it, this is Lanczos' iteration.
type krylov struct {
	apply       func(dst, src []float64)
	weight      []float64
	selfAdjoint bool
	tol         float64 // of the residual, relative to the eigenvalue
	most        int     // dimensions
}

// A ritz is what the iteration found.
type ritz struct {
	theta    complex128 // the largest eigenvalue
	vector   []float64  // real part of the eigenvector
	residual float64    // ‖A x − θ x‖/(|θ| ‖x‖)
}

func (k *krylov) inner(x, y []float64) (sum float64) {
	for i, w := range k.weight {
		sum += w * x[i] * y[i]
	}
	return sum
}

// unit scales x to norm 1 and returns the norm it had.
func (k *krylov) unit(x []float64) float64 {
	norm := math.Sqrt(k.inner(x, x))
	if norm == 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return 0
	}
	for i := range x {
		x[i] /= norm
	}
	return norm
}

// run iterates from start, which is overwritten.
func (k *krylov) run(start []float64) ritz {
	k.unit(start)
	basis := [][]float64{start}
	h := mat.NewDense(k.most+1, k.most, nil)
	for j := 0; ; j++ {
		w := make([]float64, len(start))
		k.apply(w, basis[j])
		before := math.Sqrt(k.inner(w, w))
		for range 2 { // once is not enough
			for i, v := range basis {
				c := k.inner(v, w)
				h.Set(i, j, h.At(i, j)+c)
				axpy(-c, v, w)
			}
		}
		rest := k.unit(w)
		h.Set(j+1, j, rest)
		last := rest <= 1e-15*before || j+1 == k.most
		if j < 4 || j%4 == 0 || last {
			found, coef := k.project(h, j+1, rest)
			if found.residual <= k.tol || last {
				found.vector = make([]float64, len(start))
				for i, c := range coef {
					axpy(c, basis[i], found.vector)
				}
				return found
			}
		}
		basis = append(basis, w)
	}
}

// project solves the eigenproblem in the space of m dimensions, and returns the
// coefficients of the eigenvector's real part.
func (k *krylov) project(h *mat.Dense, m int, rest float64) (ritz, []float64) {
	small := mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			small.Set(i, j, h.At(i, j))
			if k.selfAdjoint {
				small.Set(i, j, (h.At(i, j)+h.At(j, i))/2)
			}
		}
	}
	var eig mat.Eigen
	if !eig.Factorize(small, mat.EigenRight) {
		return ritz{residual: math.Inf(1)}, make([]float64, m)
	}
	values := eig.Values(nil)
	best := 0
	for i, v := range values {
		if cmplx.Abs(v) > cmplx.Abs(values[best]) {
			best = i
		}
	}
	found := ritz{theta: values[best]}
	var vectors mat.CDense
	eig.VectorsTo(&vectors)
	coef, norm := make([]float64, m), 0.0
	for i := range m {
		c := vectors.At(i, best)
		coef[i] = real(c)
		norm = math.Hypot(norm, cmplx.Abs(c))
	}
	found.residual = rest * cmplx.Abs(vectors.At(m-1, best)) / (norm * cmplx.Abs(found.theta))
	return found, coef
}
