package montecarlo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Importance estimates P(f(u) ≤ 0) for dim independent standard normal parameters u by
// importance sampling about the most likely point of the event. That is found by the
// cross-entropy method (Rubinstein and Kroese 2004, chapter 3) on levels of N samples, a
// tenth of which reach the next. The final Repeats·N samples come from a normal law of
// unit variance there and, one in ten, from that of u: so no weight exceeds ten and an
// event elsewhere is not overlooked for good. It suits events in one direction; with
// several that are likely alike [Subset] is right.
func Importance(f Function, dim int, s *RareSettings) (*Rare, error) {
	set, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if dim < 1 {
		return nil, fmt.Errorf("montecarlo: importance sampling of %d parameters", dim)
	}
	out := &Rare{Seed: set.Seed}
	shift := make([]float64, dim)
	found := false
	for level := 0; level < set.Levels && !found; level++ {
		all, err := out.sample(f, shift, level*set.N, set.N, &set)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(all, compareF)
		bound := max(0, all[int(subsetShare*float64(set.N))-1].f)
		if math.IsInf(bound, 1) {
			break
		}
		shift, found = centre(all, bound, dim), bound == 0
	}
	if !found {
		out.Warnings = append(out.Warnings, fmt.Errorf("montecarlo: the event was not found in %d samples", out.Runs))
	}
	all, err := out.sample(f, shift, set.Levels*set.N, set.Repeats*set.N, &set)
	if err != nil {
		return nil, err
	}
	weights, sum, squares := make([]float64, len(all)), 0.0, 0.0 // 0 outside the event
	for i, x := range all {
		if x.f <= 0 {
			weights[i] = x.w
			sum += x.w
			squares += x.w * x.w
		}
	}
	mean, variance := stat.MeanVariance(weights, nil)
	out.SE = math.Sqrt(variance / float64(len(all)))
	out.P = normalInterval(mean, out.SE, set.Confidence)
	out.P.Lo = max(0, out.P.Lo)
	if sum > 0 {
		out.Size = sum * sum / squares
	}
	out.finish()
	if out.Size < 100 && out.Size > 0 {
		out.Warnings = append(out.Warnings, fmt.Errorf("montecarlo: an effective size of %.0f samples; needs at least 100", out.Size))
	}
	return out, nil
}

// defensive is the share of samples from the law of u itself.
const defensive = 0.1

type weighted struct {
	u    []float64
	f, w float64
}

func compareF(a, b weighted) int {
	switch {
	case a.f < b.f:
		return -1
	case a.f > b.f:
		return 1
	}
	return 0
}

// sample evaluates f at n points about the shift.
func (r *Rare) sample(f Function, shift []float64, first, n int, set *RareSettings) ([]weighted, error) {
	all := make([]weighted, 0, n)
	err := Fold(set.Pool, first, n, f, func(f func([]float64) float64, i int) (weighted, error) {
		x := draw(Stream(set.Seed, uint64(i)), shift)
		x.f = f(x.u)
		return x, nil
	}, func(_ int, x weighted) {
		r.Runs++
		if math.IsNaN(x.f) {
			r.Failed++
			x.f = math.Inf(1)
		}
		all = append(all, x)
	})
	return all, err
}

// draw returns a point of the mixture and its weight.
func draw(r *rand.Rand, shift []float64) weighted {
	u, far := make([]float64, len(shift)), r.Float64() < defensive
	ratio := 0.0 // log of the density about the shift over that of u
	for j, m := range shift {
		u[j] = r.NormFloat64()
		if !far {
			u[j] += m
		}
		ratio += m*u[j] - m*m/2
	}
	return weighted{u: u, w: 1 / (defensive + (1-defensive)*math.Exp(ratio))}
}

// centre returns the weighted mean of the points with f ≤ bound.
func centre(all []weighted, bound float64, dim int) []float64 {
	mean, total := make([]float64, dim), 0.0
	for _, x := range all {
		if x.f > bound {
			continue
		}
		total += x.w
		for j, u := range x.u {
			mean[j] += x.w * u
		}
	}
	for j := range mean {
		mean[j] /= total
	}
	return mean
}
