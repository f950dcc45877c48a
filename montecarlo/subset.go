package montecarlo

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// subsetShare is the share of samples that each level keeps (Au and Beck 2001, section 5).
const subsetShare = 0.1

// Subset estimates P(f(u) ≤ 0) for dim independent standard normal parameters u by subset
// simulation (Au and Beck 2001, doi:10.1016/S0266-8920(01)00019-4): levels that a tenth
// of the samples reach, each populated by Markov chains from the one before
// (conditional sampling of Papaioannou et al. 2015,
// doi:10.1016/j.probengmech.2015.06.006, which does not mind the dimension). Points
// with other laws are quantiles of the normal law of u. f should fall towards the event:
// it says how far away that is.
//
// Each of the Repeats runs about N (1 + 0.9 levels) times, a level for each power of ten.
func Subset(f Function, dim int, s *RareSettings) (*Rare, error) {
	set, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if dim < 1 {
		return nil, fmt.Errorf("montecarlo: subset simulation of %d parameters", dim)
	}
	return repeat(&set, func(i int) repeated {
		run := subset{f: f(), r: Stream(set.Seed, uint64(i))}
		return run.estimate(set.N, dim, set.Levels)
	})
}

type sampleAt struct {
	u []float64
	f float64
}

// A subset is one repetition.
type subset struct {
	f            func([]float64) float64
	r            *rand.Rand
	runs, failed int
	spread       float64 // of the chains' proposals, 0…1
}

func (s *subset) at(u []float64) sampleAt {
	s.runs++
	v := s.f(u)
	if math.IsNaN(v) {
		s.failed++
		v = math.Inf(1)
	}
	return sampleAt{u, v}
}

func (s *subset) estimate(n, dim, levels int) repeated {
	all := make([]sampleAt, n)
	for i := range all {
		u := make([]float64, dim)
		for j := range u {
			u[j] = s.r.NormFloat64()
		}
		all[i] = s.at(u)
	}
	p, keep, warning := 1.0, int(subsetShare*float64(n)), error(nil)
	s.spread = 0.6
	for level := 1; ; level++ {
		slices.SortStableFunc(all, func(a, b sampleAt) int { return cmp.Compare(a.f, b.f) })
		bound := all[keep-1].f
		in := func(b float64) int {
			return len(all) - len(slices.Collect(filter(all, func(x sampleAt) bool { return x.f > b })))
		}
		if bound <= 0 {
			p *= float64(in(0)) / float64(n)
			break
		}
		share := in(bound)
		if share == n || math.IsInf(bound, 1) || level >= levels {
			warning = fmt.Errorf("montecarlo: after %d levels no sample is nearer to the event than %.3g, and 0 is returned for a probability below %.2g", level, bound, p)
			p *= float64(in(0)) / float64(n)
			break
		}
		p *= float64(share) / float64(n) // more than keep where f has plateaus
		all = s.populate(all[:share], bound, n)
	}
	return repeated{p, s.runs, s.failed, warning}
}

func filter(all []sampleAt, ok func(sampleAt) bool) func(func(sampleAt) bool) {
	return func(yield func(sampleAt) bool) {
		for _, x := range all {
			if ok(x) && !yield(x) {
				return
			}
		}
	}
}

// populate returns n samples with f ≤ bound: chains from the seeds, in random order,
// as long as it takes. The spread of the proposals follows the acceptance.
func (s *subset) populate(seeds []sampleAt, bound float64, n int) []sampleAt {
	const best, batch = 0.44, 10 // acceptance rate (Papaioannou et al., section 4.2), chains
	seeds = slices.Clone(seeds)
	s.r.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
	out := make([]sampleAt, 0, n)
	accepted, tried, batches := 0, 0, 1.0
	for k, x := range seeds {
		length := n/len(seeds) + btoi(k < n%len(seeds))
		for range length {
			out = append(out, x) // the seed first: it is in the event already
			if len(out) == cap(out) {
				break
			}
			y := s.at(s.propose(x.u))
			tried++
			if y.f <= bound {
				x = y
				accepted++
			}
		}
		if (k+1)%batch == 0 && tried > 0 {
			s.spread *= math.Exp((float64(accepted)/float64(tried) - best) / math.Sqrt(batches))
			s.spread = min(s.spread, 1)
			accepted, tried = 0, 0
			batches++
		}
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// propose returns a standard normal point with correlation √(1 − spread²) to u.
func (s *subset) propose(u []float64) []float64 {
	v := make([]float64, len(u))
	rho := math.Sqrt(1 - s.spread*s.spread)
	for j := range v {
		v[j] = rho*u[j] + s.spread*s.r.NormFloat64()
	}
	return v
}
