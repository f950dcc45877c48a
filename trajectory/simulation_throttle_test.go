package trajectory

import (
	"testing"

	"github.com/metastable/metastable/model"
)

// A full flush, a collapse, and a throttle that lets the cache refill: 6 runs with an
// exponential TTL, windows of 120 s. No error is known.
func TestSimulation_throttle_golden(t *testing.T) {
	checkMeans(t, reference(t, "des-throttle"), 120, []mean{
		{column: "hit_rate.q", t: 240, fluid: "0.545", des: 0.5455, se: 0.0009},
		{column: "hit_rate.q", t: 840, fluid: "0.8881", des: 0.8880, se: 0.0003},
		{column: "hit_rate.q", t: 1200, fluid: "0.9348", des: 0.9350, se: 0.0004},
		{column: "hit_rate.q", t: 1800, fluid: "0.9696", des: 0.9696, se: 0.0001},
		{column: "hit_rate.q", t: 2400, fluid: "0.9841", des: 0.9839, se: 0.0002},
		{column: "miss.q", t: 2400, fluid: "0.382", des: 0.385, se: 0.003},
		{column: "waiting_clients", t: 2400, fluid: "86048", des: 86_093, se: 76},
	})
}

// The throttle is lifted at 25 min, all at once: 6 runs with an exponential TTL,
// windows of 20 s. It relapses. No error is known.
func TestSimulation_relapse_golden(t *testing.T) {
	checkMeans(t, reference(t, "des-relapse"), 20, []mean{
		{column: "load.main", t: 1520, fluid: "11.54", des: 11.56, se: 0.03},
		{column: "boot_success", t: 1600, fluid: "0.282", des: 0.281, se: 0.001},
		{column: "waiting_clients", t: 1600, fluid: "46265", des: 46_283, se: 120},
		{column: "boot_success", t: 2400, fluid: "0.213", des: 0.219, se: 0.004},
		{column: "waiting_clients", t: 2400, fluid: "9403", des: 9255, se: 250},
	})
}

// The throttle is lifted in steps: 4 runs with an exponential TTL, windows of 60 s. It
// comes home. The crowd at its peak is 0.4 % small, which three standard errors of
// 4 runs just miss; the last few clients leave 6 % early.
func TestSimulation_home_golden(t *testing.T) {
	checkMeans(t, reference(t, "des-home"), 60, []mean{
		{column: "hit_rate.q", t: 1500, fluid: "0.9650", des: 0.9650, se: 0.0007},
		{column: "hit_rate.q", t: 2100, fluid: "0.9891", des: 0.9887, se: 0.0002},
		{column: "waiting_clients", t: 2100, fluid: "67062", des: 67_321, se: 86, off: 10},
		{column: "hit_rate.q", t: 2700, fluid: "0.9974", des: 0.9974, se: 0.0001},
		{column: "waiting_clients", t: 3000, fluid: "29205", des: 29_259, se: 220},
		{column: "waiting_clients", t: 3600, fluid: "143", des: 152, se: 3, off: 9},
		{column: "boot_success", t: 7200, des: 1, se: 0.0001},
		{column: "waiting_clients", t: 7200, des: 0, se: 0.1},
	})
}

// From 40/s at 100 s to 80/s at 20 min, where the load becomes 1.07: too much. It
// relapses; means over the first minute.
func TestSimulation_largeStep_golden(t *testing.T) {
	sc := reference(t, "des-throttle")
	sc.Timeline = append(sc.Timeline, model.Entry{At: 20 * 60, Action: model.ThrottleTo, Value: 80})
	checkMeans(t, sc, 60, []mean{
		{column: "hit_rate.q", t: 1260, des: 0.9407, se: 0.0001},
		{column: "boot_success", t: 1260, des: 0.255, se: 0.007},
		{column: "load.main", t: 1260, fluid: "1.07", des: 1.07, se: 0.01},
	})
}
