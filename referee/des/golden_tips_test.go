package des

import (
	"fmt"
	"math"
	"testing"

	"github.com/metastable/metastable/model"
)

// A rollout step that tips, 25 % of the nodes in 10 min. When: the end of the first window of
// 10 s with a success below one half, in how many of the runs, and what is left then. Larger systems
// fluctuate less: at 80/s the largest does not tip.
func TestGolden_tips(t *testing.T) {
	for _, c := range []struct {
		boots, size float64
		runs        int
		tipped, of  int     // of the other simulator
		at, se      float64 // s
		figures     []figure
		long        bool
	}{
		{90, 1, 12, 12, 12, 468, 9, nil, false},
		{80, 1, 8, 8, 8, 560, 16, nil, true},
		{80, 3, 8, 2, 8, 725, 15, nil, true},
		{80, 10, 8, 0, 8, 0, 0, nil, true},
		{90, 10, 6, 6, 6, 577, 2, []figure{
			{700, "hit_rate.q", 0.9072, 0.0028},
			{700, "boot_success", 0.056, 0.005},
			{700, "waiting_clients", 45830, 2285},
			{1200, "hit_rate.q", 0.8921, 0.0028},
			{1200, "load.main", 7.69, 0.16},
			{1200, "waiting_clients", 239065, 6789},
		}, true},
	} {
		t.Run(fmt.Sprintf("%g per second, %g times", c.boots, c.size), func(t *testing.T) {
			if c.long && !*long {
				t.Skip("takes long: -long")
			}
			sc := reference(t, "des-rollout-tips", "traffic.boots", fmt.Sprint(c.boots, "/s"))
			enlarge(t, sc, c.size)
			if c.figures == nil {
				sc.Duration = 900
			}
			if !*long {
				sc.Duration, c.runs = 600, 4
			}
			r := simulate(t, sc, Settings{Replications: c.runs, Every: 10, Seed: 3, Jitter: ExponentialJitter})
			at := tips(r)
			t.Logf("%d of %d tip, other simulator %d of %d", len(at), c.runs, c.tipped, c.of)
			shares(t, "tip", float64(len(at)), float64(c.tipped), float64(c.runs), float64(c.of))
			if mean, se := meanOf(at); len(at) > 1 && c.tipped > 0 {
				t.Logf("at %.4g ± %.2g s, other simulator %g ± %g", mean, se, c.at, c.se)
				few := c.se * math.Sqrt(float64(c.tipped)/float64(len(at))) // one's own error, by their deviation
				within(t, "time to tip", mean, max(se, few), c.at, c.se, 3)
			}
			for _, f := range c.figures {
				got, se := r.at(t, f.t, f.column)
				t.Logf("%s at %g s: %.6g ± %.2g, other simulator %g ± %.2g", f.column, f.t, got, se, f.mean, f.se)
				within(t, fmt.Sprintf("%s at %g s", f.column, f.t), got, se*widen(c.runs), f.mean, f.se, 3)
			}
		})
	}
}

// tips returns when each run tipped that did: the end of the first window in which fewer than half
// of the boots succeed.
func tips(r *Result) (at []float64) {
	for _, rows := range r.Runs {
		for _, row := range rows {
			if row[4] < 0.5 {
				at = append(at, row[0])
				break
			}
		}
	}
	return at
}

func meanOf(x []float64) (mean, se float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / (n * (n - 1)))
}

// shares fails when two counts of so many are more than 3 standard errors of their
// difference apart.
func shares(t testing.TB, name string, a, b, ofA, ofB float64) {
	t.Helper()
	both := (a + b) / (ofA + ofB)
	within(t, "share that "+name, a/ofA, 0, b/ofB, math.Sqrt(max(both*(1-both), 0.05)*(1/ofA+1/ofB)), 3)
}

// How many of 20 runs tip after a flush of a share of the keys: success below one half 360 s
// later, and 145 s later where each key is fetched on its own in the larger system. Each share, and
// all of them together, whose sum moves with the share that tips half of the runs.
func TestGolden_flush(t *testing.T) {
	if !*long {
		t.Skip("takes long: -long")
	}
	const runs = 20
	type point struct{ share, tipped float64 }
	for _, c := range []struct {
		fetch      string
		size, span float64
		points     []point
	}{
		{"all", 1, 360, []point{{0.026, 0.10}, {0.028, 0.15}, {0.030, 0.55}, {0.032, 1}}},
		{"missing", 1, 360, []point{{0.34, 0.10}, {0.36, 0.38}, {0.37, 0.45}, {0.38, 0.75}, {0.39, 0.95}}},
		{"missing", 1, 145, []point{{0.36, 0.45}, {0.37, 0.60}, {0.38, 0.75}}},
		{"missing", 10, 145, []point{{0.41, 0}, {0.415, 0.25}, {0.42, 0.40}, {0.425, 0.65}, {0.43, 0.90}}},
		{"all", 10, 360, []point{{0.030, 0.05}, {0.032, 0.45}, {0.034, 1}}},
	} {
		t.Run(fmt.Sprintf("%s, %g times, %g s", c.fetch, c.size, c.span), func(t *testing.T) {
			ours, theirs := 0.0, 0.0
			for _, p := range c.points {
				sc := reference(t, "des-base", "classes.q.fetch", c.fetch)
				enlarge(t, sc, c.size)
				sc.Duration = 20 + c.span
				sc.Timeline = []model.Entry{{At: 20, Action: model.Flush, Value: p.share}}
				got := float64(collapsed(simulate(t, sc, Settings{Replications: runs, Every: 5, Seed: 1, Jitter: ExponentialJitter})))
				t.Logf("flush of %g: %g tip, other simulator %g", p.share, got/runs, p.tipped)
				shares(t, fmt.Sprintf("tips after a flush of %g", p.share), got, p.tipped*runs, runs, runs)
				ours, theirs = ours+got, theirs+p.tipped*runs
			}
			n := float64(runs * len(c.points))
			shares(t, "tips at all sizes", ours, theirs, n, n)
		})
	}
}
