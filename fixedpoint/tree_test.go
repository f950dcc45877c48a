package fixedpoint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The groups of random boxes are those of a flood over all pairs.
func TestExactGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for _, n := range []int{1, 2, 3, 5} {
		for range 20 {
			e := &enumeration{EnumSettings: EnumSettings{Tol: 1e-3, Scale: slices.Repeat([]float64{1}, n)}}
			cells := make([]cell, 1+r.IntN(200))
			for i := range cells {
				// cells of a grid, of which some meet at a corner only, and some are moved by half of Tol
				b := Box{make([]float64, n), make([]float64, n)}
				for k := range n {
					b.Lo[k] = float64(r.IntN(1+30/n)) / 40
					b.Hi[k] = b.Lo[k] + float64(1+r.IntN(2))/40
					if r.IntN(4) == 0 {
						b.Hi[k] -= e.Tol / 2
					}
				}
				cells[i].Box = b
			}
			var got []string
			for _, g := range e.groups(cells) {
				got = append(got, names(g))
			}
			slices.Sort(got)
			if want := floods(e, cells); !slices.Equal(got, want) {
				t.Fatalf("%d boxes in %d dimensions: groups\n%v, want\n%v", len(cells), n, got, want)
			}
		}
	}
}

// names are the boxes of a group, in an order of their own.
func names(g []cell) string {
	var all []string
	for _, c := range g {
		all = append(all, fmt.Sprint(c.Box))
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}

func floods(e *enumeration, cells []cell) []string {
	var out []string
	left := slices.Clone(cells)
	for len(left) > 0 {
		group := left[:1:1]
		left = left[1:]
		for k := 0; k < len(group); k++ {
			left = slices.DeleteFunc(left, func(c cell) bool {
				near := e.near(group[k].Box, c.Box)
				if near {
					group = append(group, c)
				}
				return near
			})
		}
		out = append(out, names(group))
	}
	slices.Sort(out)
	return out
}
