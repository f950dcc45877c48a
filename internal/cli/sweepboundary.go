package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/metastable/metastable/montecarlo"
)

// gridSides returns the numbers of values of the two ranges that a boundary is searched over.
func (f *sweepFlags) gridSides(axes []montecarlo.Axis) ([2]int, error) {
	switch {
	case f.until != "":
		return [2]int{}, usage("--boundary says where runs go, and so does --until: one of them")
	case f.design != "grid" || len(axes) != 2 || axes[0].N == 0 || axes[1].N == 0:
		return [2]int{}, usage("--boundary: want a grid over two ranges, --vary PATH=LO..HI:n twice")
	}
	return [2]int{axes[0].N, axes[1].N}, nil
}

// runBoundary runs where the probability of collapse crosses one half, and returns the
// points seen and where it does. What is done is kept in a directory if that is not empty.
func (f *sweepFlags) runBoundary(cmd *cobra.Command, plan *montecarlo.Plan, s *montecarlo.Sweep, dir string) ([]*montecarlo.PointResult, []fact, error) {
	search, save := &montecarlo.Search{Plan: plan.ID()}, func() error { return nil }
	if dir != "" {
		path := filepath.Join(dir, searchFile)
		if err := readJSON(path, search); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, nil, err
		}
		if search.Plan != plan.ID() {
			return nil, nil, fmt.Errorf("%s is of another sweep (%s, not %s); remove it", path, search.Plan, plan.ID())
		}
		save = func() error { return writeJSON(path, search) }
	}
	pool := &montecarlo.Pool{Workers: f.jobs, Done: cmd.Context().Done()}
	set := &montecarlo.BoundarySettings{Draws: s.Draws}
	stop := func() {}
	if !f.quiet {
		var where atomic.Pointer[string]
		bar := newRunsBar(cmd.ErrOrStderr(), decor.Any(func(decor.Statistics) string {
			if text := where.Load(); text != nil {
				return "  " + *text
			}
			return ""
		}))
		stop = bar.stop
		before := 0
		pool.Progress = func(done, _ int) { bar.reach(before+done, len(s.Points)*s.Draws) }
		set.Watch = func(m *montecarlo.Map) {
			before = m.Total
			text := tellCrossings(s, boundaryAt(s, m))
			where.Store(&text)
		}
	}
	m, err := search.Run(s, pool, plan.Boundary[0], plan.Boundary[1], set, save)
	stop()
	if errors.Is(err, montecarlo.ErrInterrupted) {
		return nil, nil, fmt.Errorf("interrupted after round %d; %s", len(search.Rounds), kept(dir))
	}
	if err != nil {
		return nil, nil, err
	}
	at := boundaryAt(s, m)
	if !f.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s; %s of the runs of the grid\n", tellCrossings(s, at), percent(float64(m.Total)/float64(len(s.Points)*s.Draws), 1))
	}
	x, y := s.Points[0][0].Path, s.Points[0][1].Path
	var lines []string
	for _, c := range at {
		lines = append(lines, fmt.Sprintf("%s=%s %s=%s", x, exact(c[0]), y, exact(c[1])))
	}
	return search.Results, []fact{{"crossing", lines}}, nil
}

// boundaryAt returns the crossings of a map in the units of the parameters.
func boundaryAt(s *montecarlo.Sweep, m *montecarlo.Map) (at [][2]float64) {
	for _, c := range m.Crossings {
		at = append(at, [2]float64{
			between(c[0], func(i int) float64 { return s.Points[i*m.NY][0].X }),
			between(c[1], func(j int) float64 { return s.Points[j][1].X }),
		})
	}
	return at
}

// between returns the value at a place between whole numbers, by a straight line.
func between(at float64, value func(int) float64) float64 {
	i, share := math.Modf(at)
	x := value(int(i))
	if share > 0 {
		x += share * (value(int(i)+1) - x)
	}
	return x
}

// tellCrossings says where the boundary is.
func tellCrossings(s *montecarlo.Sweep, at [][2]float64) string {
	if len(at) == 0 {
		return "no boundary found"
	}
	text := fmt.Sprintf("boundary crossed at %d places", len(at))
	for k, set := range s.Points[0] {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, c := range at {
			lo, hi = min(lo, c[k]), max(hi, c[k])
		}
		text += fmt.Sprintf(", %s %s to %s", set.Path, human(lo, 4), human(hi, 4))
	}
	return text
}
