package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/recovery"
	"github.com/metastable/metastable/stability"
	"github.com/metastable/metastable/trajectory"
)

// runDay is the scenario's own run, to its end.
func (r *reviewer) runDay() (*trajectory.Result, error) {
	sys, err := r.sc.Compile()
	if err != nil {
		return nil, err
	}
	res, err := trajectory.Run(sys, &trajectory.Settings{Detail: true, Done: r.done})
	if err != nil {
		return nil, err
	}
	return res, res.Status.Err()
}

// simulate is the scenario's own run.
func (r *reviewer) simulate(p *part) error {
	res, err := r.day()
	if err != nil {
		return err
	}
	if err := r.save((&simulateFlags{scenarioFlags: scenarioFlags{inputFlags: r.inputFlags}}).table(r.sc, res), "run"); err != nil {
		return err
	}
	if err := writeScenario(filepath.Join(r.dir, r.sc.Name+".yaml"), r.sc); err != nil {
		return err
	}
	fig, err := newFigure(r.sc, res)
	if err != nil {
		return err
	}
	if r.sc.Description != "" {
		p.Text = append(p.Text, r.sc.Description)
	}
	c := clock{r.sc.Start, r.sc.Duration}
	outages, down := trajectory.Outages(res.Detail.Rows), 0.0
	for _, o := range outages {
		down += o[1] - o[0]
		p.Text = append(p.Text, fmt.Sprintf("An outage from %s to %s, %s: less than 90 %% of the boots asked for succeed.", c.at(o[0]), c.at(o[1]), humanTime(o[1]-o[0])))
	}
	if down > 0 {
		p.points = append(p.points, fmt.Sprintf("In its own run it is down for %s; about %s clients give up.", humanTime(down), human(trajectory.Lost(res.Detail.Rows), 2)))
	} else {
		p.points = append(p.points, "In its own run it has no outage.")
	}
	return r.add(p, "timeline", "The run: traffic, hit rates, database load, success and waiting clients; the shaded time is the outage, the numbers are the actions of the timeline.", fig)
}

// states are the equilibria at the peak.
func (r *reviewer) states(p *part) error {
	sys, err := r.sc.Compile()
	if err != nil {
		return err
	}
	set := r.look()
	res, err := stability.Equilibria(sys, r.peak, set)
	if err != nil {
		return err
	}
	sum, err := summarizeMoment(sys, r.peak, res, set)
	if err != nil {
		return err
	}
	p.Text = append(p.Text, fmt.Sprintf("At %s of the full traffic, with the parameters that the run starts with and no throttle: %s.", percent(r.peak.Traffic, 1), said(res, sum.back)))
	p.Text = append(p.Text, sum.lines...)
	for _, w := range append(res.Warnings, sum.warnings...) {
		p.Warnings = append(p.Warnings, w.Error())
	}
	t := equilibriaTable(r.sc, res, r.peak)
	if err := r.save(t, "states"); err != nil {
		return err
	}
	p.Tables = append(p.Tables, shown(told(t), "The states in which it rests."))
	p.verdict = r.verdict(res, sum.back, set)
	fig, err := returnMapFigure(r.sc, sys, r.peak, res)
	if errors.Is(err, stability.ErrNoPicture) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.add(p, "return-map", "If the database carried the load below, this load would come back; it rests where the two are the same.", fig)
}

// verdict says first what the review finds.
func (r *reviewer) verdict(res *stability.Result, back float64, set *stability.Settings) string {
	switch v := res.Verdict(); v {
	case stability.AlwaysSafe:
		switch {
		case math.IsInf(back, 1):
			return "Not safe at the peak of its traffic: the healthy state is the only one, but from empty caches it does not come back to it."
		case back > longOutage:
			return "Always safe at the peak of its traffic, but slow: from empty caches it is back after " + humanTime(back) + "."
		}
		return "Always safe at the peak of its traffic: it comes back from anywhere."
	case stability.CertainToFail:
		return "Certain to fail at the peak of its traffic: the only state it rests in is collapsed."
	case stability.Metastable:
		text := "Metastable at the peak of its traffic: it runs well until something tips it, and then stays down when that has passed."
		if tr, err := stability.LargestFlush(r.sc, r.peak, set); err == nil {
			if math.IsInf(tr.Hi, 1) {
				return text + " It absorbs the loss of the whole cache."
			}
			return text + fmt.Sprintf(" Losing %s of the cache's content at once is enough.", percent(tr.Hi, 1))
		}
		return text
	default:
		return "Restless at the peak of its traffic: no state it could rest in is stable."
	}
}

func (r *reviewer) look() *stability.Settings { return &stability.Settings{Done: r.done} }

// trafficAxis is the range of traffic that figures show.
func trafficAxis() *varied {
	return &varied{Axis: stability.Axis{Path: stability.TrafficAxis, Lo: 0.02, Hi: 3}, n: 16, unit: "share"}
}

// branches follow the states over traffic.
func (r *reviewer) branches(p *part) error {
	v := trafficAxis()
	d, err := stability.Bifurcate(r.sc, r.peak, v.Axis, r.look())
	if err != nil {
		return err
	}
	loop, err := d.Loop(r.look())
	if err != nil {
		return err
	}
	for _, w := range d.Warnings {
		p.Warnings = append(p.Warnings, w.Error())
	}
	p.Text = lines(func(w io.Writer) { explainBranches(w, v, d, loop, r.peak.Traffic) })
	if err := r.save(bifurcationTable(v, d), "branches"); err != nil {
		return err
	}
	figures, err := bifurcationFigures(r.sc, v, d, loop, r.peak.Traffic)
	if err != nil {
		return err
	}
	captions := map[string]string{
		"bifurcation": "Every state over traffic, solid where it is stable. Between the folds it may be in either.",
		"hysteresis":  "What traffic that rises and falls slowly does: it fails at one fold and comes home only at the other.",
	}
	for _, f := range figures {
		if err := r.add(p, f.name, captions[f.name], f.figure); err != nil {
			return err
		}
	}
	return nil
}

// phases map where it is safe: over traffic and throttle, and over traffic and the loss of content.
func (r *reviewer) phases(p *part) error {
	full := r.sc.Traffic.Boots
	for _, y := range []struct {
		name, caption string
		axis          *varied
		today         float64
	}{
		{
			"map", "Over traffic and throttle: where nothing can keep it down, where a trigger can, where it is certain to fail.",
			&varied{Axis: stability.Axis{Path: stability.ThrottleAxis, Lo: 0.02 * full, Hi: 3 * full}, unit: "1/s"}, math.Inf(1),
		},
		{
			"flush-map", "Over traffic and the share of the cache lost at once: which losses it absorbs.",
			&varied{Axis: stability.Axis{Path: stability.FlushAxis, Lo: 0, Hi: 1}, unit: "share"}, math.NaN(),
		},
	} {
		x := trafficAxis()
		d, err := stability.PhaseDiagram(r.sc, r.peak, x.Axis, y.axis.Axis, r.look())
		if err != nil {
			p.Warnings = append(p.Warnings, fmt.Sprintf("No map over %s and %s: %v", x.Path, y.axis.Path, err))
			continue
		}
		for _, w := range d.Warnings {
			p.Warnings = append(p.Warnings, w.Error())
		}
		today := [2]float64{r.peak.Traffic, y.today}
		p.Text = append(p.Text, lines(func(w io.Writer) { explainPhase(w, x, y.axis, d, today) })...)
		if err := r.save(phaseTable(x, y.axis, d, nil), y.name+".boundaries"); err != nil {
			return err
		}
		fig, err := phaseFigure(r.sc, x, y.axis, d, today, nil)
		if err != nil {
			return err
		}
		if err := r.add(p, y.name, y.caption, fig); err != nil {
			return err
		}
	}
	return nil
}

// triggers are the smallest disturbances that tip it, over traffic.
func (r *reviewer) triggers(p *part) error {
	for _, kind := range []int{0, 1} {
		tr := &triggers[kind]
		shock := stability.Shock{Kind: tr.kind}
		f := &tippingFlags{trigger: string(tr.kind)}
		f.inputFlags = r.inputFlags
		when := ""
		if shock.Kind.Timed() {
			shock.Over = 1800
			when = " over half an hour"
		}
		v := trafficAxis()
		points, err := stability.TippingLine(r.sc, r.peak, v.Axis, v.n, shock, r.look(), nil)
		if err != nil {
			return err
		}
		if err := r.save(f.table(r.sc, r.peak, v, shock, points), "tipping."+string(tr.kind)); err != nil {
			return err
		}
		now, err := stability.LargestAbsorbed(r.sc, r.peak, shock, r.look())
		p.points = append(p.points, fmt.Sprintf("At the peak%s: %s.", when, tr.words(now, err)))
		fig, err := tippingFigure(r.sc, r.peak, v, tr, points, nil)
		if err != nil {
			return err
		}
		if fig == nil {
			p.Warnings = append(p.Warnings, fmt.Sprintf("No curve of the %s: at too few traffics is there anything to tip.", tr.noun))
			continue
		}
		if err := r.add(p, "tipping."+string(tr.kind), "The smallest "+tr.noun+when+" that tips it, over traffic.", fig); err != nil {
			return err
		}
	}
	return nil
}

// chance is the probability of an outage within the uncertainty, over traffic.
func (r *reviewer) chance(p *part) error {
	uncertain, err := montecarlo.Uncertainty(r.sc)
	if err != nil {
		return err
	}
	if len(uncertain) == 0 {
		p.Text = append(p.Text, "The scenario names no uncertain parameters: there is no probability to tell.")
		return nil
	}
	full := r.sc.Traffic.Boots
	axis, err := montecarlo.ParseAxis(r.sc, fmt.Sprintf("traffic.boots=%g..%g:9", 0.4*full, 1.6*full))
	if err != nil {
		return err
	}
	points, err := montecarlo.Grid([]montecarlo.Axis{axis})
	if err != nil {
		return err
	}
	s := &montecarlo.Sweep{Scenario: r.sc, Points: points, Uncertain: uncertain, Draws: r.draws, Seed: r.seed}
	if err := s.Check(); err != nil {
		return err
	}
	results, err := s.Run(&montecarlo.Pool{Workers: 1, Done: r.done})
	if err != nil {
		return err
	}
	p.Text = append(p.Text, fmt.Sprintf("Its own run, timeline and response included, at traffics around the full one, each with %d draws of the uncertain parameters: how likely an outage is, whatever ends it.", r.draws))
	p.Text = append(p.Text, lines(func(w io.Writer) { tellSweep(w, results) })[0])
	p.Warnings = append(p.Warnings, sweepWarnings(results)...)
	t := &table{columns: []string{"boots_per_s", "p_outage", "p_lo", "p_hi", "confidence", "runs", "failed"}}
	t.meta = []fact{{"version", "metastable " + version()}, {"scenario", r.sc.Name}, {"hash", r.sc.Hash()}, {"seed", float64(r.seed)}}
	f := plots.FanChart{Frame: plots.Frame{
		Title:    title(r.sc) + ": probability of an outage",
		Subtitle: fmt.Sprintf("Estimates from %d draws a point with their %.0f %% intervals.", r.draws, 100*sweepConfidence),
		X:        plots.Axis{Label: "full traffic (boots/s)", Column: "boots_per_s"},
		Y:        plots.Axis{Label: "P(outage) (%)", Column: "p_outage", Scale: plots.Percent},
	}}
	band := plots.Band{Name: fmt.Sprintf("%.0f %% interval", 100*sweepConfidence)}
	line := plots.Curve{Name: "estimate"}
	for _, x := range results {
		in := outage(x)
		t.rows = append(t.rows, []float64{x.Point[0].X, in.Estimate, in.Lo, in.Hi, in.Confidence, float64(x.Runs), float64(x.Failed)})
		if x.Runs > x.Failed {
			band.X, band.Lo, band.Hi = append(band.X, x.Point[0].X), append(band.Lo, in.Lo), append(band.Hi, in.Hi)
			line.X, line.Y = append(line.X, x.Point[0].X), append(line.Y, in.Estimate)
		}
	}
	if err := r.save(t, "chance"); err != nil {
		return err
	}
	p.Tables = append(p.Tables, shown(t, "The probability of an outage, with its interval."))
	middle := outage(results[len(results)/2])
	p.points = append(p.points, fmt.Sprintf("Within its uncertainty its run has an outage with probability %s (%s to %s).", percent(middle.Estimate, 1), percent(middle.Lo, 1), percent(middle.Hi, 1)))
	f.Bands, f.Curves = []plots.Band{band}, []plots.Curve{line}
	f.Marks = []plots.Operating{{X: full, Y: math.NaN()}}
	fig, err := plots.NewFanChart(f)
	if err != nil {
		return err
	}
	return r.add(p, "chance", "The probability of an outage over the full traffic, with its interval.", fig)
}

// outage is the probability that a run is in any class but that which absorbs everything.
func outage(x *montecarlo.PointResult) montecarlo.Interval {
	var down []montecarlo.Class
	for c := range montecarlo.Classes {
		if montecarlo.Class(c) != montecarlo.Absorbed {
			down = append(down, montecarlo.Class(c))
		}
	}
	return x.Probability(sweepConfidence, down...)
}

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
		p.points = append(p.points, "No throttle schedule that comes home was found.")
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
	f := &recoverFlags{scenarioFlags: scenarioFlags{inputFlags: r.inputFlags}}
	p.Text = lines(func(w io.Writer) { f.tell(w, r.sc, s, found, watches) })[:2]
	p.points = append(p.points, fmt.Sprintf("From %s on a throttle that begins at %s and is raised in %d steps brings it home in %s.",
		c.at(at), limitText(found.Plan[0].Limit), len(found.Plan)-1, humanTime(found.Home)))
	t := &table{meta: f.meta(r.sc, at, found)}
	t.plan(s.Columns(), watches, false)
	if err := r.save(t, "plan"); err != nil {
		return err
	}
	p.Tables = append(p.Tables, shown(t, "The plan: when each limit is set, what has to be seen before the next, and what would be too much."))
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
	p.Text = append(p.Text, "Each change alone, in force from the start, at "+clock{r.sc.Start, r.sc.Duration}.at(at)+"; those that let it absorb most come first. Home is with the fastest safe throttle schedule of four steps.")
	p.Tables = append(p.Tables, shown(t, "What each remedy would do."))
	if len(effects) > 1 && effects[1].Absorbs > effects[0].Absorbs+0.005 {
		p.points = append(p.points, fmt.Sprintf("What would help most: %s; it then absorbs the loss of %s of the cache, instead of %s.",
			effects[1].Name, percent(effects[1].Absorbs, 1), percent(effects[0].Absorbs, 1)))
	}
	return nil
}
