package telemetry

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

func series(name string, tv ...float64) Series {
	s := Series{Info: Info{Name: name, Column: name}}
	for i := 0; i < len(tv); i += 2 {
		s.T, s.V = append(s.T, tv[i]), append(s.V, tv[i+1])
	}
	s.Cells, s.Samples = len(s.T), len(s.T)
	return s
}

// Rates by hand.
func TestRate_exact(t *testing.T) {
	for _, c := range []struct {
		name     string
		counters []Series
		step     float64
		t, v     []float64
		did      Rated
	}{
		{
			"even growth",
			[]Series{series("a", 0, 100, 10, 120, 20, 140)},
			10,
			[]float64{0, 10},
			[]float64{2, 2},
			Rated{},
		},
		{
			"zero stays zero",
			[]Series{series("a", 0, 7, 10, 7, 20, 7)},
			10,
			[]float64{0, 10},
			[]float64{0, 0},
			Rated{},
		},
		{ // 30 is all that is left of what it counted since
			"reset",
			[]Series{series("a", 0, 100, 10, 150, 20, 30, 30, 60)},
			10,
			[]float64{0, 10, 20},
			[]float64{5, 3, 3},
			Rated{Resets: 1},
		},
		{ // b takes over from a: its first 40 were counted between 10 and 20
			"replaced",
			[]Series{series("a", 0, 100, 10, 150), series("b", 20, 40, 30, 90)},
			10,
			[]float64{0, 10, 20},
			[]float64{5, 4, 5},
			Rated{Started: 1},
		},
		{ // seen once, at 20
			"a single sample",
			[]Series{series("a", 0, 0, 10, 0, 20, 0), series("b", 20, 60)},
			10,
			[]float64{0, 10},
			[]float64{0, 6},
			Rated{Started: 1},
		},
		{ // 10 to 40 is a gap: 90 are not in any rate
			"gap",
			[]Series{series("a", 0, 0, 10, 20, 40, 110, 50, 130, 60, 150)},
			10,
			[]float64{0, 40, 50},
			[]float64{2, 2, 2},
			Rated{Gaps: 1, Left: 90, Unknown: 3},
		},
		{ // a gap of one makes the sum unknown
			"gap of one",
			[]Series{series("a", 0, 0, 10, 20, 40, 110, 50, 130, 60, 150), series("b", 0, 0, 10, 1, 20, 2, 30, 3, 40, 4, 50, 5, 60, 6)},
			10,
			[]float64{0, 40, 50},
			[]float64{2.1, 2.1, 2.1},
			Rated{Gaps: 1, Left: 90, Unknown: 3},
		},
		{ // scraped at 3, 13, 23: bins get their part, the first and the last over 7 s and 3 s
			"off the grid",
			[]Series{series("a", 3, 0, 13, 10, 23, 40)},
			10,
			[]float64{0, 10, 20},
			[]float64{1, 0.3*1 + 0.7*3, 3},
			Rated{},
		},
		{
			"wider bins",
			[]Series{series("a", 0, 0, 10, 10, 20, 40, 30, 40, 40, 60)},
			20,
			[]float64{0, 20},
			[]float64{2, 1},
			Rated{},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, did, err := Rate("reads_total", c.counters, c.step)
			if err != nil {
				t.Fatal(err)
			}
			c.did.Step, c.did.Counters = c.step, len(c.counters)
			if did != c.did {
				t.Errorf("did %+v, want %+v", did, c.did)
			}
			near := func(a, b float64) bool { return numtest.Close(a, b, 5e-13, 5e-13) }
			if !slices.Equal(s.T, c.t) || !slices.EqualFunc(s.V, c.v, near) {
				t.Errorf("%v at %v, want %v at %v", s.V, s.T, c.v, c.t)
			}
			if s.Unit != "1/s" || s.Name != "reads_total" {
				t.Errorf("%q in %q", s.Name, s.Unit)
			}
		})
	}
}

func TestRate_refused_exact(t *testing.T) {
	good := series("a", 0, 0, 10, 1)
	for _, c := range []struct {
		counters []Series
		step     float64
		want     string
	}{
		{[]Series{good}, 0, "want above 0"},
		{[]Series{good}, math.NaN(), "want above 0"},
		{[]Series{good}, 1e-9, "more than"},
		{nil, 10, "no series has two samples"},
		{[]Series{series("a", 0, 1)}, 10, "no series has two samples"},
		{[]Series{series("a", 0, 1, 10, -1)}, 10, "a counter of -1 at 10 s"},
		{[]Series{series("a", 0, -2, 10, 1)}, 10, "a counter of -2 at 0 s"},
	} {
		if _, _, err := Rate("x", c.counters, c.step); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// Whatever the scrapes, the rates add up to what the counters counted.
func TestRate_conserves_invariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var counters []Series
		total := 0.0
		for range 1 + rng.IntN(4) {
			s := Series{}
			at, v := 20*rng.Float64(), 0.0
			for range 3 + rng.IntN(40) {
				if rng.IntN(8) == 0 {
					v = 0 // a restart
				}
				grown := float64(rng.IntN(100))
				v += grown
				s.T, s.V = append(s.T, at), append(s.V, v)
				at += 10 + rng.Float64()*2 // no gaps: steps differ by a fifth
			}
			counters = append(counters, s)
		}
		first, last := math.Inf(1), math.Inf(-1)
		for _, s := range counters {
			first, last = min(first, s.T[0]), max(last, s.T[len(s.T)-1])
		}
		for _, s := range counters {
			if s.T[0] > first {
				total += s.V[0]
			}
			for k := 1; k < len(s.T); k++ {
				if d := s.V[k] - s.V[k-1]; d >= 0 {
					total += d
				} else {
					total += s.V[k]
				}
			}
		}
		step := 5 + 30*rng.Float64()
		rates, _, err := Rate("x", counters, step)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, at := range rates.T {
			sum += rates.V[i] * (min(at+step, last) - max(at, first))
		}
		if !numtest.Close(sum, total, 5e-10, 5e-10) { // rounding of a few hundred terms
			t.Fatalf("rates add up to %v, counters to %v", sum, total)
		}
	}
}

func TestResample_exact(t *testing.T) {
	s := series("a", 0, 1, 10, 3, 20, 0, 30, 0, 90, 5)
	s.Unit = "s"
	for _, c := range []struct {
		step float64
		t, v []float64
		did  Resampled
	}{
		{20, []float64{0, 20, 80}, []float64{2, 0, 5}, Resampled{20, 5, 3, 2, 1, 2}},
		{100, []float64{0}, []float64{1.8}, Resampled{100, 5, 1, 0, 5, 5}},
		{5, []float64{0, 10, 20, 30, 90}, []float64{1, 3, 0, 0, 5}, Resampled{5, 5, 5, 14, 1, 1}}, // nothing is made up in between
	} {
		out, did, err := s.Resample(c.step)
		if err != nil {
			t.Fatal(err)
		}
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }
		if !slices.Equal(out.T, c.t) || !slices.EqualFunc(out.V, c.v, near) || did != c.did || out.Unit != "s" {
			t.Errorf("step %v: %v at %v, %+v; want %v at %v, %+v", c.step, out.V, out.T, did, c.v, c.t, c.did)
		}
	}
	for _, step := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-20} {
		if _, _, err := s.Resample(step); err == nil {
			t.Errorf("a step of %v is taken", step)
		}
	}
}

// Means weighted with their samples are the mean of all, in any order.
func TestResampler_invariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, errA := NewResampler(7)
	b, errB := NewResampler(1e6)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	sum, n := 0.0, 1000
	for range n {
		at, v := 1000*rng.Float64(), rng.NormFloat64()
		sum += v
		if err := a.Add(at, v); err != nil {
			t.Fatal(err)
		}
		if err := b.Add(at, v); err != nil {
			t.Fatal(err)
		}
	}
	whole, _ := b.Series(Info{})
	if len(whole.V) != 1 || math.Abs(whole.V[0]-sum/float64(n)) > 1e-13 {
		t.Errorf("mean %v, want %v", whole.V, sum/float64(n))
	}
	got := 0.0
	for k, bin := range a.bins {
		got += bin.sum
		if k < 0 || k > 1000/7 {
			t.Errorf("a bin at %d", k)
		}
	}
	if math.Abs(got-sum) > 1e-11 {
		t.Errorf("bins add up to %v, want %v", got, sum)
	}
}

func TestGaps_exact(t *testing.T) {
	s := series("a", 0, 1, 10, 0, 20, 1, 36, 1, 46, 1, 60, 1)
	if got := s.Step(); got != 10 {
		t.Errorf("step %v, want 10", got)
	}
	if got, want := s.Gaps(), []Gap{{20, 36}}; !slices.Equal(got, want) { // 14 is less than 15
		t.Errorf("gaps %v, want %v", got, want)
	}
	if one := series("a", 0, 1); !math.IsNaN(one.Step()) || one.Gaps() != nil {
		t.Error("one sample has a step or a gap")
	}
}
