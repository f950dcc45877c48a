package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

// A requirement says what it says however it is spaced, and what makes no sense is
// answered with what would.
func TestParseRequirement_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	for text, want := range map[string]requirement{
		"absorbs.flush >= 25%":                 {op: ">=", than: 0.25},
		"absorbs.flush>=0.25":                  {op: ">=", than: 0.25},
		"  throttle_line   <  2k/s ":           {op: "<", than: 2000},
		"recovers.stop <= 10m":                 {op: "<=", than: 600},
		"cold_load.main > 1.5":                 {op: ">", than: 1.5, arg: "main"},
		"tipping.hit_rate.gdm_members <= 99 %": {}, // a space within a quantity
		"safe":                                 {},
	} {
		got, err := parseRequirement(sc, text)
		if strings.Contains(text, "99 %") {
			if err == nil {
				t.Errorf("%q is accepted", text)
			}
			continue
		}
		if err != nil || got.op != want.op || got.than != want.than || got.arg != want.arg || !strings.HasPrefix(strings.TrimSpace(text), got.what.name) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                       `nothing is called ""`,
		"absorbs.flus >= 25%":    "did you mean absorbs.flush?",
		"absorbs.flush":          "want a comparison, such as absorbs.flush >= 25%",
		"absorbs.flush >= 25/s":  "want a share",
		"absorbs.flush >= 25":    "did you mean 25%?",
		"absorbs.flush == 25%":   "want >=, >, <= or <",
		"absorbs.flush != 25%":   "want >=, >, <= or <",
		"absorbs.flush >= ":      "want a share",
		"absorbs.flush.main > 0": `nothing is called "absorbs.flush.main"`,
		"throttle_line > none":   "want a rate",
		"headroom >= 1e999":      "want a number",
		"cold_load.backup < 1":   `cold_load has no "backup", but main, replicas`,
		"safe >= 1":              "holds or not",
	} {
		if r, err := parseRequirement(sc, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %s", text, r, err, want)
		}
	}
	for _, m := range measures {
		if _, err := parseRequirement(sc, m.example); err != nil {
			t.Errorf("the example of %s: %v", m.name, err)
		}
	}
}

// The four comparisons with a bracket below, around, above and at a bound of 1, with a
// value that is exact, and with one that has no end.
func TestJudge_exact(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		lo, hi float64
		want   map[string]answer
	}{
		{0.5, 0.9, map[string]answer{">=": no, ">": no, "<=": yes, "<": yes}},
		{0.5, 1, map[string]answer{">=": no, ">": no, "<=": yes, "<": yes}}, // the value is below 1
		{0.5, 2, map[string]answer{">=": open, ">": open, "<=": open, "<": open}},
		{1, 2, map[string]answer{">=": yes, ">": open, "<=": open, "<": no}},
		{1.5, 2, map[string]answer{">=": yes, ">": yes, "<=": no, "<": no}},
		{1, 1, map[string]answer{">=": yes, ">": no, "<=": yes, "<": no}},
		{0.5, inf, map[string]answer{">=": open, ">": open, "<=": open, "<": open}},
		{2, inf, map[string]answer{">=": yes, ">": yes, "<=": no, "<": no}},
		{inf, inf, map[string]answer{">=": yes, ">": yes, "<=": no, "<": no}},
	} {
		for op, want := range c.want {
			r := requirement{op: op, than: 1}
			if got := r.judge(value{lo: c.lo, hi: c.hi}); got != want {
				t.Errorf("%g to %g %s 1: %d, want %d", c.lo, c.hi, op, got, want)
			}
		}
	}
}

func FuzzParseRequirement(f *testing.F) {
	for _, m := range measures {
		f.Add(m.example)
	}
	for _, s := range []string{"", ">=", "safe <", "cold_load. > 1", "absorbs.flush >= 1e-400", "headroom > 0x1p4", "tipping.hit_rate.é<1"} {
		f.Add(s)
	}
	sc := scenariotest.Shipped(f, "slack-2022-02-22")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRequirement(sc, text)
		if err != nil {
			if r != nil || err.Error() == "" {
				t.Errorf("%q: %+v, %v", text, r, err)
			}
			return
		}
		again, err := parseRequirement(sc, r.text)
		if err != nil || *again != *r {
			t.Errorf("%q reads as %+v, and its own text as %+v (%v)", text, r, again, err)
		}
		if (r.op == "") != (r.what.unit == "") || math.IsNaN(r.than) || math.IsInf(r.than, 0) {
			t.Errorf("%q: %+v", text, r)
		}
	})
}
