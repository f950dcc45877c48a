package explore

import (
	"math"

	"github.com/metastable/metastable/model"
)

// A State is what happens at a moment, by its index in [States].
type State int

// The states of a day.
const (
	Well State = iota
	Refilling
	Hurting
	Outpacing
	Crossing
	FeedingItself
	Draining
	StillTooMuch
	Waiting
	CatchingUp
	Home
)

// States says each [State] to the player. The tone is good, watch, bad or held.
var States = [...]struct {
	Title, Text, Tone string
}{
	Well:          {"All is well", "Everybody gets in, and the cache answers almost everything.", "good"},
	Refilling:     {"The cache refills", "Everybody gets in. Each miss that the database answers fills the cache again.", "good"},
	Hurting:       {"The rollout hurts the cache faster than it refills", "Every node comes back empty. Watch the hit rate and the tipping line.", "watch"},
	Outpacing:     {"The cache refills faster than it is hurt", "This rollout can go on as long as that is so.", "good"},
	Crossing:      {"Over the line", "The database is asked for more than it can carry. Its queues grow, and reads begin to time out.", "bad"},
	FeedingItself: {"It feeds itself", "Reads time out and fill no cache: pausing will not help. Who fails comes back and asks again.", "bad"},
	Draining:      {"The queues drain", "The throttle lets in no more than the database can carry. It takes a moment.", "held"},
	StillTooMuch:  {"The throttle is too high", "What it lets in is still more than the database can carry with this cache: the tipping line is above the hit rate.", "bad"},
	Waiting:       {"The cache refills behind the throttle", "Who is let in gets in, the others wait. Raise the throttle as the cache refills, never so far that the line passes the hit rate.", "held"},
	CatchingUp:    {"Those who waited come in", "More get in than arrive. The outage is over once nobody waits and the throttle is off.", "held"},
	Home:          {"Home", "The outage is over: nobody waits, nobody is held back.", "good"},
}

// Bounds of the words: a boot in ten fails; misses a hundredth more or less than a minute
// ago; misses three times the fewest of the day.
const (
	down  = 0.9
	moves = 0.01
	still = 3
)

// states puts every row into words.
func (d *Day) states() []State {
	s := make([]State, len(d.Rows))
	outage, before := false, 0
	misses := 1.0
	for _, row := range d.Rows {
		if d.Class >= 0 {
			misses = min(misses, 1-row[d.Class])
		}
	}
	for i, row := range d.Rows {
		for before < i && d.Rows[before+1][model.ColTime] <= row[model.ColTime]-60 {
			before++
		}
		outage = outage || d.inOutage(row[model.ColTime])
		s[i] = d.state(i, before, outage, misses)
	}
	return s
}

func (d *Day) inOutage(t float64) bool {
	for _, o := range d.Outages {
		if o[0] <= t && t < o[1] {
			return true
		}
	}
	return false
}

func (d *Day) state(i, before int, outage bool, misses float64) State {
	row := d.Rows[i]
	boots, admitted, waiting := row[model.ColBoots], row[model.ColAdmitted], row[model.ColWaiting]
	held := !math.IsInf(d.Throttle[i], 1)
	over := d.load(row) > 1
	switch {
	case row[model.ColSuccess] < down && held && over:
		return StillTooMuch
	case row[model.ColSuccess] < down && held:
		return Draining
	case row[model.ColSuccess] < down:
		return FeedingItself
	case over && held:
		return StillTooMuch
	case over:
		return Crossing
	}
	crowd := waiting > boots // a second's worth
	trend := d.trend(i, before)
	switch {
	case held && admitted < down*boots:
		return Waiting
	case crowd:
		return CatchingUp
	case d.rolling(row[model.ColTime]) && trend < 0:
		return Hurting
	case d.rolling(row[model.ColTime]):
		return Outpacing
	case outage && !held:
		return Home
	case d.Class >= 0 && 1-row[d.Class] > still*misses:
		return Refilling
	}
	return Well
}

// trend returns the sign of the change of the hit rate, 0 where it is small.
func (d *Day) trend(i, before int) float64 {
	if d.Class < 0 {
		return 0
	}
	was, is := d.Rows[before][d.Class], d.Rows[i][d.Class]
	switch {
	case is-was > moves*(1-was):
		return 1
	case is-was < -moves*(1-was):
		return -1
	}
	return 0
}

// rolling reports whether a rollout is in progress.
func (d *Day) rolling(t float64) bool {
	until := math.Inf(-1)
	for _, e := range d.Scenario.Timeline {
		if e.At > t {
			break
		}
		switch e.Action {
		case model.Rollout:
			until = e.At + e.Over
		case model.Pause:
			until = e.At
		}
	}
	return t < until
}
