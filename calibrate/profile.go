package calibrate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Profile is the least cost over all other parameters, as a function of one.
type Profile struct {
	Name string

	// Values and Cost are the points, by value; Cost is that above the best point.
	Values, Cost []float64

	// Limit is the cost at which the interval ends.
	Limit float64

	// Lo and Hi are the interval of confidence Confidence. Where OpenLo or OpenHi is true
	// the cost stays below Limit up to that bound: the data do not say how far it goes.
	Lo, Hi         float64
	OpenLo, OpenHi bool
	Confidence     float64

	// JumpLo and JumpHi report that the cost jumps past Limit at that end, as where a run
	// tips for one value and not for the next. The model has such an end to any number of
	// digits; the data, of one run on each side, have not.
	JumpLo, JumpHi bool
}

// Flat reports whether neither end is told by the data.
func (p *Profile) Flat() bool { return p.OpenLo && p.OpenHi }

// String says the interval in words.
func (p *Profile) String() string {
	lo, hi := p.Spell()
	switch {
	case p.Flat():
		return fmt.Sprintf("%s: flat from %s to %s: the data do not say", p.Name, lo, hi)
	case p.OpenLo:
		return fmt.Sprintf("%s: at most %s", p.Name, hi)
	case p.OpenHi:
		return fmt.Sprintf("%s: at least %s", p.Name, lo)
	}
	return fmt.Sprintf("%s: %s to %s", p.Name, lo, hi)
}

// Spell writes the ends of the interval with four digits, or with as many as tell them apart.
func (p *Profile) Spell() (lo, hi string) {
	for digits := 4; digits <= 17; digits++ {
		lo, hi = fmt.Sprintf("%.*g", digits, p.Lo), fmt.Sprintf("%.*g", digits, p.Hi)
		if lo != hi || p.Lo == p.Hi {
			break
		}
	}
	return lo, hi
}

// ErrBetter is wrapped by Profile where it comes upon a point that is better than that of
// the fit, which then holds that point.
var ErrBetter = errors.New("calibrate: a better point was found")

// Profile returns the profile likelihood of a free parameter and its interval at a
// confidence, such as 0.9 (Raue et al. 2009, doi:10.1093/bioinformatics/btp358). The limit
// on the cost is n/2 ln(1 + t²/(n − p)) with t the quantile of Student's law: exact for a
// linear model whose one noise has an unknown scale, and half a quantile of χ² for many
// values. It fails for parameters that are fixed or unknown, and with ErrInterrupted.
//
// Where a better point turns up the Fit moves there, the profile is that of the new
// point, and the error is ErrBetter.
func (f *Fit) Profile(name string, confidence float64) (*Profile, error) {
	for k, i := range f.e.free {
		if f.Problem.Params[i].Name == name {
			return f.profile(k, confidence)
		}
	}
	return nil, fmt.Errorf("calibrate: no free parameter is called %s", name)
}

// Profiles returns the profiles of all free parameters, in order. Where a better point turns
// up they start again from there, a few times: ErrBetter is the error only if points still
// get better then, and the profiles are there all the same.
func (f *Fit) Profiles(confidence float64) ([]*Profile, error) {
	const rounds = 6
	var all []*Profile
	var better error
	for range rounds {
		all, better = nil, nil
		for k := range f.e.free {
			p, err := f.profile(k, confidence)
			switch {
			case errors.Is(err, ErrBetter):
				better = err
			case err != nil:
				return nil, err
			}
			all = append(all, p)
		}
		if better == nil {
			break
		}
	}
	return all, better
}

// limit returns the cost at which an interval ends.
func (f *Fit) limit(confidence float64) float64 {
	n := 0.0
	for c := range f.e.laws {
		n += f.e.laws[c].weight * float64(len(f.Problem.Channels[c].Y))
	}
	nu := max(1, n-float64(len(f.e.free)))
	t := distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile((1 + confidence) / 2)
	return n / 2 * math.Log1p(t*t/nu)
}

// gain is how much better a point is that a profile starts again from.
const gain = 0.01

// A profilePoint is the best point where the profiled coordinate is held.
type profilePoint struct {
	u, m []float64
	cost float64
}

func (f *Fit) profile(k int, confidence float64) (*Profile, error) {
	p := &f.Problem.Params[f.e.free[k]]
	out := &Profile{Name: p.Name, Limit: f.limit(confidence), Confidence: confidence}
	here := profilePoint{f.u, f.predicted(), f.Cost}
	step, before := f.lead(k, out.Limit)
	var sides [2][]profilePoint
	var ends [2]float64
	var open, jump [2]bool
	for s, sign := range [2]float64{-1, 1} {
		var pts []profilePoint
		pts, ends[s], open[s], jump[s] = f.walk(here, before, k, sign*step, out.Limit)
		sides[s] = pts
		if len(pts) > 0 && pts[len(pts)-1].cost < here.cost-gain {
			break
		}
	}
	if f.e.interrupted() {
		return nil, ErrInterrupted
	}
	best := here
	for _, pts := range sides {
		for _, pt := range pts {
			if pt.cost < best.cost-gain {
				best = pt
			}
		}
	}
	if best.cost < here.cost {
		u, m, cost := f.e.descend(best.u, nil, finest, f.Settings.Iterations)
		if m == nil {
			return nil, ErrInterrupted
		}
		f.take(u, m, cost)
		again, err := f.profile(k, confidence)
		if err == nil {
			err = fmt.Errorf("%w: by %.3g in the logarithm of the likelihood, along %s", ErrBetter, here.cost-cost, p.Name)
		}
		return again, err
	}
	add := func(pt profilePoint) {
		out.Values = append(out.Values, p.value(pt.u[k]))
		out.Cost = append(out.Cost, pt.cost-here.cost)
	}
	for i := len(sides[0]) - 1; i >= 0; i-- {
		add(sides[0][i])
	}
	add(here)
	for _, pt := range sides[1] {
		add(pt)
	}
	out.Lo, out.Hi, out.OpenLo, out.OpenHi = p.value(ends[0]), p.value(ends[1]), open[0], open[1]
	out.JumpLo, out.JumpHi = jump[0], jump[1]
	return out, nil
}

// lead returns the first step, a third of what the information says takes the cost to the
// limit, and the point from which a straight line leads to the best one: the other
// coordinates move as the covariance says.
func (f *Fit) lead(k int, limit float64) (step float64, before []float64) {
	j, _ := f.e.jacobian(f.u, f.predicted())
	grad, info := f.e.score(f.predicted(), j)
	f.e.addPrior(f.u, grad, info)
	n := len(f.u)
	for i := range n {
		info.SetSym(i, i, info.At(i, i)*(1+1e-9)+1e-9)
	}
	before = append([]float64(nil), f.u...)
	var chol mat.Cholesky
	var cov mat.SymDense
	step = 0.05
	if chol.Factorize(info) && chol.InverseTo(&cov) == nil && cov.At(k, k) > 0 {
		step = min(max(math.Sqrt(2*limit*cov.At(k, k))/3, 1e-7), 0.1)
		for i := range n {
			before[i] -= step * cov.At(i, k) / cov.At(k, k)
		}
	}
	return step, before
}

// walk goes from the best point until the cost passes the limit or the cube ends, and
// locates where.
func (f *Fit) walk(from profilePoint, lead []float64, k int, step, limit float64) (pts []profilePoint, end float64, open, jump bool) {
	const most = 60
	last, before := from, profilePoint{u: lead}
	for range most {
		at := min(max(last.u[k]+step, 0), 1)
		if at == last.u[k] {
			return pts, at, true, false
		}
		next := f.held(last, before, k, at)
		pts = append(pts, next)
		switch rise := next.cost - last.cost; {
		case next.cost < from.cost-gain:
			return pts, at, false, false // the profile starts again from there
		case next.cost-from.cost > limit:
			end, refined, jump := f.locate(from, last, next, k, limit)
			return append(pts[:len(pts)-1], append(refined, next)...), end, false, jump
		case rise < limit/30:
			step *= 4
		case rise < limit/5:
			step *= 1.6
		case rise > limit/2:
			step /= 1.5
		}
		before, last = last, next
	}
	return pts, last.u[k], true, false
}

// held returns the best point with the coordinate at a value, searched from where the
// last two points lead.
func (f *Fit) held(last, before profilePoint, k int, at float64) profilePoint {
	hold := make([]bool, len(last.u))
	hold[k] = true
	u := append([]float64(nil), last.u...)
	if d := last.u[k] - before.u[k]; d != 0 {
		r := (at - last.u[k]) / d
		for i := range u {
			u[i] = min(max(u[i]+r*(last.u[i]-before.u[i]), 0), 1)
		}
	}
	u[k] = at
	const tol, iterations = 1e-5, 8 // of a cost that is compared with limits near 1
	next, m, cost := f.e.descend(u, hold, tol, iterations)
	if math.IsInf(cost, 1) {
		u = append(u[:0], last.u...)
		u[k] = at
		next, m, cost = f.e.descend(u, hold, tol, iterations)
	}
	return profilePoint{next, m, cost}
}

// locate returns where the cost passes the limit between two points, to a fiftieth of
// the limit or, where the cost jumps, a thousandth of the distance from the best, the points
// on the way, outward, and whether it jumps.
func (f *Fit) locate(from, in, out profilePoint, k int, limit float64) (end float64, way []profilePoint, jump bool) {
	var inner, outer []profilePoint
	for range 30 {
		lo, hi := math.Sqrt(max(in.cost-from.cost, 0)), math.Sqrt(out.cost-from.cost)
		share := 0.5
		if !math.IsInf(hi, 1) && hi-lo < 3*math.Sqrt(limit) {
			share = min(max((math.Sqrt(limit)-lo)/(hi-lo), 0.05), 0.95) // costs are nearly square
		}
		at := in.u[k] + share*(out.u[k]-in.u[k])
		mid := f.held(in, out, k, at)
		if mid.cost-from.cost <= limit {
			in, inner = mid, append(inner, mid)
		} else {
			out, outer = mid, append([]profilePoint{mid}, outer...)
		}
		close := math.Abs(out.u[k]-in.u[k]) < 1e-3*math.Abs(in.u[k]-from.u[k])+1e-9
		if close || math.Abs(mid.cost-from.cost-limit) < limit/50 {
			return at, append(inner, outer...), close && out.cost-in.cost > limit
		}
	}
	return (in.u[k] + out.u[k]) / 2, append(inner, outer...), out.cost-in.cost > limit
}
