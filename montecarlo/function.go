package montecarlo

import "gonum.org/v1/gonum/mat"

// A Function makes a real function of a point, for the use of one goroutine. What the
// function returns depends on the point alone; NaN says that there is no answer there.
type Function func() func(x []float64) float64

// Values returns the function at each row of x, computed on the pool, and how many of
// them are NaN.
func (f Function) Values(p *Pool, x *mat.Dense) (y []float64, failed int, err error) {
	n, _ := x.Dims()
	y = make([]float64, 0, n)
	err = Fold(p, 0, n, f, func(f func([]float64) float64, i int) (float64, error) {
		return f(x.RawRowView(i)), nil
	}, func(_ int, v float64) {
		if v != v {
			failed++
		}
		y = append(y, v)
	})
	return y, failed, err
}
