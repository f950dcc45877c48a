package montecarlo

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/metastable/metastable/model"
)

// SchedulePath is that of an [Axis] or a [Setting] whose Text names one of the schedules of
// a [Sweep]. It is no path of the scenario.
const SchedulePath = "schedule"

// A Schedule is a throttle over time: limits (boots/s, +Inf for none), each from its time
// (s since the start) on, in order of time.
type Schedule []model.Point

// set puts the schedule in the place of what the timeline does to the throttle from its
// first step on. What is after the end of the run does not count; what is shed stays
// as it was.
func (p Schedule) set(sc *model.Scenario) {
	sc.Timeline = slices.DeleteFunc(sc.Timeline, func(e model.Entry) bool {
		return e.At >= p[0].T && (e.Action == model.ThrottleTo || e.Action == model.Ramp)
	})
	for _, step := range p {
		if step.T <= sc.Duration {
			sc.Timeline = append(sc.Timeline, model.Entry{At: step.T, Action: model.ThrottleTo, Value: step.Value})
		}
	}
	slices.SortStableFunc(sc.Timeline, func(a, b model.Entry) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
}

// follow sets the schedule that a point names, if it names one: last, as entries of the
// timeline change their numbers.
func (s *Sweep) follow(sc *model.Scenario, point int) error {
	for _, set := range s.Points[point] {
		if set.Path != SchedulePath {
			continue
		}
		schedule := s.Schedules[set.Text]
		if len(schedule) == 0 {
			return fmt.Errorf("no step of a schedule %q", set.Text)
		}
		schedule.set(sc)
	}
	return nil
}

// MarshalJSON writes pairs of a time and a limit, null for none.
func (p Schedule) MarshalJSON() ([]byte, error) {
	steps := make([][2]*float64, len(p))
	for i := range p {
		steps[i][0] = &p[i].T
		if !math.IsInf(p[i].Value, 1) {
			steps[i][1] = &p[i].Value
		}
	}
	return json.Marshal(steps)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Schedule) UnmarshalJSON(text []byte) error {
	var steps [][2]*float64
	if err := json.Unmarshal(text, &steps); err != nil {
		return err
	}
	*p = nil
	for _, step := range steps {
		if step[0] == nil {
			return errors.New("montecarlo: a step of a schedule without a time")
		}
		at := model.Point{T: *step[0], Value: math.Inf(1)}
		if step[1] != nil {
			at.Value = *step[1]
		}
		*p = append(*p, at)
	}
	return nil
}
