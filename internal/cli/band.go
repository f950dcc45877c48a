package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/plots"
)

// bandShare is the share of the draws that a band holds.
const bandShare = 0.9

// bandFlags are those of a command that says how far its answer moves with the uncertainty.
type bandFlags struct {
	uncertainFlags
	draws int
	seed  uint64
}

func (f *bandFlags) add(cmd *cobra.Command) {
	f.uncertainFlags.add(cmd)
	cmd.Flags().IntVar(&f.draws, "draws", 0, "add the band that holds nine tenths of this `number` of draws of the uncertain parameters (default: 40 with --posterior, else none)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "`seed` of the draws, up to 2^53")
}

// band returns what is drawn from; nil where no band is wanted.
func (f *bandFlags) band(cmd *cobra.Command, sc *model.Scenario) (*montecarlo.Sweep, error) {
	if err := drawsOf(cmd, &f.draws, f.posterior); err != nil {
		return nil, err
	}
	switch {
	case f.draws == 0:
		return nil, nil
	case f.seed > 1<<53:
		return nil, usage("--seed %d: want at most 2^53", f.seed)
	}
	from, err := f.drawn(cmd, sc, f.draws, f.seed)
	if err == nil {
		f.warnOfApart(cmd, sc, from.Joint)
	}
	return from, err
}

// drawsOf gives the number of draws its default and checks it: fewer have no tenth to leave out.
func drawsOf(cmd *cobra.Command, draws *int, posterior string) error {
	const least, most = 10, 100_000
	if posterior != "" && !cmd.Flags().Changed("draws") {
		*draws = 40
	}
	switch {
	case *draws == 0 && posterior != "":
		return usage("--posterior is what --draws N draws from: say how many")
	case *draws != 0 && (*draws < least || *draws > most):
		return usage("--draws %d: want %d to %d", *draws, least, most)
	}
	return nil
}

// facts say how the band was made.
func (f *bandFlags) facts() []fact {
	if f.draws == 0 {
		return nil
	}
	return append(f.uncertainFlags.facts(), fact{"draws", float64(f.draws)}, fact{"seed", float64(f.seed)}, fact{"band", bandShare})
}

// overDraws answers a question for each draw, side by side behind a progress bar, and
// returns what there is of the answers when it is interrupted.
func overDraws[R any](cmd *cobra.Command, quiet bool, from *montecarlo.Sweep, of func(sc *model.Scenario) (R, error)) ([]R, error) {
	pool := &montecarlo.Pool{Done: cmd.Context().Done()}
	if !quiet {
		bar := newProgress(cmd.ErrOrStderr(), float64(from.Draws))
		defer bar.stop()
		pool.Progress = func(done, _ int) { bar.reach(float64(done)) }
	}
	var out []R
	err := montecarlo.Fold(pool, 0, from.Draws, func() struct{} { return struct{}{} }, func(_ struct{}, i int) (R, error) {
		sc, err := from.Draw(0, i)
		if err != nil {
			var none R
			return none, err
		}
		return of(sc)
	}, func(_ int, r R) { out = append(out, r) })
	if errors.Is(err, montecarlo.ErrInterrupted) {
		err = errors.New("interrupted")
	}
	return out, err
}

// bandOf returns the ends and the middle of the band of values, which may be infinite; NaN
// where there are none.
func bandOf(values []float64) (lo, mid, hi float64) {
	if len(values) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	v := slices.Sorted(slices.Values(values))
	at := func(p float64) float64 { return v[min(max(int(math.Ceil(p*float64(len(v))))-1, 0), len(v)-1)] }
	return at((1 - bandShare) / 2), at(0.5), at((1 + bandShare) / 2)
}

// A swathMaker makes areas of the ends of a band, place by place.
type swathMaker struct {
	lo, hi [][2]float64
	done   []plots.Swath
}

func (m *swathMaker) add(lo, hi [2]float64) { m.lo, m.hi = append(m.lo, lo), append(m.hi, hi) }

// end closes an area of two places or more, and returns all there are.
func (m *swathMaker) end() []plots.Swath {
	if len(m.lo) > 1 {
		slices.Reverse(m.hi)
		s := plots.Swath{Name: fmt.Sprintf("%.0f %% of draws", 100*bandShare)}
		for _, p := range append(m.lo, m.hi...) {
			s.X, s.Y = append(s.X, p[0]), append(s.Y, p[1])
		}
		m.done = append(m.done, s)
	}
	m.lo, m.hi = nil, nil
	return m.done
}
