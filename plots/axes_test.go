package plots

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"gonum.org/v1/plot"
)

// labels joins the labels of ticks; minor ticks have none.
func labels(ticks []plot.Tick) string {
	var l []string
	for _, t := range ticks {
		if t.Label != "" {
			l = append(l, t.Label)
		}
	}
	return strings.Join(l, " ")
}

func TestScaleTicksExact(t *testing.T) {
	for _, tc := range []struct {
		name   string
		s      scale
		lo, hi float64 // in the quantity
		want   string
	}{
		{"four decades", logarithmic, 7, 60e3, "10 100 1k 10k"},
		{"two and a half", logarithmic, 0.2, 60, "0.3 1 3 10 30"},
		{"one and a half", logarithmic, 0.9, 40, "1 2 5 10 20"},
		{"less than one", logarithmic, 900, 4000, "1k 2k 3k"},
		{"third of one", logarithmic, 1000, 2100, "1k 2k"},
		{"nine decades", logarithmic, 1, 2e9, "1 100 10k 1M 100M"},
		{"nines", nines, 0, 0.9999, "0 90 99 99.9 99.99"},
		{"few nines", nines, 0.88, 0.9993, "90 97 99 99.7 99.9"},
		{"half", nines, 0, 0.55, "0 20 30 40 50"},
		{"even", linear, -0.1e6, 4.7e6, "0 1M 2M 3M 4M"},
		{"small even", linear, 0, 0.7, "0 0.2 0.4 0.6"},
		{"far from 0", linear, 299.999983, 299.99999, "299.999984 299.999986 299.999988 299.99999"},
		{"share", percent, -0.03, 1.03, "0 20 40 60 80 100"},
	} {
		ticks := tc.s.Ticks(tc.s.to(tc.lo), tc.s.to(tc.hi))
		sorted := slices.Clone(ticks)
		slices.SortFunc(sorted, func(a, b plot.Tick) int { return int(math.Copysign(1, a.Value-b.Value)) })
		if got := labels(sorted); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// A tick stands where its label says.
func TestNinesTicksInvariant(t *testing.T) {
	for _, tick := range nines.Ticks(0, 4) {
		if tick.Label == "99.9" && math.Abs(tick.Value-nines.to(0.999)) > 1e-12 {
			t.Errorf("99.9 %% at %v, want %v", tick.Value, nines.to(0.999))
		}
	}
	if got := nines.to(1); !math.IsInf(got, 1) {
		t.Errorf("a rate of 1 lies at %v", got)
	}
	if got := logarithmic.to(-1); !math.IsInf(got, -1) {
		t.Errorf("log of a negative value lies at %v", got)
	}
}

func TestTimeAxisExact(t *testing.T) {
	pst := time.FixedZone("", -8*3600)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		start  time.Time
		lo, hi float64 // s
		labels string
		axis   string
	}{
		{"fraction", time.Time{}, 0, 0.4, "0 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4", "time since the start (seconds)"},
		{"seconds", time.Time{}, 0, 40, "0 5 10 15 20 25 30 35 40", "time since the start (seconds)"},
		{"minutes", time.Time{}, 0, 1800, "0 5 10 15 20 25 30", "time since the start (minutes)"},
		{"later", time.Time{}, 3000, 4500, "50 55 60 65 70 75", "time since the start (minutes)"},
		{"hours", time.Time{}, 0, 14 * 3600, "0 2 4 6 8 10 12 14", "time since the start (hours)"},
		{"days", time.Time{}, 0, 7 * day, "0 1 2 3 4 5 6 7", "time since the start (days)"},
		{"years", time.Time{}, 0, 1000 * day, "0 200 400 600 800 1000", "time since the start (days)"},
		{
			"clock", time.Date(2022, 2, 22, 0, 0, 0, 0, pst), 0, 14 * 3600,
			"00:00 02:00 04:00 06:00 08:00 10:00 12:00 14:00", "local time, 22 February 2022 (UTC−08:00)",
		},
		{
			"odd start", time.Date(2022, 2, 22, 5, 50, 13, 0, time.UTC), 0, 900,
			"05:52 05:54 05:56 05:58 06:00 06:02 06:04", "local time, 22 February 2022 (UTC)",
		},
		{
			"seconds of a clock", time.Date(2022, 2, 22, 5, 59, 50, 0, time.UTC), 0, 30,
			"05:59:50 05:59:55 06:00:00 06:00:05 06:00:10 06:00:15 06:00:20", "local time, 22 February 2022 (UTC)",
		},
		{
			"over midnight", time.Date(2021, 12, 31, 12, 0, 0, 0, time.UTC), 0, 36 * 3600,
			"12:00 18:00 1 Jan 06:00 12:00 18:00 2 Jan", "local time, 31 December 2021 to 1 January 2022 (UTC)",
		},
		// Summer time begins on 27 March 2022 at 02:00: ticks stay on even hours, and
		// the one at 02:00 is what the clocks show then.
		{
			"summer time", time.Date(2022, 3, 26, 22, 0, 0, 0, berlin), 0, 11 * 3600,
			"22:00 00:00 03:00 04:00 06:00 08:00 10:00", "local time, 26 March 2022 to 27 March 2022 (UTC+01:00)",
		},
	} {
		a := timeAxis{start: tc.start, most: 8}
		ticks := a.Ticks(tc.lo, tc.hi)
		if got := labels(ticks); got != tc.labels {
			t.Errorf("%s: ticks %q, want %q", tc.name, got, tc.labels)
		}
		if got := a.label(tc.lo, tc.hi); got != tc.axis {
			t.Errorf("%s: axis %q, want %q", tc.name, got, tc.axis)
		}
		for _, tick := range ticks {
			if tick.Value < tc.lo || tick.Value > tc.hi {
				t.Errorf("%s: tick at %v outside of %v…%v", tc.name, tick.Value, tc.lo, tc.hi)
			}
		}
	}
}

// Whatever the span, there are at least two ticks and not many more than asked for.
func TestTimeAxisInvariant(t *testing.T) {
	starts := []time.Time{{}, time.Date(2022, 2, 22, 3, 4, 5, 0, time.UTC)}
	for span := 1e-3; span < 1e9; span *= 1.3 {
		for _, start := range starts {
			if n := len(timeAxis{start: start, most: 14}.Ticks(0, span)); n < 2 || n > 15 {
				t.Errorf("%d ticks over %v s (start %v)", n, span, start)
			}
		}
	}
}

func TestTimeStamp(t *testing.T) {
	if got := (timeAxis{}).stamp(100*3600 + 61.6); got != "100:01:02" {
		t.Errorf("elapsed: %s", got)
	}
	clock := timeAxis{start: time.Date(2022, 2, 22, 23, 59, 0, 0, time.UTC)}
	if got := clock.stamp(90); got != "00:00:30" {
		t.Errorf("clock: %s", got)
	}
}
