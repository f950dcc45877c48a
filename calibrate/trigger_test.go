package calibrate

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// Huang et al., OSDI 2022, artifact LookasideCache_Metastability: the smallest number of
// hottest items whose deletion is not survived, on a grid of half decades; places in
// triggers, of which len(triggers) is −1, even the loss of everything is survived.
var (
	triggers     = []float64{0, 316, 1000, 3162, 1e4, 31622, 1e5, 316227, 1e6, 34511000}
	triggerLoads = []float64{60, 120, 180, 240, 300, 360, 420, 600, 900, 1200} // requests/s
	boundaries   = map[float64][]int{                                          // by Zipf exponent
		1.14165: {10, 10, 10, 8, 7, 5, 5, 3, 2, 1},
		1.00001: {10, 10, 7, 5, 3, 2, 0, 0, 0, 0},
	}
)

// lookAside is the shipped scenario at a load and a popularity, without its trigger.
func lookAside(t testing.TB, zipf, load, capacity float64) *model.Scenario {
	sc := scenariotest.Shipped(t, "osdi22-cache")
	sc.Timeline, sc.Uncertainty = nil, nil
	for path, v := range map[string]float64{"classes.item.popularity.zipf": zipf, "traffic.boots": load, "pools.mysql.capacity": capacity} {
		if err := sc.SetFloat(path, v); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// survives deletes the hottest k items of the cache at rest and reports whether the system
// answers nine requests in ten two minutes later; false where it does not rest at all.
func survives(t testing.TB, sc *model.Scenario, k float64) bool {
	const watch, answers = 120, 0.9 // s, share
	sys, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	y, err := sys.Start()
	if err != nil {
		return false // beyond the healthy states
	}
	// Bins end at ranks N^(i/B), rounded; the first begins at rank 1. The state begins
	// with the content of each bin.
	c := &sc.Classes[0].Value
	from := 0.0
	for i := range c.Popularity.Bins {
		to := math.Round(math.Pow(c.Keys, float64(i+1)/float64(c.Popularity.Bins)))
		if to > from {
			y[i] *= 1 - min(max(k-from, 0)/(to-from), 1)
		}
		from = to
	}
	if err := sys.Consistent(0, y); err != nil {
		t.Fatal(err)
	}
	const rtol = 1e-5 // of a verdict
	tols := sys.Scales()
	for i := range tols {
		tols[i] *= rtol / 10
	}
	r, err := ode.Solve(sys, y, 0, watch, &ode.Settings{RTol: rtol, ATols: tols})
	if err != nil || r.Status != ode.Complete {
		t.Fatal(err, r.Status)
	}
	row := make([]float64, len(sys.Columns()))
	sys.Observe(row, watch, r.Y)
	read, err := newReader(sc, sys.Columns(), "success")
	if err != nil {
		t.Fatal(err)
	}
	return read(row) >= answers
}

// boundary returns the place of the smallest trigger that is not survived at each load.
func boundary(t testing.TB, zipf, capacity float64) []int {
	var out []int
	for _, load := range triggerLoads {
		sc := lookAside(t, zipf, load, capacity)
		out = append(out, sort.Search(len(triggers), func(i int) bool { return !survives(t, sc, triggers[i]) }))
	}
	return out
}

// Two numbers are fitted to the boundary of exponent 1.14165: the size of the cache, which
// the scenario has, and the two minutes after which a run is judged; the capacity is that
// of the utilisation (see below). Every point is to be within half a decade and half of
// them exact; the same numbers then predict the other exponent.
func TestTriggerBoundaryInvariant(t *testing.T) {
	const capacity = 68
	for zipf, want := range boundaries {
		begin := time.Now()
		got := boundary(t, zipf, capacity)
		exact, near := compare(got, want)
		t.Logf("exponent %g: %v, published %v: %d exact, %d within half a decade, in %.1f s", zipf, got, want, exact, near, time.Since(begin).Seconds())
		if zipf == 1.14165 && (near < len(want) || exact < len(want)/2) {
			t.Errorf("exponent %g: %v, published %v", zipf, got, want)
		}
		if near < len(want)-2 { // a prediction: no number was fitted to it
			t.Errorf("exponent %g: %v, published %v", zipf, got, want)
		}
	}
}

func compare(got, want []int) (exact, near int) {
	for i := range want {
		switch d := got[i] - want[i]; {
		case d == 0:
			exact, near = exact+1, near+1
		case d == 1 || d == -1:
			near++
		}
	}
	return exact, near
}

// The idle share of the database's processors falls as a straight line from half of the
// load on: where it ends is the capacity. Below, one query at a time leaves processors
// idle that more queries would use.
func TestCapacityFromUtilisationField(t *testing.T) {
	var x, y []float64
	for load := 28.0; load <= 63; load += 7 {
		for _, idle := range idleShares(t, fmt.Sprintf("arr_%g_data.txt", load)) {
			x, y = append(x, load), append(y, idle)
		}
	}
	f, err := New(curve([]Param{{Name: "capacity", Lo: 40, Hi: 120, Log: true}, {Name: "slope", Lo: 0.1, Hi: 3}}, x, y, Noise{Kind: Student},
		func(load float64, p []float64) float64 { return p[1] * (1 - load/p[0]) }), nil)
	if err != nil {
		t.Fatal(err)
	}
	pr, err := f.Profile("capacity", 0.9)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("capacity %.1f misses/s, %v, %v", f.Values[0], pr, f.Warnings)
	if f.Values[0] < 64 || f.Values[0] > 72 { // the range that the incident page gives
		t.Errorf("capacity %.1f misses/s, want 64 to 72", f.Values[0])
	}
	got := boundary(t, 1.14165, f.Values[0])
	exact, near := compare(got, boundaries[1.14165])
	t.Logf("with this capacity: %v: %d exact, %d within half a decade", got, exact, near)
	if near < len(got) || exact < len(got)/2 {
		t.Errorf("with a capacity of %.1f/s the boundary is %v, published %v", f.Values[0], got, boundaries[1.14165])
	}
}

// idleShares reads the third column of dstat's lines, one a second: processors idle, %.
func idleShares(t *testing.T, name string) []float64 {
	t.Helper()
	file, err := os.Open(field(t, "osdi22", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []float64
	for lines := bufio.NewScanner(file); lines.Scan(); {
		cells := strings.Fields(lines.Text())
		if len(cells) < 3 {
			continue
		}
		v, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v/100)
	}
	return out
}
