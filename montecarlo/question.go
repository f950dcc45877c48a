package montecarlo

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Function returns a number of a run at a point as a function of where each uncertain
// parameter lies in its law: a probability in (0, 1) for each of Uncertain, in order. It
// is what [SobolIndices] and [Morris] ask of a function; a run without an answer is NaN.
// For 0 or 1 of an unbounded law there is none either: see [Function.Screened].
func (s *Sweep) Function(point int, of func(o *Outcome) float64) Function {
	return func() func([]float64) float64 {
		return func(p []float64) float64 {
			sc, err := s.at(point)
			if err != nil {
				return math.NaN()
			}
			for j, u := range s.Uncertain {
				if sc.SetFloat(u.Path, u.Law.Quantile(p[j])) != nil {
					return math.NaN()
				}
			}
			if s.follow(sc, point) != nil {
				return math.NaN()
			}
			o := Simulate(sc, s.RTol)
			if o.Err != nil {
				return math.NaN()
			}
			return of(&o)
		}
	}
}

// Screened returns the function with the cube cut to the middle 98 % of each law, for
// [Morris].
func (f Function) Screened() Function {
	return f.with(func(x float64) float64 { return 0.01 + 0.98*x })
}

// Normal returns the function of standard normal parameters, for [Subset] and [Importance].
func (f Function) Normal() Function {
	return f.with(distuv.UnitNormal.CDF)
}

// with returns the function after a change of each parameter.
func (f Function) with(change func(float64) float64) Function {
	return func() func([]float64) float64 {
		g, p := f(), []float64(nil)
		return func(x []float64) float64 {
			p = p[:0]
			for _, v := range x {
				p = append(p, change(v))
			}
			return g(p)
		}
	}
}

// FromCollapse says how far a run is from collapse, for rare events: 0 if it collapses;
// between 0 and 1 if it tips and comes home, the less the longer it is down; and 1 and
// more if it is absorbed, the less the higher the load peaks.
func FromCollapse(o *Outcome) float64 {
	switch o.Class {
	case Collapsed:
		return 0
	case Absorbed:
		return 1 + 1/(1+o.Measures[PeakLoad])
	}
	return 1 / (1 + o.Measures[TimeDown])
}
