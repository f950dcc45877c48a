package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

// writeFigure writes a figure to files that differ in their suffix, and returns their
// paths.
func writeFigure(f plots.Figure, base string, suffixes ...string) ([]string, error) {
	var paths []string
	for _, suffix := range suffixes {
		err := writeFile(base+suffix, func(w io.Writer) error { return drawFigure(f, w, suffix) })
		if err != nil {
			return paths, err
		}
		paths = append(paths, base+suffix)
	}
	return paths, nil
}

// equilibriaFigures writes the return map and the phase portrait into a directory. What
// there is no figure of is among the notes.
func equilibriaFigures(dir string, sc *model.Scenario, sys *model.System, at model.Moment, res *stability.Result, states string, set *stability.Settings) (paths, notes []string, err error) {
	x, y, _ := strings.Cut(states, ",")
	for _, fig := range []struct {
		name string
		make func() (plots.Figure, error)
	}{
		{"return-map", func() (plots.Figure, error) { return returnMapFigure(sc, sys, at, res) }},
		{"portrait", func() (plots.Figure, error) { return portraitFigure(sc, sys, at, x, y, set) }},
	} {
		f, err := fig.make()
		switch {
		case errors.Is(err, stability.ErrNoPlane), errors.Is(err, stability.ErrNoPicture):
			notes = append(notes, fmt.Sprintf("no %s: %s", fig.name, wording(err)))
			continue
		case err != nil:
			return paths, notes, err
		}
		written, err := writeFigure(f, filepath.Join(dir, sc.Name+"."+fig.name), ".svg", ".png", ".csv")
		paths = append(paths, written...)
		if err != nil {
			return paths, notes, err
		}
	}
	return paths, notes, nil
}

// momentText says at which moment a figure is.
func momentText(sys *model.System, at model.Moment) string {
	f := sys.Freeze(at)
	text := human(f.Boots(), 3) + " boots/s"
	if u := f.Throttle(0); u < 1e300 {
		text += ", throttled to " + human(u, 3) + "/s"
	}
	return text
}

func returnMapFigure(sc *model.Scenario, sys *model.System, at model.Moment, res *stability.Result) (plots.Figure, error) {
	p, err := stability.NewPicture(sc, sys, at, res)
	if err != nil {
		return nil, err
	}
	pool := sys.Pools()[p.Pool]
	m := plots.ReturnMap{
		Frame: plots.Frame{
			Title: title(sc) + ": the load that comes back",
			Subtitle: "If pool " + pool + " carried the load below, everything else at rest under it, this load would come back, at " +
				momentText(sys, at) + ". The system rests where the two are the same.",
			X: plots.Axis{Label: "load of " + pool + " / capacity", Column: "load", Scale: plots.Log},
			Y: plots.Axis{Label: "load that comes back / capacity", Column: "load_back", Scale: plots.Log},
		},
		In: p.Load, Out: p.Back,
	}
	least := p.Load[len(p.Load)-1]
	for i, e := range p.Equilibria {
		least = min(least, e.Load)
		m.Equilibria = append(m.Equilibria, plots.MapPoint{Name: stateName(res, i), At: e.Load, Stable: e.Stable})
	}
	m.X.Lo, m.X.Hi = max(least/2, 1e-9), p.Load[len(p.Load)-1]*1.3
	for _, w := range p.Cobwebs {
		m.Cobwebs = append(m.Cobwebs, plots.Cobweb{Name: w.Name, Values: w.Loads})
	}
	return plots.NewReturnMap(m)
}

// stateName tells the equilibria of a moment apart.
func stateName(res *stability.Result, i int) string {
	e := &res.Equilibria[i]
	switch {
	case e == res.Tipping():
		return "tipping point"
	case !e.Stable:
		return "unstable"
	case res.Value(e, "boot_success") >= 0.5:
		return "healthy"
	}
	return "collapsed"
}

func portraitFigure(sc *model.Scenario, sys *model.System, at model.Moment, x, y string, set *stability.Settings) (plots.Figure, error) {
	p, err := stability.NewPortrait(sys, at, x, y, set)
	if err != nil {
		return nil, err
	}
	f := plots.PhasePortrait{Frame: plots.Frame{
		Title: title(sc) + ": which way it goes",
		Subtitle: "All other states are as they would rest given these two (a projection: how long they take to get there is not shown), at " +
			momentText(sys, at) + ". Arrows have one length.",
		X: stateAxis(p.X, p.Log[0]),
		Y: stateAxis(p.Y, p.Log[1]),
	}}
	for _, a := range p.Field {
		f.Field = append(f.Field, plots.Arrow{X: a.At[0], Y: a.At[1], DX: a.Rate[0], DY: a.Rate[1]})
	}
	for i, name := range []string{p.X, p.Y} {
		kind, _, _ := strings.Cut(name, ".")
		f.Nullclines = append(f.Nullclines, planeCurves(p.Nullclines[i], states[kind].short+" stands still")...)
	}
	f.Separatrix = planeCurves(p.Separatrix, "")
	f.Trajectories = planeCurves(p.Trajectories, "")
	for _, s := range p.States {
		kind := plots.UnstableState
		switch {
		case s.Stable:
			kind = plots.StableState
		case s.Saddle:
			kind = plots.SaddleState
		}
		f.States = append(f.States, plots.PortraitState{Name: stateName(p.Result, s.Index), Kind: kind, X: s.At[0], Y: s.At[1]})
	}
	return plots.NewPhasePortrait(f)
}

// states are the kinds of states that a portrait may be of.
var states = map[string]struct {
	short, long string
	log         plots.Scale
	plain       plots.Scale
}{
	"hit_rate":        {"hit rate", "hit rate of %s (%%)", plots.Nines, plots.Percent},
	"in_system":       {"queue", "work at a shard of %s (work units)", plots.Log, plots.Linear},
	"waiting_clients": {"waiting", "clients waiting to retry%s", plots.Log, plots.Linear},
}

// stateAxis is the axis of an observable.
func stateAxis(column string, log bool) plots.Axis {
	kind, of, _ := strings.Cut(column, ".")
	s := states[kind]
	a := plots.Axis{Label: fmt.Sprintf(s.long, of), Column: column, Scale: s.plain}
	if log {
		a.Scale = s.log
	}
	return a
}

func planeCurves(tracks []stability.Track, name string) []plots.Curve {
	var curves []plots.Curve
	for _, t := range tracks {
		curves = append(curves, plots.Curve{Name: name, X: t.X, Y: t.Y})
	}
	return curves
}
