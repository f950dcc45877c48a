package montecarlo

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
)

// A Walk is a Markov process with noise, seen at its steps: a chain, the embedded chain of
// a jump process, or a diffusion in small steps of time (include the clock in S when
// the walk ends at a time). States are values: Start and Step return new ones and leave
// old ones as they are.
type Walk[S any] struct {
	// Start returns the first state.
	Start func(r *rand.Rand) S

	// Step returns the next state; ok is false when the walk has ended instead.
	Step func(x S, r *rand.Rand) (next S, ok bool)

	// Level says how near a state is to the event: that is a Level of at least Target.
	Level  func(x S) float64
	Target float64
}

// Split estimates the probability that a walk reaches its target before it ends, by
// adaptive multilevel splitting (Cérou and Guyader 2007, doi:10.1080/07362990601139628;
// for steps in discrete time Bréhier et al. 2016, doi:10.1214/16-AAP1185, by which the
// estimate is unbiased whatever the level): of N walks, those with the least maximum
// start again from where one of the others first exceeded it, until all are there.
// Memory holds the states at which a walk set a new maximum. make is called once a
// repetition.
func Split[S any](walk func() *Walk[S], s *RareSettings) (*Rare, error) {
	set, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	return repeat(&set, func(i int) repeated {
		run := splitting[S]{Walk: walk(), r: Stream(set.Seed, uint64(i))}
		return run.estimate(set.N)
	})
}

// A record is a state at which a walk was further than ever before.
type record[S any] struct {
	level float64
	x     S
}

// splitting is one repetition.
type splitting[S any] struct {
	*Walk[S]
	r    *rand.Rand
	runs int
}

// run continues a walk to its end or the target and returns its records.
func (s *splitting[S]) run(records []record[S]) []record[S] {
	last := records[len(records)-1]
	for best := last.level; best < s.Target; {
		next, ok := s.Step(last.x, s.r)
		if !ok {
			break
		}
		s.runs++
		last = record[S]{s.Level(next), next}
		if last.level > best {
			best = last.level
			records = append(records, last)
		}
	}
	return records
}

func (s *splitting[S]) estimate(n int) repeated {
	walks := make([][]record[S], n)
	for i := range walks {
		x := s.Start(s.r)
		walks[i] = s.run([]record[S]{{s.Level(x), x}})
	}
	best := func(w []record[S]) float64 { return w[len(w)-1].level }
	p, alive := 1.0, make([]int, 0, n)
	for {
		least := math.Inf(1)
		for _, w := range walks {
			least = min(least, best(w))
		}
		if least >= s.Target {
			return repeated{p: p, runs: s.runs}
		}
		alive = alive[:0]
		for i, w := range walks {
			if best(w) > least {
				alive = append(alive, i)
			}
		}
		if len(alive) == 0 {
			return repeated{runs: s.runs, warning: errExtinct}
		}
		p *= float64(len(alive)) / float64(n)
		for i, w := range walks {
			if best(w) > least {
				continue
			}
			from := walks[alive[s.r.IntN(len(alive))]]
			k := slices.IndexFunc(from, func(r record[S]) bool { return r.level > least })
			walks[i] = s.run(slices.Clone(from[:k+1]))
		}
	}
}

var errExtinct = errors.New("montecarlo: all walks ended at one level in a repetition, which counts as 0; more of them, or a level with finer steps, would mend it")
