package calibrate

import "testing"

func BenchmarkPredict(b *testing.B) {
	p, err := Recordings(watched(b, 1), shopParams)
	if err != nil {
		b.Fatal(err)
	}
	f, m := p.New(), make([]float64, 60)
	for b.Loop() {
		if err := f(m, shopTruth); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	p, err := Recordings(watched(b, 1), shopParams)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := New(p, &Settings{Starts: 1, Start: []float64{90, 0.5, 0.8}}); err != nil {
			b.Fatal(err)
		}
	}
}
