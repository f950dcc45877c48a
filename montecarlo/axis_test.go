package montecarlo

import (
	"math"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
)

func TestParseAxis_exact(t *testing.T) {
	sc := scenariotest.Parse(t, flushed)
	for text, want := range map[string][]any{
		"traffic.boots=1k/s..3000/s:3":         {1000., 2000., 3000.},
		"traffic.boots=log:10/s..1000/s:3":     {10., 100., 1000.},
		"classes.q.ttl=1h..2d:2":               {3600., 172800.},
		"clients.give_up=0..25%:2":             {0., .25},
		"cache.nodes=1..4:3":                   {1., 3., 4.}, // whole numbers
		"classes.q.fetch=all,missing":          {"all", "missing"},
		"pools.main.timeout=none,500ms":        {"none", "500ms"},
		"throttle=400/s..800/s:2":              {400., 800.},
		"timeline.0.flush=20%..40%:3":          {.2, .3, .4},
		"classes.q.popularity.zipf=0.5..1.5:2": {.5, 1.5},
	} {
		a, err := ParseAxis(sc, text)
		if err != nil {
			t.Error(err)
			continue
		}
		points, err := Grid([]Axis{a})
		if err != nil || len(points) != len(want) {
			t.Errorf("%s: %v, %v", text, points, err)
			continue
		}
		for i, p := range points {
			got := p[0]
			if word, ok := want[i].(string); ok {
				if got.Text != word {
					t.Errorf("%s: value %d is %v, want %s", text, i, got, word)
				}
			} else if x := want[i].(float64); got.Text != "" || math.Abs(got.X-x) > 1e-14*x {
				t.Errorf("%s: value %d is %v, want %g", text, i, got, x)
			}
		}
	}
}

func TestParseAxis_errors_exact(t *testing.T) {
	sc := scenariotest.Parse(t, flushed)
	for text, want := range map[string]string{
		"traffic.boot=1/s..2/s:3":      "did you mean traffic.boots?",
		"traffic.boots=3/s..2/s:3":     "the lower end 3/s is not below the upper end 2/s",
		"traffic.boots=2/s..2/s:3":     "not below",
		"traffic.boots=1/s..2/s:1":     `"1" values`,
		"traffic.boots=1/s..2/s:x":     `"x" values`,
		"traffic.boots=log:0/s..2/s:3": "above 0",
		"traffic.boots=-1/s..2/s:3":    "want",
		"traffic.boots=1s..2s:3":       "1s",
		"clients.give_up=0..150%:3":    "150%",
		"classes.q.fetch=all..missing": "not a number",
		"classes.q.ttl=1h..never:3":    "not a number",
		"classes.q.fetch=all,some":     "some",
		"classes.q.fetch=all,":         "empty value",
		"traffic.boots":                "no law of it",
		"nothing":                      "no parameter has the path",
		"classes.q=1..2:2":             "cannot be set as a whole",
	} {
		if _, err := ParseAxis(sc, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A law's axis takes its quantiles; a design takes any axis, a grid only counted ones.
func TestSpread_exact(t *testing.T) {
	sc := scenariotest.Parse(t, flushed)
	var axes []Axis
	for _, text := range []string{"clients.give_up", "traffic.boots=1/s..3/s", "classes.q.fetch=all,missing"} {
		a, err := ParseAxis(sc, text)
		if err != nil {
			t.Fatal(err)
		}
		axes = append(axes, a)
	}
	if _, err := Grid(axes); err == nil {
		t.Error("a grid over a law is accepted")
	}
	points, err := Spread(axes, ScrambledSobol, 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := Sample(ScrambledSobol, 64, 3, 1)
	words := map[string]int{}
	for i, p := range points {
		// The law is uniform on [0.02, 0.1].
		if math.Abs(p[0].X-(.02+.08*x.At(i, 0))) > 1e-15 || p[1].X != 1+2*x.At(i, 1) {
			t.Errorf("point %d is %v at %v", i, p, x.RawRowView(i))
		}
		words[p[2].Text]++
	}
	if words["all"] != 32 || words["missing"] != 32 { // a net halves each axis
		t.Errorf("words %v", words)
	}
	if _, err := Spread(nil, Random, 3, 1); err == nil {
		t.Error("no axes are accepted")
	}
}

// The fractions of a law that lie outside what is allowed: of the normal one 2.3 % are
// more than two standard deviations below the mean.
func TestUncertainty_exact(t *testing.T) {
	for yaml, want := range map[string]string{
		"clients.give_up: {normal: {mean: 0.1, sd: 0.05}}":           "2.3 % of it is not allowed",
		"classes.q.popularity.zipf: {normal: {mean: 0.8, sd: 0.05}}": "",
		"pools.main.capacity: {lognormal: {median: 4k/s, cv: 0.5}}":  "",
	} {
		at := strings.Index(flushed, "uncertainty:")
		sc := scenariotest.Parse(t, flushed[:at]+"uncertainty:\n  "+yaml+"\n")
		_, err := Uncertainty(sc)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
	// cv is that of the value: sd/mean of the lognormal law.
	all, err := Uncertainty(scenariotest.Parse(t, flushed))
	if err != nil {
		t.Fatal(err)
	}
	law := all[0].Law.(interface {
		Mean() float64
		StdDev() float64
		Quantile(float64) float64
	})
	if cv := law.StdDev() / law.Mean(); math.Abs(cv-0.1) > 1e-12 || math.Abs(law.Quantile(0.5)-4000) > 1e-9 {
		t.Errorf("cv %g about %g", cv, law.Quantile(0.5))
	}
}
