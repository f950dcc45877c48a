package montecarlo

import (
	"math"
	"testing"
)

// y = 2 x0 − x1 of parameters uniform in (0, 1): the mean is ½, 2·0.1 − ½ and 2·0.9 − ½ at
// the ends of the first, and 1 − 0.1 and 1 − 0.9 at those of the second. A Sobol'
// sequence of 4,096 points has these means to 1e-3; the intervals are for random points.
func TestSwings_exact(t *testing.T) {
	x, err := Sample(ScrambledSobol, 4096, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	y, binary := make([]float64, 4096), make([]float64, 4096)
	for i := range y {
		y[i] = 2*x.At(i, 0) - x.At(i, 1)
		if x.At(i, 0) > 0.9 {
			binary[i] = 1
		}
	}
	s, err := Swings(x, y, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		got  Interval
		want float64
	}{{s.All, 0.5}, {s.Low[0], -0.3}, {s.High[0], 1.3}, {s.Low[1], 0.9}, {s.High[1], 0.1}} {
		if math.Abs(c.got.Estimate-c.want) > 1e-3 || !(c.got.Lo < c.want && c.want < c.got.Hi) {
			t.Errorf("%v, want %g", c.got, c.want)
		}
	}
	b, err := Swings(x, binary, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if want := Wilson(0, 819, 0.95); b.Low[0] != want { // 819 = ⌊4096/5⌋
		t.Errorf("%v, want %v", b.Low[0], want)
	}
	if math.Abs(b.High[0].Estimate-0.5) > 0.01 { // half of the highest fifth
		t.Errorf("%v, want 0.5", b.High[0])
	}
	y[7] = math.NaN()
	if s, err := Swings(x, y, 0.95); err != nil || s.Failed != 1 || len(s.Warnings) != 1 {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := Swings(x, y[:10], 0.95); err == nil {
		t.Error("10 values of 4,096 points are accepted")
	}
}
