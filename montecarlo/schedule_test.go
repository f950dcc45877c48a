package montecarlo

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// throttledYAML throttles before and after a step of a schedule; the entry after the throttles
// has a law, so that its number matters.
const throttledYAML = `
timeline:
  - {at: 5m, throttle: 900/s}
  - {at: 10m, throttle: 100/s}
  - {at: 15m, ramp: 500/s, over: 5m}
  - {at: 25m, flush: 30%}
uncertainty:
  timeline.3.flush: {uniform: [0.4, 0.5]}
`

func scheduled(t *testing.T) *Sweep {
	sc := scenariotest.Parse(t, flushed[:strings.Index(flushed, "timeline:")]+strings.TrimSpace(throttledYAML)+"\n")
	u, err := Uncertainty(sc)
	if err != nil {
		t.Fatal(err)
	}
	return &Sweep{
		Scenario: sc, Uncertain: u, Draws: 2, Seed: 1,
		Points: []Point{{{Path: SchedulePath, Text: "a"}}, {{Path: SchedulePath, Text: "b"}, {Path: "duration", X: 1800}}},
		Schedules: map[string]Schedule{
			"a": {{T: 420, Value: 50}, {T: 1500, Value: math.Inf(1)}},
			"b": {{T: 600, Value: 70}, {T: 3000, Value: math.Inf(1)}},
		},
	}
}

// A schedule replaces what the timeline does to the throttle from its first step on, and
// nothing else; it ends with the run.
func TestSchedule_exact(t *testing.T) {
	s := scheduled(t)
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	for point, want := range [][]model.Entry{
		{{At: 300, Action: model.ThrottleTo, Value: 900}, {At: 420, Action: model.ThrottleTo, Value: 50}, {At: 1500, Action: model.Flush}, {At: 1500, Action: model.ThrottleTo, Value: inf}},
		{{At: 300, Action: model.ThrottleTo, Value: 900}, {At: 600, Action: model.ThrottleTo, Value: 70}, {At: 1500, Action: model.Flush}},
	} {
		sc, err := s.Draw(point, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range sc.Timeline {
			if e.Action == model.Flush {
				if e.Value < 0.4 {
					t.Errorf("point %d: a flush of %g is not drawn", point, e.Value)
				}
				sc.Timeline[i].Value = 0
			}
		}
		if !reflect.DeepEqual(sc.Timeline, want) {
			t.Errorf("point %d:\n%+v\nwant\n%+v", point, sc.Timeline, want)
		}
	}
	s.Points[1][0].Text = "c"
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), `point 1: no step of a schedule "c"`) {
		t.Error(err)
	}
}

// A plan holds the schedules: read from its file, it is the same sweep.
func TestSchedulePlan_invariant(t *testing.T) {
	s := scheduled(t)
	for i, p := range s.Points {
		s.Points[i] = p[:1]
	}
	p, err := NewPlan(s, "v1", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	back, id := reread(t, p), p.ID()
	again, err := back.Sweep()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Schedules, s.Schedules) || back.ID() != id {
		t.Errorf("%v, want %v", again.Schedules, s.Schedules)
	}
	s.Schedules["b"][0].Value = 71
	if other, err := NewPlan(s, "v1", 0, nil); err != nil || other.ID() == id {
		t.Errorf("the same ID with another schedule (%v)", err)
	}
}

// Numbers of the timeline vary like others: a throttle's limit, and when, on the clock or not.
func TestTimelineAxis_exact(t *testing.T) {
	s := scheduled(t)
	for text, want := range map[string][]float64{
		"timeline.1.throttle=100/s..300/s:3": {100, 200, 300},
		"timeline.1.at=6m..12m:3":            {360, 540, 720},
		"timeline.1.at=log:6m..12m:2":        {360, 720},
		"timeline.1.at=0:06..0:12:3":         {360, 540, 720},
		"timeline.3.at=20m..0:30:2":          {1200, 1800},
		"timeline.2.over=1m..5m:2":           {60, 300},
		"pools.main.capacity=1k/s..3000/s:2": {1000, 3000},
		"timeline.1.throttle=log:1/s..4/s:3": {1, 2, 4},
		"timeline.0.at=1m..2m:2":             {60, 120},
	} {
		a, err := ParseAxis(s.Scenario, text)
		if err != nil {
			t.Error(err)
			continue
		}
		points, err := Grid([]Axis{a})
		var got []float64
		for _, p := range points {
			got = append(got, p[0].X)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"timeline.1.at=4m..20m:3":   "order of time",
		"timeline.1.at=0:06..0:12:": `"" values`,
		"timeline.9.at=6m..12m:2":   "timeline.9",
		"schedule=a":                "no parameter has the path",
	} {
		if _, err := ParseAxis(s.Scenario, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	a, err := ParseAxis(s.Scenario, "timeline.1.at=0:06..0:12") // for a design
	if err != nil || a.N != 0 || a.Hi != 720 {
		t.Errorf("%+v, %v", a, err)
	}
}
