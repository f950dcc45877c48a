package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	page "github.com/metastable/metastable/internal/report"
	"github.com/metastable/metastable/stability"
	"github.com/metastable/metastable/trajectory"
)

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
		p.Points = append(p.Points, fmt.Sprintf("In its own run it is down for %s; about %s clients give up.", humanTime(down), human(trajectory.Lost(res.Detail.Rows), 2)))
	} else {
		p.Points = append(p.Points, "In its own run it has no outage.")
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
	p.Text = append(p.Text, fmt.Sprintf("At the peak, %s, with the parameters that the run starts with and no throttle: %s.", r.peakText(), said(res, sum.back)))
	for _, l := range sum.lines {
		p.Facts = append(p.Facts, page.Fact{Name: l.name, Value: l.value + ": " + l.meaning})
	}
	for _, w := range append(res.Warnings, sum.warnings...) {
		p.Warnings = append(p.Warnings, wording(w))
	}
	t := equilibriaTable(r.sc, res, r.peak)
	if err := r.save(t, "states"); err != nil {
		return err
	}
	p.Tables = append(p.Tables, r.shown(told(t), "The states in which it rests."))
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
	peak := "at the peak of its traffic (" + r.peakText() + ")"
	switch v := res.Verdict(); v {
	case stability.AlwaysSafe:
		switch {
		case math.IsInf(back, 1):
			return "Not safe " + peak + ": the healthy state is the only one, but from empty caches it does not come back to it."
		case back > longOutage:
			return "Always safe " + peak + ", but slow: from empty caches it is back after " + humanTime(back) + "."
		}
		return "Always safe " + peak + ": it comes back from anywhere."
	case stability.CertainToFail:
		return "Certain to fail " + peak + ": the only state it rests in is collapsed."
	case stability.Metastable:
		text := "Metastable " + peak + ": it runs well until something tips it, and then stays down when that has passed."
		if tr, err := stability.LargestFlush(r.sc, r.peak, set); err == nil {
			if math.IsInf(tr.Hi, 1) {
				return text + " It absorbs the loss of the whole cache."
			}
			return text + fmt.Sprintf(" Losing %s of the cache's content at once is enough.", percent(tr.Hi, 1))
		}
		return text
	default:
		return "Restless " + peak + ": no state it could rest in is stable."
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
	p.Text, p.Facts = factsOf(func(w io.Writer) { explainBranches(w, v, d, loop, r.peak.Traffic) })
	if err := r.save(bifurcationTable(v, d), "branches"); err != nil {
		return err
	}
	figures, err := bifurcationFigures(r.sc, v, d, loop, r.peak.Traffic)
	if err != nil {
		return err
	}
	captions := map[string]string{
		"bifurcation": "Every state over traffic, solid where it is stable. Between the folds it may be in either.",
		"hysteresis":  "What traffic that rises and falls slowly does: " + loopWords(loop),
	}
	for _, f := range figures {
		if err := r.add(p, f.name, captions[f.name], f.figure); err != nil {
			return err
		}
	}
	return nil
}

// loopWords say how the way up and the way down differ.
func loopWords(l *stability.Loop) string {
	jump := func(p stability.LoopPoint) bool { return p.Jump }
	up, down := slices.ContainsFunc(l.Up, jump), slices.ContainsFunc(l.Down, jump)
	switch {
	case up && down:
		return "it fails at one fold and comes home only at the other."
	case up:
		return "it jumps on the way up and does not come home on the way down."
	case down:
		return "on the way down it jumps, on the way up it does not."
	}
	return "it jumps nowhere, and comes home the way it went."
}
