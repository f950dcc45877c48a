package special

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestConvergenceShards: the Gauss rules give what the trapezoidal rule of the other
// integral gives: ok to 1e−13, fail to a relative 2e−9 or an absolute 1e−18, and
// derivatives to 1e−9 of themselves (1e−6 in the tails of f) or 1e−11.
func TestConvergenceShards(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, v := range []float64{1.5, 2, 4, 16, 64, 256, 4096, 1e5, 1e6} {
		s := NewShards(v)
		served := 0
		for range 20000 {
			f, r, _ := randomScatter(rng)
			if l, _ := s.rule(f, 1-f, r); l != nil {
				served++
			}
			_, _, wantF, wantR, _ := ScatterGrad(f, 1-f, r, v)
			wantOK, want := Scatter(f, 1-f, r, v)
			ok, fail := s.Scatter(f, 1-f, r)
			slack := 1e-18
			if v*f >= 0.5 {
				slack = 1e-14 // there the trapezoidal rule sums ok, and 1 − ok rounds
			}
			if !(math.Abs(ok-wantOK) < 1e-13) || !(math.Abs(fail-want) <= 2e-9*want+slack) || ok < 0 {
				t.Errorf("f, r, v = %v, %v, %v: ok = %v, fail = %v; want %v, %v", f, r, v, ok, fail, wantOK, want)
			}
			gok, gfail, df, dr := s.ScatterGrad(f, 1-f, r)
			if gok != ok || gfail != fail {
				t.Errorf("f, r, v = %v, %v, %v: value %v, %v, with gradient %v, %v", f, r, v, ok, fail, gok, gfail)
			}
			tol := 1e-9
			if min(f, 1-f) < 1e-9 {
				tol = 1e-6
			}
			for i, d := range [2][2]float64{{df, wantF}, {dr, wantR}} {
				if !(math.Abs(d[0]-d[1]) <= tol*math.Abs(d[1])+1e-11) {
					t.Errorf("f, r, v = %v, %v, %v: derivative %d is %v, want %v", f, r, v, i, d[0], d[1])
				}
			}
		}
		if served < 4000 {
			t.Errorf("v = %v: a Gauss rule serves %d of 20000", v, served)
		}
	}
}

func BenchmarkShards(b *testing.B) {
	s := NewShards(256)
	for _, c := range []struct {
		name string
		f, r float64
	}{{"rare", 1e-8, 0.3}, {"transitional", 0.3, 0.35}, {"collapsed", 0.98, 0.1}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ok, _ := s.Scatter(c.f, 1-c.f, c.r)
				sink += ok
			}
		})
	}
	b.Run("rules", func(b *testing.B) {
		for b.Loop() {
			NewShards(256)
		}
	})
}
