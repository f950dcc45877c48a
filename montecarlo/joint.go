package montecarlo

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/metastable/metastable/model"
)

// A Joint is a sample of parameters that vary together, such as draws of a posterior.
type Joint struct {
	Paths []string    `json:"paths"`
	Draws [][]float64 `json:"draws"` // a row a draw with a value for each path, in SI units
}

// Uncertainty returns the law of each parameter alone: that of its column. It fails for
// draws that the scenario does not allow, and where rows and paths do not fit.
func (j *Joint) Uncertainty(sc *model.Scenario) ([]Uncertain, error) {
	if len(j.Paths) == 0 || len(j.Draws) == 0 {
		return nil, fmt.Errorf("montecarlo: %d draws of %d parameters", len(j.Draws), len(j.Paths))
	}
	for i, d := range j.Draws {
		if len(d) != len(j.Paths) || slices.ContainsFunc(d, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			return nil, fmt.Errorf("montecarlo: draw %d is %v: want a number for each of %d parameters", i+1, d, len(j.Paths))
		}
	}
	var out []Uncertain
	for k, path := range j.Paths {
		var law empirical
		for _, d := range j.Draws {
			law = append(law, d[k])
		}
		slices.Sort(law)
		u := Uncertain{path, law}
		if err := u.check(sc); err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// Places returns n of the draws, with replacement: in each column the probability at which
// the value lies in the law of its parameter.
func (j *Joint) Places(n int, seed uint64) *mat.Dense {
	x := mat.NewDense(n, len(j.Paths), nil)
	ranks := make([][]float64, len(j.Paths))
	for k := range j.Paths {
		order := make([]int, len(j.Draws))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(j.Draws[a][k], j.Draws[b][k]) })
		ranks[k] = make([]float64, len(j.Draws))
		for rank, i := range order {
			ranks[k][i] = (float64(rank) + 0.5) / float64(len(j.Draws))
		}
	}
	r := Stream(mix(seed), 0)
	for i := range n {
		row := r.IntN(len(j.Draws))
		for k := range j.Paths {
			x.Set(i, k, ranks[k][row])
		}
	}
	return x
}

// An empirical is the law of values, ascending, that are equally likely.
type empirical []float64

// Quantile returns the least value that a share p of them does not exceed.
func (e empirical) Quantile(p float64) float64 {
	i := int(math.Ceil(p*float64(len(e)))) - 1
	return e[min(max(i, 0), len(e)-1)]
}
