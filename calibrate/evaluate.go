package calibrate

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/metastable/metastable/internal/ode"
)

// An evaluator asks the predictor, in parallel, and makes likelihoods of the answers.
type evaluator struct {
	*space
	prob    *Problem
	laws    []law
	n       int // measured values
	workers int
	done    <-chan struct{} // nil: never

	mu   sync.Mutex
	idle []Predictor
}

func newEvaluator(p *Problem, workers int, done <-chan struct{}) (*evaluator, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	s, err := newSpace(p.Params)
	if err != nil {
		return nil, err
	}
	e := &evaluator{space: s, prob: p, workers: workers, done: done}
	for i := range p.Channels {
		e.laws = append(e.laws, newLaw(&p.Channels[i]))
		e.n += len(p.Channels[i].Y)
	}
	return e, nil
}

func (e *evaluator) take() Predictor {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.idle); n > 0 {
		p := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return p
	}
	return e.prob.New()
}

func (e *evaluator) give(p Predictor) {
	e.mu.Lock()
	e.idle = append(e.idle, p)
	e.mu.Unlock()
}

// interrupted reports whether the end was asked for.
func (e *evaluator) interrupted() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// predict returns what the channels would show at u; nil where there is no answer, and
// everywhere once the end was asked for: all loops then come to theirs.
func (e *evaluator) predict(u []float64) []float64 {
	if e.interrupted() {
		return nil
	}
	f := e.take()
	defer e.give(f)
	m := make([]float64, e.n)
	if f(m, e.values(nil, u)) != nil {
		return nil
	}
	for _, v := range m {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	}
	return m
}

// batch predicts at many points on all workers.
func (e *evaluator) batch(us [][]float64) [][]float64 {
	out, _, _ := ode.Ensemble(context.Background(), len(us), e.workers, func() struct{} { return struct{}{} },
		func(_ context.Context, _ struct{}, i int) ([]float64, error) { return e.predict(us[i]), nil })
	return out
}

// channels calls f with each channel's part of the predictions.
func (e *evaluator) channels(m []float64, f func(c int, l *law, y, m []float64)) {
	for c := range e.laws {
		y := e.prob.Channels[c].Y
		f(c, &e.laws[c], y, m[:len(y)])
		m = m[len(y):]
	}
}

// scales returns the most likely scale of each channel.
func (e *evaluator) scales(m []float64) []float64 {
	s := make([]float64, len(e.laws))
	e.channels(m, func(c int, l *law, y, m []float64) { s[c] = l.fit(y, m) })
	return s
}

// logLik returns the log-likelihood of predictions; −Inf without.
func (e *evaluator) logLik(m, scales []float64) float64 {
	if m == nil {
		return math.Inf(-1)
	}
	sum := 0.0
	e.channels(m, func(c int, l *law, y, m []float64) { sum += l.logLik(y, m, scales[c]) })
	if math.IsNaN(sum) {
		return math.Inf(-1)
	}
	return sum
}

// cost is what the optimisers minimise: minus the logarithm of likelihood, at the most
// likely scales, times prior. +Inf where there is no answer, never NaN.
func (e *evaluator) cost(u, m []float64) float64 {
	if m == nil {
		return math.Inf(1)
	}
	c := -e.logLik(m, e.scales(m)) - e.logPrior(u)
	if math.IsNaN(c) {
		return math.Inf(1)
	}
	return c
}

// difference is the step of numerical derivatives in the unit cube: above the noise of
// an integration to 1e-8, and short against the bounds.
const difference = 1e-4

// jacobian returns ∂m/∂u by central differences, one-sided at the bounds; columns
// without an answer are zero, and ok is false.
func (e *evaluator) jacobian(u, m []float64) (j *mat.Dense, ok bool) {
	k := len(u)
	us := make([][]float64, 0, 2*k)
	for i := range k {
		for _, d := range []float64{-difference, difference} {
			v := append([]float64(nil), u...)
			v[i] = min(max(v[i]+d, 0), 1)
			us = append(us, v)
		}
	}
	ms := e.batch(us)
	j, ok = mat.NewDense(e.n, k, nil), true
	for i := range k {
		lo, hi, ulo, uhi := ms[2*i], ms[2*i+1], us[2*i][i], us[2*i+1][i]
		if lo == nil {
			lo, ulo = m, u[i]
		}
		if hi == nil {
			hi, uhi = m, u[i]
		}
		if uhi == ulo {
			ok = false
			continue
		}
		for r := range e.n {
			j.Set(r, i, (hi[r]-lo[r])/(uhi-ulo))
		}
	}
	return j, ok
}

// score returns the gradient of the log-likelihood by u and Fisher's information about
// u, with the scales of the noise as unknown as they are.
func (e *evaluator) score(m []float64, j *mat.Dense) (grad []float64, info *mat.SymDense) {
	_, k := j.Dims()
	grad, info = make([]float64, k), mat.NewSymDense(k, nil)
	scales := e.scales(m)
	row := 0
	e.channels(m, func(c int, l *law, y, m []float64) {
		cross, known := make([]float64, k), 0.0
		for i := range y {
			t := l.terms(y[i], m[i], scales[c])
			known += t.scale
			d := j.RawRowView(row)
			row++
			for a := range k {
				grad[a] += t.slope * d[a]
				cross[a] += t.cross * d[a]
				for b := a; b < k; b++ {
					info.SetSym(a, b, info.At(a, b)+t.info*d[a]*d[b])
				}
			}
		}
		if l.scale > 0 || known == 0 {
			return
		}
		for a := range k { // Schur complement
			for b := a; b < k; b++ {
				info.SetSym(a, b, info.At(a, b)-cross[a]*cross[b]/known)
			}
		}
	})
	return grad, info
}

// addPrior adds the priors to gradient and information, by differences.
func (e *evaluator) addPrior(u, grad []float64, info *mat.SymDense) {
	const h = 1e-3
	for k, i := range e.free {
		p := &e.params[i]
		if p.Prior == nil {
			continue
		}
		at := min(max(u[k], h), 1-h)
		f := func(u float64) float64 { v := p.value(u); return p.Prior.LogProb(v) + p.slope(v) }
		lo, mid, hi := f(at-h), f(at), f(at+h)
		if bend := (lo - 2*mid + hi) / (h * h); bend < 0 {
			info.SetSym(k, k, info.At(k, k)-bend)
			grad[k] += (hi-lo)/(2*h) + bend*(u[k]-at)
		} else if !math.IsNaN(hi - lo) {
			grad[k] += (hi - lo) / (2 * h)
		}
	}
}
