package plots

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func fitChart() FitChart {
	f := FitChart{Frame: Frame{
		Title: "shop: success", Subtitle: "Measured values, the fit, its 90 % band and that of measured values.",
		X: Axis{Label: "time (min)", Column: "t_s"}, Y: Axis{Label: "success (%)", Column: "success", Scale: Percent},
	}}
	r := rand.New(rand.NewPCG(1, 1))
	wide, narrow := Band{Name: "90 % of measured values"}, Band{Name: "90 % of fits"}
	f.Measured.Name, f.Fit.Name = "measured", "fit"
	for t := 0.0; t <= 20; t += 0.5 {
		v := 1 - 0.6*math.Exp(-(t-8)*(t-8)/6)
		f.Fit.X, f.Fit.Y = append(f.Fit.X, t), append(f.Fit.Y, v)
		wide.X, wide.Lo, wide.Hi = append(wide.X, t), append(wide.Lo, v-0.08), append(wide.Hi, v+0.08)
		narrow.X, narrow.Lo, narrow.Hi = append(narrow.X, t), append(narrow.Lo, v-0.03), append(narrow.Hi, v+0.03)
		if t < 12 || t > 14 {
			f.Measured.X, f.Measured.Y = append(f.Measured.X, t), append(f.Measured.Y, v+0.045*r.NormFloat64())
		}
	}
	f.Bands = []Band{wide, narrow}
	return f
}

func profileChart() ProfileChart {
	c := ProfileChart{
		Frame: Frame{Title: "pools.db.capacity", Subtitle: "90 % interval: 95.2 to 107 per second.", X: Axis{Label: "pools.db.capacity (1/s)", Column: "capacity_per_s"}, Y: Axis{Label: "loss of log-likelihood", Column: "cost"}},
		Limit: 1.35, Lo: 95.2, Hi: 107, Best: 101,
	}
	for x := 90.0; x <= 114; x++ {
		c.Curve.X, c.Curve.Y = append(c.Curve.X, x), append(c.Curve.Y, 1.35*math.Pow((x-101)/6, 2))
	}
	return c
}

func pairPlot() PairPlot {
	f := PairPlot{Title: "shop: posterior", Subtitle: "Draws of the posterior; the star is the best fit.", Params: []PairParam{{"pools.db.capacity", true, 100}, {"clients.give_up", false, 0.4}, {"pools.db.timeout", true, 1}}}
	r := rand.New(rand.NewPCG(2, 1))
	for range 2000 {
		z := r.NormFloat64()
		f.Draws = append(f.Draws, []float64{100 * math.Exp(0.02*z), 0.4 + 0.03*(0.8*z+0.6*r.NormFloat64()), math.Exp(0.1 * r.NormFloat64())})
	}
	return f
}

// A picture is written whole, twice with the same bytes; METASTABLE_FIGURES names a folder
// that keeps it, to look at.
func TestFitFiguresGolden(t *testing.T) {
	fit, err := NewFitChart(fitChart())
	if err != nil {
		t.Fatal(err)
	}
	profile, err := NewProfileChart(profileChart())
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := NewPairPlot(pairPlot())
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]Figure{"fit": fit, "profile": profile, "pairs": pairs} {
		for _, format := range []string{"svg", "png"} {
			var first, second bytes.Buffer
			if err := f.Write(&first, format); err != nil {
				t.Fatal(err)
			}
			if err := f.Write(&second, format); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Errorf("%s as %s: two pictures differ: %v", name, format, err)
			}
			if dir := os.Getenv("METASTABLE_FIGURES"); dir != "" {
				if err := os.WriteFile(dir+"/"+name+"."+format, first.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestFitTablesExact(t *testing.T) {
	fit, err := NewFitChart(FitChart{
		Frame: Frame{Title: "a", X: Axis{Label: "t", Column: "t_s"}, Y: Axis{Label: "y", Column: "y"}}, Measured: Curve{"seen", []float64{1, 2}, []float64{3, 0}},
		Fit: Curve{"fit", []float64{1, 2}, []float64{2.5, 0}}, Bands: []Band{{Name: "b", X: []float64{1, 2}, Lo: []float64{2, 0}, Hi: []float64{3, 0.5}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := fit.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	want := "# title: a\nelement,name,t_s,y,y_to\nband,b,1,2,3\nband,b,2,0,0.5\nfit,fit,1,2.5,\nfit,fit,2,0,\nmeasured,seen,1,3,\nmeasured,seen,2,0,\n"
	if out.String() != want {
		t.Errorf("table:\n%s\nwant:\n%s", out.String(), want)
	}
	pairs, err := NewPairPlot(PairPlot{Params: []PairParam{{"a", false, 1}, {"b", true, 2}}, Draws: slicesOf(10, []float64{1.5, 2})})
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := pairs.WriteCSV(&out); err != nil || !strings.HasPrefix(out.String(), "# best a: 1\n# best b: 2\na,b\n1.5,2\n") {
		t.Errorf("table %q, error %v", out.String(), err)
	}
}

func slicesOf(n int, v []float64) [][]float64 {
	var out [][]float64
	for range n {
		out = append(out, v)
	}
	return out
}

func TestFitFiguresRefuseInvariant(t *testing.T) {
	f := fitChart()
	f.Measured.Y[3] = math.Inf(1)
	if _, err := NewFitChart(f); err == nil {
		t.Error("an infinite measured value is taken")
	}
	f = fitChart()
	f.Bands[0].Lo = f.Bands[0].Lo[1:]
	if _, err := NewFitChart(f); err == nil {
		t.Error("a band of two lengths is taken")
	}
	c := profileChart()
	c.Lo = 102
	if _, err := NewProfileChart(c); err == nil {
		t.Error("an interval beside the best value is taken")
	}
	p := pairPlot()
	p.Draws[7][0] = -1
	if _, err := NewPairPlot(p); err == nil {
		t.Error("the logarithm of -1 is taken")
	}
	p = pairPlot()
	p.Params = p.Params[:1]
	if _, err := NewPairPlot(p); err == nil {
		t.Error("one parameter makes no pair")
	}
}
