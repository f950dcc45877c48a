package cli

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

// A tippingBand is how far the smallest trigger that tips moves over the draws, by value of
// the parameter: infinite where none tips, and where no state is healthy 0, or a factor of 1.
type tippingBand struct {
	lo, mid, hi []float64
	n           []float64 // draws in which it was decided
}

// overDraws finds the triggers of each draw.
func (f *tippingFlags) overDraws(cmd *cobra.Command, from *montecarlo.Sweep, at model.Moment, v *varied, shock stability.Shock, bare bool) (*tippingBand, error) {
	set := &stability.Settings{Done: cmd.Context().Done()}
	lines, err := overDraws(cmd, f.quiet, from, func(sc *model.Scenario) ([]stability.TippingPoint, error) {
		return stability.TippingLine(sc, at, v.Axis, v.n, shock, set, nil)
	})
	b := &tippingBand{}
	for i := range v.n {
		var sizes []float64
		for _, line := range lines {
			switch p := line[i]; {
			case errors.Is(p.Err, stability.ErrNoHealthy):
				sizes = append(sizes, one(bare))
			case p.Err == nil:
				sizes = append(sizes, p.Trigger.Hi)
			}
		}
		lo, mid, hi := bandOf(sizes)
		b.lo, b.mid, b.hi = append(b.lo, lo), append(b.mid, mid), append(b.hi, hi)
		b.n = append(b.n, float64(len(sizes)))
	}
	return b, err
}

// join adds the band to the columns of a table.
func (b *tippingBand) join(t *table, name string) {
	t.columns = append(t.columns, name+"_band_lo", name+"_median", name+"_band_hi", "draws_decided")
	finite := func(x float64) float64 {
		if math.IsInf(x, 1) {
			return math.NaN()
		}
		return x
	}
	for i := range t.rows {
		t.rows[i] = append(t.rows[i], finite(b.lo[i]), finite(b.mid[i]), finite(b.hi[i]), b.n[i])
	}
}

// words says how far the trigger moves in the middle of the range.
func (b *tippingBand) words(v *varied, tr *trigger, draws int) string {
	i := len(b.mid) / 2
	spell := func(x float64) string {
		switch {
		case math.IsInf(x, 1):
			return "none"
		case tr.bare:
			return fmt.Sprintf("%.4g", x)
		}
		return percent(x, 1)
	}
	at := v.Lo + (v.Hi-v.Lo)*float64(i)/float64(v.n-1)
	return fmt.Sprintf("at %s %s, over %.0f of %d draws: the smallest %s that tips is %s, in %s of them from %s to %s",
		v.Path, v.spell(at), b.n[i], draws, tr.noun, spell(b.mid[i]), percent(bandShare, 1), spell(b.lo[i]), spell(b.hi[i]))
}

// swaths are the band as areas, up to the largest trigger there is; none where no trigger
// tips in most draws.
func (b *tippingBand) swaths(v *varied, tr *trigger) (out []plots.Swath) {
	most := 1.0
	if tr.bare {
		most = 2
		for _, x := range b.hi {
			if !math.IsInf(x, 1) && x > most {
				most = x
			}
		}
	}
	var area swathMaker
	for i := range b.lo {
		x := v.Lo + (v.Hi-v.Lo)*float64(i)/float64(v.n-1)
		if b.n[i] == 0 || math.IsInf(b.lo[i], 1) {
			area.end()
			continue
		}
		area.add([2]float64{x, b.lo[i]}, [2]float64{x, min(b.hi[i], most)})
	}
	return area.end()
}
