package numtest

import (
	"math"
	"testing"
)

func TestCloseExact(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		got, want, rtol, atol float64
		close                 bool
	}{
		{1, 1, 0, 0, true},
		{1.25, 1, 0.25, 0, true},
		{1.25, 1, 0.125, 0.125, true},
		{1.25, 1, 0.125, 0, false},
		{0, 0x1p-60, 1e-3, 0, false},
		{inf, inf, 0, 0, true},
		{inf, -inf, 1, 1, false},
		{1, inf, 0.5, 0.5, false},
		{inf, 1, 0.5, 0.5, false},
		{nan, nan, 1, inf, false},
		{nan, 1, 1, 1, false},
	} {
		if Close(c.got, c.want, c.rtol, c.atol) != c.close {
			t.Errorf("Close(%g, %g, %g, %g) is not %v", c.got, c.want, c.rtol, c.atol, c.close)
		}
	}
}
