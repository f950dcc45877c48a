package plots

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Names of marks overlap neither each other nor a line, and stay within bounds.
func TestPlaceMarksInvariant(t *testing.T) {
	style := textStyle(smallSize, inkColor)
	rng := rand.New(rand.NewPCG(5, 6))
	complete := 0
	for range 300 {
		n := 1 + rng.IntN(12)
		xs, names := make([]vg.Length, n), make([]string, n)
		for i := range xs {
			xs[i] = vg.Length(50 + 500*rng.Float64())
			names[i] = "throttle 1200/s"[:2+rng.IntN(14)]
		}
		slices.Sort(xs)
		marks := nameRule.place(xs, names, style, 50, 560)
		if len(marks) == n {
			complete++
		}
		for i, a := range marks {
			if a.span[0] < 50 || a.span[1] > 560 || a.row < 0 || a.row >= nameRule.rows {
				t.Fatalf("%+v is out of bounds", a)
			}
			for _, b := range marks[i+1:] {
				if a.row == b.row && a.span[0] < b.span[1] && b.span[0] < a.span[1] {
					t.Fatalf("%+v lies on %+v", a, b)
				}
				if b.row > a.row && a.span[0] < b.x && b.x < a.span[1] || a.row > b.row && b.span[0] < a.x && a.x < b.span[1] {
					t.Fatalf("a line runs through a name: %+v, %+v", a, b)
				}
			}
		}
	}
	if complete < 200 {
		t.Errorf("room for all names in %d of 300 cases", complete)
	}
}

func TestLabelMarks(t *testing.T) {
	style := textStyle(smallSize, inkColor)
	marks, key := labelMarks([]vg.Length{10, 100}, []string{"flush", "fix"}, []string{"1:00", "2:00"}, style, 0, 200)
	if len(marks) != 2 || marks[0].name != "flush" || key != nil {
		t.Errorf("two names far apart: %v, key %q", marks, key)
	}
	// Eight long names at one place have no room in four rows and two sides.
	xs, names, stamps := make([]vg.Length, 9), make([]string, 9), make([]string, 9)
	for i := range xs {
		xs[i], names[i], stamps[i] = 100+vg.Length(i), "a long name of an action", fmt.Sprint(i)
	}
	marks, key = labelMarks(xs, names, stamps, style, 0, 400)
	if len(key) != 9 || key[8] != "9  8  a long name of an action" {
		t.Errorf("key %q", key)
	}
	if len(marks) != 1 || marks[0].name != "1–9" { // nor have nine numbers a point apart
		t.Errorf("marks %v do not share their numbers", marks)
	}
}

// Data areas share their left and right edges and their height, and lie one below
// the other.
func TestStackPanelsInvariant(t *testing.T) {
	day := slackDay(t)
	var rec recorder.Canvas
	areas := stackPanels(draw.NewCanvas(&rec, 700, 700), day.panels())
	if len(areas) != 5 {
		t.Fatalf("%d panels", len(areas))
	}
	near := func(a, b, tol vg.Length) bool { return a-b < tol && b-a < tol }
	first := areas[0]
	for i, a := range areas {
		// Edges are sums of lengths. Heights are not: plot.Align measures how far the
		// highest tick label stands out before it resizes the panel, which moves it.
		if !near(a.Min.X, first.Min.X, 1e-3) || !near(a.Max.X, first.Max.X, 1e-3) ||
			!near(a.Max.Y-a.Min.Y, first.Max.Y-first.Min.Y, 0.5) {
			t.Errorf("panel %d at %v, the first at %v", i, a.Rectangle, first.Rectangle)
		}
		if i > 0 && a.Max.Y >= areas[i-1].Min.Y {
			t.Errorf("panel %d reaches into the one above", i)
		}
		if a.Max.Y-a.Min.Y < 100 {
			t.Errorf("panel %d is %v high", i, a.Max.Y-a.Min.Y)
		}
	}
}

// Every legend sample of 35 lines differs.
func TestLineStylesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i := range 35 {
		s := lineStyle(i)
		seen[fmt.Sprint(s.Color, s.Dashes)] = true
	}
	if len(seen) != 35 {
		t.Errorf("%d of 35 styles differ", len(seen))
	}
}

func TestWrapAndCut(t *testing.T) {
	style := textStyle(smallSize, inkColor)
	width := style.Width("one two")
	if got := wrap("one  two\nthree", style, width, 2); !slices.Equal(got, []string{"one two", "three"}) {
		t.Errorf("%q", got)
	}
	if got := wrap("", style, width, 2); got != nil {
		t.Errorf("nothing became %q", got)
	}
	for _, l := range wrap("one two three four five incomprehensibilities", style, width, 2) {
		if style.Width(l) > width {
			t.Errorf("%q is too long", l)
		}
	}
	if got := cut("abc", style, 0); got != "…" {
		t.Errorf("no room: %q", got)
	}
}
