package plots

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// A limit changes at an instant: the plan has a corner there, and ends where it is taken off.
func TestWayHome_steps_exact(t *testing.T) {
	h := WayHome{X: []float64{0.1, 0.2, 0.3, 0.4}, Limit: []float64{1, 1, 3, math.NaN()}}
	x, y, off := h.steps()
	if want := []float64{0.1, 0.2, 0.3, 0.3, 0.4, 0.4}; !slices.Equal(x, want) {
		t.Errorf("at %v, want %v", x, want)
	}
	if want := []float64{1, 1, 1, 3, 3}; !slices.Equal(y[:5], want) || !math.IsNaN(y[5]) {
		t.Errorf("limits %v, want %v and none", y, want)
	}
	if !slices.Equal(off, []int{3}) {
		t.Errorf("off at %v, want at 3", off)
	}
}

// Numbers of marks that stand close together all find room.
func TestMarks_crowded_exact(t *testing.T) {
	names, xs := []string{}, []vg.Length{}
	for i := range 14 {
		names = append(names, "a long name of an action that has no room")
		xs = append(xs, 100+vg.Length(i/2)*20) // two at a time
	}
	marks, key := labelMarks(xs, names, names, textStyle(smallSize, inkColor), 0, 500)
	if len(key) != len(names) || len(marks) != 7 || marks[2].name != "5–6" {
		t.Errorf("%+v and %d lines of the key; want 7 marks, the third 5–6", marks, len(key))
	}
}
