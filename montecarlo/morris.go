package montecarlo

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// morrisLevels is the number of values each parameter takes, and morrisStep how far one
// moves: half of them (Morris 1991, section 3).
const (
	morrisLevels = 4
	morrisStep   = float64(morrisLevels) / (2 * (morrisLevels - 1))
)

// Screening tells parameters that matter from those that do not, at little cost.
type Screening struct {
	// MuStar[j] is the mean size of the effect of parameter j: the change of the output
	// over that of the parameter, in units of its range (Campolongo et al. 2007,
	// doi:10.1016/j.envsoft.2006.10.004). Its interval is asymptotically normal.
	MuStar []Interval

	// Mu[j] is the mean effect, and Sigma[j] its standard deviation over the points:
	// that of an additive linear function is 0.
	Mu, Sigma []float64

	Runs, Failed int
	Warnings     []error
}

// Morris screens a function of dim parameters in [0, 1] by elementary effects (Morris
// 1991, doi:10.2307/1269043): N trajectories, each a random point of a grid of four
// levels whose coordinates move one after the other, in random order, by two thirds. It
// evaluates the function N (dim + 1) times. An effect at a point without an answer is
// left out. Where the output is constant all is NaN, with a warning.
func Morris(f Function, dim int, s *SensitivitySettings) (*Screening, error) {
	set, err := s.withDefaults(20)
	if err != nil {
		return nil, err
	}
	if dim < 1 {
		return nil, fmt.Errorf("montecarlo: screening of %d parameters", dim)
	}
	x, moved := morrisPoints(set.N, dim, set.Seed)
	y, failed, err := f.Values(set.Pool, x)
	if err != nil {
		return nil, err
	}
	out := &Screening{Runs: len(y), Failed: failed, Warnings: failedWarning(failed, len(y))}
	effect, size := make([]Tally, dim), make([]Tally, dim)
	constant := true
	for i, j := range moved {
		if j < 0 {
			continue // the start of a trajectory
		}
		e := (y[i] - y[i-1]) / (x.At(i, j) - x.At(i-1, j))
		constant = constant && (e == 0 || math.IsNaN(e))
		effect[j].Add(e)
		size[j].Add(math.Abs(e))
	}
	for j := range dim {
		mu := effect[j].Mean(set.Confidence).Estimate
		star, sigma := size[j].Mean(set.Confidence), math.Sqrt(effect[j].Variance())
		if constant {
			mu, sigma, star = math.NaN(), math.NaN(), undefined(1)[0]
		}
		out.Mu, out.Sigma, out.MuStar = append(out.Mu, mu), append(out.Sigma, sigma), append(out.MuStar, star)
	}
	if constant {
		out.Warnings = append(out.Warnings, errConstant)
	}
	return out, nil
}

// morrisPoints returns the points of n trajectories, one after the other, and for each
// the parameter that moved since the one before; −1 at the start of a trajectory.
func morrisPoints(n, dim int, seed uint64) (x *mat.Dense, moved []int) {
	x = mat.NewDense(n*(dim+1), dim, nil)
	at := 0
	for k := range n {
		r := Stream(seed, uint64(k))
		p := make([]float64, dim)
		for j := range p {
			p[j] = float64(r.IntN(morrisLevels)) / (morrisLevels - 1)
		}
		moved = append(moved, -1)
		x.SetRow(at, p)
		at++
		for _, j := range r.Perm(dim) {
			if p[j] < 0.5 { // of two values each, one way stays inside
				p[j] += morrisStep
			} else {
				p[j] -= morrisStep
			}
			moved = append(moved, j)
			x.SetRow(at, p)
			at++
		}
	}
	return x, moved
}
