package ode

// An Event is a scalar function of the state whose zeros matter. It occurs where
// Value changes sign or becomes zero, at a discontinuity that changes its sign, and
// at t0 if it is zero there.
type Event struct {
	Value func(t float64, y []float64) float64

	// Direction +1 keeps the occurrences where Value increases, −1 those where it
	// decreases, 0 keeps both.
	Direction int

	// Terminal ends the integration at the occurrence.
	Terminal bool
}

// An Occurrence is one event that happened.
type Occurrence struct {
	Event     int // index in Settings.Events
	T         float64
	Y         []float64 // state at T
	Direction int       // +1: Value increased, −1: it decreased
}

// A watch follows the events of one integration.
type watch struct {
	events []Event
}

func newWatch(events []Event, size int) watch { return watch{events: events} }

func (w *watch) any() bool { return len(w.events) > 0 }

func (w *watch) scan(ip *Interpolant, res *Result) {}

func (w *watch) jump(t float64, y []float64, res *Result) {}
