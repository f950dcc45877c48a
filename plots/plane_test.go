package plots

import (
	"bytes"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"
)

var gap = math.NaN()

func frameOf(title string) Frame {
	return Frame{
		Title: title,
		X:     Axis{Label: "traffic (% of the full rate)", Column: "traffic_share", Scale: Percent},
		Y:     Axis{Label: "load / capacity", Column: "load.main", Scale: Log},
		Width: 6, Height: 4,
	}
}

// planarCase is a small figure of each kind with everything in it, and its table.
type planarCase struct {
	name   string
	figure interface {
		Figure
		planar
	}
	table string
}

func planarCases() []planarCase {
	bi := &BifurcationDiagram{
		Frame: frameOf("Branches"),
		Branches: []Branch{
			{X: []float64{0, 1, 2, 1.5}, Y: []float64{0.1, 0.2, 0.5, 0.9}, Stable: []bool{true, true, false, false}},
			{Name: "isola", X: []float64{0.5, 0.7, 1}, Y: []float64{3, gap, 6}, Stable: []bool{true, true, true}},
		},
		Points:    []SpecialPoint{{Fold, "fold 2.0", 2, 0.5}, {Hopf, "", 1, 6}, {BranchPoint, "", 1, 0.2}},
		Operating: &Operating{X: 0.8, Y: gap},
	}
	rm := &ReturnMap{
		Frame:      frameOf("Map"),
		In:         []float64{0.1, 1, 10},
		Out:        []float64{0.3, 1, 8},
		Equilibria: []MapPoint{{"healthy", 0.3, true}, {"tipping", 1, false}},
		Cobwebs:    []Cobweb{{"cold", []float64{2, 7, 8}}},
	}
	rm.X = Axis{Label: "load / capacity", Column: "load", Scale: Log}
	ph := &PhaseDiagram{
		Frame: frameOf("Phases"),
		Cells: []Cell{
			{AlwaysSafe, [2]float64{0, 1}, [2]float64{0.1, 10}},
			{Metastable, [2]float64{1, 2}, [2]float64{0.1, 1}},
			{CertainToFail, [2]float64{1, 2}, [2]float64{1, 10}},
			{"odd", [2]float64{0, 1}, [2]float64{10, 20}},
		},
		Regions:    []Region{{Restless, []float64{1.2, 1.8, 1.5}, []float64{2, 2, 6}}},
		Boundaries: []Curve{{"fold", []float64{1, 1, 1.2}, []float64{0.1, gap, 10}}},
		Points:     []SpecialPoint{{Cusp, "cusp", 1, 1}, {BogdanovTakens, "", 1.1, 4}, {ZeroHopf, "", 0.4, 4}, {NeutralSaddle, "", 0.2, 4}},
		Operating:  &Operating{Name: "now", X: 0.8, Y: 0.4},
	}
	hy := &HysteresisLoop{
		Frame:     frameOf("Loop"),
		Up:        Sweep{[]float64{0, 1, 1, 2}, []float64{0.1, 0.2, 8, 9}, []int{1}},
		Down:      Sweep{[]float64{2, 0.5, 0.5, 0}, []float64{9, 6, 0.15, 0.1}, []int{1}},
		Operating: &Operating{X: 0.8, Y: gap},
	}
	po := &PhasePortrait{
		Frame:        frameOf("Portrait"),
		Field:        []Arrow{{0.5, 1, 0.1, 0}, {1, 10, 0, -1}, {1.5, 0.1, -1, 1}},
		Nullclines:   []Curve{{"x stands still", []float64{0, 2}, []float64{1, 1}}, {"y stands still", []float64{1, 1}, []float64{0.1, 10}}},
		Separatrix:   []Curve{{"", []float64{0.5, 1.5}, []float64{0.1, 10}}},
		Trajectories: []Curve{{"", []float64{0.2, 0.4}, []float64{0.2, 5}}},
		States:       []PortraitState{{"healthy", StableState, 0.2, 0.2}, {"tipping", SaddleState, 1, 1}, {"", UnstableState, 1.8, 5}},
	}
	tc := &TippingCurve{
		Frame:     frameOf("Tipping"),
		X:         []float64{0, 1, 2, 3, 4},
		Absorbed:  []float64{gap, 0.5, 0.4, 0.2, gap},
		Tipping:   []float64{gap, 0.6, 0.5, 0.3, 0.1},
		Operating: &Operating{X: 2.5, Y: gap},
	}
	wh := &WayHome{
		Frame:   frameOf("Way home"),
		X:       []float64{0.5, 1, 1, 1.5},
		Limit:   []float64{1, 1, 3, gap},
		Largest: []float64{2, 4, 4, gap},
	}
	to := &TradeOff{
		Frame:   frameOf("Choices"),
		Choices: []Choice{{"slow", 2, 1, false}, {"", 1, 2, true}, {"", 1.5, 8, false}},
	}
	return append(uncertainCases(), []planarCase{
		{"bifurcation", bi, `# title: Branches
element,name,traffic_share,load.main,stable
branch,branch 1,0,0.1,1
branch,branch 1,1,0.2,1
branch,branch 1,2,0.5,0
branch,branch 1,1.5,0.9,0
branch,isola,0.5,3,1
branch,isola,0.7,,1
branch,isola,1,6,1
fold,fold 2.0,2,0.5,
Hopf point,,1,6,
branch point,,1,0.2,
operating,today,0.8,,
`},
		{"returnmap", rm, `# title: Map
element,name,load,load.main,stable
map,,0.1,0.3,
map,,1,1,
map,,10,8,
equilibrium,healthy,0.3,0.3,1
equilibrium,tipping,1,1,0
cobweb,cold,2,7,
cobweb,cold,7,8,
`},
		{"phase", ph, `# title: Phases
element,name,traffic_share,load.main,x_to,y_to
cell,always safe,0,0.1,1,10
cell,metastable,1,0.1,2,1
cell,certain to fail,1,1,2,10
cell,odd,0,10,1,20
region,restless 1,1.2,2,,
region,restless 1,1.8,2,,
region,restless 1,1.5,6,,
boundary,fold,1,0.1,,
boundary,fold,1,,,
boundary,fold,1.2,10,,
cusp,cusp,1,1,,
Bogdanov–Takens point,,1.1,4,,
zero-Hopf point,,0.4,4,,
neutral saddle,,0.2,4,,
operating,now,0.8,0.4,,
`},
		{"hysteresis", hy, `# title: Loop
element,name,traffic_share,load.main,jump
sweep,up,0,0.1,0
sweep,up,1,0.2,1
sweep,up,1,8,0
sweep,up,2,9,0
sweep,down,2,9,0
sweep,down,0.5,6,1
sweep,down,0.5,0.15,0
sweep,down,0,0.1,0
operating,today,0.8,,
`},
		{"portrait", po, `# title: Portrait
element,name,traffic_share,load.main,dx_per_s,dy_per_s
arrow,,0.5,1,0.1,0
arrow,,1,10,0,-1
arrow,,1.5,0.1,-1,1
nullcline,x stands still,0,1,,
nullcline,x stands still,2,1,,
nullcline,y stands still,1,0.1,,
nullcline,y stands still,1,10,,
separatrix,,0.5,0.1,,
separatrix,,1.5,10,,
trajectory,,0.2,0.2,,
trajectory,,0.4,5,,
stable,healthy,0.2,0.2,,
saddle,tipping,1,1,,
unstable,,1.8,5,,
`},
		{"tipping", tc, `# title: Tipping
element,name,traffic_share,load.main,absorbed
trigger,,0,,
trigger,,1,0.6,0.5
trigger,,2,0.5,0.4
trigger,,3,0.3,0.2
trigger,,4,0.1,
operating,today,2.5,,
`},
		{"wayhome", wh, `# title: Way home
element,name,traffic_share,load.main,largest
moment,,0.5,1,2
moment,,1,1,4
moment,,1,3,4
moment,,1.5,,
`},
		{"tradeoff", to, `# title: Choices
element,name,traffic_share,load.main,taken
choice,slow,2,1,0
choice,,1,2,1
choice,,1.5,8,0
`},
	}...)
}

func TestPlanarCSVGolden(t *testing.T) {
	for _, tc := range planarCases() {
		var got strings.Builder
		if err := tc.figure.WriteCSV(&got); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if got.String() != tc.table {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.name, got.String(), tc.table)
		}
	}
}

// Pictures loosely, as that of the timeline.
func TestPlanarPictureGolden(t *testing.T) {
	for _, tc := range planarCases() {
		file := "testdata/" + tc.name + ".png"
		var got bytes.Buffer
		if err := tc.figure.Write(&got, "png"); err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := cmpimg.EqualApprox("png", got.Bytes(), want, 0.1); err != nil || !same {
			t.Errorf("the picture is not %s (%v)", file, err)
		}
		var first, again bytes.Buffer
		for _, buf := range []*bytes.Buffer{&first, &again} {
			if err := tc.figure.Write(buf, "svg"); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Errorf("%s: two pictures of one figure differ", tc.name)
		}
	}
}

func TestPlanarErrors(t *testing.T) {
	of := func(name string) any {
		for _, c := range planarCases() {
			if c.name == name {
				return c.figure
			}
		}
		panic(name)
	}
	bi := func(spoil func(*BifurcationDiagram)) func() (any, error) {
		return func() (any, error) {
			d := of("bifurcation").(*BifurcationDiagram)
			spoil(d)
			return NewBifurcationDiagram(*d)
		}
	}
	rm := func(spoil func(*ReturnMap)) func() (any, error) {
		return func() (any, error) { d := of("returnmap").(*ReturnMap); spoil(d); return NewReturnMap(*d) }
	}
	ph := func(spoil func(*PhaseDiagram)) func() (any, error) {
		return func() (any, error) { d := of("phase").(*PhaseDiagram); spoil(d); return NewPhaseDiagram(*d) }
	}
	hy := func(spoil func(*HysteresisLoop)) func() (any, error) {
		return func() (any, error) { d := of("hysteresis").(*HysteresisLoop); spoil(d); return NewHysteresisLoop(*d) }
	}
	po := func(spoil func(*PhasePortrait)) func() (any, error) {
		return func() (any, error) { d := of("portrait").(*PhasePortrait); spoil(d); return NewPhasePortrait(*d) }
	}
	tc := func(spoil func(*TippingCurve)) func() (any, error) {
		return func() (any, error) { d := of("tipping").(*TippingCurve); spoil(d); return NewTippingCurve(*d) }
	}
	for _, c := range []struct {
		make func() (any, error)
		want string
	}{
		{bi(func(d *BifurcationDiagram) { d.Branches[0].X[2] = gap }), `plots: traffic_share of branch "branch 1", point 2, is NaN`},
		{bi(func(d *BifurcationDiagram) { d.Branches[1].Y[0] = -1 }), `plots: load.main of branch "isola", point 0, is -1`},
		{bi(func(d *BifurcationDiagram) { d.Branches[1].Stable = nil }), `plots: branch 1 ("isola") has 3 and 3 coordinates and 0 stabilities`},
		{bi(func(d *BifurcationDiagram) { d.Points[0].Y = gap }), `plots: load.main of fold "fold 2.0", point 0, is NaN`},
		{bi(func(d *BifurcationDiagram) { d.Points[0].Kind = "bend" }), `plots: point 0 is of the unknown kind "bend"`},
		{bi(func(d *BifurcationDiagram) { d.X.Column = "" }), `plots: axis "traffic (% of the full rate)" needs a label and a column`},
		{bi(func(d *BifurcationDiagram) { d.Y.Lo, d.Y.Hi = 0, 3 }), `plots: axis load.main from 0 to 3: want a finite range on its scale`},
		{bi(func(d *BifurcationDiagram) { d.Width = 3 }), `plots: a picture 3 inches wide: want 5 to 40, or 0 for the default`},
		{bi(func(d *BifurcationDiagram) { *d = BifurcationDiagram{Frame: d.Frame} }), `plots: a figure without data`},
		{rm(func(d *ReturnMap) { d.In[1] = 0.05 }), `plots: argument 1 of the map is 0.05 after 0.1: want them ascending`},
		{rm(func(d *ReturnMap) { d.Cobwebs[0].Values = nil }), `plots: cobweb 0 ("cold") has 0 values: want a start and where it leads`},
		{ph(func(d *PhaseDiagram) { d.Cells[0].X[1] = 0 }), `plots: cell 0 ("always safe") spans [0 0] and [0.1 10]: want a verdict and finite sides`},
		{ph(func(d *PhaseDiagram) { d.Regions[0].X = nil }), `plots: region 0 ("restless") has 0 and 3 coordinates: want a verdict and 3 corners`},
		{ph(func(d *PhaseDiagram) { d.Operating.Y = gap }), `plots: an operating point of a phase diagram needs both coordinates`},
		{hy(func(d *HysteresisLoop) { d.Up.Jumps[0] = 3 }), `plots: the sweep up jumps after point 3 of 4`},
		{po(func(d *PhasePortrait) { d.States[0].Kind = "odd" }), `plots: state 0 is of the unknown kind "odd"`},
		{po(func(d *PhasePortrait) { d.Field[1].DY = gap }), `plots: arrow 1 points to 0, NaN`},
		{tc(func(d *TippingCurve) { d.Absorbed[1] = 0.7 }), `plots: at 1 a trigger of 0.7 is absorbed and one of 0.6 tips`},
		{tc(func(d *TippingCurve) { d.X[1] = 0 }), `plots: parameter 1 of the tipping curve is 0 after 0: want them ascending`},
	} {
		if _, err := c.make(); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	for _, c := range planarCases() {
		if err := c.figure.Write(io.Discard, "pdf"); err == nil {
			t.Errorf("%s: no error for an unknown format", c.name)
		}
	}
}

// A legend names what is drawn: where no trigger tips there is no curve of those that do.
func TestTippingCurve_legend_exact(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		absorbed, tipping []float64
		has, not          []string
	}{
		{[]float64{none, none}, []float64{none, none}, []string{"absorbed"}, []string{"smallest that tips", "largest absorbed", "absorbed to tips"}},
		{[]float64{none, none}, []float64{0.1, 0.2}, []string{"smallest that tips"}, []string{"largest absorbed", "absorbed to tips"}},
		{[]float64{0.1, 0.2}, []float64{0.2, 0.3}, []string{"smallest that tips", "largest absorbed", "absorbed to tips"}, nil},
	} {
		f, err := NewTippingCurve(TippingCurve{
			Frame: Frame{Title: "t", X: Axis{Label: "x", Column: "x"}, Y: Axis{Label: "y", Column: "y", Hi: 1}},
			X:     []float64{0, 1}, Absorbed: c.absorbed, Tipping: c.tipping,
		})
		if err != nil {
			t.Fatal(err)
		}
		var svg strings.Builder
		if err := f.Write(&svg, "svg"); err != nil {
			t.Fatal(err)
		}
		for _, name := range c.has {
			if !strings.Contains(svg.String(), ">"+name+"<") {
				t.Errorf("%v, %v: no %q in the legend", c.absorbed, c.tipping, name)
			}
		}
		for _, name := range c.not {
			if strings.Contains(svg.String(), ">"+name+"<") {
				t.Errorf("%v, %v: %q in the legend", c.absorbed, c.tipping, name)
			}
		}
	}
}
