package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParseQuantity_exact(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64 // NaN: not a quantity of the unit
	}{
		{"400/s", "1/s", 400},
		{"400", "1/s", 400},
		{"3.2k/s", "work/s", 3200},
		{"36k/h", "1/s", 10},
		{"90/m", "1/s", 1.5},
		{"20M", "count", 20e6},
		{"1.5G", "work", 1.5e9},
		{"30m", "s", 1800},
		{"250ms", "s", 0.25},
		{"7d", "s", 604800},
		{"0.1ms", "s", 0.0001}, // to the last bit, unlike 0.1 * 0.001
		{"25%", "share", 0.25},
		{"0.07%", "share", 0.0007}, // unlike 0.07 / 100
		{"150%", "share", 1.5},
		{"1e6", "count", 1e6},
		{"1e3k", "count", 1e6},
		{"1E-3", "1", 1e-3},
		{".5", "1", 0.5},
		{"5.", "1", 5},
		{"+5", "1", 5},
		{"-5s", "s", -5},
		{"5/s", "s", math.NaN()},
		{"3s", "1/s", math.NaN()},
		{"30m", "count", math.NaN()},
		{"10%", "1", math.NaN()},
		{"1 s", "s", math.NaN()},
		{"1_000", "count", math.NaN()},
		{"0x10", "count", math.NaN()},
		{"inf", "s", math.NaN()},
		{"nan", "s", math.NaN()},
		{"1e999", "1", math.NaN()},
		{"1e99999999999999999999", "1", math.NaN()},
		{"1e", "1", math.NaN()},
		{"-", "1", math.NaN()},
		{".", "1", math.NaN()},
		{"", "1", math.NaN()},
		{"1..5", "1", math.NaN()},
	} {
		got, ok := parseQuantity(c.text, c.unit)
		if ok == math.IsNaN(c.want) || ok && got != c.want {
			t.Errorf("%q in %s: %v, %v; want %v", c.text, c.unit, got, ok, c.want)
		}
	}
}

func TestFormatQuantity_exact(t *testing.T) {
	for _, c := range []struct {
		x          float64
		unit, want string
	}{
		{8000, "work/s", "8k/s"},
		{400, "1/s", "400/s"},
		{0.4, "1/s", "0.4/s"},
		{20e6, "count", "20M"},
		{604800, "s", "7d"},
		{5400, "s", "90m"},
		{90, "s", "90s"},
		{0.001, "s", "1ms"},
		{0, "s", "0s"},
		{0.25, "share", "0.25"},
		{1.0 / 3, "1", "0.3333333333333333"},
		{1e-300, "1", "1e-300"},
	} {
		if got := formatQuantity(c.x, c.unit); got != c.want {
			t.Errorf("%g in %s: %q, want %q", c.x, c.unit, got, c.want)
		}
	}
}

// Every finite number survives its spelling to the last bit, in every unit.
func TestQuantity_roundTrip_invariant(t *testing.T) {
	for unit := range units {
		rapid.Check(t, func(t *rapid.T) {
			x := rapid.OneOf(
				rapid.Float64(),
				rapid.Map(rapid.Int64Range(-1e9, 1e9), func(n int64) float64 { return float64(n) / 1000 }),
			).Draw(t, "x")
			if math.IsInf(x, 0) {
				t.Skip("not a quantity")
			}
			text := formatQuantity(x, unit)
			if back, ok := parseQuantity(text, unit); !ok || back != x {
				t.Fatalf("%g is written %q in %s and read as %g, %v", x, text, unit, back, ok)
			}
		})
	}
}

// The decimal point may move instead of the suffix: both spell the same number.
func TestQuantity_suffix_invariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{1,12}(\.[0-9]{1,12})?`).Draw(t, "digits")
		for _, c := range []struct{ unit, suffix, exponent string }{
			{"share", "%", "e-2"}, {"count", "k", "e3"}, {"work", "M", "e6"}, {"1/s", "G/s", "e9"}, {"s", "ms", "e-3"},
		} {
			a, ok1 := parseQuantity(digits+c.suffix, c.unit)
			b, ok2 := parseQuantity(digits+c.exponent, c.unit)
			if !ok1 || !ok2 || a != b {
				t.Fatalf("%s%s is %v, %s%s is %v", digits, c.suffix, a, digits, c.exponent, b)
			}
		}
	})
}

// What is nearly a quantity is answered with the quantity.
func TestRepair_exact(t *testing.T) {
	for _, c := range []struct{ text, unit, want string }{
		{"10min", "s", "10m"},
		{"2 hours", "s", "2h"},
		{"90sec", "s", "90s"},
		{"1h10m", "s", "70m"},
		{"6h40m", "time", "400m"},
		{"400/sec", "1/s", "400/s"},
		{"1,000", "count", "1000"},
		{"1h", "count", ""},
		{"soon", "s", ""},
	} {
		want := ""
		if c.want != "" {
			want = `; did you mean "` + c.want + `"?`
		}
		if got := repair(c.text, c.unit); got != want {
			t.Errorf("%q in %s: %q, want %q", c.text, c.unit, got, want)
		}
	}
}

func TestParseClock_exact(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{
		{"0:00", 0},
		{"1:00", 3600},
		{"01:30", 5400},
		{"5:36", 20160},
		{"23:59:59", 86399},
		{"25:00", 90000},
		{"1:60", -1},
		{"1:5", -1},
		{"1:005", -1},
		{"-1:00", -1},
		{"1:00:00:00", -1},
		{":30", -1},
		{"1", -1},
		{"a:00", -1},
	} {
		got, ok := parseClock(c.text)
		if ok != (c.want >= 0) || ok && got != c.want {
			t.Errorf("%q: %v, %v; want %v", c.text, got, ok, c.want)
		}
	}
}
