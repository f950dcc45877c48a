package cli

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/recovery"
)

// recoverFigures writes the way home over the hit rate, with the line that it must not
// cross, and the plans tried by time and clients, into a directory.
func recoverFigures(dir string, sc *model.Scenario, s *recovery.Situation, r *recovery.Recovery, set *recovery.Settings) (paths []string, err error) {
	var figures []drawing
	class := slices.IndexFunc(s.Columns(), func(name string) bool { return strings.HasPrefix(name, "hit_rate.") })
	if class >= 0 {
		f, err := wayHomeFigure(sc, s, r, class, set)
		if err != nil {
			return nil, err
		}
		figures = append(figures, drawing{name: "way-home", figure: f})
	}
	if len(r.Tried) > 1 {
		f, err := tradeOffFigure(sc, r)
		if err != nil {
			return nil, err
		}
		figures = append(figures, drawing{name: "trade-off", figure: f})
	}
	for _, f := range figures {
		written, err := writeFigure(f.figure, filepath.Join(dir, sc.Name+"."+f.name), ".svg", ".png", ".csv")
		paths = append(paths, written...)
		if err != nil {
			return paths, err
		}
	}
	return paths, nil
}

// A drawing is a figure with the part of its name that tells it from others.
type drawing struct {
	name   string
	figure plots.Figure
}

func wayHomeFigure(sc *model.Scenario, s *recovery.Situation, r *recovery.Recovery, class int, set *recovery.Settings) (plots.Figure, error) {
	const moments = 60
	edge, err := recovery.Edge(s, r.Plan, moments, set)
	if err != nil {
		return nil, err
	}
	_, name, _ := strings.Cut(s.Columns()[class], ".")
	f := plots.WayHome{Frame: plots.Frame{
		Title:    title(sc) + ": the way home",
		Subtitle: "The throttle over the hit rate as the cache refills, home after " + humanTime(r.Home) + ". Above the line a limit, left there, leads to a relapse.",
		X:        plots.Axis{Label: "hit rate of " + name + " (%)", Column: s.Columns()[class], Scale: plots.Nines},
		Y:        plots.Axis{Label: "limit on admitted boots (1/s)", Column: "limit_per_s", Scale: plots.Log},
	}}
	finite := func(v float64) float64 {
		if math.IsInf(v, 1) {
			return math.NaN()
		}
		return v
	}
	for _, e := range edge {
		if e.Largest == 0 {
			continue // still down: the queues drain
		}
		f.X = append(f.X, e.Row[class])
		f.Limit = append(f.Limit, finite(e.Limit))
		f.Largest = append(f.Largest, finite(e.Largest))
	}
	return plots.NewWayHome(f)
}

func tradeOffFigure(sc *model.Scenario, r *recovery.Recovery) (plots.Figure, error) {
	f := plots.TradeOff{Frame: plots.Frame{
		Title:    title(sc) + ": time home against clients lost",
		Subtitle: "Each point is a plan that comes home without a relapse.",
		X:        plots.Axis{Label: "time to full service (minutes)", Column: "home_min"},
		Y:        plots.Axis{Label: "clients that give up", Column: "lost_clients"},
	}}
	for _, c := range r.Tried {
		f.Choices = append(f.Choices, plots.Choice{X: c.Home / 60, Y: c.Lost, Taken: slices.Equal(c.Plan, r.Plan)})
	}
	return plots.NewTradeOff(f)
}
