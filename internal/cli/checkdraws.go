package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
)

// overDraws holds each draw to the requirements and adds to the table in how many they hold.
// Broken are those that hold in less than the share of the draws whatever the undecided ones
// are, unclear those for which these matter.
func (f *checkFlags) overDraws(cmd *cobra.Command, at model.Moment, all []*requirement, share float64, t *table) (broken, unclear []string, err error) {
	set := &stability.Settings{Done: cmd.Context().Done()}
	draws, err := overDraws(cmd, f.quiet, f.from, func(sc *model.Scenario) ([]answer, error) {
		sys, err := sc.Compile()
		if err != nil {
			return nil, err
		}
		m := &measured{sc: sc, sys: sys, at: at, over: float64(f.over), set: set}
		var out []answer
		for _, r := range all {
			_, a, err := m.decide(r)
			if errors.Is(err, stability.ErrInterrupted) {
				return nil, err
			}
			out = append(out, a)
		}
		return out, nil
	})
	if err != nil {
		return nil, nil, err
	}
	t.columns = append(t.columns, "draws", "draws_hold", "draws_undecided")
	for i, r := range all {
		hold, undecided, n := 0, 0, len(draws)
		for _, d := range draws {
			switch d[i] {
			case yes:
				hold++
			case open:
				undecided++
			}
		}
		t.rows[i] = append(t.rows[i], float64(n), float64(hold), float64(undecided))
		need := share * float64(n)
		text := fmt.Sprintf("%s: it holds in %d of %d draws, %d undecided, want %s", r.text, hold, n, undecided, percent(share, 1))
		switch {
		case float64(hold+undecided) < need:
			broken = append(broken, text)
		case float64(hold) < need:
			unclear = append(unclear, text)
		}
	}
	return broken, unclear, nil
}
