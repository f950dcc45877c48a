package montecarlo

import (
	"fmt"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

// BenchmarkSlackDay is a draw of the 14 h of the Slack day: what compilation takes of it,
// and all of it, a sweep of 100 on so many workers.
func BenchmarkSlackDay(b *testing.B) {
	sc := scenariotest.Shipped(b, "slack-2022-02-22")
	uncertain, err := Uncertainty(sc)
	if err != nil {
		b.Fatal(err)
	}
	s := &Sweep{Scenario: sc, Points: []Point{nil}, Uncertain: uncertain, Draws: 100, Seed: 1}
	b.Run("draw and compile", func(b *testing.B) {
		for b.Loop() {
			sc, err := s.Draw(0, 0)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := sc.Compile(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Run(&Pool{Workers: workers}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*s.Draws)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// BenchmarkFold is what the order costs: runs that take no time.
func BenchmarkFold(b *testing.B) {
	sum := 0
	err := Fold(nil, 0, b.N, func() int { return 0 }, func(_, i int) (int, error) { return i, nil }, func(_, x int) { sum += x })
	if err != nil || sum != b.N*(b.N-1)/2 {
		b.Fatal(sum, err)
	}
}

func BenchmarkTally(b *testing.B) {
	var t Tally
	x := samples(1000)
	for i := range b.N {
		t.Add(x[i%1000])
	}
}
