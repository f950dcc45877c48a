package trajectory

import (
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/model"
)

// samples returns rows with a demand of 100/s and the given goodput.
func samples(pairs ...[2]float64) [][]float64 {
	var rows [][]float64
	for _, p := range pairs {
		rows = append(rows, []float64{p[0], 100, 0, 200, p[1] / 200, 0})
	}
	return rows
}

func TestOutages_exact(t *testing.T) {
	for _, c := range []struct {
		name string
		rows [][]float64
		want [][2]float64
	}{
		{"no rows", nil, nil},
		{"healthy", samples([2]float64{0, 100}, [2]float64{1000, 100}), nil},
		{"at 90 %", samples([2]float64{0, 90}, [2]float64{1000, 90}), nil},
		{"throughout", samples([2]float64{0, 50}, [2]float64{1000, 50}), [][2]float64{{0, 1000}}},
		// 100 → 80 crosses 90 half way, 80 → 100 likewise.
		{"within", samples([2]float64{0, 100}, [2]float64{100, 80}, [2]float64{300, 80}, [2]float64{500, 100}), [][2]float64{{50, 400}}},
		{"60 s", samples([2]float64{0, 100}, [2]float64{60, 80}, [2]float64{120, 100}), nil},
		{"61 s", samples([2]float64{0, 100}, [2]float64{61, 80}, [2]float64{122, 100}), [][2]float64{{30.5, 91.5}}},
		{"jumps", samples([2]float64{0, 100}, [2]float64{100, 100}, [2]float64{100, 0}, [2]float64{300, 0}, [2]float64{300, 100}), [][2]float64{{100, 300}}},
		{"two, the second open", samples([2]float64{0, 0}, [2]float64{100, 0}, [2]float64{100, 100}, [2]float64{200, 100}, [2]float64{200, 0}, [2]float64{300, 0}), [][2]float64{{0, 100}, {200, 300}}},
	} {
		got := Outages(c.rows)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for i := range got {
			numtest.CheckSlice(t, c.name, got[i][:], c.want[i][:], 1e-12, 0)
		}
	}
	closed := []float64{0, 0, 0, 0, 0, 0} // nobody wants to start
	if got := Outages([][]float64{closed, slices.Concat([]float64{100}, closed[1:])}); got != nil {
		t.Errorf("without demand: %v", got)
	}
}

func TestLost_exact(t *testing.T) {
	// 100/s arrive; a goodput that falls from 100/s to 0 in 10 s leaves 500 clients
	// without a boot; 200 of them wait.
	rows := samples([2]float64{0, 100}, [2]float64{10, 0})
	rows[1][model.ColWaiting] = 200
	numtest.Check(t, "Lost", Lost(rows), 300, 1e-12, 0)
	if got := Lost(nil); got != 0 {
		t.Errorf("Lost of nothing: %g", got)
	}
}
