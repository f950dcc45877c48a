package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
	"github.com/metastable/metastable/telemetry"
)

// readPlan reads a CSV file with the columns t_s (seconds since the start, or a time as
// in scenario files) and limit_per_s (a rate; "none" or empty: no throttle). Lines that
// begin with # and other columns do not count.
func readPlan(path string, sc *model.Scenario) (recovery.Plan, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, plain := telemetry.Rows(io.LimitReader(file, 1<<20))
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: empty; want the columns t_s and limit_per_s", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	at, limit := slices.Index(head, "t_s"), slices.Index(head, "limit_per_s")
	if at < 0 || limit < 0 {
		return nil, fmt.Errorf("%s:1: want the columns t_s and limit_per_s, found %q", path, head)
	}
	var plan recovery.Plan
	probe := sc.Clone()
	probe.Duration = 1e9 // a plan may go on after the run
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		line, _ := r.FieldPos(at)
		probe.Timeline = []model.Entry{{Action: model.ThrottleTo, Value: math.Inf(1)}}
		for key, text := range map[string]string{"at": plain(fields[at]), "throttle": plain(fields[limit])} {
			if text == "" && key == "throttle" {
				continue
			}
			if err := probe.Set("timeline.0."+key, text); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, line, err)
			}
		}
		e := probe.Timeline[0]
		if n := len(plan); n > 0 && e.At <= plan[n-1].T {
			return nil, fmt.Errorf("%s:%d: t_s %g does not come after %g", path, line, e.At, plan[n-1].T)
		}
		plan = append(plan, recovery.Step{T: e.At, Limit: e.Value})
	}
	if plan == nil {
		return nil, fmt.Errorf("%s: no step", path)
	}
	return plan, nil
}
