package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

type phaseFlags struct {
	frozenFlags
	bandFlags
	x, y string
}

func newPhase() *cobra.Command {
	f := &phaseFlags{}
	cmd := &cobra.Command{
		Use:   "phase SCENARIO --x PATH=LO..HI --y PATH=LO..HI",
		Short: "Map where the system is always safe, metastable or certain to fail",
		Long: `Freezes the scenario at a moment, as equilibria does, and maps over two parameters
where it is always safe (it comes home from anywhere), metastable (a trigger tips it),
certain to fail (the only state is collapsed) or restless (it oscillates). The
boundaries are not read off a grid but followed as curves: folds, where a state meets
the tipping point and vanishes, and where less than half of the boots begin to succeed.

PATH is any number that --set takes, traffic (share of the full rate), throttle (limit
on admitted boots), or flush on one axis: the share of the cache's content lost at one
instant. Then the regions are absorbed, tips and certain to fail, and the boundary is
the largest flush from which the system comes home.

The rows are the points of the boundaries: boundary (its number; the head says what
each is), whole (0 where it could not be followed to its end), and the two parameters.
-o DIR writes them to NAME.phase.csv, the map with its regions and special points to
NAME.map.csv, and draws it as NAME.map.svg and NAME.map.png.

--draws N maps N draws of the uncertain parameters as well, or of a --posterior, and says
how far the boundaries move: nine tenths of the draws lie in the band. The rows are then
those of all draws, with the column draw in front (0: the scenario itself), and -o DIR
writes NAME.band.csv: boundary, branch (a line across the map may meet it more than once),
a point of the median, lo and hi along the other axis, along_x (1: of y at values of x, 0:
of x at values of y), and how many draws meet it there as often as the scenario does.`,
		Example: `  metastable phase slack-2022-02-22 --x traffic=2%..300% --y throttle=50/s..8000/s -o out
  metastable phase hotos21-cache --x traffic=10%..150% --y flush=0%..100% -o out
  metastable phase wikimedia-2020-02-04 --x traffic=10%..150% --y throttle=50/s..5000/s --draws 10 -o out
  metastable phase msf-replicated-db --x traffic=10%..150% --y pools.paxos.capacity=300/s..1500/s --format table`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.frozenFlags.add(cmd)
	f.bandFlags.add(cmd)
	cmd.Flags().StringVar(&f.x, "x", "", "the horizontal parameter and its range, as `PATH=LO..HI`")
	cmd.Flags().StringVar(&f.y, "y", "", "the vertical one, as `PATH=LO..HI`")
	return cmd
}

func (f *phaseFlags) run(cmd *cobra.Command, arg string) error {
	if f.x == "" || f.y == "" {
		return usage("--x and --y are wanted, each PATH=LO..HI, such as --x traffic=20%%..100%% --y throttle=50/s..5000/s")
	}
	out, sc, at, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	x, err := parseAxis(sc, "--x", f.x, true)
	if err != nil {
		return err
	}
	y, err := parseAxis(sc, "--y", f.y, true)
	if err != nil {
		return err
	}
	from, err := f.band(cmd, sc)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	d, err := f.diagram(cmd, sc, at, x, y)
	switch {
	case errors.Is(err, stability.ErrAxis):
		return usageError{err}
	case err != nil && (d == nil || len(d.Boundaries) == 0):
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	var draws []*stability.Phase
	if err == nil && from != nil {
		draws, err = f.phaseDraws(cmd, from, at, x, y)
	}
	t := phaseTable(x, y, d, draws)
	t.meta = slices.Concat(momentMeta(sc, at, f.set), f.facts(), t.meta)
	path, writeErr := out.write(t, sc.Name+".phase", err == nil)
	if writeErr != nil {
		return writeErr
	}
	w := cmd.ErrOrStderr()
	for _, warning := range d.Warnings {
		fmt.Fprintln(w, "warning:", wording(warning))
	}
	if err != nil {
		return fmt.Errorf("%s: stopped after %d boundaries and %d draws: %w", sc.Name, len(d.Boundaries), len(draws), err)
	}
	var today [2]float64
	for i, v := range []*varied{x, y} {
		if today[i], err = v.Today(sc, at); err != nil {
			return err
		}
	}
	written, bands := []string{path}, phaseBands(d, draws, x, y)
	if out.dir != "" {
		if from != nil {
			t := bandTable(bands, x, y)
			t.meta = append(momentMeta(sc, at, f.set), f.facts()...)
			path, err := out.write(t, sc.Name+".band", true)
			if err != nil {
				return err
			}
			written = append(written, path)
		}
		fig, err := phaseFigure(sc, x, y, d, today, swaths(bands, len(draws)))
		if err != nil {
			return err
		}
		more, err := writeFigure(fig, filepath.Join(out.dir, sc.Name+".map"), ".svg", ".png", ".csv")
		if err != nil {
			return err
		}
		written = append(written, more...)
	}
	if !f.quiet {
		explainPhase(w, x, y, d, today)
		explainBands(w, bands, x, y, today, len(draws))
		wrote(w, written)
	}
	return nil
}

// diagram draws the diagram of the scenario behind a progress bar.
func (f *phaseFlags) diagram(cmd *cobra.Command, sc *model.Scenario, at model.Moment, x, y *varied) (*stability.Phase, error) {
	set := &stability.Settings{Done: cmd.Context().Done()}
	if !f.quiet {
		bar := newProgress(cmd.ErrOrStderr(), 1)
		defer bar.stop()
		set.Progress = bar.reach
	}
	return stability.PhaseDiagram(sc, at, x.Axis, y.Axis, set)
}

// phaseTable has the boundaries of the scenario, and of the draws if there are any.
func phaseTable(x, y *varied, d *stability.Phase, draws []*stability.Phase) *table {
	t := &table{
		meta:    []fact{{"certainty", d.Certainty.String()}},
		columns: []string{"boundary", "whole", x.column(), y.column()},
	}
	for i := range d.Boundaries {
		b := &d.Boundaries[i]
		t.meta = append(t.meta, fact{fmt.Sprintf("boundary.%d", i+1), string(b.Kind)})
	}
	for k, d := range append([]*stability.Phase{d}, draws...) {
		for i := range d.Boundaries {
			b := &d.Boundaries[i]
			for j := range b.X {
				row := []float64{float64(i + 1), one(b.Err() == nil), b.X[j], b.Y[j]}
				if len(draws) > 0 {
					row = append([]float64{float64(k)}, row...)
				}
				t.rows = append(t.rows, row)
			}
		}
	}
	if len(draws) > 0 {
		t.columns = append([]string{"draw"}, t.columns...)
	}
	for _, p := range d.Points {
		t.meta = append(t.meta, fact{p.Kind.String(), exact(p.X) + ", " + exact(p.Y)})
	}
	return t
}

// regions in the order in which they are told.
var regions = []struct {
	verdict stability.Verdict
	text    string
}{
	{stability.AlwaysSafe, "it comes home from anywhere"},
	{stability.Absorbed, "it comes home"},
	{stability.Metastable, "a trigger can tip it, and it stays down"},
	{stability.Tips, "it goes down, and stays down"},
	{stability.CertainToFail, "the only state is collapsed"},
	{stability.Restless, "it rests nowhere"},
}

// explainPhase says in words what the map shows.
func explainPhase(w io.Writer, x, y *varied, d *stability.Phase, today [2]float64) {
	area := map[stability.Verdict]float64{}
	for _, c := range d.Cells {
		area[c.Verdict] += (c.X[1] - c.X[0]) * (c.Y[1] - c.Y[0])
	}
	for i := range d.Pieces {
		area[d.Pieces[i].Verdict] += d.Pieces[i].Area()
	}
	for _, r := range regions {
		if area[r.verdict] > 0 {
			fmt.Fprintf(w, "%s: %s of the map; %s\n", r.verdict, percent(area[r.verdict], (x.Hi-x.Lo)*(y.Hi-y.Lo)), r.text)
		}
	}
	for i := range d.Boundaries {
		b := &d.Boundaries[i]
		n := len(b.X) - 1
		note := ""
		if err := b.Err(); err != nil {
			note = " (not whole: " + wording(err) + ")"
		}
		fmt.Fprintf(w, "%s: from %s, %s to %s, %s%s\n", b.Kind, x.spell(b.X[0]), y.spell(b.Y[0]), x.spell(b.X[n]), y.spell(b.Y[n]), note)
	}
	for _, p := range d.Points {
		fmt.Fprintf(w, "%v at %s, %s\n", p.Kind, x.spell(p.X), y.spell(p.Y))
	}
	at := [2]float64{x.clampTo(today[0]), y.clampTo(today[1])}
	fmt.Fprintf(w, "today: %s\n", operatingText(x, y, d, today, at))
}

// operatingText says where the system is and how far it is to the boundaries along each axis.
func operatingText(x, y *varied, d *stability.Phase, today, at [2]float64) string {
	text, here := "", [2]float64{math.NaN(), math.NaN()}
	for i, v := range []*varied{x, y} {
		if v.Path == stability.FlushAxis {
			continue
		}
		note := ""
		if today[i] != at[i] {
			note = " (outside the map)"
		} else {
			here[i] = at[i]
		}
		text += fmt.Sprintf("%s %s%s, ", v.Path, v.spell(today[i]), note)
	}
	switch {
	case math.IsNaN(today[0]) || math.IsNaN(today[1]):
		text = text[:len(text)-2]
	case here == at:
		text += string(d.At(at[0], at[1]))
	default:
		text += fmt.Sprintf("%s at the edge of the map", d.At(at[0], at[1]))
	}
	for i, v := range []*varied{x, y} {
		other := 1 - i
		if math.IsNaN(at[other]) {
			continue
		}
		for _, c := range meets(d, other, at[other]) {
			if v.Path == stability.FlushAxis || c.at != at[i] {
				text += fmt.Sprintf("; %s at %s %s", c.kind, v.Path, v.spell(c.at))
			}
		}
	}
	return text
}

// A meeting is where a line across the map meets a boundary.
type meeting struct {
	kind stability.BoundaryKind
	at   float64
}

// meets returns where the line on which axis k (0: x) has a value meets the boundaries.
func meets(d *stability.Phase, k int, value float64) (out []meeting) {
	for i := range d.Boundaries {
		b := &d.Boundaries[i]
		u, w := b.X, b.Y
		if k == 1 {
			u, w = b.Y, b.X
		}
		for j := range len(u) - 1 {
			if (u[j] < value) != (u[j+1] < value) {
				out = append(out, meeting{b.Kind, w[j] + (value-u[j])/(u[j+1]-u[j])*(w[j+1]-w[j])})
			}
		}
	}
	slices.SortFunc(out, func(a, b meeting) int { return cmp.Compare(a.at, b.at) })
	return out
}

// phaseFigure is the map.
func phaseFigure(sc *model.Scenario, x, y *varied, d *stability.Phase, today [2]float64, bands []plots.Swath) (plots.Figure, error) {
	fig := plots.PhaseDiagram{Frame: plots.Frame{
		Title:    title(sc),
		Subtitle: fmt.Sprintf("What the system does over %s and %s.", x.Path, y.Path),
		X:        x.axis(), Y: y.axis(),
	}, Swaths: bands}
	for _, c := range d.Cells {
		fig.Cells = append(fig.Cells, plots.Cell{Verdict: string(c.Verdict), X: c.X, Y: c.Y})
	}
	for _, p := range d.Pieces {
		fig.Regions = append(fig.Regions, plots.Region{Verdict: string(p.Verdict), X: p.X, Y: p.Y})
	}
	for _, b := range d.Boundaries { // one curve a kind, with gaps
		i := slices.IndexFunc(fig.Boundaries, func(c plots.Curve) bool { return c.Name == string(b.Kind) })
		if i < 0 {
			i = len(fig.Boundaries)
			fig.Boundaries = append(fig.Boundaries, plots.Curve{Name: string(b.Kind)})
		} else {
			fig.Boundaries[i].X, fig.Boundaries[i].Y = append(fig.Boundaries[i].X, b.X[0]), append(fig.Boundaries[i].Y, math.NaN())
		}
		fig.Boundaries[i].X, fig.Boundaries[i].Y = append(fig.Boundaries[i].X, b.X...), append(fig.Boundaries[i].Y, b.Y...)
	}
	for _, p := range d.Points {
		fig.Points = append(fig.Points, plots.SpecialPoint{Kind: pointKinds[p.Kind], X: p.X, Y: p.Y})
	}
	fig.Operating = operatingPoint(x, y, today)
	return plots.NewPhaseDiagram(fig)
}

// operatingPoint is where the system is; without a throttle it is beyond the end of its axis.
// Nil outside of the map.
func operatingPoint(x, y *varied, today [2]float64) *plots.Operating {
	name := ""
	for i, v := range []*varied{x, y} {
		if math.IsInf(today[i], 1) {
			today[i], name = v.Hi, "today: "+v.Path+" none"
		}
		if !(today[i] >= v.Lo && today[i] <= v.Hi) {
			return nil
		}
	}
	return &plots.Operating{Name: name, X: today[0], Y: today[1]}
}
