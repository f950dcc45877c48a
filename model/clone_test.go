package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// Two clones that are used in turns, in different pieces of the schedule, give what
// each gives alone.
func TestCloneInvariant(t *testing.T) {
	for name := range variants {
		s := compileVariant(t, name)
		y := randomState(t, s, seeded(1), 100) // leaves s within its rollout
		rest := slices.Clone(y[:s.lay.base])
		alone := make([]float64, len(y))
		s.Eval(alone, 100, y)

		c := s.Clone()
		if c.Dim() != c.lay.base {
			t.Errorf("%s: a clone does not start at t = 0", name)
		}
		other, want := make([]float64, c.Dim()), make([]float64, c.Dim())
		c.Eval(want, 0, rest)

		var solutions [2][]float64
		for round := range 2 {
			f, dfdt := make([]float64, len(y)), make([]float64, len(y))
			s.Linearize(dfdt, 100, y)
			if err := s.Factor(2); err != nil {
				t.Fatal(err)
			}
			if round == 1 { // the clone comes between
				c.Linearize(make([]float64, len(rest)), 0, rest)
				if err := c.Factor(0.1); err != nil {
					t.Fatal(err)
				}
				c.Eval(other, 0, rest)
				c.Enter(len(c.breaks)-1, s.Span(), slices.Clone(rest))
				c.Reset()
			}
			x := slices.Clone(y)
			s.Solve(x)
			solutions[round] = x
			s.Eval(f, 100, y)
			if !slices.Equal(f, alone) || s.Dim() != len(y) {
				t.Errorf("%s: Eval changes when a clone is used", name)
			}
		}
		if !slices.Equal(solutions[0], solutions[1]) {
			t.Errorf("%s: Solve changes when a clone is used", name)
		}
		if !slices.Equal(other, want) {
			t.Errorf("%s: the clone's Eval changes when the first system is used", name)
		}
	}
}
