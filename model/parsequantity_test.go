package model

import "testing"

// Each spelling is worth what its unit says; one of another unit is none.
func TestQuantity_exact(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64
	}{{"30m", "s", 1800}, {"9k/s", "1/s", 9000}, {"25%", "share", 0.25}, {"1.3", "share", 1.3}, {"20M", "count", 20e6}} {
		if got, err := Quantity(c.text, c.unit); err != nil || got != c.want {
			t.Errorf("%s: %g, %v, want %g %s", c.text, got, err, c.want, c.unit)
		}
	}
	for _, c := range [][2]string{{"30m", "share"}, {"25%", "1/s"}, {"", "s"}, {"none", "1/s"}, {"1", "stone"}, {"nan", "1"}} {
		if got, err := Quantity(c[0], c[1]); err == nil {
			t.Errorf("%s as %s: %g", c[0], c[1], got)
		}
	}
}
