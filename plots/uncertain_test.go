package plots

import (
	"math"
	"slices"
	"testing"
)

// uncertainCases are the figures of what is not known for sure.
func uncertainCases() []planarCase {
	hm := &HeatMap{
		Frame:     frameOf("Heat"),
		X:         []float64{0, 1, 2},
		Y:         []float64{1, 10},
		P:         []float64{0, 0.25, 0, 0.75, gap, 1},
		Lo:        []float64{0, 0.1, 0, 0.6, gap, 0.9},
		Hi:        []float64{0.1, 0.4, 0.1, 0.9, gap, 1},
		What:      "collapse",
		Operating: &Operating{X: 0.5, Y: 2},
	}
	ba := &BarChart{
		Frame: frameOf("Bars"),
		Bars: []Bar{
			{"capacity", "first", 0.3, 0.2, 0.4},
			{"capacity", "total", 0.5, 0.4, 0.6},
			{"zipf", "first", gap, gap, gap},
			{"zipf", "total", 0.1, -0.05, 0.2},
		},
		Line: &Curve{Name: "dummy", X: []float64{0.02}},
	}
	ba.X, ba.Y = Axis{Label: "share", Column: "index"}, Axis{Label: "parameter", Column: "row"}
	fa := &FanChart{
		Frame: frameOf("Fan"),
		Bands: []Band{
			{"90 %", []float64{0, 1, 2}, []float64{1, 2, 1}, []float64{9, 8, 3}, 0},
			{"50 %", []float64{0, 1, 2}, []float64{2, gap, 1.5}, []float64{6, gap, 2}, 0},
		},
		Curves: []Curve{{"median", []float64{0, 1, 2}, []float64{4, 4, 1.7}}},
		Marks:  []Operating{{Name: "throttle", X: 0.5}},
	}
	return []planarCase{
		// P = 50 % lies half way up at x = 1, as 0 and 0.75 are there two thirds of the way:
		// 10^(2/3); to the left, where y = 10, at half way from 0.25 to 0.75.
		{"heatmap", hm, `# title: Heat
element,name,traffic_share,load.main,p,lo,hi
point,,0,1,0,0,0.1
point,,0,10,0.25,0.1,0.4
point,,1,1,0,0,0.1
point,,1,10,0.75,0.6,0.9
point,,2,1,,,
point,,2,10,1,0.9,1
contour,P = 5 %,1,1.165914401179832,,,
contour,P = 5 %,0,1.5848931924611134,,,
contour,P = 50 %,1,4.6415888336127775,,,
contour,P = 50 %,0.5,10,,,
contour,bound = 50 %,1,6.812920690579613,,,
contour,bound = 50 %,0.7999999999999998,10,,,
contour,bound = 50 %,1,3.162277660168379,,,
contour,bound = 50 %,0.19999999999999996,10,,,
operating,today,0.5,2,,,
`},
		{"bars", ba, `# title: Bars
element,name,index,row,lo,hi
bar,"capacity, first",0.3,1,0.2,0.4
bar,"capacity, total",0.5,1,0.4,0.6
undefined,"zipf, first",0,2,,
bar,"zipf, total",0.1,2,-0.05,0.2
line,dummy,0.02,,,
`},
		{"fan", fa, `# title: Fan
element,name,traffic_share,load.main,y_to
band,90 %,0,1,9
band,90 %,1,2,8
band,90 %,2,1,3
band,50 %,0,2,6
band,50 %,1,,
band,50 %,2,1.5,2
curve,median,0,4,
curve,median,1,4,
curve,median,2,1.7,
mark,throttle,0.5,,
`},
	}
}

func TestUncertainErrors(t *testing.T) {
	of := func(name string) any {
		cases := uncertainCases()
		return cases[slices.IndexFunc(cases, func(c planarCase) bool { return c.name == name })].figure
	}
	hm := func(spoil func(*HeatMap)) error {
		h := of("heatmap").(*HeatMap)
		spoil(h)
		_, err := NewHeatMap(*h)
		return err
	}
	ba := func(spoil func(*BarChart)) error {
		b := of("bars").(*BarChart)
		spoil(b)
		_, err := NewBarChart(*b)
		return err
	}
	fa := func(spoil func(*FanChart)) error {
		f := of("fan").(*FanChart)
		spoil(f)
		_, err := NewFanChart(*f)
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{hm(func(h *HeatMap) { h.P = h.P[1:] }), "plots: a heat map of 3 by 2 points with 5 probabilities and 6 and 6 bounds"},
		{hm(func(h *HeatMap) { h.X[1] = 0 }), "plots: value 1 of the grid is 0 after 0: want them ascending"},
		{hm(func(h *HeatMap) { h.Hi[3] = 0.7 }), "plots: at 1, 10 a probability of 0.75 between 0.6 and 0.7"},
		{hm(func(h *HeatMap) { h.Lo[4] = 0 }), "plots: at 2, 1 a probability of NaN between 0 and NaN"},
		{hm(func(h *HeatMap) { h.Operating.Y = gap }), "plots: an operating point of a heat map needs both coordinates"},
		{ba(func(b *BarChart) { b.Bars[0].Lo = 0.45 }), `plots: bar 0 ("capacity") is 0.3 between 0.45 and 0.4`},
		{ba(func(b *BarChart) { b.Bars[1].Name = "" }), `plots: bar 1 ("") is 0.5 between 0.4 and 0.6`},
		{ba(func(b *BarChart) { b.Line.X = nil }), "plots: the line of a bar chart is at []: want one value"},
		{fa(func(f *FanChart) { f.Bands[0].Hi[1] = 1 }), `plots: band 0 ("90 %") is from 2 to 1 at 1`},
		{fa(func(f *FanChart) { f.Bands[1].Lo = nil }), `plots: band 1 ("50 %") of curve 0 has 3 places and 0 and 3 bounds`},
		{fa(func(f *FanChart) { f.Curves[0].X = nil }), `plots: curve 0 ("median") has 0 and 3 coordinates`},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
}

// The level √½ of x² + y² is a closed line a little inside the circle, as linear
// interpolation of a convex function is above it: by at most h²/4 over the gradient.
func TestIsolinesCircle_exact(t *testing.T) {
	const n, level = 21, 0.5
	grid := make([]float64, n)
	for i := range grid {
		grid[i] = 2*float64(i)/(n-1) - 1
	}
	z := make([]float64, n*n)
	for i, x := range grid {
		for j, y := range grid {
			z[i*n+j] = x*x + y*y
		}
	}
	lines := isolines(grid, grid, z, level)
	if len(lines) != 1 || lines[0][0] != lines[0][len(lines[0])-1] {
		t.Fatalf("%d lines, want one that closes", len(lines))
	}
	const h = 2.0 / (n - 1)
	for _, q := range lines[0] {
		r := math.Hypot(h*q.x-1, h*q.y-1)
		if gap := math.Sqrt(level) - r; gap < -1e-12 || gap > h*h/4/(2*math.Sqrt(level)) {
			t.Errorf("%v is %g inside the circle", q, gap)
		}
	}
}

// A saddle: two lines that do not cross, and no line next to what no one looked at.
func TestIsolinesSaddle_exact(t *testing.T) {
	grid := []float64{0, 1}
	for _, c := range []struct {
		z    []float64
		want int
	}{{[]float64{1, -1, -1, 1}, 2}, {[]float64{1, -3, -3, 1}, 2}, {[]float64{1, -1, gap, 1}, 0}, {[]float64{1, 2, 3, 4}, 0}} {
		if got := isolines(grid, grid, c.z, 0); len(got) != c.want {
			t.Errorf("%v: %v, want %d lines", c.z, got, c.want)
		}
	}
}
