package fixedpoint

import (
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

func BenchmarkNewton(b *testing.B) {
	for _, e := range []numtest.Equilibrium{numtest.Cessi(), numtest.TsodyksMarkram(), numtest.Bratu(31)} {
		p, set := problemOf(e), e.Sets[0]
		b.Run(e.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r, err := Newton(p, set.X[len(set.X)-1], set.P, nil); err != nil || r.Status != Converged {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEquilibria(b *testing.B) {
	for _, e := range []numtest.Equilibrium{numtest.Cessi(), numtest.CSTR(), numtest.Cubic(3)} {
		p, set := problemOf(e), e.Sets[0]
		b.Run(e.Name, func(b *testing.B) {
			for b.Loop() {
				if s, err := Equilibria(p, set.P, Box{e.Lo, e.Hi}, nil); err != nil || len(s.Equilibria) != len(set.X) {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEnumerate(b *testing.B) {
	for _, c := range certifiedMaps() {
		name := c.e.Name
		if c.m.Slope != nil {
			name += " with slopes"
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			evals := 0
			for b.Loop() {
				s, err := Enumerate(c.m, Box{c.e.Lo, c.e.Hi}, nil)
				if err != nil || s.Certainty != Proved {
					b.Fatal(err)
				}
				evals = s.Evals
			}
			b.ReportMetric(float64(evals), "evals")
		})
	}
}
