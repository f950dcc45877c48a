package fixedpoint

import (
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// A hessenberg is a square matrix A = D Q H Qᵀ D⁻¹, balanced by the scaling and
// permutation D, with H in Hessenberg form, from which its eigenvalues and the condition of
// any of them come in O(n³) and O(n²) operations: Golub & Van Loan, Matrix
// Computations, sections 7.4 and 7.6.1.
type hessenberg struct {
	n        int
	h        []float64 // H, and below it Q as Dgehrd states it
	lo, hi   int       // where H is not yet triangular
	scale    []float64 // D, as Dgebal states it
	tau      []float64 // of Q
	values   []complex128
	right    []float64 // D Q
	left     []float64 // D⁻¹ Q
	x, y     []float64 // the start of inverse iteration in the bases left and right
	smallest float64   // pivot of the shifted H
}

// newHessenberg returns the form of the n×n matrix a, which it overwrites, with the
// eigenvalues; false if they do not converge.
func newHessenberg(a []float64, n int) (*hessenberg, bool) {
	var impl gonum.Implementation
	f := &hessenberg{n: n, h: a, scale: make([]float64, n), tau: make([]float64, max(n-1, 0))}
	f.lo, f.hi = impl.Dgebal(lapack.PermuteScale, n, a, n, f.scale)
	work := make([]float64, 1)
	impl.Dgehrd(n, f.lo, f.hi, a, n, f.tau, work, -1)
	work = make([]float64, max(int(work[0]), 11*n))
	impl.Dgehrd(n, f.lo, f.hi, a, n, f.tau, work, len(work))
	t, wr, wi := f.triangle(), make([]float64, n), make([]float64, n)
	if impl.Dhseqr(lapack.EigenvaluesOnly, lapack.SchurNone, n, f.lo, f.hi, t, n, wr, wi, nil, 1, work, len(work)) != 0 {
		return nil, false
	}
	f.values = make([]complex128, n)
	for i := range f.values {
		f.values[i] = complex(wr[i], wi[i])
	}
	return f, true
}

// triangle returns H.
func (f *hessenberg) triangle() []float64 {
	h := slices.Clone(f.h)
	for i := 2; i < f.n; i++ {
		clear(h[i*f.n : i*f.n+i-1])
	}
	return h
}

// bases computes D Q and D⁻¹ Q, and leaves H alone in h.
func (f *hessenberg) bases() {
	var impl gonum.Implementation
	n := f.n
	f.right, f.h = f.h, f.triangle()
	work := make([]float64, 1)
	impl.Dorghr(n, f.lo, f.hi, f.right, n, f.tau, work, -1)
	work = make([]float64, int(work[0]))
	impl.Dorghr(n, f.lo, f.hi, f.right, n, f.tau, work, len(work))
	f.left = slices.Clone(f.right)
	impl.Dgebak(lapack.PermuteScale, lapack.EVRight, n, f.lo, f.hi, f.scale, n, f.right, n)
	impl.Dgebak(lapack.PermuteScale, lapack.EVLeft, n, f.lo, f.hi, f.scale, n, f.left, n)
	f.x, f.y = make([]float64, n), make([]float64, n)
	for k := range n {
		b := 1 + float64(k%7)/16 // in no special direction
		axpy(f.x, b, f.left[k*n:(k+1)*n])
		axpy(f.y, b, f.right[k*n:(k+1)*n])
	}
	f.smallest = max(epsilon*norm2(f.h), math.SmallestNonzeroFloat64/epsilon)
}

// cosine returns |yᵀx|/(|x||y|) of right and left eigenvectors x and y of A, the reciprocal
// of the condition of the eigenvalue, by one step of inverse iteration from the same vector
// b: with the projector P on the eigenspace, x = P b and y = Pᵀ b. Of an eigenvalue with
// several vectors it is about that of their space. It is at most 1, and 0 where it is not known.
func (f *hessenberg) cosine(value complex128) float64 {
	if f.right == nil {
		f.bases()
	}
	n := f.n
	v := make([]complex128, n*n+3*n)
	shifted, x, y := v[:n*n], v[n*n:n*n+n], v[n*n+n:n*n+2*n]
	for k, h := range f.h {
		shifted[k] = complex(h, 0)
	}
	for i := range n {
		shifted[i*n+i] -= value
		x[i], y[i] = complex(f.x[i], 0), complex(f.y[i], 0)
	}
	invert(shifted, x, y, v[n*n+2*n:], f.smallest)
	var inner complex128
	var xx, yy float64
	for k := range n {
		var r, l complex128
		right, left := f.right[k*n:(k+1)*n], f.left[k*n:(k+1)*n]
		for i, a := range x {
			r += complex(right[i]*real(a), right[i]*imag(a))
			l += complex(left[i]*real(y[i]), left[i]*imag(y[i]))
		}
		inner += l * r
		xx += real(r)*real(r) + imag(r)*imag(r)
		yy += real(l)*real(l) + imag(l)*imag(l)
	}
	if c := cmplx.Abs(inner) / math.Sqrt(xx*yy); c > 0 {
		return c
	}
	return 0 // too many eigenvalues coincide for numbers to hold the vectors
}

// size is a norm that costs less than the absolute value.
func size(v complex128) float64 { return max(math.Abs(real(v)), math.Abs(imag(v))) }

// invert solves H x = x and Hᵀ y = y in place, up to factors, for a Hessenberg matrix H, which
// it overwrites: elimination with exchanges of neighbouring rows, and pivots that are at
// least the smallest.
func invert(h, x, y, factor []complex128, smallest float64) {
	n := len(x)
	swapped := make([]bool, n)
	pivot := func(k int) {
		if size(h[k*n+k]) < smallest {
			h[k*n+k] = complex(smallest, 0)
		}
	}
	for k := range n - 1 {
		a, b := h[k*n:(k+1)*n], h[(k+1)*n:(k+2)*n]
		if swapped[k] = size(b[k]) > size(a[k]); swapped[k] {
			for j := k; j < n; j++ {
				a[j], b[j] = b[j], a[j]
			}
			x[k], x[k+1] = x[k+1], x[k]
		}
		pivot(k)
		if b[k] == 0 {
			continue
		}
		m := b[k] / a[k]
		factor[k] = m
		for j := k; j < n; j++ {
			b[j] -= m * a[j]
		}
		x[k+1] -= m * x[k]
	}
	pivot(n - 1)
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			x[i] -= h[i*n+j] * x[j]
		}
		x[i] /= h[i*n+i]
	}
	for i := range n {
		y[i] /= h[i*n+i]
		for j := i + 1; j < n; j++ {
			y[j] -= h[i*n+j] * y[i]
		}
	}
	for k := n - 2; k >= 0; k-- {
		y[k] -= factor[k] * y[k+1]
		if swapped[k] {
			y[k], y[k+1] = y[k+1], y[k]
		}
	}
}
