package cli

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/trajectory"
)

// plotFormat reports whether a figure can be written to a file of that name.
func plotFormat(path string) bool {
	return slices.Contains([]string{".svg", ".png", ".csv"}, filepath.Ext(path))
}

// drawFigure writes the figure in the format of the suffix.
func drawFigure(f plots.Figure, w io.Writer, suffix string) error {
	if suffix == ".csv" {
		return f.WriteCSV(w)
	}
	return f.Write(w, suffix[1:])
}

// newFigure makes the figure of a run.
func newFigure(sc *model.Scenario, res *trajectory.Result) (*plots.Timeline, error) {
	d := res.Detail
	column := func(name string) []float64 {
		i := slices.Index(res.Columns, name)
		v := make([]float64, len(d.Rows))
		for k, row := range d.Rows {
			v[k] = row[i]
		}
		return v
	}
	t := plots.Timeline{
		Title:    title(sc),
		Subtitle: sc.Description,
		Times:    column("t_s"),

		Boots:       column("boots_per_s"),
		Attempts:    column("attempts_per_s"),
		Admitted:    column("admitted_per_s"),
		BootSuccess: column("boot_success"),
		Waiting:     column("waiting_clients"),
		Outages:     trajectory.Outages(d.Rows),
	}
	if sc.Start != nil {
		t.Start = *sc.Start
	}
	if slices.ContainsFunc(d.Throttle, func(v float64) bool { return !math.IsInf(v, 1) }) {
		t.Limit = d.Throttle
	}
	for _, c := range sc.Classes {
		if c.Value.Cached {
			t.Classes = append(t.Classes, plots.ClassSeries{Name: c.Name, HitRate: column("hit_rate." + c.Name)})
		}
	}
	for _, p := range sc.Pools {
		t.Pools = append(t.Pools, plots.PoolSeries{
			Name:    p.Name,
			Load:    column("load." + p.Name),
			Timeout: column("timeout." + p.Name),
			Refused: column("refused." + p.Name),
		})
	}
	for i, e := range sc.Timeline {
		t.Actions = append(t.Actions, plots.Action{At: e.At, Name: actionName(sc, i)})
	}
	return plots.NewTimeline(t)
}

func title(sc *model.Scenario) string {
	if sc.Title != "" {
		return sc.Title
	}
	return sc.Name
}

// actionName returns the note of a timeline entry, or what it does: throttle 400/s.
func actionName(sc *model.Scenario, i int) string {
	e := &sc.Timeline[i]
	if e.Note != "" {
		return e.Note
	}
	return actionText(sc, i)
}

// actionText returns what a timeline entry does, as the file spells it.
func actionText(sc *model.Scenario, i int) string {
	e := &sc.Timeline[i]
	get := func(key string) string {
		v, err := sc.Get("timeline." + strconv.Itoa(i) + "." + key)
		if err != nil {
			panic(err) // the entry is there
		}
		return v
	}
	text := e.Action.String()
	switch e.Action {
	case model.Pause:
		return text + " rollout"
	case model.Change:
		for k, a := range e.Change {
			sep := ", "
			if k == 0 {
				sep = " "
			}
			text += sep + a.Path + " = " + a.Value
		}
		return text
	case model.Ramp:
		text = "throttle to"
	}
	if e.Action == model.ThrottleTo || e.Action == model.Ramp {
		text += " " + get(e.Action.String())
	} else {
		text += " " + strconv.FormatFloat(100*e.Value, 'g', 4, 64) + "%"
	}
	if e.Pool != "" {
		text += " of " + e.Pool
	}
	if e.Over > 0 {
		text += " over " + get("over")
	}
	return text
}
