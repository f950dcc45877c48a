package montecarlo

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
)

// correlated is a sample in which the sum of two parameters hardly varies.
func correlated(n int) *Joint {
	j := &Joint{Paths: []string{"pools.main.capacity", "clients.give_up"}}
	r := Stream(3, 0)
	for range n {
		z := r.NormFloat64()
		j.Draws = append(j.Draws, []float64{4000 + 100*z, 0.1 - 0.01*z + 0.0005*r.NormFloat64()})
	}
	return j
}

// Runs take rows of the sample as they are: what moves together stays together.
func TestJointDrawsExact(t *testing.T) {
	j := correlated(50)
	s := &Sweep{Scenario: scenariotest.Parse(t, flushed), Points: []Point{nil}, Joint: j, Draws: 400, Seed: 1}
	var err error
	if s.Uncertain, err = j.Uncertainty(s.Scenario); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	seen := map[float64]bool{}
	for k := range s.Draws {
		sc, err := s.Draw(0, k)
		if err != nil {
			t.Fatal(err)
		}
		row := []float64{sc.Pools[0].Value.Capacity, sc.Clients.GiveUp}
		if !slices.ContainsFunc(j.Draws, func(d []float64) bool { return slices.Equal(d, row) }) {
			t.Fatalf("draw %d is %v, no row of the sample", k, row)
		}
		seen[row[0]] = true
	}
	if len(seen) < 49 { // a row is left out of 400 draws with probability e^−8
		t.Errorf("%d of 50 rows are drawn", len(seen))
	}
	// A point keeps its own value.
	s.Points = []Point{{{Path: "clients.give_up", X: 0.5}}}
	if sc, err := s.Draw(0, 0); err != nil || sc.Clients.GiveUp != 0.5 {
		t.Errorf("give up %v, %v: want that of the point", sc.Clients.GiveUp, err)
	}
}

// The places of a row lead back to its values through the laws of the columns.
func TestJointPlacesExact(t *testing.T) {
	j := correlated(40)
	j.Draws[7] = slices.Clone(j.Draws[8]) // walkers that stay leave the same row twice
	laws, err := j.Uncertainty(scenariotest.Parse(t, flushed))
	if err != nil {
		t.Fatal(err)
	}
	x := j.Places(200, 5)
	var a, b []float64
	for i := range 200 {
		row := []float64{laws[0].Law.Quantile(x.At(i, 0)), laws[1].Law.Quantile(x.At(i, 1))}
		if !slices.ContainsFunc(j.Draws, func(d []float64) bool { return slices.Equal(d, row) }) {
			t.Fatalf("place %d leads to %v, no row of the sample", i, row)
		}
		a, b = append(a, row[0]), append(b, row[1])
	}
	// By construction the correlation is −1/√(1 + 0.05²).
	numtest.Check(t, "correlation", stat.Correlation(a, b, nil), -1/math.Sqrt(1+0.05*0.05), 0, 0.002)
	for _, q := range []struct{ p, want float64 }{{1e-9, 0}, {0.25, 0}, {0.26, 1}, {1 - 1e-9, 3}} {
		numtest.Check(t, "quantile", empirical{0, 1, 2, 3}.Quantile(q.p), q.want, 0, 0)
	}
}

func TestJointThatMakesNoSense(t *testing.T) {
	sc := scenariotest.Parse(t, flushed)
	for _, c := range []struct {
		j    Joint
		says string
	}{
		{Joint{}, "0 draws of 0 parameters"},
		{Joint{[]string{"clients.give_up"}, [][]float64{{0.1, 0.2}}}, "want a number for each of 1"},
		{Joint{[]string{"clients.give_up"}, [][]float64{{math.NaN()}}}, "want a number"},
		{Joint{[]string{"clients.give_up"}, [][]float64{{0.1}, {0.2}, {2}}}, "uncertainty of clients.give_up"},
		{Joint{[]string{"clients.give_in"}, [][]float64{{0.1}}}, "did you mean"},
	} {
		if _, err := c.j.Uncertainty(sc); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: error %v, want %q", c.j, err, c.says)
		}
	}
}

// A plan carries the draws: a sweep read from its file draws the same.
func TestPlanWithJointDrawsExact(t *testing.T) {
	j := correlated(10)
	s := &Sweep{Scenario: scenariotest.Parse(t, flushed), Points: []Point{nil}, Joint: j, Draws: 5, Seed: 1}
	var err error
	if s.Uncertain, err = j.Uncertainty(s.Scenario); err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(s, "test", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var read Plan
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	again, err := read.Sweep()
	if err != nil {
		t.Fatal(err)
	}
	for k := range s.Draws {
		a, err := s.Draw(0, k)
		if err != nil {
			t.Fatal(err)
		}
		b, err := again.Draw(0, k)
		if err != nil {
			t.Fatal(err)
		}
		if a.Hash() != b.Hash() {
			t.Errorf("draw %d differs", k)
		}
	}
}
