package ode

import (
	"fmt"
	"math"
	"slices"
)

// Solve integrates p from y0 at t0 to t1 >= t0. Nil settings are the defaults.
// y0 has length p.Dim() before any [Scheduled.Enter]; it is not changed.
//
// Discontinuities at times in [t0, t1], both ends included, happen: at each such
// instant every Enter, in order, then Consistent, then the record of [Settings],
// then every Jump, in order, then Consistent. Of those before t0, only Enter is
// called. Result.Y at t1 is the state after the jumps there.
//
// An error means that there is no answer at all: the settings, the interval or y0
// make no sense, f(t0, y0) is not finite or no consistent initial state is found.
// Everything else that ends an integration early is a [Status].
func Solve(p Problem, y0 []float64, t0, t1 float64, s *Settings) (*Result, error) {
	if !(t0 <= t1) || math.IsInf(t0, 0) || math.IsInf(t1, 0) {
		return nil, fmt.Errorf("ode: interval from %g to %g", t0, t1)
	}
	if len(y0) != p.Dim() {
		return nil, fmt.Errorf("ode: %d initial values for %d components", len(y0), p.Dim())
	}
	set := s.withDefaults()
	if err := set.check(t0, t1); err != nil {
		return nil, err
	}
	it := newIntegration(p, y0, t0, t1, set)
	if err := it.begin(); err != nil {
		return nil, err
	}
	for it.res.Status == NotTerminated {
		stop := it.nextStop()
		if it.advance(stop); it.res.Status == NotTerminated {
			it.arrive()
		}
	}
	it.finish()
	return it.res, nil
}

// finish completes the result.
func (it *integration) finish() {
	r := it.res
	r.T, r.Y = it.t, slices.Clone(it.y)
	r.Stats.Events = len(r.Events)
	if n := r.Stats.Rejected; n > 20 && 2*n > r.Stats.Steps {
		r.Warnings = append(r.Warnings, fmt.Errorf("ode: %d steps rejected and %d accepted: "+
			"f is not smooth between its breaks, or the Jacobian is not that of f", n, r.Stats.Steps))
	}
}

// An integration is the state of one call of Solve.
type integration struct {
	stepper
	controller
	set Settings
	res *Result

	t, t1 float64
	h     float64 // to try next

	dae       Algebraic
	delayed   Delayed
	at        func(dst []float64, t float64) []float64 // interp.At, for delayed
	scheduled Scheduled
	domain    Domain

	breaks []float64
	next   int // first break not yet entered
	output []float64
	obuf   []float64 // state at an output time

	interp Interpolant
	watch  watch
}

func newIntegration(p Problem, y0 []float64, t0, t1 float64, set Settings) *integration {
	it := &integration{set: set, res: &Result{}, t: t0, t1: t1, output: set.Output}
	it.p, it.tb, it.rtol, it.stats = p, set.Method.tableau(), set.RTol, &it.res.Stats
	it.invOrder = 1 / float64(it.tb.order)
	it.u = make([][]float64, len(it.tb.c))
	it.ch = make([]float64, len(it.u)+1)
	it.interp.tb, it.interp.u = it.tb, it.u
	it.both, _ = p.(EvalLinearizer)
	it.dae, _ = p.(Algebraic)
	if it.delayed, _ = p.(Delayed); it.delayed != nil {
		it.at = it.interp.At
		it.set.MaxStep = min(it.set.MaxStep, it.delayed.Lag())
	}
	it.domain, _ = p.(Domain)
	if it.scheduled, _ = p.(Scheduled); it.scheduled != nil {
		it.breaks = it.scheduled.Breaks()
	}
	size := len(y0)
	if r, ok := p.(Resizable); ok {
		size = max(size, r.MaxDim())
	}
	it.y = append(make([]float64, 0, size), y0...)
	it.resize(size)
	it.obuf = make([]float64, size)
	it.watch = newWatch(set.Events)
	return it
}

// begin brings the integration to the state just after everything that happens at
// t0.
func (it *integration) begin() error {
	for it.next < len(it.breaks) && it.breaks[it.next] < it.t {
		it.enter()
	}
	err := it.settle()
	if err == nil {
		err = it.arrive()
	}
	if err != nil {
		return fmt.Errorf("ode: no consistent initial state: %w", err)
	}
	if it.res.Status != NotTerminated {
		return nil
	}
	it.p.Eval(it.f0, it.t, it.y)
	it.stats.Evals++
	for k, v := range it.f0 {
		if v-v != 0 || it.y[k]-it.y[k] != 0 {
			return fmt.Errorf("ode: component %d is not finite at the start: y = %g, f = %g", k, it.y[k], v)
		}
	}
	return nil
}

// nextStop returns the end of the interval without discontinuities.
func (it *integration) nextStop() float64 {
	if it.next < len(it.breaks) && it.breaks[it.next] < it.t1 {
		return it.breaks[it.next]
	}
	return it.t1
}

// advance integrates to stop, or sets a status.
func (it *integration) advance(stop float64) {
	it.linearize(it.t)
	// A discontinuity may start a transient that the last step size would jump over: the
	// end of such a step is right, its dense output is not.
	if first := it.firstStep(stop); it.h == 0 || first < it.h {
		it.h = first
	}
	for it.t < stop && it.res.Status == NotTerminated {
		if it.stats.Steps+it.stats.Rejected >= it.set.MaxSteps {
			it.res.Status = StepLimit
			return
		}
		select {
		case <-it.set.Done:
			it.res.Status = Interrupted
			return
		default:
		}
		h, end := it.stepTo(stop)
		if why, err := it.attempt(h); why == NotTerminated {
			it.accept(h, end, err)
		} else {
			it.retry(h, why, err)
		}
	}
}

// stepTo returns the size and the end of the next step.
func (it *integration) stepTo(stop float64) (h, end float64) {
	const rounding = 1e-10 // relative: no sliver is left for it
	h, room := min(it.h, it.set.MaxStep), stop-it.t
	switch {
	case h >= room*(1-rounding):
		return room, stop
	case 2*h > room*(1+rounding):
		h = room / 2 // two equal steps rather than a whole one and a sliver
	}
	end = it.t + h
	return end - it.t, end // the step that rounding leaves
}

func (it *integration) firstStep(stop float64) float64 {
	h := it.set.InitialStep
	if h == 0 {
		h = it.initialStep(it.t, min(stop-it.t, it.set.MaxStep))
	}
	return max(h, it.minStep())
}

// attempt tries a step of size h and returns its error estimate, and the status
// that is the reason to reject it, or NotTerminated.
func (it *integration) attempt(h float64) (why Status, err float64) {
	err, singular := it.try(it.t, h)
	switch {
	case singular != nil:
		return Singular, 0
	case !(err < math.Inf(1)):
		return NonFinite, 0
	case it.domain != nil && !it.domain.Inside(it.y1):
		return OutsideDomain, 0
	case err > 1:
		return StepTooSmall, err
	}
	return NotTerminated, err
}

// retry shortens the step after a rejection, or sets the status that says why it
// cannot.
func (it *integration) retry(h float64, why Status, err float64) {
	it.stats.Rejected++
	if why == StepTooSmall {
		it.h = it.reject(h, err)
	} else {
		it.h = it.fail(h)
	}
	if it.h < it.minStep() {
		it.res.Status = why
	}
}

func (it *integration) minStep() float64 {
	t := math.Abs(it.t)
	return max(it.set.MinStep, 16*(math.Nextafter(t, math.Inf(1))-t))
}

// accept moves to the end of a step of size h.
func (it *integration) accept(h, end, err float64) {
	it.stats.Steps++
	grown := it.controller.accept(h, err)
	if h < it.h {
		grown = max(grown, it.h) // the step was cut short, not the size refused
	}
	it.h = grown

	ip := &it.interp
	ip.T0, ip.T1, ip.h, ip.ready = it.t, end, h, false
	ip.y0, ip.y1 = it.y, it.y1
	if len(it.set.Events) > 0 {
		it.watch.scan(ip, it.res)
	}
	it.deliver(ip)
	if it.set.Step != nil {
		it.set.Step(ip)
	}
	if it.delayed != nil {
		it.delayed.Remember(ip.T0, ip.T1, it.at)
	}
	it.t = ip.T1
	if it.res.Status == EventTerminated {
		copy(it.y, it.res.Events[len(it.res.Events)-1].Y)
		return
	}
	it.y, it.y1 = it.y1, it.y
	if it.t < it.nextStop() {
		it.linearize(it.t)
	}
}

// deliver records at the output times inside the step. Those at a stop come with
// arrive, unless the integration ends here.
func (it *integration) deliver(ip *Interpolant) {
	stop := it.nextStop()
	if it.res.Status == EventTerminated {
		stop = math.Inf(1)
	}
	for len(it.output) > 0 && it.output[0] <= ip.T1 && it.output[0] < stop {
		y := it.obuf[:len(ip.y0)]
		it.set.Record(it.output[0], ip.At(y, it.output[0]))
		it.output = it.output[1:]
	}
}
