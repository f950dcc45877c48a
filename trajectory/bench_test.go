package trajectory

import (
	"fmt"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// BenchmarkReferenceDay is 14 h with 24 popularity bins and 7 backoff stages, without
// rows; finding the equilibrium it starts from is in it. The default tolerance is 1e-6.
func BenchmarkReferenceDay(b *testing.B) {
	for _, rtol := range []float64{1e-4, 1e-5, 1e-6, 1e-8} {
		b.Run(fmt.Sprint(rtol), func(b *testing.B) { day(b, scenariotest.Compile(b, reference(b, "slack")), rtol) })
	}
}

// BenchmarkBins is the same day with finer popularity bins: the cost is linear in them.
func BenchmarkBins(b *testing.B) {
	for _, bins := range []int{24, 100, 1000} {
		b.Run(fmt.Sprint(bins), func(b *testing.B) {
			sc := reference(b, "slack")
			if err := sc.Set("classes.gdm_members.popularity.bins", fmt.Sprint(bins)); err != nil {
				b.Fatal(err)
			}
			sys, err := sc.Compile()
			if err != nil {
				b.Fatal(err)
			}
			day(b, sys, 1e-6)
		})
	}
}

func day(b *testing.B, sys *model.System, rtol float64) {
	set := &Settings{RTol: rtol, Times: []float64{}}
	var r *Result
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if r, err = Run(sys, set); err != nil || r.Status.Early() {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(float64(r.Stats.Steps), "steps")
	b.ReportMetric(float64(r.Stats.Rejected), "rejected")
	b.ReportMetric(float64(r.Stats.Evals), "evals")
	b.ReportMetric(float64(r.Stats.Factorizations), "factorizations")
}
