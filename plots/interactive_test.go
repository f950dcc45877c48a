package plots

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"
)

// Each figure has an interactive form: traces of finite numbers on axes that exist, with
// the names of the picture's legend.
func TestInteractive_invariant(t *testing.T) {
	day := slackDay(t)
	cases := map[string]Figure{"timeline": &day}
	for _, c := range planarCases() {
		cases[c.name] = c.figure
	}
	for name, f := range cases {
		text, err := Interactive(f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var page struct {
			Data []struct {
				Name, Legend string
				X, Y         []any
				Xaxis, Yaxis string
				Showlegend   bool
			}
			Layout map[string]any
		}
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(page.Data) == 0 {
			t.Errorf("%s: nothing drawn", name)
		}
		var named []string
		for i, d := range page.Data {
			if len(d.X) != len(d.Y) || len(d.X) == 0 {
				t.Errorf("%s: trace %d has %d and %d coordinates", name, i, len(d.X), len(d.Y))
			}
			for _, v := range append(slices.Clone(d.X), d.Y...) {
				if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
					t.Errorf("%s: trace %d holds %v", name, i, x)
				}
			}
			if axis := page.Layout["yaxis"+d.Yaxis[1:]]; axis == nil || d.Xaxis != "x" {
				t.Errorf("%s: trace %d is on axes %s, %s", name, i, d.Xaxis, d.Yaxis)
			}
			if d.Showlegend {
				if entry := d.Legend + " " + d.Name; slices.Contains(named, entry) {
					t.Errorf("%s: %q twice", name, entry)
				} else {
					named = append(named, entry)
				}
				if page.Layout[d.Legend] == nil || d.Legend[len("legend"):] != d.Yaxis[1:] {
					t.Errorf("%s: trace %d on axis %s is in %q", name, i, d.Yaxis, d.Legend)
				}
			}
		}
	}
}

// On a logarithmic axis the page takes the quantity itself, on that of nines the
// coordinate with the share to hover over.
func TestNative_exact(t *testing.T) {
	for _, c := range []struct {
		kind Scale
		at   float64
		want any
		text string
	}{
		{Linear, 1500, 1500.0, "1.5k"},
		{Log, 3, 1000.0, "1k"},
		{Percent, 25, 25.0, "25 %"},
		{Nines, 2, 2.0, "99.0000 %"},
		{Nines, 0, 0.0, "0.00 %"},
		{Log, math.Inf(-1), nil, "0"},
	} {
		if got := native(c.kind, c.at); got != c.want {
			t.Errorf("scale %d at %g: %v, want %v", c.kind, c.at, got, c.want)
		}
		if got := spell(c.kind, c.at); got != c.text {
			t.Errorf("scale %d at %g: %q, want %q", c.kind, c.at, got, c.text)
		}
	}
}

// Where the start is not known the page counts in the unit that its axis names.
func TestInteractive_elapsed_exact(t *testing.T) {
	day := slackDay(t)
	day.Start = time.Time{}
	text, err := Interactive(&day)
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Layout struct {
			Xaxis struct {
				Range []float64
				Title struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	hours := (day.Times[len(day.Times)-1] - day.Times[0]) / 3600
	if r := page.Layout.Xaxis.Range; len(r) != 2 || math.Abs(r[1]-r[0]-hours) > 1e-9 {
		t.Errorf("range %v on the axis %q, want %g hours", r, page.Layout.Xaxis.Title.Text, hours)
	}
}
