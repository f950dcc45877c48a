package montecarlo

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Indices are the variance-based sensitivity indices of a function: what share of the
// variance of its output each parameter explains.
type Indices struct {
	// First[j] is the share that parameter j explains alone, Total[j] that share with
	// all interactions it takes part in. NaN where the output is constant.
	First, Total []Interval

	// Dummy is the first-order index of a parameter that the function does not have. Its
	// truth is 0: its estimate shows the error that others have too.
	Dummy Interval

	// Curve holds the estimates from the first rows of the sample, half as many each
	// time one goes back; the last are those above.
	Curve []IndicesAt

	Runs, Failed int     // evaluations, and those without an answer
	Warnings     []error // why the indices are suspect
}

// IndicesAt are estimates from N rows of the sample.
type IndicesAt struct {
	N            int
	First, Total []float64
}

// SobolIndices returns the first-order and total indices of a function of dim parameters
// that are independent and uniform in (0, 1). It evaluates the function N (dim + 2)
// times, at a scrambled Sobol sequence (A, B) and at A with one column from B:
// first-order indices as Saltelli et al. 2010 (doi:10.1016/j.cpc.2009.09.018, table 2 b)
// with the mean taken off, total ones as Jansen 1999 (table 2 f). A row in which the
// function has no answer is left out, counted and warned of. The intervals are those of a
// bootstrap over rows, which takes no credit for the evenness of the sequence.
func SobolIndices(f Function, dim int, s *SensitivitySettings) (*Indices, error) {
	set, err := s.withDefaults(1024)
	if err != nil {
		return nil, err
	}
	if dim < 1 || 2*dim > MaxSobolDim {
		return nil, fmt.Errorf("montecarlo: Sobol indices of %d parameters, want 1 to %d", dim, MaxSobolDim/2)
	}
	y, failed, err := f.Values(set.Pool, saltelli(set.N, dim, set.Seed))
	if err != nil {
		return nil, err
	}
	width := dim + 2
	d := sobolData{dim: dim}
	for ; len(y) > 0; y = y[width:] {
		if row := y[:width]; !math.IsNaN(sumOf(row)) {
			d.rows = append(d.rows, row)
		}
	}
	out := &Indices{Runs: set.N * width, Failed: failed, Warnings: failedWarning(failed, set.N*width)}
	n := len(d.rows)
	if n < 2 || d.constant() {
		out.First, out.Total, out.Dummy = undefined(dim), undefined(dim), undefined(1)[0]
		out.Warnings = append(out.Warnings, errConstant)
		return out, nil
	}
	all := bootstrap(n, 2*dim+1, &set, d.estimate)
	out.First, out.Total, out.Dummy = all[:dim], all[dim:2*dim], all[2*dim]
	for shift := 6; shift >= 0; shift-- {
		if m := n >> shift; m >= 16 {
			out.Curve = append(out.Curve, d.at(m))
		}
	}
	for j, i := range out.Total {
		if i.Half() > 0.1 {
			out.Warnings = append(out.Warnings, fmt.Errorf("montecarlo: the total index of parameter %d is known to ±%.2g only; about %d rows would halve that", j, i.Half(), 4*n))
		}
	}
	return out, nil
}

// saltelli returns, for each of n rows (a, b), the points a, b, and a with one coordinate
// of b each.
func saltelli(n, dim int, seed uint64) *mat.Dense {
	seq, err := NewSobol(2 * dim)
	if err != nil {
		panic(err) // the dimension has been checked
	}
	seq = seq.Scramble(seed)
	x, ab := mat.NewDense(n*(dim+2), dim, nil), make([]float64, 2*dim)
	for i := range n {
		seq.At(ab, uint32(i))
		at := i * (dim + 2)
		x.SetRow(at, ab[:dim])
		x.SetRow(at+1, ab[dim:])
		for j := range dim {
			x.SetRow(at+2+j, ab[:dim])
			x.Set(at+2+j, j, ab[dim+j])
		}
	}
	return x
}

// sobolData holds the outputs of each row: f(a), f(b), f(a with b's first), …
type sobolData struct {
	dim  int
	rows [][]float64
}

func (d *sobolData) constant() bool {
	for _, row := range d.rows {
		for _, y := range row {
			if y != d.rows[0][0] {
				return false
			}
		}
	}
	return true
}

// estimate stores the first-order indices, the total ones and that of the dummy.
func (d *sobolData) estimate(dst []float64, rows []int) {
	clear(dst)
	ab := make([]float64, 0, 2*len(rows))
	for _, i := range rows {
		ab = append(ab, d.rows[i][0], d.rows[i][1])
	}
	mean, variance := stat.PopMeanVariance(ab, nil)
	for _, i := range rows {
		row := d.rows[i]
		a, b := row[0], row[1]-mean
		for j := range d.dim {
			step := row[2+j] - a
			dst[j] += b * step
			dst[d.dim+j] += step * step / 2
		}
		dst[2*d.dim] += b * (a - mean)
	}
	for k := range dst {
		dst[k] /= float64(len(rows)) * variance // NaN without variance
	}
}

// at returns the estimates from the first n rows.
func (d *sobolData) at(n int) IndicesAt {
	rows, dst := make([]int, n), make([]float64, 2*d.dim+1)
	for i := range rows {
		rows[i] = i
	}
	d.estimate(dst, rows)
	return IndicesAt{N: n, First: dst[:d.dim], Total: dst[d.dim : 2*d.dim]}
}

func sumOf(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}
