package montecarlo

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// A Class says how a run went. The system is down while less than 90 % of the boots it
// admits succeed, if that lasts for more than 60 s, and tips when that begins. (A
// throttle alone is no failure: it keeps boots out, and those it admits succeed.) It is
// home at the end when it is up then and the goodput is at least 90 % of the boots asked
// for, or would be but for a throttle it has had from before it first tipped.
type Class int

// The classes, of which a run has one: the last that fits.
const (
	Absorbed      Class = iota // it never tips
	SelfRecovered              // it tips and is home at the end, with no response in between
	Recovered                  // it tips and is home at the end, after a response
	Relapsed                   // it comes up, tips again, and is home at the end
	Collapsed                  // it tips and is not home at the end

	Classes = iota // how many
)

var classNames = [Classes]string{"absorbed", "self_recovered", "recovered", "relapsed", "collapsed"}

// String returns the name of the class.
func (c Class) String() string {
	if c < 0 || int(c) >= Classes {
		return fmt.Sprintf("Class(%d)", int(c))
	}
	return classNames[c]
}

// A Measure is a number that describes a run.
type Measure int

// The measures. Boots and requests are counted from the start of the run to its end.
const (
	TimeToTip     Measure = iota // s from the start until it first tips; NaN if it does not
	TimeDown                     // s, in all outages of trajectory.Outages: a throttle's too
	LostBoots                    // clients that gave up: trajectory.Lost
	LostGoodput                  // boots: the integral of boots asked for less goodput, where that is positive
	WorstHit                     // share: the least hit rate of any cached class at any time; NaN without one
	PeakLoad                     // share: the largest load of any pool at any time, over its capacity
	ConnectedLoss                // requests of booted sessions that failed
	Relapses                     // times it tips again once up

	Measures = iota // how many
)

var measureNames = [Measures]string{"time_to_tip_s", "time_down_s", "lost_boots", "lost_goodput", "worst_hit_rate", "peak_load", "connected_loss", "relapses"}

// String returns the name of the measure, with its unit where it has one.
func (m Measure) String() string {
	if m < 0 || int(m) >= Measures {
		return fmt.Sprintf("Measure(%d)", int(m))
	}
	return measureNames[m]
}

// An Outcome is how one run went.
type Outcome struct {
	Class    Class
	Measures [Measures]float64
	Err      error // the run has no answer: neither has the rest
}

// responses are the actions that people take against an outage; the others disturb.
var responses = []model.Action{model.ThrottleTo, model.Ramp, model.Pause, model.Change}

// upShare is the share of admitted boots that succeed while the system is up.
const upShare = trajectory.OutageShare

// Classify returns the outcome of a run of the scenario. columns and rows are those of a
// [trajectory.Result], best with Detail.
func Classify(sc *model.Scenario, columns []string, rows [][]float64) Outcome {
	down := trajectory.Outages(asServed(rows))
	o := Outcome{Class: Absorbed}
	m := &o.Measures
	m[TimeToTip] = math.NaN()
	for _, out := range trajectory.Outages(rows) {
		m[TimeDown] += out[1] - out[0]
	}
	m[LostBoots] = trajectory.Lost(rows)
	m[LostGoodput] = integral(rows, func(row []float64) float64 {
		return max(0, row[model.ColBoots]-row[model.ColAdmitted]*row[model.ColSuccess])
	})
	m[WorstHit] = worstHit(sc, columns, rows)
	m[PeakLoad] = peakLoad(columns, rows)
	m[ConnectedLoss] = connectedLoss(sc, columns, rows)
	if len(down) == 0 {
		return o
	}
	m[TimeToTip], m[Relapses] = down[0][0], float64(len(down)-1)
	o.Class = tipped(sc, rows, down)
	return o
}

// tipped returns the class of a run that is down in the intervals.
func tipped(sc *model.Scenario, rows [][]float64, down [][2]float64) Class {
	from, to, last := down[0][0], down[len(down)-1][1], rows[len(rows)-1]
	served := last[model.ColSuccess] >= upShare && last[model.ColAdmitted]*last[model.ColSuccess] >= upShare*last[model.ColBoots]
	switch {
	case to >= last[model.ColTime] || !served && !throttledBefore(sc, from):
		return Collapsed
	case len(down) > 1:
		return Relapsed
	case slices.ContainsFunc(sc.Timeline, func(e model.Entry) bool {
		return from < e.At && e.At <= to && slices.Contains(responses, e.Action)
	}):
		return Recovered
	}
	return SelfRecovered
}

// throttledBefore reports whether the limit at the end is that of a time t.
func throttledBefore(sc *model.Scenario, t float64) bool {
	limit := sc.Throttle.Limit
	for _, e := range sc.Timeline {
		switch {
		case e.Action != model.ThrottleTo && e.Action != model.Ramp:
		case e.At > t:
			return false
		default:
			limit = e.Value
		}
	}
	return !math.IsInf(limit, 1)
}

// asServed returns rows in which all boots are admitted, so that an outage is one of the
// service.
func asServed(rows [][]float64) [][]float64 {
	flat, out := make([]float64, (model.ColSuccess+1)*len(rows)), make([][]float64, len(rows))
	for i, row := range rows {
		r := flat[i*(model.ColSuccess+1) : (i+1)*(model.ColSuccess+1)]
		r[model.ColTime], r[model.ColBoots], r[model.ColAdmitted], r[model.ColSuccess] = row[model.ColTime], 1, 1, row[model.ColSuccess]
		out[i] = r
	}
	return out
}

// integral returns that of a function of the rows, by straight lines between them.
func integral(rows [][]float64, f func(row []float64) float64) (sum float64) {
	for i := 1; i < len(rows); i++ {
		sum += (rows[i][model.ColTime] - rows[i-1][model.ColTime]) * (f(rows[i-1]) + f(rows[i])) / 2
	}
	return sum
}

func worstHit(sc *model.Scenario, columns []string, rows [][]float64) float64 {
	worst := math.NaN()
	for i, name := range columns {
		class, ok := strings.CutPrefix(name, "hit_rate.")
		if !ok || !classOf(sc, class).Cached {
			continue
		}
		for _, row := range rows {
			if math.IsNaN(worst) || row[i] < worst {
				worst = row[i]
			}
		}
	}
	return worst
}

func peakLoad(columns []string, rows [][]float64) (peak float64) {
	for i, name := range columns {
		if !strings.HasPrefix(name, "load.") {
			continue
		}
		for _, row := range rows {
			peak = max(peak, row[i])
		}
	}
	return peak
}

func connectedLoss(sc *model.Scenario, columns []string, rows [][]float64) (lost float64) {
	for i, name := range columns {
		class, ok := strings.CutPrefix(name, "success.")
		if !ok {
			continue
		}
		rate := classOf(sc, class).PerSession
		if rate > 0 {
			lost += integral(rows, func(row []float64) float64 { return rate * row[model.ColSessions] * (1 - row[i]) })
		}
	}
	return lost
}

func classOf(sc *model.Scenario, name string) *model.Class {
	i := slices.IndexFunc(sc.Classes, func(c model.Named[model.Class]) bool { return c.Name == name })
	if i < 0 {
		panic("montecarlo: rows of another scenario: class " + name)
	}
	return &sc.Classes[i].Value
}
