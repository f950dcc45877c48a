package ode

import (
	"cmp"
	"slices"
)

// An Event is a scalar function of the state whose zeros matter.
//
// It occurs where Value changes sign or becomes zero, at a discontinuity that
// changes its sign, and at t0 if Value is zero there and then departs. Value is
// sampled at eight points of each step; two zeros between two samples go unseen
// unless [Settings].MaxStep brings the samples closer. Occurrences are located on
// the dense output to the last bits of t, so they are as accurate as it is.
type Event struct {
	Value func(t float64, y []float64) float64

	// Direction +1 keeps the occurrences where Value increases, −1 those where it
	// decreases, 0 keeps both.
	Direction int

	// Terminal ends the integration at the first occurrence kept after t0, so that
	// one can go on from where another one ended.
	Terminal bool

	// Ends samples Value at the ends of steps alone, for what stays as it is once it
	// has happened, such as an arrival.
	Ends bool
}

// An Occurrence is one event that happened.
type Occurrence struct {
	Event     int       // index in Settings.Events
	T         float64   // Value has its new sign, or is zero
	Y         []float64 // state at T; after the jumps if they are the cause
	Direction int       // +1: Value increased, −1: it decreased
}

// eventSamples is the number of points in a step at which events are sampled.
const eventSamples = 8

// A watch follows the events of one integration.
type watch struct {
	events  []Event
	value   []float64 // at the last sample
	pending []bool    // zero at t0 and not departed yet
	started bool

	t0    float64
	y0    []float64 // state at t0, if an event is pending
	y     []float64 // state at a sample
	found []Occurrence
}

func newWatch(events []Event) watch {
	return watch{
		events:  events,
		value:   make([]float64, len(events)),
		pending: make([]bool, len(events)),
	}
}

// direction returns how the sign changes from a to b: 0 if it does not, or if it
// leaves zero.
func direction(a, b float64) int {
	switch {
	case a < 0 && b >= 0:
		return 1
	case a > 0 && b <= 0:
		return -1
	}
	return 0
}

// at looks at the state after everything that happens at an instant: the start or a
// discontinuity.
func (w *watch) at(t float64, y []float64, res *Result) {
	if !w.started {
		w.t0 = t
	}
	for i, e := range w.events {
		v := e.Value(t, y)
		if !w.started && v == 0 {
			w.pending[i], w.y0 = true, slices.Clone(y)
		}
		if d := direction(w.value[i], v); w.started && d != 0 {
			w.keep(i, t, y, d)
		}
		w.value[i] = v
	}
	w.started = true
	w.flush(res)
}

// scan looks for the events within a step. A terminal one moves ip.T1.
func (w *watch) scan(ip *Interpolant, res *Result) {
	w.y = grow(w.y, len(ip.y0))
	ta, first := ip.T0, 1
	if !slices.ContainsFunc(w.events, func(e Event) bool { return !e.Ends }) {
		first = eventSamples
	}
	for k := first; k <= eventSamples; k++ {
		tb, y := ip.T1, ip.y1
		if k < eventSamples {
			tb = ip.T0 + float64(k)/eventSamples*ip.h
			y = ip.At(w.y, tb)
		}
		for i, e := range w.events {
			from := ta
			if e.Ends {
				if k < eventSamples {
					continue
				}
				from = ip.T0
			}
			a, b := w.value[i], e.Value(tb, y)
			w.value[i] = b
			if w.pending[i] && b != 0 {
				w.pending[i] = false
				w.keep(i, w.t0, w.y0, direction(-b, b))
			}
			if d := direction(a, b); d != 0 {
				w.locate(i, ip, from, a, tb, b)
				if k < eventSamples {
					y = ip.At(w.y, tb) // locate has used the space
				}
			}
		}
		if w.flush(res) {
			ip.T1 = res.Events[len(res.Events)-1].T
			return
		}
		ta = tb
	}
}

// locate keeps the occurrence of event i between the samples a at ta and b at tb.
func (w *watch) locate(i int, ip *Interpolant, ta, a, tb, b float64) {
	e := w.events[i]
	t := crossing(func(t float64) float64 { return e.Value(t, ip.At(w.y, t)) }, ta, a, tb, b)
	y := ip.y1
	if t < ip.T1 {
		y = ip.At(w.y, t)
	}
	w.keep(i, t, y, direction(a, b))
}

// keep stores an occurrence if its direction is wanted.
func (w *watch) keep(i int, t float64, y []float64, d int) {
	if d*w.events[i].Direction >= 0 {
		w.found = append(w.found, Occurrence{Event: i, T: t, Y: slices.Clone(y), Direction: d})
	}
}

// flush moves what was found to res in order of time, up to the first terminal
// event and those that coincide with it, and reports whether there was one.
func (w *watch) flush(res *Result) bool {
	if len(w.found) == 0 {
		return false
	}
	slices.SortStableFunc(w.found, func(a, b Occurrence) int {
		return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.Event, b.Event))
	})
	for _, o := range w.found {
		last := len(res.Events) - 1
		if res.Status == EventTerminated && o.T > res.Events[last].T {
			break
		}
		res.Events = append(res.Events, o)
		if w.events[o.Event].Terminal && o.T > w.t0 {
			res.Status = EventTerminated
		}
	}
	w.found = w.found[:0]
	return res.Status == EventTerminated
}
