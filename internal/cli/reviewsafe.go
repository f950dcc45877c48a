package cli

import (
	"fmt"
	"io"
	"math"

	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

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
		_, facts := factsOf(func(w io.Writer) { explainPhase(w, x, y.axis, d, today) })
		if err := r.save(phaseTable(x, y.axis, d, nil), y.name+".boundaries"); err != nil {
			return err
		}
		fig, err := phaseFigure(r.sc, x, y.axis, d, today, nil)
		if err != nil {
			return err
		}
		if err := r.add(p, y.name, y.caption, fig, facts...); err != nil {
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
		p.Points = append(p.Points, fmt.Sprintf("At the peak%s: %s.", when, tr.words(now, err)))
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
	t.meta = sourceFacts(r.sc, fact{"seed", float64(r.seed)})
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
	p.Tables = append(p.Tables, r.shown(t, "The probability of an outage, with its interval."))
	middle := outage(results[len(results)/2])
	p.Points = append(p.Points, fmt.Sprintf("Within its uncertainty its run has an outage with probability %s (%s to %s).", percent(middle.Estimate, 1), percent(middle.Lo, 1), percent(middle.Hi, 1)))
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
