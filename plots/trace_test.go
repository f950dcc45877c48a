package plots

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

func noisyPoints(n int, width float64) []vg.Point {
	rng := rand.New(rand.NewPCG(3, 4))
	pts := make([]vg.Point, n)
	for i := range pts {
		pts[i] = vg.Point{X: vg.Length(width * float64(i) / float64(n)), Y: vg.Length(100 * rng.Float64())}
	}
	return pts
}

// Thinning keeps the ends, every column's extremes and the order, and no more than
// two points a column.
func TestThinInvariant(t *testing.T) {
	const columns = 50
	pts := noisyPoints(10_000, columns)
	kept := thin(pts, 1)
	if kept[0] != pts[0] || kept[len(kept)-1] != pts[len(pts)-1] {
		t.Error("an end is lost")
	}
	if len(kept) > 2*columns+2 {
		t.Errorf("%d points for %d columns", len(kept), columns)
	}
	if !slices.IsSortedFunc(kept, func(a, b vg.Point) int { return int(math.Copysign(1, float64(a.X-b.X))) }) {
		t.Error("order is lost")
	}
	lo, hi := map[int]vg.Length{}, map[int]vg.Length{}
	for c := range columns {
		lo[c], hi[c] = math.MaxFloat64, -1
	}
	for _, p := range kept {
		c := int(p.X)
		lo[c], hi[c] = min(lo[c], p.Y), max(hi[c], p.Y)
	}
	for _, p := range pts {
		if c := int(p.X); p.Y < lo[c] || p.Y > hi[c] {
			t.Fatalf("column %d: extreme %v is lost", c, p.Y)
		}
	}
}

// Every dropped point lies within the tolerance of the line that is left.
func TestStraightenInvariant(t *testing.T) {
	const tol = 0.05
	walk := noisyPoints(5000, 500)
	for i := range walk {
		x := float64(walk[i].X)
		walk[i].Y = vg.Length(50*math.Sin(x/40)) + walk[i].Y/2000
		if x > 250 {
			walk[i].Y += 30 // a jump
		}
	}
	kept := straighten(walk, tol)
	if len(kept) > len(walk)/5 {
		t.Errorf("%d of %d points kept", len(kept), len(walk))
	}
	i := 0
	for _, p := range walk {
		for kept[i+1].X < p.X {
			i++
		}
		a, b := kept[i], kept[i+1]
		y := a.Y + (b.Y-a.Y)*(p.X-a.X)/(b.X-a.X)
		if d := math.Abs(float64(y - p.Y)); d > tol*(1+1e-9) {
			t.Fatalf("x = %v: off by %v", p.X, d)
		}
	}
}

func TestStraightenExact(t *testing.T) {
	for _, tc := range []struct{ in, want []vg.Point }{
		{[]vg.Point{{X: 0}, {X: 1}, {X: 2}, {X: 3}}, []vg.Point{{X: 0}, {X: 3}}},
		// A jump is two points with one x.
		{
			[]vg.Point{{X: 0}, {X: 1}, {X: 2}, {X: 2, Y: 5}, {X: 3, Y: 5}, {X: 4, Y: 5}},
			[]vg.Point{{X: 0}, {X: 2}, {X: 2, Y: 5}, {X: 4, Y: 5}},
		},
		{[]vg.Point{{X: 1}, {X: 1}, {X: 1}}, []vg.Point{{X: 1}}},
		{[]vg.Point{{X: 0}, {X: 1, Y: 1}, {X: 2}}, []vg.Point{{X: 0}, {X: 1, Y: 1}, {X: 2}}},
	} {
		if got := straighten(tc.in, 0.05); !slices.Equal(got, tc.want) {
			t.Errorf("%v: got %v, want %v", tc.in, got, tc.want)
		}
	}
}

// A limit that is not in force is a gap, steps are steps, and values beyond the axis
// lie on its edge.
func TestTracePlotExact(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tr := trace{
		x:     []float64{0, 1, 2, 3, 4, 5},
		y:     []float64{nan, 2, 4, nan, inf, -inf},
		style: line(black, 1, nil),
		step:  true,
	}
	p := plot.New()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 5, 0, 10
	var rec recorder.Canvas
	tr.Plot(draw.NewCanvas(&rec, 50, 100), p)
	var got [][]vg.Point
	for _, a := range rec.Actions {
		if s, ok := a.(*recorder.Stroke); ok {
			var pts []vg.Point
			for _, c := range s.Path {
				pts = append(pts, c.Pos)
			}
			got = append(got, pts)
		}
	}
	want := [][]vg.Point{
		{{X: 10, Y: 20}, {X: 20, Y: 20}, {X: 20, Y: 40}, {X: 30, Y: 40}},
		{{X: 40, Y: 100}, {X: 50, Y: 100}, {X: 50, Y: 0}},
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]vg.Point]) {
		t.Errorf("got %v, want %v", got, want)
	}
}
