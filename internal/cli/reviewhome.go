package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
	"github.com/metastable/metastable/trajectory"
)

// home is the way back from the outage of the run, if there is one.
func (r *reviewer) home(p *part) error {
	at, ok, err := r.emergency()
	if err != nil {
		return err
	}
	if !ok {
		p.Text = append(p.Text, "The run has no outage to come home from.")
		return nil
	}
	set := &recovery.Settings{Workers: 1, Done: r.done}
	full := 4*3600. + 1800
	s, err := recovery.At(r.sc, at, full, r.done)
	if err != nil {
		return err
	}
	c := clock{r.sc.Start, r.sc.Duration}
	found, err := recovery.Find(s, set)
	switch {
	case errors.Is(err, recovery.ErrHopeless), errors.Is(err, recovery.ErrNoPlan):
		p.Text = append(p.Text, fmt.Sprintf("From %s on: %v.", c.at(at), strings.TrimPrefix(err.Error(), "recovery: ")))
		p.Points = append(p.Points, "No throttle schedule that comes home was found.")
		return nil
	case err != nil:
		return err
	case found.Plan == nil:
		p.Text = append(p.Text, fmt.Sprintf("At %s it comes home without a throttle, within %s.", c.at(at), humanTime(found.Home)))
		return nil
	}
	watches, err := recovery.Watches([]*recovery.Situation{s}, found.Plan, set)
	if err != nil {
		return err
	}
	f := &recoverFlags{planFlags: planFlags{scenarioFlags: scenarioFlags{inputFlags: r.inputFlags}}}
	p.Text = lines(func(w io.Writer) { f.tell(w, r.sc, s, found, watches) })[:2]
	p.Points = append(p.Points, fmt.Sprintf("From %s on a throttle that begins at %s and is raised in %d steps brings it home in %s.",
		c.at(at), limitText(found.Plan[0].Limit), len(found.Plan)-1, humanTime(found.Home)))
	t := &table{meta: f.meta(r.sc, at, found)}
	t.plan(s.Columns(), watches, false)
	if err := r.save(t, "plan"); err != nil {
		return err
	}
	p.Tables = append(p.Tables, r.shown(t, "The plan: when each limit is set, what has to be seen before the next, and what would be too much."))
	fig, err := wayHomeFigure(r.sc, s, found, r.hitColumn(s), set)
	if err != nil {
		return err
	}
	return r.add(p, "way-home", "The throttle as the cache refills; above the line a limit, left there, leads to a relapse.", fig)
}

// hitColumn returns the first column of a hit rate.
func (r *reviewer) hitColumn(s *recovery.Situation) int {
	for i, name := range s.Columns() {
		if strings.HasPrefix(name, "hit_rate.") {
			return i
		}
	}
	return 0
}

// emergency returns when the way home begins: at the timeline's first throttle, if the
// run is down then, or a quarter of an hour into its first outage.
func (r *reviewer) emergency() (at float64, ok bool, err error) {
	res, err := r.day()
	if err != nil {
		return 0, false, err
	}
	outages := trajectory.Outages(res.Detail.Rows)
	if len(outages) == 0 {
		return 0, false, nil
	}
	for _, e := range r.sc.Timeline {
		if e.Action == model.ThrottleTo && e.At >= outages[0][0] && e.At < outages[0][1] {
			return e.At, true, nil
		}
	}
	return min(outages[0][0]+900, (outages[0][0]+outages[0][1])/2), true, nil
}

// remedies rank what would help.
func (r *reviewer) remedies(p *part) error {
	at, ok, err := r.emergency()
	if err != nil {
		return err
	}
	if !ok {
		at = 0
	}
	effects, err := recovery.Weigh(r.sc, at, recovery.Remedies(r.sc), &recovery.Settings{Steps: 4, Workers: 1, Done: r.done})
	if err != nil {
		return err
	}
	t := remediesTable(r.sc, at, effects)
	if err := r.save(t, "remedies"); err != nil {
		return err
	}
	sys, err := r.sc.Compile()
	if err != nil {
		return err
	}
	moment := fmt.Sprintf("at %s (%s)", clock{r.sc.Start, r.sc.Duration}.at(at),
		bootsText(sys.Freeze(model.Moment{Time: at, Traffic: -1, Throttle: math.Inf(1)}).Boots()))
	p.Text = append(p.Text, "Each change alone, in force from the start, "+moment+"; those that let it absorb most come first. Home is with the throttle schedule of four steps that recover finds.")
	p.Tables = append(p.Tables, r.shown(t, "What each remedy would do."))
	if len(effects) > 1 && effects[1].Absorbs > effects[0].Absorbs+0.005 {
		p.Points = append(p.Points, fmt.Sprintf("What would help most: %s; %s it then absorbs the loss of %s of the cache, instead of %s.",
			effects[1].Name, moment, percent(effects[1].Absorbs, 1), percent(effects[0].Absorbs, 1)))
	}
	return nil
}
