package telemetry

import (
	"math"
	"testing"
)

// Cells and what they mean, by hand.
func TestNumber_exact(t *testing.T) {
	for _, c := range []struct {
		cell  string
		comma bool
		want  float64
		rest  string
		ok    bool
	}{
		{"1.5", false, 1.5, "", true},
		{"-0", false, 0, "", true},
		{"1e-3", false, 1e-3, "", true},
		{"1E5ms", false, 1e5, "ms", true},
		{"2 E", false, 2, "E", true},
		{"1,234", false, 1234, "", true},
		{"1,234,567.25", false, 1234567.25, "", true},
		{"12,34", false, 0, "", false},
		{"0,123", false, 0, "", false}, // no group starts with 0
		{"1,234.5,6", false, 0, "", false},
		{"1,5", true, 1.5, "", true},
		{"1.234,5", true, 1234.5, "", true},
		{"1.5", true, 0, "", false},
		{"1 234,5 ms", true, 1234.5, "ms", true},
		{"1\u202f234\u00a0kB", false, 1234, "kB", true},
		{"1'234.5", false, 1234.5, "", true},
		{"\u22123.5", false, -3.5, "", true},
		{"950 µs", false, 950, "µs", true},
		{"97%", false, 97, "%", true},
		{"1.2.3", false, 0, "", false},
		{"0x10", false, 0, "x10", true},
		{"1_000", false, 1, "_000", true},
		{"5-3", false, 5, "-3", true},
		{"1e999", false, math.Inf(1), "", true},
		{"-Infinity", false, math.Inf(-1), "", true},
		{"ms", false, 0, "", false},
		{".", false, 0, "", false},
		{"+-1", false, 0, "", false},
	} {
		v, rest, _, ok := number(c.cell, c.comma)
		if ok != c.ok || ok && (v != c.want || rest != c.rest) {
			t.Errorf("number(%q, %v) = %v %q %v, want %v %q %v", c.cell, c.comma, v, rest, ok, c.want, c.rest, c.ok)
		}
	}
}

// Units as the SI brochure and IEC 80000-13 define them.
func TestLookupUnit_exact(t *testing.T) {
	for _, c := range []struct {
		text, dim string
		value     float64 // of 3 of them
	}{
		{"s", "s", 3},
		{"ms", "s", 0.003},
		{"µs", "s", 3e-6},
		{"μs", "s", 3e-6},
		{"us", "s", 3e-6},
		{"ns", "s", 3e-9},
		{"min", "s", 180},
		{"mins", "s", 180},
		{"h", "s", 10800},
		{"days", "s", 259200},
		{"Seconds", "s", 3},
		{"req/s", "1/s", 3},
		{"rps", "1/s", 3},
		{"QPS", "1/s", 3},
		{"ops", "1/s", 3},
		{"K req/s", "1/s", 3000},
		{"ops/s", "1/s", 3},
		{"K ops/s", "1/s", 3000},
		{"req/min", "1/s", 0.05},
		{"/s", "1/s", 3},
		{"1/h", "1/s", 3. / 3600},
		{"k/s", "1/s", 3000},
		{"rpm", "1/s", 0.05},
		{"%", "1", 0.03},
		{"percent", "1", 0.03},
		{"1", "1", 3},
		{"K", "", 3e3},
		{"M", "", 3e6},
		{"G", "", 3e9},
		{"Ki", "", 3072},
		{"Mi", "", 3 << 20},
		{"Gi", "", 3 << 30},
		{"Bil", "", 3e9},
		{"B", "B", 3},
		{"kB", "B", 3e3},
		{"MB", "B", 3e6},
		{"KiB", "B", 3072},
		{"MiB", "B", 3 << 20},
		{"GiB", "B", 3 << 30},
		{"bytes", "B", 3},
		{"MiB/s", "B/s", 3 << 20},
		{"B/s", "B/s", 3},
		{"bps", "B/s", 0.375},
	} {
		u, ok := lookupUnit(c.text)
		if !ok || u.dim != c.dim || math.Abs(scaled(3, u.factor)-c.value) > 1e-15*c.value {
			t.Errorf("3 %s = %v %q (%v), want %v %q", c.text, scaled(3, u.factor), u.dim, ok, c.value, c.dim)
		}
	}
	for _, text := range []string{"", "m", "parsecs", "Ks", "x/", "ms/s", "K parsecs"} {
		if u, ok := lookupUnit(text); ok {
			t.Errorf("%q is a unit: %+v", text, u)
		}
	}
}

func TestUnitOfName_exact(t *testing.T) {
	for _, c := range []struct{ name, short, dim string }{
		{"latency (ms)", "latency", "s"},
		{"latency [s]", "latency", "s"},
		{"latency_ms", "latency", "s"},
		{"duration_seconds", "duration_seconds", "s"},
		{"goodput_rps", "goodput_rps", "1/s"},
		{"boots_per_min", "boots", "1/s"},
		{"hit_rate (%)", "hit_rate", "1"},
		{"hit_pct", "hit", "1"},
		{"cpu_seconds_total", "cpu_seconds_total", "s"},
		{`wait_ms{node="a"}`, `wait{node="a"}`, "s"},
		{"heap_bytes", "heap_bytes", "B"},
		{"net (MiB/s)", "net", "B/s"},
		{"latency (p99)", "latency (p99)", ""},
		{"latency_min", "latency_min", ""},
		{"sum(ops)", "sum(ops)", ""},
		{"rate(x_ms[5m])", "rate(x_ms[5m])", ""},
		{"_ms", "_ms", ""},
		{"(ms)", "(ms)", ""},
		{"items", "items", ""},
	} {
		short, u, ok := unitOfName(c.name)
		if short != c.short || u.dim != c.dim || ok != (c.dim != "") {
			t.Errorf("%q is %q in %q (%v), want %q in %q", c.name, short, u.dim, ok, c.short, c.dim)
		}
	}
}

func TestDecimalComma_exact(t *testing.T) {
	for _, c := range []struct {
		cells        []string
		comma, doubt bool
	}{
		{[]string{"1", "2"}, false, false},
		{[]string{"1,5"}, true, false},
		{[]string{"1,234"}, false, true},
		{[]string{"1,234", "0,5"}, true, false},
		{[]string{"1,234", "0.5"}, false, false},
		{[]string{"1,234.5"}, false, false},
		{[]string{"1.234,5"}, true, false},
		{[]string{"0,123"}, true, false},
		{[]string{"1,234,567"}, false, true},
	} {
		if comma, doubt := decimalComma(c.cells); comma != c.comma || doubt != c.doubt {
			t.Errorf("%q: decimal comma %v, doubt %v, want %v, %v", c.cells, comma, doubt, c.comma, c.doubt)
		}
	}
}
