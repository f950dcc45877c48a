package trajectory

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// A rollout step that is absorbed: 12 runs with 1,000 nodes, windows of 60 s. At its
// end, after 3 min of refilling, the equations have 1.4 % too many misses.
//
// The independent implementation divides the rate of fills by 1 + ν R here, as
// late_fill does where nothing is refused.
func TestSimulation_absorbedStep_golden(t *testing.T) {
	late12 := []string{"classes.q.popularity.bins", "12", "classes.q.late_fill", "true"}
	late60 := []string{"classes.q.popularity.bins", "60", "classes.q.late_fill", "true"}
	bins60 := []string{"classes.q.popularity.bins", "60"}
	var first, second, des []mean
	for _, c := range []struct {
		t                float64
		bins12, bins60   string // independent implementation
		mean, error, off float64
	}{
		{240, "0.02115", "0.02098", 0.02131, 0.00015, 0},
		{480, "0.04566", "0.04509", 0.04511, 0.00014, 0},
		{720, "0.05775", "0.05698", 0.05696, 0.00027, 0},
		{1020, "0.06580", "0.06497", 0.06449, 0.00020, 0},
		{1200, "0.04117", "0.04065", 0.04010, 0.00012, 0.0003},
	} {
		first = append(first, mean{column: keyMiss, t: c.t, fluid: c.bins12})
		second = append(second, mean{column: keyMiss, t: c.t, fluid: c.bins60})
		des = append(des, mean{column: keyMiss, t: c.t, des: c.mean, se: c.error, off: c.off})
	}
	checkMeans(t, reference(t, "des-rollout-absorbed", late12...), 60, first)
	checkMeans(t, reference(t, "des-rollout-absorbed", late60...), 60, second)
	checkMeans(t, reference(t, "des-rollout-absorbed", bins60...), 60, des)
}

// Few popularity bins overstate the misses at the end of that step, 12 by 1.3 % (same
// source), and the error falls with the square of their width.
func TestSimulation_bins_convergence(t *testing.T) {
	misses := func(bins int) float64 {
		sc := reference(t, "des-rollout-absorbed", "classes.q.popularity.bins", strconv.Itoa(bins))
		r := run(t, scenariotest.Compile(t, sc), &Settings{Times: []float64{1020}, Average: 60})
		return observable(t, r, 0, keyMiss)
	}
	fine := misses(480)
	over := func(bins int) float64 { return misses(bins)/fine - 1 }
	numtest.Check(t, "12 bins", over(12), 0.013, 0, 0.001)
	for _, bins := range []int{12, 24, 48} {
		numtest.Check(t, fmt.Sprint("order at ", bins), over(bins)/over(2*bins), 4, 0.1, 0)
	}
}

// A rollout step that tips, ten times enlarged: 6 runs, windows of 10 s.
//
// The Panjer closure sees time-outs too early just below load 1 (see the ramp), so it
// tips 17 s early; what then grows with the time since is off by what these 17 s make.
// The diffusion law tips 7 s early.
func TestSimulation_step_golden(t *testing.T) {
	for law, means := range map[string][]mean{
		"panjer": {
			{column: "hit_rate.q", t: 700, fluid: "0.8987", des: 0.9072, se: 0.0028, off: 0.0085},
			{column: "boot_success", t: 700, fluid: "0.041", des: 0.056, se: 0.005, off: 0.015},
			{column: "waiting_clients", t: 700, fluid: "55834", des: 45_830, se: 2285, off: 10_004},
			{column: "hit_rate.q", t: 1200, fluid: "0.8832", des: 0.8921, se: 0.0028, off: 0.0089},
			{column: "load.main", t: 1200, fluid: "8.19", des: 7.69, se: 0.16, off: 0.50},
			{column: "waiting_clients", t: 1200, fluid: "263233", des: 239_065, se: 6789, off: 24_168},
		},
		"diffusion": {
			{column: "hit_rate.q", t: 700, fluid: "0.9049", des: 0.9072, se: 0.0028},
			{column: "boot_success", t: 700, fluid: "0.050", des: 0.056, se: 0.005},
			{column: "waiting_clients", t: 700, fluid: "48601", des: 45_830, se: 2285},
			{column: "hit_rate.q", t: 1200, fluid: "0.8894", des: 0.8921, se: 0.0028},
			{column: "load.main", t: 1200, fluid: "7.85", des: 7.69, se: 0.16},
			{column: "waiting_clients", t: 1200, fluid: "246742", des: 239_065, se: 6789},
		},
	} {
		t.Run(law, func(t *testing.T) {
			sc := reference(t, "des-rollout-tips", "pools.main.queue_law", law)
			enlarge(t, sc, 10)
			checkMeans(t, sc, 10, means)
		})
	}
}

// When a step tips: the end of the first window of 10 s with a success below one half.
// At 80/s the system is near the line, and the largest must not tip at all.
//
// A real system tips by its own fluctuations, which the equations average: the
// smaller, the later it tips at 90/s, by 6 % of the time. The Panjer closure adds up to
// 17 s to that, as above; diffusion has 7 s left.
func TestSimulation_tipping_golden(t *testing.T) {
	for _, c := range []struct {
		law         string
		boots, size float64
		fluid       float64 // independent implementation; 0: not known for this law
		des, se     float64 // simulation; 0: did not tip in any of 8 runs
		off         float64
	}{
		{"panjer", 90, 10, 560, 577, 2, 17},
		{"panjer", 90, 1, 0, 468, 9, 28}, // 12 of 12 runs
		{"panjer", 80, 10, 0, 0, 0, 0},
		{"panjer", 80, 3, 0, 725, 15, 17}, // 2 of 8 runs
		{"panjer", 80, 1, 0, 560, 16, 17}, // 8 of 8 runs
		{"diffusion", 90, 10, 570, 577, 2, 7},
		{"diffusion", 90, 1, 440, 468, 9, 28},
		{"diffusion", 80, 10, 0, 0, 0, 0},
		{"diffusion", 80, 3, 700, 725, 15, 0},
		{"diffusion", 80, 1, 550, 560, 16, 0},
	} {
		t.Run(fmt.Sprintf("%s/%gx%g", c.law, c.boots, c.size), func(t *testing.T) {
			sc := reference(t, "des-rollout-tips", "traffic.boots", fmt.Sprint(c.boots, "/s"), "pools.main.queue_law", c.law)
			enlarge(t, sc, c.size)
			r := run(t, scenariotest.Compile(t, sc), &Settings{Every: 10, Average: 10})
			at := 0.0
			for _, row := range r.Rows {
				if row[model.ColSuccess] < 0.5 {
					at = row[model.ColTime]
					break
				}
			}
			numtest.Check(t, "tips", at, c.des, 0, c.off+3*c.se)
			if c.fluid > 0 {
				numtest.Check(t, "tips (independent implementation)", at, c.fluid, 0, 0)
			}
		})
	}
}
