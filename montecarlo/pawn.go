package montecarlo

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Distances are moment-independent sensitivity indices: how far the distribution of the
// output moves when a parameter is known. They suit skewed and discrete outputs.
type Distances struct {
	// Median[j] and Max[j], over the slices of parameter j, of the largest distance of
	// the distribution function of the output within the slice from that of all.
	Median, Max []Interval

	// Dummy is the Median of a parameter that the function does not have: what a
	// sample of this size shows of nothing. Indices are to be compared with it, not with 0.
	Dummy Interval

	Failed   int // points without an answer
	Warnings []error
}

// PAWN returns the indices of Pianosi and Wagener 2018 (doi:10.1016/j.envsoft.2018.07.019)
// from any sample of independent parameters: a row of x and a value of y (NaN: no
// answer) a point. Slices hold equally many points. Intervals are those of a bootstrap
// over points; like the index, they lean upward by about the dummy.
func PAWN(x *mat.Dense, y []float64, s *SensitivitySettings) (*Distances, error) {
	set, err := s.withDefaults(2)
	if err != nil {
		return nil, err
	}
	n, dim := x.Dims()
	if n != len(y) {
		return nil, fmt.Errorf("montecarlo: %d points with %d values", n, len(y))
	}
	d := pawnData{slices: set.Slices, dim: dim}
	r := Stream(set.Seed, 1<<63+1) // of the dummy
	for i, v := range y {
		if !math.IsNaN(v) {
			d.y = append(d.y, v)
			d.x = append(d.x, append(slices.Clone(x.RawRowView(i)), r.Float64()))
		}
	}
	n = len(d.y)
	out := &Distances{Failed: len(y) - n, Warnings: failedWarning(len(y)-n, len(y))}
	if n < 10*set.Slices {
		return nil, fmt.Errorf("montecarlo: %d points in %d slices, want at least %d", n, set.Slices, 10*set.Slices)
	}
	if slices.Min(d.y) == slices.Max(d.y) {
		out.Median, out.Max, out.Dummy = undefined(dim), undefined(dim), undefined(1)[0]
		out.Warnings = append(out.Warnings, errConstant)
		return out, nil
	}
	d.order()
	all := bootstrap(n, 2*(dim+1), &set, d.estimate)
	out.Median, out.Dummy, out.Max = all[:dim], all[dim], all[dim+1:2*dim+1]
	return out, nil
}

type pawnData struct {
	slices, dim int
	x           [][]float64 // with the dummy last
	y           []float64

	byX [][]int // per parameter, points in its order
	byY []int
}

func (d *pawnData) order() {
	sorted := func(key func(i int) float64) []int {
		at := make([]int, len(d.y))
		for i := range at {
			at[i] = i
		}
		slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
		return at
	}
	d.byY = sorted(func(i int) float64 { return d.y[i] })
	for j := range d.dim + 1 {
		d.byX = append(d.byX, sorted(func(i int) float64 { return d.x[i][j] }))
	}
}

// estimate stores the medians, the dummy's last, then the maxima.
func (d *pawnData) estimate(dst []float64, rows []int) {
	times, slice := make([]int, len(d.y)), make([]int, len(d.y)) // how often a point was drawn, and where it lies
	for _, i := range rows {
		times[i]++
	}
	distance := make([]float64, d.slices)
	for j, order := range d.byX {
		size := make([]int, d.slices)
		before := 0
		for _, i := range order {
			slice[i] = before * d.slices / len(rows)
			size[min(slice[i], d.slices-1)] += times[i]
			before += times[i]
		}
		d.kolmogorov(distance, size, slice, times, len(rows))
		slices.Sort(distance)
		half := d.slices / 2
		dst[j] = (distance[half] + distance[(d.slices-1)/2]) / 2
		dst[d.dim+1+j] = distance[d.slices-1]
	}
}

// kolmogorov stores, per slice, the largest distance between the distribution function
// of its points and that of all.
func (d *pawnData) kolmogorov(distance []float64, size, slice, times []int, all int) {
	clear(distance)
	count, seen := make([]int, d.slices), 0
	for k, i := range d.byY {
		if times[i] > 0 {
			count[slice[i]] += times[i]
			seen += times[i]
		}
		if k+1 < len(d.byY) && d.y[d.byY[k+1]] == d.y[i] {
			continue // a step of the function ends with the last of equal values
		}
		for s, c := range count {
			if size[s] > 0 {
				distance[s] = max(distance[s], math.Abs(float64(c)/float64(size[s])-float64(seen)/float64(all)))
			}
		}
	}
}
