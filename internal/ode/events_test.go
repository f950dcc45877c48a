package ode

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

func component(i int, level float64) func(float64, []float64) float64 {
	return func(_ float64, y []float64) float64 { return y[i] - level }
}

// Zeros of sin t: every one, its direction and its state.
func TestEventsExact(t *testing.T) {
	s := &Settings{RTol: 1e-9, Events: []Event{{Value: component(0, 0)}, {Value: component(0, 0), Direction: -1}, {Value: component(0, 0), Direction: 1}}}
	res, err := Solve(oscillator(), []float64{0.6, 0.8}, 0, 30, s) // sin(t + φ)
	if err != nil || res.Status != Complete {
		t.Fatal(res, err)
	}
	phi := math.Atan2(0.6, 0.8)
	var count [3]int
	for _, o := range res.Events {
		k := math.Round((o.T + phi) / math.Pi)
		numtest.Check(t, "time", o.T, k*math.Pi-phi, 0, 2e-8)
		numtest.CheckSlice(t, "state", o.Y, []float64{0, math.Cos(k * math.Pi)}, 0, 2e-8)
		if want := int(math.Cos(k * math.Pi)); o.Direction != want {
			t.Errorf("event at %g has direction %d, want %d", o.T, o.Direction, want)
		}
		count[o.Event]++
	}
	if want := [3]int{9, 5, 4}; count != want || res.Stats.Events != 18 {
		t.Errorf("%v occurrences, want %v", count, want)
	}
}

// y' = 1 is solved in a step or two: all levels between are found, in order. The
// dense output of so long a step carries rounding errors of some 1e-14.
func TestManyEventsInOneStepExact(t *testing.T) {
	p := scalar(func(_, _ float64) float64 { return 1 })
	s := &Settings{}
	for _, level := range []float64{7, 2, 5, 5, 3} {
		s.Events = append(s.Events, Event{Value: component(0, level)})
	}
	check := func(res *Result, err error, want ...int) {
		t.Helper()
		if err != nil || len(res.Events) != len(want) {
			t.Fatal(res, err)
		}
		for i, k := range want {
			o := res.Events[i]
			if o.Event != k {
				t.Errorf("occurrence %d is of event %d, want %d", i, o.Event, k)
			}
			numtest.Check(t, "time", o.T, s.Events[k].Value(0, []float64{0})*-1, 1e-13, 0)
		}
	}
	res, err := Solve(p, []float64{0}, 0, 10, s)
	check(res, err, 1, 4, 2, 3, 0)

	// A terminal event keeps what comes before it and what coincides with it.
	s.Events[2].Terminal = true
	n := 0
	s.Output = []float64{1, 4.9, 5.1, 10}
	s.Record = func(float64, []float64) { n++ }
	last := 0.0
	s.Step = func(p *Interpolant) { last = p.T1 }
	res, err = Solve(p, []float64{0}, 0, 10, s)
	check(res, err, 1, 4, 2, 3)
	if res.Status != EventTerminated || res.T != res.Events[2].T || last != res.T || n != 2 {
		t.Errorf("%v at %g, last step to %g, %d records", res.Status, res.T, last, n)
	}
	numtest.CheckSlice(t, "y", res.Y, []float64{5}, 1e-14, 0)
}

// sin t just reaches over 0.999: two zeros 0.09 apart in one step.
func TestDoubleRootInOneStep(t *testing.T) {
	s := &Settings{RTol: 1e-9, InitialStep: 0.4, MaxStep: 0.4, Events: []Event{{Value: component(0, 0.999)}}}
	res, err := Solve(oscillator(), []float64{0, 1}, 0, 3, s)
	if err != nil || len(res.Events) != 2 {
		t.Fatal(res, err)
	}
	numtest.Check(t, "first", res.Events[0].T, math.Asin(0.999), 0, 1e-6) // dy/dt is 0.04 there
	numtest.Check(t, "second", res.Events[1].T, math.Pi-math.Asin(0.999), 0, 1e-6)
}

// Value depends on t alone, so that it is exactly zero at the ends.
func TestEventAtEnds(t *testing.T) {
	for _, c := range []struct {
		name     string
		level    float64
		dir      int
		terminal bool
		want     int
		status   Status
	}{
		{"start", 0, 0, false, 1, Complete},
		{"start, rising", 0, 1, false, 1, Complete},
		{"start, falling", 0, -1, true, 0, Complete},
		{"start, terminal", 0, 0, true, 1, Complete},
		{"end", 1, 0, false, 1, Complete},
		{"end, falling", 1, -1, true, 0, Complete},
		{"end, terminal", 1, 1, true, 1, EventTerminated},
		{"before", -1e-12, 0, true, 0, Complete},
		{"after", 1 + 1e-12, 0, true, 0, Complete},
	} {
		value := func(t float64, _ []float64) float64 { return t - c.level }
		s := &Settings{Events: []Event{{Value: value, Direction: c.dir, Terminal: c.terminal}}}
		res, err := Solve(oscillator(), []float64{0, 1}, 0, 1, s)
		if err != nil || len(res.Events) != c.want || res.Status != c.status || res.T != 1 {
			t.Errorf("%s: %+v, %v", c.name, res, err)
			continue
		}
		for _, o := range res.Events {
			if o.T != c.level || o.Direction != 1 {
				t.Errorf("%s: %+v", c.name, o)
			}
			numtest.Check(t, c.name, o.Y[0], math.Sin(c.level), 0, 1e-6)
		}
	}
}

// Going on from where a terminal event ended does not find the same one again.
func TestGoOnAfterTerminalEvent(t *testing.T) {
	s := &Settings{RTol: 1e-8, Events: []Event{{Value: component(0, 0.3), Terminal: true}}}
	y, at, n := []float64{0, 1}, 0.0, 0
	for at < 12 {
		res, err := Solve(oscillator(), y, at, 12, s)
		if err != nil || res.Status.Err() != nil {
			t.Fatal(res, err)
		}
		y, at = res.Y, res.T
		n += len(res.Events)
	}
	if n != 4 {
		t.Errorf("%d crossings of 0.3 by sin t in [0, 12], want 4", n)
	}
}

// t − y rises at unit rate and, as y jumps from 0 to 1 at t = 1, falls back by 1.
func TestEventAtBreak(t *testing.T) {
	for _, c := range []struct {
		name  string
		level float64
		times []float64
		dirs  []int
	}{
		{"reached at the break", 1, []float64{1, 2}, []int{1, 1}},
		{"jumped over", 0.5, []float64{0.5, 1, 1.5}, []int{1, -1, 1}},
		{"reached by the jump", 0, []float64{0, 1}, []int{1, -1}},
	} {
		p := &scheduled{
			Dense: scalar(func(_, _ float64) float64 { return 0 }), times: []float64{1},
			jump: func(_ int, y []float64) { y[0] = 1 },
		}
		value := func(t float64, y []float64) float64 { return t - y[0] - c.level }
		res, err := Solve(p, []float64{0}, 0, 2, &Settings{Events: []Event{{Value: value}}})
		if err != nil || len(res.Events) != len(c.times) {
			t.Errorf("%s: %+v, %v", c.name, res, err)
			continue
		}
		for i, o := range res.Events {
			numtest.Check(t, c.name, o.T, c.times[i], 0, 0x1p-52) // two units in the last place
			if o.Direction != c.dirs[i] {
				t.Errorf("%s: %+v", c.name, o)
			}
			if after := c.times[i] > 1 || o.Direction < 0; after != (o.Y[0] == 1) {
				t.Errorf("%s: state %v", c.name, o)
			}
		}
	}
}

// A jump over a terminal threshold ends the run there, after the jump.
func TestTerminalJump(t *testing.T) {
	p := &scheduled{
		Dense: scalar(func(_, _ float64) float64 { return 1 }), times: []float64{1},
		jump: func(_ int, y []float64) { y[0] = 10 },
	}
	res, err := Solve(p, []float64{0}, 0, 2, &Settings{Events: []Event{{Value: component(0, 5), Terminal: true}}})
	if err != nil || res.Status != EventTerminated || res.T != 1 || res.Y[0] != 10 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestCrossingExact(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(float64) float64
		a, b float64
		want float64
	}{
		{"line", func(x float64) float64 { return x - 0.3 }, 0, 1, 0.3},
		{"falling", func(x float64) float64 { return 2 - x*x }, 0, 2, math.Sqrt2},
		{"steep", func(x float64) float64 { return math.Tanh(1e6 * (x - 0.7)) }, 0, 1, 0.7},
		{"flat", func(x float64) float64 { return math.Pow(x-0.7, 9) }, 0, 1, 0.7},
		{"jump", func(x float64) float64 {
			if x < math.Pi {
				return -1
			}
			return 1
		}, 3, 4, math.Pi},
		{"plateau", func(x float64) float64 { return min(x-0.5, 0) }, 0, 1, 0.5},
		{"late", func(x float64) float64 { return x - 1e9 - 1e-3 }, 1e9, 1e9 + 1, 1e9 + 1e-3},
	} {
		n := 0
		f := func(x float64) float64 { n++; return c.f(x) }
		got := crossing(f, c.a, c.f(c.a), c.b, c.f(c.b))
		numtest.Check(t, c.name, got, c.want, 0, math.Nextafter(c.b, 2*c.b)-c.b)
		if v := c.f(got); v*c.f(c.b) < 0 {
			t.Errorf("%s: %g at the crossing is on the near side", c.name, v)
		}
		// Bisection from the interval to the last bit, and one more.
		if limit := 2 + int(math.Ceil(math.Log2((c.b-c.a)/(c.want*0x1p-53)))); n > limit {
			t.Errorf("%s: %d evaluations, limit %d", c.name, n, limit)
		}
	}
}

// An arrival that is looked for at the ends of steps alone is found where it is, and an event
// beside it keeps its samples.
func TestEventAtEndsAlone(t *testing.T) {
	arrive := Event{Value: component(0, 0.9), Ends: true, Terminal: true}
	for _, beside := range [][]Event{{arrive}, {arrive, {Value: component(0, 0.5)}}} {
		s := &Settings{RTol: 1e-10, MaxStep: 0.5, Events: beside}
		res, err := Solve(oscillator(), []float64{0, 1}, 0, 1.5, s)
		if err != nil || res.Status != EventTerminated || len(res.Events) != len(beside) {
			t.Fatal(res, err)
		}
		numtest.Check(t, "arrival", res.T, math.Asin(0.9), 0, 1e-8)
		if len(beside) > 1 {
			numtest.Check(t, "on the way", res.Events[0].T, math.Asin(0.5), 0, 1e-8)
		}
	}
}
