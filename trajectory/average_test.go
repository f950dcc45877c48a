package trajectory

import (
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// Means over windows of the boots, which are straight lines from 0.45 at 0 h to 0.35
// at 3 h, 0.5 at 5 h and 0.75 at 6 h, times 3000/s: by hand.
func TestAverage_boots_exact(t *testing.T) {
	const hour = 3600.0
	sys := scenariotest.Compile(t, reference(t, "slack"))
	r := run(t, sys, &Settings{Times: []float64{0, 0.5 * hour, hour, 3.5 * hour, 5.5 * hour}, Average: hour})
	for i, want := range []float64{
		0.45,                              // no window yet: the value
		0.45 - 0.1/3*0.25,                 // cut at the start
		0.45 - 0.1/3*0.5,                  // middle of a line
		0.35 + 0.1/3/8 + 0.15/2/8,         // half an hour on each side of a kink
		0.5 - 0.15/2/8 + 0.25*0.5*0.5*0.5, // likewise: mean of ½·½·slope on either side
	} {
		numtest.Check(t, "boots at "+number(r.Rows[i][0])+" s", r.Rows[i][model.ColBoots], 3000*want, 1e-12, 0)
	}
}

// Windows that overlap, touch and leave gaps: those over parts add up to those over
// the whole.
func TestAverage_windows_invariant(t *testing.T) {
	sys := scenariotest.Compile(t, reference(t, "des-relapse"))
	var times []float64
	for i := range 8 {
		times = append(times, 300*float64(i+1))
	}
	parts := run(t, sys, &Settings{Times: times, Average: 300}).Rows
	pairs := run(t, sys, &Settings{Times: times, Average: 600}).Rows // overlap
	for i := 1; i < len(times); i++ {
		for j := 1; j < len(pairs[i]); j++ {
			numtest.Check(t, "mean", pairs[i][j], (parts[i-1][j]+parts[i][j])/2, 1e-9, 1e-12)
		}
	}
	gaps := run(t, sys, &Settings{Times: []float64{600, 1500, 2400}, Average: 300}).Rows
	for k, i := range []int{1, 4, 7} {
		numtest.CheckSlice(t, "means with gaps", gaps[k], parts[i], 1e-9, 1e-12)
	}
}

// Clients are conserved: those that arrive have booted, wait, or gave up; and a booted
// session lives for 8 h. give_up is 0.05 of the failed attempts.
func TestAverage_conservation_invariant(t *testing.T) {
	sys := scenariotest.Compile(t, reference(t, "slack"))
	end := sys.Span()
	ends := run(t, sys, &Settings{Times: []float64{0, end}, RTol: 1e-8}).Rows
	r := run(t, sys, &Settings{Times: []float64{end}, Average: end, RTol: 1e-8})
	mean := func(column string) float64 { return r.Rows[0][r.index(t, column)] * end }
	growth := func(column string) float64 {
		i := r.index(t, column)
		return ends[1][i] - ends[0][i]
	}
	booted := growth("sessions") + mean("sessions")/(8*3600)
	arrived, attempts := mean("boots_per_s"), mean("attempts_per_s")
	gaveUp := 0.05 * (attempts - booted)
	// The integration conserves clients to its tolerance.
	numtest.Check(t, "booted + gave up + waiting", booted+gaveUp+growth("waiting_clients"), arrived, 1e-7, 0)

	// Lost measures the same by straight lines between the rows of a figure: two digits.
	detail := run(t, sys, &Settings{Times: []float64{0}, Detail: true}).Detail
	numtest.Check(t, "Lost", Lost(detail.Rows), gaveUp, 1e-2, 0)
}
