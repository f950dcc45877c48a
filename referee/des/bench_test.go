package des

import "testing"

// One run of scatters over 16 shards, healthy for 20 s and collapsed for 80 s, on one core.
func BenchmarkScatter(b *testing.B) {
	sc := reference(b, "des-throttle", "duration", "100s")
	events := 0
	for b.Loop() {
		events += simulate(b, sc, Settings{Replications: 1, Workers: 1, Every: 100, Warmup: 10}).Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

// The same without a cache: arrivals at shards alone.
func BenchmarkQueues(b *testing.B) {
	sc := openLoop(b, 0.9, 4, 160, 1, 16)
	events := 0
	for b.Loop() {
		events += simulate(b, sc, Settings{Replications: 1, Workers: 1, Every: 200, Warmup: 10}).Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
