package cli

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

// A phaseBand is how far one boundary of a map moves over the draws: at values of one
// parameter the band of the other.
type phaseBand struct {
	kind        stability.BoundaryKind
	branch      int // of the crossings of a line, from below
	axis        int // 0: at values of x, 1: at values of y
	at          []float64
	lo, mid, hi []float64
	n           []float64 // draws that the line crosses there as often as the scenario itself
}

// phaseDraws maps each draw.
func (f *phaseFlags) phaseDraws(cmd *cobra.Command, from *montecarlo.Sweep, at model.Moment, x, y *varied) ([]*stability.Phase, error) {
	set := &stability.Settings{Done: cmd.Context().Done()}
	return overDraws(cmd, f.quiet, from, func(sc *model.Scenario) (*stability.Phase, error) {
		d, err := stability.PhaseDiagram(sc, at, x.Axis, y.Axis, set)
		if err != nil && (d == nil || len(d.Boundaries) == 0) {
			return &stability.Phase{}, nil // a draw without a boundary crosses nowhere
		}
		return d, nil
	})
}

// phaseBands returns the bands of the boundaries of d, along the axis over which each
// reaches further; none without draws.
func phaseBands(d *stability.Phase, draws []*stability.Phase, x, y *varied) (out []*phaseBand) {
	if len(draws) == 0 {
		return nil
	}
	var kinds []stability.BoundaryKind
	for i := range d.Boundaries {
		if !slices.Contains(kinds, d.Boundaries[i].Kind) {
			kinds = append(kinds, d.Boundaries[i].Kind)
		}
	}
	for _, kind := range kinds {
		axis := 0
		if reach(d, kind, 0, x) < reach(d, kind, 1, y) {
			axis = 1
		}
		along := []*varied{x, y}[axis]
		branches := map[int]*phaseBand{}
		const places = 61
		for i := range places {
			at := along.Lo + (along.Hi-along.Lo)*float64(i)/(places-1)
			own := crossed(d, kind, axis, at)
			for k := range own {
				if branches[k] == nil {
					branches[k] = &phaseBand{kind: kind, branch: k, axis: axis}
					out = append(out, branches[k])
				}
				branches[k].add(at, k, len(own), draws)
			}
		}
	}
	return out
}

// add appends the band at a value of the axis.
func (b *phaseBand) add(at float64, k, like int, draws []*stability.Phase) {
	var values []float64
	for _, d := range draws {
		if c := crossed(d, b.kind, b.axis, at); len(c) == like {
			values = append(values, c[k])
		}
	}
	lo, mid, hi := bandOf(values)
	b.at, b.n = append(b.at, at), append(b.n, float64(len(values)))
	b.lo, b.mid, b.hi = append(b.lo, lo), append(b.mid, mid), append(b.hi, hi)
}

// crossed returns where a line across the map meets the boundaries of a kind.
func crossed(d *stability.Phase, kind stability.BoundaryKind, axis int, at float64) (out []float64) {
	for _, m := range meets(d, axis, at) {
		if m.kind == kind {
			out = append(out, m.at)
		}
	}
	return out
}

// reach returns the share of an axis over which boundaries of a kind extend.
func reach(d *stability.Phase, kind stability.BoundaryKind, axis int, v *varied) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range d.Boundaries {
		if b := &d.Boundaries[i]; b.Kind == kind {
			u := [][]float64{b.X, b.Y}[axis]
			lo, hi = min(lo, slices.Min(u)), max(hi, slices.Max(u))
		}
	}
	return (hi - lo) / (v.Hi - v.Lo)
}

// bandTable has a row for each place of each band.
func bandTable(bands []*phaseBand, x, y *varied) *table {
	t := &table{label: "boundary", columns: []string{"branch", x.column(), y.column(), "lo", "hi", "along_x", "draws"}}
	for _, b := range bands {
		for i, at := range b.at {
			t.labels = append(t.labels, string(b.kind))
			row := []float64{float64(b.branch + 1), at, b.mid[i], b.lo[i], b.hi[i], one(b.axis == 0), b.n[i]}
			if b.axis == 1 {
				row[1], row[2] = row[2], row[1]
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// explainBands says how far the boundaries move where the system is.
func explainBands(w io.Writer, bands []*phaseBand, x, y *varied, today [2]float64, draws int) {
	axes := []*varied{x, y}
	for _, b := range bands {
		along, across := axes[b.axis], axes[1-b.axis]
		at := along.clampTo(today[b.axis])
		if math.IsNaN(at) {
			continue
		}
		i, _ := slices.BinarySearch(b.at, at)
		if i = min(i, len(b.at)-1); math.Abs(b.at[i]-at) > (along.Hi-along.Lo)/30 {
			continue
		}
		if 2*b.n[i] < float64(draws) {
			fmt.Fprintf(w, "%s at %s %s: in %.0f of %d draws alone\n", b.kind, along.Path, along.spell(b.at[i]), b.n[i], draws)
			continue
		}
		fmt.Fprintf(w, "%s at %s %s: %s %s, %s of draws from %s to %s (%.0f of %d draws)\n",
			b.kind, along.Path, along.spell(b.at[i]), across.Path, across.spell(b.mid[i]), percent(bandShare, 1), across.spell(b.lo[i]), across.spell(b.hi[i]), b.n[i], draws)
	}
}

// swaths are the bands as areas, where at least half of the draws have the boundary.
func swaths(bands []*phaseBand, draws int) []plots.Swath {
	var area swathMaker
	for _, b := range bands {
		for i, at := range b.at {
			if 2*b.n[i] < float64(draws) {
				area.end()
				continue
			}
			lo, hi := [2]float64{at, b.lo[i]}, [2]float64{at, b.hi[i]}
			if b.axis == 1 {
				lo[0], lo[1], hi[0], hi[1] = lo[1], lo[0], hi[1], hi[0]
			}
			area.add(lo, hi)
		}
		area.end()
	}
	return area.end()
}
