package special

import (
	"math"
	"testing"
)

var sink float64

// BenchmarkExp is the yardstick of the others: one math.Exp.
func BenchmarkExp(b *testing.B) {
	x := -1.5
	for b.Loop() {
		sink += math.Exp(x)
	}
}

func BenchmarkGammaQ(b *testing.B) {
	for _, c := range []struct {
		name string
		a, x float64
	}{
		{"certain0", 4, 3000},
		{"certain1", 400, 100},
		{"exponential", 1, 16},
		{"taylorQ", 0.7, 1.2},
		{"taylorP", 5, 4},
		{"fractionNear", 0.8, 4},
		{"fractionFar", 1.3, 20},
		{"uniform", 12, 14},
		{"uniformLarge", 1e4, 1.02e4},
		{"extreme", 1e3, 2.5e3},
	} {
		b.Run(c.name+"/value", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				q, _ := GammaQ(c.a, c.x)
				sink += q
			}
		})
		b.Run(c.name+"/grad", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, d, _ := GammaQGrad(c.a, c.x)
				sink += d
			}
		})
	}
}

func BenchmarkScatter(b *testing.B) {
	for _, c := range []struct {
		name    string
		f, r, v float64
	}{
		{"certain", 1e-40, 0.3, 16},
		{"rare", 1e-8, 0.35, 16},
		{"transitional", 0.1, 0.35, 16},
		{"collapsed", 0.9, 0.35, 16},
		{"wide", 0.05, 0.35, 256},
		{"strong", 0.1, 0.9, 16},
		{"extreme", 0.1, 0.99, 1e4},
	} {
		for _, m := range []struct {
			name string
			eval func(f, r, v float64) float64
		}{
			{"exact", func(f, r, v float64) float64 { ok, _ := Scatter(f, 1-f, r, v); return ok }},
			{"exactGrad", func(f, r, v float64) float64 { ok, _, _, _, _ := ScatterGrad(f, 1-f, r, v); return ok }},
		} {
			b.Run(c.name+"/"+m.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sink += m.eval(c.f, c.r, c.v)
				}
			})
		}
	}
}

func BenchmarkZipfBins(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		phi, _ := ZipfBins(20e6, 0.8, 24)
		sink += phi[0]
	}
}
