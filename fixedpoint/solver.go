package fixedpoint

import "math"

// A square is an LU factorisation with partial pivoting that keeps its storage, so that
// the many small bordered systems along a curve allocate nothing.
type square struct {
	n    int
	a    []float64 // before factor: the matrix, row-major; after: L and U
	perm []int
	// logDet and sign are those of det(a)/∏‖row‖∞; sign is 0 for a singular matrix.
	logDet float64
	sign   float64
	tmp    []float64
}

func newSquare(n int) *square {
	return &square{n: n, a: make([]float64, n*n), perm: make([]int, n), tmp: make([]float64, n)}
}

func (q *square) row(i int) []float64 { return q.a[i*q.n : (i+1)*q.n] }

// factor replaces a by its factors and reports whether they can be used.
func (q *square) factor() bool {
	n, a := q.n, q.a
	q.sign, q.logDet = 1, 0
	for i := range n {
		q.perm[i] = i
		size := maxNorm(q.row(i))
		if !(size > 0) || math.IsInf(size, 0) {
			q.sign = 0
			return false
		}
		q.logDet -= math.Log(size)
	}
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[best*n+k]) {
				best = i
			}
		}
		pivot := a[best*n+k]
		if pivot == 0 || math.IsNaN(pivot) {
			q.sign = 0
			return false
		}
		if best != k {
			rk, rb := q.row(k), q.row(best)
			for j := range n {
				rk[j], rb[j] = rb[j], rk[j]
			}
			q.perm[k], q.perm[best] = q.perm[best], q.perm[k]
			q.sign = -q.sign
		}
		if pivot < 0 {
			q.sign = -q.sign
		}
		q.logDet += math.Log(math.Abs(pivot))
		rk := q.row(k)
		for i := k + 1; i < n; i++ {
			ri := q.row(i)
			if ri[k] == 0 {
				continue
			}
			f := ri[k] / pivot
			ri[k] = f
			for j := k + 1; j < n; j++ {
				ri[j] -= f * rk[j]
			}
		}
	}
	return true
}

// det returns the determinant of the matrix with its rows normalised.
func (q *square) det() float64 {
	if q.sign == 0 {
		return 0
	}
	return q.sign * math.Exp(q.logDet)
}

// solve replaces b by a⁻¹ b.
func (q *square) solve(b []float64) {
	n := q.n
	for i, p := range q.perm {
		q.tmp[i] = b[p]
	}
	for i := range n {
		q.tmp[i] -= dot(q.row(i)[:i], q.tmp[:i])
	}
	for i := n - 1; i >= 0; i-- {
		q.tmp[i] = (q.tmp[i] - dot(q.row(i)[i+1:], q.tmp[i+1:])) / q.row(i)[i]
	}
	copy(b, q.tmp)
}

// solveT replaces b by a⁻ᵀ b.
func (q *square) solveT(b []float64) {
	n, t := q.n, q.tmp
	copy(t, b)
	for i := range n {
		r := q.row(i)
		t[i] /= r[i]
		for j := i + 1; j < n; j++ {
			t[j] -= r[j] * t[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j, l := range q.row(i)[:i] {
			t[j] -= l * t[i]
		}
	}
	for i, p := range q.perm {
		b[p] = t[i]
	}
}

// border writes [m b; cᵀ 0], m square of order n and b, c of k columns, stored column
// after column.
func (q *square) border(m, b, c []float64, n int) {
	k := q.n - n
	clear(q.a)
	for i := range n {
		copy(q.row(i), m[i*n:(i+1)*n])
		for j := range k {
			q.row(i)[n+j] = b[j*n+i]
			q.row(n + j)[i] = c[j*n+i]
		}
	}
}

// nullVectors returns orthonormal right and left null vectors of m (order n, nearly of rank
// n − k), column after column, by bordered solves with the last answer as the next
// border; ok is false when all borders tried are singular.
func nullVectors(m []float64, n, k int) (right, left []float64, ok bool) {
	q := newSquare(n + k)
	right, left = make([]float64, n*k), make([]float64, n*k)
	for i := range right { // any vectors in general position
		right[i], left[i] = math.Cos(float64(1+i*i)), math.Sin(float64(2+3*i))
	}
	orthonormalise(right, n, k)
	orthonormalise(left, n, k)
	size := maxNorm(m)
	if size == 0 {
		size = 1
	}
	scaled := make([]float64, len(m))
	for i, v := range m {
		scaled[i] = v / size
	}
	x := make([]float64, n+k)
	v, w := make([]float64, n*k), make([]float64, n*k)
	for range 4 {
		q.border(scaled, left, right, n)
		if !q.factor() {
			return nil, nil, false
		}
		for j := range k {
			clear(x)
			x[n+j] = 1
			q.solve(x)
			copy(v[j*n:], x[:n])
			clear(x)
			x[n+j] = 1
			q.solveT(x)
			copy(w[j*n:], x[:n])
		}
		copy(right, v)
		copy(left, w)
		orthonormalise(right, n, k)
		orthonormalise(left, n, k)
	}
	return right, left, true
}

// orthonormalise makes k columns of length n orthonormal (Gram–Schmidt).
func orthonormalise(v []float64, n, k int) {
	for j := range k {
		col := v[j*n : (j+1)*n]
		for i := range j {
			axpy(col, -dot(col, v[i*n:(i+1)*n]), v[i*n:(i+1)*n])
		}
		normalise(col)
	}
}

func dot(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func axpy(dst []float64, f float64, x []float64) {
	for i, v := range x {
		dst[i] += f * v
	}
}

func maxNorm(a []float64) float64 {
	var m float64
	for _, v := range a {
		if math.IsNaN(v) {
			return v
		}
		m = max(m, math.Abs(v))
	}
	return m
}

func norm2(a []float64) float64 { return math.Sqrt(dot(a, a)) }

// normalise makes a of length 1 unless it is zero.
func normalise(a []float64) {
	if s := norm2(a); s > 0 {
		for i := range a {
			a[i] /= s
		}
	}
}

func distance(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return math.Sqrt(sum)
}
