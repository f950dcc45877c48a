package telemetry

import (
	"regexp"
	"strings"
)

// A unit is a factor to the SI unit of its dimension.
type unit struct {
	dim    string // s, 1/s, B, B/s, 1; empty: a plain number with a prefix
	factor float64
}

// prefixes by the letters that Grafana, Datadog and people write.
var prefixes = map[string]float64{
	"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
	"Mil": 1e6, "Bil": 1e9, "Tri": 1e12,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40,
}

// words are units without a prefix; those of three letters and more in any case.
var words = map[string]unit{
	"s": {"s", 1}, "sec": {"s", 1}, "secs": {"s", 1}, "second": {"s", 1}, "seconds": {"s", 1},
	"ms": {"s", 1e-3}, "msec": {"s", 1e-3}, "millis": {"s", 1e-3}, "millisecond": {"s", 1e-3}, "milliseconds": {"s", 1e-3},
	"us": {"s", 1e-6}, "µs": {"s", 1e-6}, "μs": {"s", 1e-6}, "usec": {"s", 1e-6}, "microsecond": {"s", 1e-6}, "microseconds": {"s", 1e-6},
	"ns": {"s", 1e-9}, "nanosecond": {"s", 1e-9}, "nanoseconds": {"s", 1e-9},
	"min": {"s", 60}, "mins": {"s", 60}, "minute": {"s", 60}, "minutes": {"s", 60},
	"h": {"s", 3600}, "hr": {"s", 3600}, "hour": {"s", 3600}, "hours": {"s", 3600},
	"d": {"s", 86400}, "day": {"s", 86400}, "days": {"s", 86400},

	"rps": {"1/s", 1}, "qps": {"1/s", 1}, "ops": {"1/s", 1}, "tps": {"1/s", 1}, "iops": {"1/s", 1}, "reqps": {"1/s", 1},
	"cps": {"1/s", 1}, "hz": {"1/s", 1}, "rpm": {"1/s", 1. / 60}, "opm": {"1/s", 1. / 60}, "Hz": {"1/s", 1},

	"B": {"B", 1}, "byte": {"B", 1}, "bytes": {"B", 1}, "bit": {"B", 1. / 8}, "bits": {"B", 1. / 8},
	"bps": {"B/s", 1. / 8},

	"%": {"1", 0.01}, "percent": {"1", 0.01}, "pct": {"1", 0.01},
	"1": {"1", 1}, "ratio": {"1", 1}, "share": {"1", 1}, "fraction": {"1", 1},
}

// lookupUnit makes sense of what follows a number: a word, a prefix and a word
// ("MiB", "K req/s"), or something per time.
func lookupUnit(text string) (unit, bool) {
	text = strings.TrimSpace(text)
	if f, ok := prefixes[text]; ok {
		return unit{"", f}, true
	}
	if u, ok := word(text); ok {
		return u, true
	}
	if what, per, ok := strings.Cut(text, "/"); ok {
		return perTime(what, per)
	}
	for _, n := range []int{3, 2, 1} { // the longest prefix first
		if len(text) <= n {
			continue
		}
		f, ok := prefixes[text[:n]]
		if !ok {
			continue
		}
		rest := strings.TrimSpace(text[n:])
		spaced := len(rest) < len(text)-n
		u, known := word(rest)
		if known && (u.dim == "1/s" || u.dim == "B" || u.dim == "B/s") && (spaced || u.dim != "1/s" || n == 1) {
			return unit{u.dim, f * u.factor}, true
		}
	}
	return unit{}, false
}

func word(text string) (unit, bool) {
	if u, ok := words[text]; ok {
		return u, true
	}
	if len(text) < 3 {
		return unit{}, false
	}
	u, ok := words[strings.ToLower(text)]
	return u, ok
}

// perTime is a rate: bytes are B/s, all else that is counted is 1/s.
func perTime(what, per string) (unit, bool) {
	t, ok := word(strings.TrimSpace(per))
	if per == "m" { // minutes: there are no rates per metre here
		t, ok = unit{"s", 60}, true
	}
	if !ok || t.dim != "s" {
		return unit{}, false
	}
	what = strings.TrimSpace(what)
	if what == "" || what == "1" {
		return unit{"1/s", 1 / t.factor}, true
	}
	if u, ok := lookupUnit(what); ok {
		switch u.dim {
		case "B":
			return unit{"B/s", u.factor / t.factor}, true
		case "", "1/s": // "K/s"; "ops/s", where ops are operations
			return unit{"1/s", u.factor / t.factor}, true
		}
		return unit{}, false
	}
	if prefix, counted, ok := strings.Cut(what, " "); ok {
		if f, ok := prefixes[prefix]; ok && plainWord.MatchString(counted) {
			return unit{"1/s", f / t.factor}, true
		}
	}
	return unit{"1/s", 1 / t.factor}, plainWord.MatchString(what)
}

var plainWord = regexp.MustCompile(`^[A-Za-z_]+$`)

// endings of names that say a unit. Others, such as _min, may mean something else.
var endings = []struct {
	text string
	unit unit
}{ // the longer before those they end in
	{"_per_second", unit{"1/s", 1}},
	{"_per_sec", unit{"1/s", 1}},
	{"_per_s", unit{"1/s", 1}},
	{"_per_minute", unit{"1/s", 1. / 60}},
	{"_per_min", unit{"1/s", 1. / 60}},
	{"_rps", unit{"1/s", 1}},
	{"_qps", unit{"1/s", 1}},
	{"_ops", unit{"1/s", 1}},
	{"_milliseconds", unit{"s", 1e-3}},
	{"_millis", unit{"s", 1e-3}},
	{"_ms", unit{"s", 1e-3}},
	{"_microseconds", unit{"s", 1e-6}},
	{"_us", unit{"s", 1e-6}},
	{"_nanoseconds", unit{"s", 1e-9}},
	{"_ns", unit{"s", 1e-9}},
	{"_seconds", unit{"s", 1}},
	{"_secs", unit{"s", 1}},
	{"_sec", unit{"s", 1}},
	{"_s", unit{"s", 1}},
	{"_minutes", unit{"s", 60}},
	{"_hours", unit{"s", 3600}},
	{"_kilobytes", unit{"B", 1e3}},
	{"_megabytes", unit{"B", 1e6}},
	{"_bytes", unit{"B", 1}},
	{"_kb", unit{"B", 1e3}},
	{"_mb", unit{"B", 1e6}},
	{"_gb", unit{"B", 1e9}},
	{"_kib", unit{"B", 1 << 10}},
	{"_mib", unit{"B", 1 << 20}},
	{"_gib", unit{"B", 1 << 30}},
	{"_percent", unit{"1", 0.01}},
	{"_pct", unit{"1", 0.01}},
	{"_ratio", unit{"1", 1}},
}

var bracketed = regexp.MustCompile(`^(.*?)[ _]*(?:\(([^()]*)\)|\[([^\[\]]*)\])$`)

// function is what stands before the brackets of a query, not of a unit.
var function = regexp.MustCompile(`(?i)^(sum|avg|mean|min|max|count|i?rate|increase|delta|p\d+)$`)

// unitOfName splits a unit off a name: "latency (ms)", "latency_ms". A unit in
// brackets goes; an ending goes where its factor makes it untrue.
func unitOfName(name string) (short string, u unit, ok bool) {
	if m := bracketed.FindStringSubmatch(name); m != nil && m[1] != "" && !function.MatchString(m[1]) {
		if u, ok := lookupUnit(m[2] + m[3]); ok {
			return m[1], u, true
		}
	}
	stem, labels := name, ""
	if i := strings.IndexByte(name, '{'); i > 0 {
		stem, labels = name[:i], name[i:]
	}
	counted := strings.TrimSuffix(stem, "_total")
	lower := strings.ToLower(counted)
	for _, e := range endings {
		if !strings.HasSuffix(lower, e.text) || len(lower) == len(e.text) {
			continue
		}
		if e.unit.factor == 1 || len(counted) < len(stem) {
			return name, e.unit, true
		}
		return counted[:len(counted)-len(e.text)] + labels, e.unit, true
	}
	return name, unit{}, false
}

// UnitOf returns the unit that a header names, "latency (ms)" or "latency_ms", as the SI unit
// (s, 1/s, B, B/s, 1; empty for a bare prefix) and the factor to it.
func UnitOf(header string) (si string, factor float64, ok bool) {
	_, u, ok := unitOfName(header)
	return u.dim, u.factor, ok
}

var shareName = regexp.MustCompile(`(?i)(hit|success)[ _-]?(rate|ratio)|boot_success|(^|[ _-])(ratio|share|availability)($|[ _.{-])`)

// isShare reports whether the name is of a share, such as a hit rate.
func isShare(name string) bool { return shareName.MatchString(name) }
