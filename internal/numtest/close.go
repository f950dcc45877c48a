// Package numtest holds what numerical tests share: comparison with tolerances and
// problems with known answers.
package numtest

import (
	"math"
	"testing"
)

// Close reports whether |got − want| <= rtol |want| + atol. An infinity
// is close to itself alone, NaN to nothing.
func Close(got, want, rtol, atol float64) bool {
	if got == want || math.IsInf(want, 0) {
		return got == want
	}
	return math.Abs(got-want) <= rtol*math.Abs(want)+atol
}

// Check fails the test when got is not [Close] to want.
func Check(t testing.TB, name string, got, want, rtol, atol float64) {
	t.Helper()
	if !Close(got, want, rtol, atol) {
		t.Errorf("%s = %.15g, want %.15g: off by %.3g, allowed %.3g",
			name, got, want, math.Abs(got-want), rtol*math.Abs(want)+atol)
	}
}

// CheckSlice fails the test when the lengths differ or an element of got is not
// [Close] to that of want.
func CheckSlice(t testing.TB, name string, got, want []float64, rtol, atol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s has length %d, want %d", name, len(got), len(want))
		return
	}
	for i := range want {
		if !Close(got[i], want[i], rtol, atol) {
			t.Errorf("%s[%d] = %.15g, want %.15g: off by %.3g, allowed %.3g",
				name, i, got[i], want[i], math.Abs(got[i]-want[i]), rtol*math.Abs(want[i])+atol)
		}
	}
}
