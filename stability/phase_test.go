package stability

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// brute is 60 for the whole comparison, which takes minutes.
var brute = flag.Int("brute", 8, "cells along each axis of a phase diagram at which trajectories are run")

// agree compares the diagram with brute force at the middle of every cell of an n × n grid
// that no boundary crosses.
func agree(t *testing.T, d *Phase, n int, run func(x, y float64) (Verdict, error)) {
	t.Helper()
	crossed := 0
	count := map[Verdict]int{}
	for i := range n {
		for j := range n {
			x := [2]float64{d.X.at(float64(i) / float64(n)), d.X.at(float64(i+1) / float64(n))}
			y := [2]float64{d.Y.at(float64(j) / float64(n)), d.Y.at(float64(j+1) / float64(n))}
			if d.Crosses(x, y) {
				crossed++
				continue
			}
			at := [2]float64{(x[0] + x[1]) / 2, (y[0] + y[1]) / 2}
			want, err := run(at[0], at[1])
			if err != nil {
				t.Errorf("%s = %.6g, %s = %.6g: %v", d.X.Path, at[0], d.Y.Path, at[1], err)
				continue
			}
			count[want]++
			if got := d.At(at[0], at[1]); got != want {
				t.Errorf("%s = %.6g, %s = %.6g: %q, trajectories say %q", d.X.Path, at[0], d.Y.Path, at[1], got, want)
			}
		}
	}
	t.Logf("%d × %d cells, %d crossed by a boundary: %v", n, n, crossed, count)
	if crossed > 4*n || len(count) < 2 {
		t.Errorf("%d of %d cells are crossed, %d verdicts elsewhere: there is little to compare", crossed, n*n, len(count))
	}
}

// ends returns where trajectories from warm caches and from an overload with cold ones end.
func ends(sys *model.System, at model.Moment) (Verdict, error) {
	frozen := sys.Freeze(at)
	var rest [][]float64
	for _, b := range beginnings(sys, frozen, at, nil) {
		if b.name != "warm" && b.name != "overloaded" {
			continue
		}
		if b.err != nil {
			return "", b.err
		}
		end, err := ode.Solve(frozen, b.y, 0, forever, integration(frozen, nil))
		if err != nil {
			return "", err
		}
		if err := end.Status.Err(); err != nil {
			return "", err
		}
		rest = append(rest, end.Y)
	}
	if distance(frozen.Scales(), rest[0], rest[1]) > 1e-2 {
		return Metastable, nil
	}
	row := make([]float64, len(frozen.Columns()))
	frozen.Observe(row, 0, rest[0])
	if row[slices.Index(frozen.Columns(), "boot_success")] < healthySuccess {
		return CertainToFail, nil
	}
	return AlwaysSafe, nil
}

// Slack over traffic and throttle: two trajectories from either side end in one state or in two.
func TestPhaseDiagram_trajectories_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	sys, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	d, err := PhaseDiagram(sc, asIs, Axis{TrafficAxis, 0.02, 3}, Axis{ThrottleAxis, 50, 8000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, d, *brute, func(x, y float64) (Verdict, error) {
		return ends(sys, model.Moment{Traffic: x, Throttle: y})
	})
}

// Slack over traffic and the share of the cache that is lost: trajectories of the scenario
// with a flush on its timeline.
func TestPhaseDiagram_flush_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	d, err := PhaseDiagram(sc, asIs, Axis{TrafficAxis, 0.02, 3}, Axis{FlushAxis, 0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var last float64
	var here *situation
	agree(t, d, *brute, func(x, y float64) (Verdict, error) {
		if x != last {
			last = x
			if here, err = newSituation(sc, model.Moment{Traffic: x, Throttle: -1}, nil); err != nil {
				return "", err
			}
		}
		if here.healthy < 0 {
			return CertainToFail, nil
		}
		ok, err := here.stays(here.healthy, Shock{Kind: FlushShock}, y)
		if err == nil && !ok {
			return Tips, nil
		}
		return Absorbed, err
	})
}

// The curve of the largest flush is where LargestFlush brackets it, which starts from a scenario,
// not from a frozen system; the folds of the diagram over two parameters are those over one.
func TestPhaseDiagram_sections_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "hotos21-cache")
	d, err := PhaseDiagram(sc, asIs, Axis{TrafficAxis, 0.1, 1.5}, Axis{FlushAxis, 0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &d.Boundaries[0]
	for _, i := range []int{len(c.X) / 4, len(c.X) / 2, 3 * len(c.X) / 4} {
		tr, err := LargestFlush(sc, model.Moment{Traffic: c.X[i], Throttle: -1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Y[i] < tr.Lo-flushTol || c.Y[i] > tr.Hi+flushTol {
			t.Errorf("traffic %.6g: %.6g, want %v", c.X[i], c.Y[i], tr.Bracket)
		}
	}

	two, err := PhaseDiagram(sc, asIs, Axis{TrafficAxis, 0.1, 1.5}, Axis{"pools.database.capacity", 200, 400}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, capacity := range []float64{230, 350} {
		section := sc.Clone()
		if err := section.SetFloat("pools.database.capacity", capacity); err != nil {
			t.Fatal(err)
		}
		one, err := Bifurcate(section, asIs, Axis{TrafficAxis, 0.1, 1.5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := folds(one)
		for _, p := range []float64{at[0], at[len(at)-1]} { // two more lie close to the last
			// a rectangle a thousandth of the range wide
			if !two.Crosses([2]float64{p - 7e-4, p + 7e-4}, [2]float64{capacity, capacity}) {
				t.Errorf("no boundary at traffic %.6g, capacity %g, where there is a fold", p, capacity)
			}
		}
	}
}

// The cells cover the ranges once.
func TestPhaseDiagram_cover_invariant(t *testing.T) {
	for _, axes := range [][2]Axis{
		{{TrafficAxis, 0.1, 1.5}, {ThrottleAxis, 50, 600}},
		{{FlushAxis, 0.1, 0.8}, {TrafficAxis, 0.3, 1.2}},
	} {
		d, err := PhaseDiagram(scenariotest.Shipped(t, "hotos21-cache"), asIs, axes[0], axes[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		area := 0.0
		for _, c := range d.Cells {
			area += (c.X[1] - c.X[0]) * (c.Y[1] - c.Y[0])
		}
		for i := range d.Pieces {
			area += d.Pieces[i].Area()
		}
		want := (axes[0].Hi - axes[0].Lo) * (axes[1].Hi - axes[1].Lo)
		if math.Abs(area-want) > 1e-9*want {
			t.Errorf("%v: cells cover %.12g of %.12g", axes, area, want)
		}
		for i := range 10 {
			for j := range 10 {
				if x, y := axes[0].at(float64(i)/9), axes[1].at(float64(j)/9); d.At(x, y) == "" {
					t.Errorf("no verdict at %g, %g", x, y)
				}
			}
		}
		if d.At(axes[0].Hi+1, axes[1].Lo) != "" {
			t.Error("a verdict outside the ranges")
		}
	}
}

// Close to the boundaries the map says what the equilibria say: half a percent of the range
// from them, where a cell of the grid is 1.6 %.
func TestPhaseDiagram_edge_exact(t *testing.T) {
	x, y := Axis{TrafficAxis, 0.02, 3}, Axis{ThrottleAxis, 50, 8000}
	sc := scenariotest.Shipped(t, "slack-2022-02-22")
	d, err := PhaseDiagram(sc, asIs, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range d.Boundaries {
		for k := 0; k < len(b.X); k += 7 {
			for _, side := range []float64{-0.005, 0.005} {
				p, q := b.X[k]+side*(x.Hi-x.Lo), b.Y[k]
				if p < x.Lo || p > x.Hi {
					continue
				}
				r, err := Equilibria(sys, model.Moment{Traffic: p, Throttle: q}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := d.At(p, q); got != r.Verdict() {
					t.Errorf("%s: %q at %g, %g; the equilibria say %s", b.Kind, got, p, q, r.Verdict())
				}
			}
		}
	}
}

// BenchmarkFoldCurve follows a fold of the model over 500 points.
func BenchmarkFoldCurve(b *testing.B) {
	f, err := NewFamily(scenariotest.Shipped(b, "slack-2022-02-22"), asIs, Axis{TrafficAxis, 0.02, 3}, Axis{ThrottleAxis, 50, 10000})
	if err != nil {
		b.Fatal(err)
	}
	t := &tracer{f: f, prob: f.problem(), out: &Bifurcation{}}
	start := []float64{2.455042097920487, 10000} // the healthy fold
	x := []float64{-3.99755295868}
	points := 0
	for b.Loop() {
		f.evals = 0
		st := t.stepping()
		st.MaxStep = 1.0 / 450
		cv, err := fixedpoint.FoldCurve(t.prob, x, start, [2]int{0, 1}, &fixedpoint.CurveSettings{Min: [2]float64{0.02, 50}, Max: [2]float64{3, 10000}, Stepping: st})
		if err != nil {
			b.Fatal(err)
		}
		points = len(cv.Points)
	}
	b.ReportMetric(float64(points), "points")
	b.ReportMetric(float64(f.evals)/float64(points), "evals/point")
}

// BenchmarkPhaseDiagram draws complete diagrams, and reports evaluations of the return map per point
// of a boundary, or trajectories for flushes.
func BenchmarkPhaseDiagram(b *testing.B) {
	sc := scenariotest.Shipped(b, "slack-2022-02-22")
	for _, y := range []Axis{{ThrottleAxis, 50, 8000}, {FlushAxis, 0, 1}} {
		b.Run(fmt.Sprintf("traffic,%s", y.Path), func(b *testing.B) {
			var d *Phase
			for b.Loop() {
				var err error
				if d, err = PhaseDiagram(sc, asIs, Axis{TrafficAxis, 0.02, 3}, y, nil); err != nil {
					b.Fatal(err)
				}
			}
			points := 0
			for _, c := range d.Boundaries {
				points += len(c.X)
			}
			b.ReportMetric(float64(points), "points")
			b.ReportMetric(float64(d.Evals)/float64(points), "evals/point")
			b.ReportMetric(float64(d.Looks), "looks")
		})
	}
}

// The share drawn grows up to the whole, of both kinds of diagrams.
func TestPhaseDiagram_progress_exact(t *testing.T) {
	sc := scenariotest.Shipped(t, "hotos21-cache")
	for _, y := range []Axis{{"pools.database.capacity", 200, 400}, {FlushAxis, 0, 1}} {
		calls, last := 0, 0.0
		set := &Settings{Progress: func(share float64) {
			if calls++; share < last || share > 1 {
				t.Errorf("%s: %g after %g", y.Path, share, last)
			}
			last = share
		}}
		if _, err := PhaseDiagram(sc, asIs, Axis{TrafficAxis, 0.1, 1.5}, y, set); err != nil {
			t.Fatal(err)
		}
		if last != 1 || calls < 10 {
			t.Errorf("%s: ends at %g after %d calls", y.Path, last, calls)
		}
	}
}
