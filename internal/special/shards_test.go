package special

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExactShards: the tables give what the general rule gives, fail to a relative
// 1e−12 and ok to an absolute 1e−13.
func TestExactShards(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, v := range []float64{1, 1.5, 2, 16, 256, 4096, 1e6} {
		s := NewShards(v)
		for range 3000 {
			f, r, _ := randomScatter(rng)
			wantOK, want := Scatter(f, r, v)
			ok, fail := s.Scatter(f, r)
			if !(math.Abs(ok-wantOK) < 1e-13) || !(math.Abs(fail-want) <= 1e-12*want) || ok < 0 {
				t.Errorf("f, r, v = %v, %v, %v: ok = %v, fail = %v; want %v, %v", f, r, v, ok, fail, wantOK, want)
			}
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
				ok, _ := s.Scatter(c.f, c.r)
				sink += ok
			}
		})
	}
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			NewShards(256)
		}
	})
}
