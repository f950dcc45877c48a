package montecarlo

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// ridge is P = Φ((y − c(x))/width), c a curve across a grid of n by n, with draw k at a
// point from its own stream.
type ridge struct {
	n     int
	width float64
}

func (r ridge) centre(x float64) float64 {
	return float64(r.n) * (0.5 + 0.3*math.Sin(4*x/float64(r.n)))
}

func (r ridge) run(tasks []Task) ([]int, error) {
	hits := make([]int, len(tasks))
	for i, t := range tasks {
		p := distuv.UnitNormal.CDF((float64(t.Point%r.n) - r.centre(float64(t.Point/r.n))) / r.width)
		for k := t.From; k < t.To; k++ {
			if Stream(uint64(t.Point), uint64(k)).Float64() < p {
				hits[i]++
			}
		}
	}
	return hits, nil
}

// With less than a tenth of the runs of the grid, its boundary: the same crossings, the same error
// against the truth. The band in which 0.05 < P < 0.95 is 3.3 widths across.
func TestBoundary_convergence(t *testing.T) {
	const draws = 200
	for _, c := range []ridge{{21, 0.3}, {65, 0.3}, {65, 1.2}, {129, 2.5}} {
		m, err := Boundary(c.n, c.n, &BoundarySettings{Draws: draws}, c.run)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Boundary(c.n, c.n, &BoundarySettings{Draws: draws, Pilot: draws, Stride: 1}, c.run)
		if err != nil {
			t.Fatal(err)
		}
		if whole.Total != c.n*c.n*draws {
			t.Fatalf("%d runs of the whole grid", whole.Total)
		}
		share := float64(m.Total) / float64(whole.Total)
		missed := 0
		for _, x := range whole.Crossings {
			// What a crossing moves by as a share below 0.05 is taken from 48 draws, not 200.
			near := func(y [2]float64) bool { return math.Hypot(x[0]-y[0], x[1]-y[1]) < 0.05 }
			if !slices.ContainsFunc(m.Crossings, near) {
				missed++
			}
		}
		a, b := c.rms(m), c.rms(whole)
		t.Logf("width %g on %d by %d: %.1f %% of the runs, %d of %d crossings missed, error %.3f against %.3f", c.width, c.n, c.n, 100*share, missed, len(whole.Crossings), a, b)
		if share > 0.1 {
			t.Errorf("width %g: %.1f %% of the runs", c.width, 100*share)
		}
		// Crossings off the line, noise of a wide band, may go unseen.
		if missed > len(whole.Crossings)/50 || len(m.Crossings) > len(whole.Crossings) || a > 1.05*b {
			t.Errorf("width %g: %d of %d crossings missed, error %g against %g", c.width, missed, len(whole.Crossings), a, b)
		}
	}
}

// rms is the distance of the crossings from the curve along y, root mean square.
func (r ridge) rms(m *Map) float64 {
	sum := 0.0
	for _, x := range m.Crossings {
		d := x[1] - r.centre(x[0])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(m.Crossings)))
}

// Where there is no boundary the coarse grid is all that is looked at; errors stop it.
func TestBoundary_exact(t *testing.T) {
	never := func(tasks []Task) ([]int, error) { return make([]int, len(tasks)), nil }
	m, err := Boundary(33, 40, &BoundarySettings{Draws: 100, Pilot: 10, Stride: 8}, never)
	if err != nil || len(m.Crossings) != 0 || m.Total != 5*6*10 {
		t.Errorf("%d crossings, %d runs, %v", len(m.Crossings), m.Total, err)
	}
	boom := errors.New("boom")
	if _, err := Boundary(9, 9, nil, func([]Task) ([]int, error) { return nil, boom }); !errors.Is(err, boom) {
		t.Error(err)
	}
	for _, s := range []BoundarySettings{{Pilot: 300}, {Stride: 3}, {Draws: -1}} {
		if _, err := Boundary(9, 9, &s, never); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	if _, err := Boundary(1, 9, nil, never); err == nil {
		t.Error("a grid of one column is accepted")
	}
}
