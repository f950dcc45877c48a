package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

type bifurcateFlags struct {
	frozenFlags
	vary string
}

func newBifurcate() *cobra.Command {
	f := &bifurcateFlags{}
	cmd := &cobra.Command{
		Use:   "bifurcate SCENARIO --vary PATH=LO..HI",
		Short: "Follow every state over one parameter, to where it ends",
		Long: `Freezes the scenario at a moment, as equilibria does, and follows every state in which
it rests while one parameter varies: stable ones and those that are not, through the
folds where two of them meet and vanish, and past the Hopf points where one begins to
oscillate. PATH is any number that --set takes, traffic (share of the full rate) or
throttle (limit on admitted boots).

The rows are the points of the branches, one branch after another. The columns: branch
(its number), whole (0 where it could not be followed to its end; what there is of it
is kept), fold and hopf (1 at such a point), the parameter, stable (1 or 0), unstable
(eigenvalues with a positive real part), eigenvalue_per_s and frequency_per_s (of the
largest real part), then those of simulate. --format table and the summary leave out
what is the same throughout.

"certainty: proved" says that at the values in "slices" every state is on a branch;
"searched", that no other was found there. -o DIR also draws the branches
(NAME.bifurcation) and the loop of a parameter that goes slowly up and comes down again
(NAME.hysteresis), as SVG and PNG, the loop as CSV too.`,
		Example: `  metastable bifurcate slack-2022-02-22 --vary traffic=2%..300% --format table
  metastable bifurcate slack-2022-02-22 --vary throttle=100/s..5000/s --at 7h -o out
  metastable bifurcate hotos21-cache --vary pools.database.capacity=100/s..900/s -o branches.csv`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.frozenFlags.add(cmd)
	cmd.Flags().StringVar(&f.vary, "vary", "", "the parameter and its range, as `PATH=LO..HI`")
	return cmd
}

func (f *bifurcateFlags) run(cmd *cobra.Command, arg string) error {
	if f.vary == "" {
		return usage("--vary is missing: want PATH=LO..HI, such as traffic=20%%..100%%")
	}
	out, sc, at, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	v, err := parseAxis(sc, "--vary", f.vary, false)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	set := &stability.Settings{Done: cmd.Context().Done()}
	d, err := stability.Bifurcate(sc, at, v.Axis, set)
	switch {
	case errors.Is(err, stability.ErrAxis):
		return usageError{err}
	case err != nil && (d == nil || len(d.Branches) == 0):
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	t := bifurcationTable(v, d)
	t.meta = append(momentMeta(sc, at, f.set), t.meta...)
	if out.format == textFormat {
		t = toldBranches(t)
	}
	path, writeErr := out.write(t, sc.Name+".bifurcation", err == nil)
	if writeErr != nil {
		return writeErr
	}
	w := cmd.ErrOrStderr()
	for _, warning := range d.Warnings {
		fmt.Fprintln(w, "warning:", wording(warning))
	}
	for i := range d.Branches {
		if b := &d.Branches[i]; b.Err() != nil {
			fmt.Fprintf(w, "warning: branch %d, from %s to %s, is not whole: %s\n", i+1, v.spell(b.Points[0].P), v.spell(b.Points[len(b.Points)-1].P), wording(b.Err()))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: stopped after %s: %w", sc.Name, plural(len(d.Branches), "branch", "branches"), err)
	}
	loop, err := d.Loop(set)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	today, err := v.Today(sc, at)
	if err != nil {
		return err
	}
	written := []string{path}
	if out.dir != "" {
		figures, err := bifurcationFigures(sc, v, d, loop, today)
		if err != nil {
			return err
		}
		for _, fig := range figures {
			suffixes := []string{".svg", ".png", ".csv"}
			if fig.name == "bifurcation" {
				suffixes = suffixes[:2] // its table is the result
			}
			more, err := writeFigure(fig.figure, filepath.Join(out.dir, sc.Name+"."+fig.name), suffixes...)
			if err != nil {
				return err
			}
			written = append(written, more...)
		}
	}
	if !f.quiet {
		explainBranches(w, v, d, loop, today)
		wrote(w, written)
	}
	return nil
}

func bifurcationTable(v *varied, d *stability.Bifurcation) *table {
	t := &table{
		meta:    []fact{{"certainty", d.Certainty.String()}},
		columns: []string{"branch", "whole", "fold", "hopf", v.column(), "stable", "unstable", "eigenvalue_per_s", "frequency_per_s"},
	}
	var slices []string
	for _, p := range d.Slices {
		slices = append(slices, exact(p))
	}
	t.meta = append(t.meta, fact{"slices", slices})
	t.columns = append(t.columns, d.Columns[1:]...) // without the time
	for i := range d.Branches {
		b := &d.Branches[i]
		add := func(pt *stability.BranchPoint, fold, hopf bool) {
			row := []float64{
				float64(i + 1), one(b.Err() == nil), one(fold), one(hopf), pt.P, one(pt.Stable), float64(pt.Unstable),
				real(pt.Leading), math.Abs(imag(pt.Leading)),
			}
			t.rows = append(t.rows, append(row, pt.Row[1:]...))
		}
		special := b.Special
		for k := range b.Points {
			add(&b.Points[k], false, false)
			for ; len(special) > 0 && special[0].After == k; special = special[1:] {
				add(&special[0].BranchPoint, special[0].Kind == fixedpoint.Fold, special[0].Kind == fixedpoint.Hopf)
			}
		}
	}
	return t
}

// toldBranches returns the ends and the special points of the branches, and the columns that people
// want to see.
func toldBranches(t *table) *table {
	short := *t
	short.rows = nil
	for i, row := range t.rows {
		first := i == 0 || t.rows[i-1][0] != row[0]
		last := i == len(t.rows)-1 || t.rows[i+1][0] != row[0]
		if first || last || row[2] != 0 || row[3] != 0 {
			short.rows = append(short.rows, row)
		}
	}
	keep := func(i int, name string) bool {
		return i < 6 || slices.ContainsFunc([]string{"boot_success", "hit_rate.", "load."}, func(p string) bool {
			return len(name) >= len(p) && name[:len(p)] == p
		})
	}
	out := &table{meta: t.meta, rows: make([][]float64, len(short.rows))}
	for i, name := range t.columns {
		if !keep(i, name) {
			continue
		}
		out.columns = append(out.columns, name)
		for k, row := range short.rows {
			out.rows[k] = append(out.rows[k], row[i])
		}
	}
	return out
}

// explainBranches says in words what the diagram shows.
func explainBranches(w io.Writer, v *varied, d *stability.Bifurcation, loop *stability.Loop, today float64) {
	success := slices.Index(d.Columns, "boot_success")
	fmt.Fprintf(w, "%s (%s) with %s from %s to %s\n", plural(len(d.Branches), "branch", "branches"), d.Certainty, v.Path, v.spell(v.Lo), v.spell(v.Hi))
	for i := range d.Branches {
		for _, s := range d.Branches[i].Special {
			what := "two states meet and vanish"
			if s.Kind == fixedpoint.Hopf {
				what = fmt.Sprintf("oscillations of period %s begin", humanTime(2*math.Pi/s.Omega))
			}
			note := ""
			if !s.Converged {
				note = ", located only"
			}
			fmt.Fprintf(w, "%v at %s %s, boot success %s: %s%s\n", s.Kind, v.Path, v.spell(s.P), humanHit(s.Row[success]), what, note)
		}
	}
	for _, s := range []struct {
		name string
		way  []stability.LoopPoint
	}{{"up", loop.Up}, {"down", loop.Down}} {
		for i, pt := range s.way {
			if pt.Jump {
				fmt.Fprintf(w, "slowly %s: at %s the success of boots jumps from %s to %s\n", s.name, v.spell(s.way[i-1].P), humanHit(s.way[i-1].Row[success]), humanHit(pt.Row[success]))
			}
		}
	}
	if math.IsInf(today, 1) || math.IsNaN(today) {
		fmt.Fprintf(w, "today: %s %s\n", v.Path, v.spell(today))
		return
	}
	fmt.Fprintf(w, "today: %s %s, %d of %d states are stable%s\n", v.Path, v.spell(today), crossings(d, today, true), crossings(d, today, false), nextFold(v, d, today))
}

// crossings counts the states at a value of the parameter.
func crossings(d *stability.Bifurcation, p float64, stable bool) (n int) {
	for i := range d.Branches {
		pts := d.Branches[i].Points
		for k := range len(pts) - 1 {
			if (pts[k].P < p) != (pts[k+1].P < p) && (!stable || pts[k].Stable && pts[k+1].Stable) {
				n++
			}
		}
	}
	return n
}

// nextFold says how far the nearest folds are.
func nextFold(v *varied, d *stability.Bifurcation, today float64) (text string) {
	below, above := math.Inf(-1), math.Inf(1)
	for i := range d.Branches {
		for _, s := range d.Branches[i].Special {
			if s.Kind == fixedpoint.Fold && s.P < today {
				below = max(below, s.P)
			} else if s.Kind == fixedpoint.Fold {
				above = min(above, s.P)
			}
		}
	}
	for _, side := range []struct {
		name string
		p    float64
	}{{"below", below}, {"above", above}} {
		if !math.IsInf(side.p, 0) {
			text += fmt.Sprintf("; the next fold %s is at %s, %s times that", side.name, v.spell(side.p), human(side.p/today, 3))
		}
	}
	return text
}

// bifurcationFigures are the diagram, and the loop where there is one.
func bifurcationFigures(sc *model.Scenario, v *varied, d *stability.Bifurcation, loop *stability.Loop, today float64) ([]drawing, error) {
	column := busiest(d)
	y := func(row []float64) float64 {
		if u := row[column]; u > 0 && !math.IsInf(u, 1) {
			return u
		}
		return math.NaN()
	}
	frame := plots.Frame{
		Title:    title(sc),
		Subtitle: fmt.Sprintf("Every state in which the system rests, over %s: solid where it is stable.", v.Path),
		X:        v.axis(),
		Y:        plots.Axis{Label: "offered load over capacity, " + d.Columns[column][len("load."):], Column: d.Columns[column], Scale: plots.Log},
	}
	fig := plots.BifurcationDiagram{Frame: frame, Operating: operating(v, today)}
	for i := range d.Branches {
		var b plots.Branch
		for _, pt := range d.Branches[i].Points {
			b.X, b.Y, b.Stable = append(b.X, v.clampTo(pt.P)), append(b.Y, y(pt.Row)), append(b.Stable, pt.Stable)
		}
		fig.Branches = append(fig.Branches, b)
		for _, s := range d.Branches[i].Special {
			if u := y(s.Row); !math.IsNaN(u) {
				fig.Points = append(fig.Points, plots.SpecialPoint{Kind: pointKinds[s.Kind], Name: v.spell(s.P), X: v.clampTo(s.P), Y: u})
			}
		}
	}
	diagram, err := plots.NewBifurcationDiagram(fig)
	if err != nil {
		return nil, err
	}
	figures := []drawing{{name: "bifurcation", figure: diagram}}
	if len(loop.Up) < 2 || len(loop.Down) < 2 {
		return figures, nil
	}
	frame.Subtitle = fmt.Sprintf("%s goes slowly up and comes down again.", v.Path)
	h := plots.HysteresisLoop{Frame: frame, Operating: operating(v, today)}
	for _, s := range []struct {
		way []stability.LoopPoint
		to  *plots.Sweep
	}{{loop.Up, &h.Up}, {loop.Down, &h.Down}} {
		for _, pt := range s.way {
			u := y(pt.Row)
			if math.IsNaN(u) {
				continue
			}
			if n := len(s.to.X); pt.Jump && n > 0 { // at a value, to a point of its own there
				s.to.Jumps = append(s.to.Jumps, n-1)
				s.to.X, s.to.Y = append(s.to.X, s.to.X[n-1]), append(s.to.Y, u)
			}
			s.to.X, s.to.Y = append(s.to.X, v.clampTo(pt.P)), append(s.to.Y, u)
		}
	}
	hysteresis, err := plots.NewHysteresisLoop(h)
	if err != nil {
		return figures, err
	}
	return append(figures, drawing{name: "hysteresis", figure: hysteresis}), nil
}

// pointKinds are the kinds of points as figures name them.
var pointKinds = map[fixedpoint.Kind]plots.PointKind{
	fixedpoint.Fold: plots.Fold, fixedpoint.Hopf: plots.Hopf, fixedpoint.Cusp: plots.Cusp,
	fixedpoint.BogdanovTakens: plots.BogdanovTakens, fixedpoint.ZeroHopf: plots.ZeroHopf,
}

// busiest returns the column of the load that is highest on the branches.
func busiest(d *stability.Bifurcation) (column int) {
	most := math.Inf(-1)
	for i, name := range d.Columns {
		if len(name) < 5 || name[:5] != "load." {
			continue
		}
		for _, b := range d.Branches {
			for _, pt := range b.Points {
				if pt.Row[i] > most {
					most, column = pt.Row[i], i
				}
			}
		}
	}
	return column
}

// operating is today's value in a figure over one parameter; nil outside the range.
func operating(v *varied, today float64) *plots.Operating {
	if !(today >= v.Lo && today <= v.Hi) {
		return nil
	}
	return &plots.Operating{X: today, Y: math.NaN()}
}

func (v *varied) clampTo(p float64) float64 { return min(max(p, v.Lo), v.Hi) }
