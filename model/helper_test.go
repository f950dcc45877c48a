package model

import (
	"math"
	"os"
	"testing"

	"github.com/metastable/metastable/internal/ode"
)

// mustParse reads a scenario file that is right, and the tables that it names.
func mustParse(t testing.TB, name string, data []byte) *Scenario {
	t.Helper()
	s, err := Parse(name, data, os.DirFS("testdata/reference"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reference reads testdata/reference/NAME.yaml.
func reference(t testing.TB, name string) *Scenario {
	t.Helper()
	data, err := os.ReadFile("testdata/reference/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return mustParse(t, name, data)
}

// compiled reads and compiles a scenario file, with numbers put at paths.
func compiled(t testing.TB, file string, numbers map[string]float64) *System {
	t.Helper()
	sc := mustParse(t, "test.yaml", []byte(file))
	for path, v := range numbers {
		if err := sc.SetFloat(path, v); err != nil {
			t.Fatal(err)
		}
	}
	return mustCompile(t, sc)
}

func mustCompile(t testing.TB, sc *Scenario) *System {
	t.Helper()
	s, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func started(t testing.TB, s *System) []float64 {
	t.Helper()
	y, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// observed returns the observables by name.
func observed(s *System, t float64, y []float64) map[string]float64 {
	names := s.Columns()
	v := make([]float64, len(names))
	s.Observe(v, t, y)
	m := make(map[string]float64)
	for i, n := range names {
		m[n] = v[i]
	}
	return m
}

// integrated runs s from its start to its end and returns the final state; visit is
// called with the state at the given times, before what jumps at that instant.
func integrated(t testing.TB, s *System, set ode.Settings, times []float64, visit func(t float64, y []float64)) []float64 {
	t.Helper()
	set.Output, set.Record = times, visit
	y := started(t, s)
	s.Reset()
	res, err := ode.Solve(s, y, 0, s.Span(), &set)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != ode.Complete {
		t.Fatalf("stopped at %g s: %v", res.T, res.Status)
	}
	return res.Y
}

// checkRest fails the test where a component of the state y of s moves by more than rounding leaves:
// 1e-9 of it, or of 1, and besides atol.
func checkRest(t testing.TB, what string, s *System, y []float64, atol float64) {
	t.Helper()
	f := make([]float64, len(y))
	s.Eval(f, 0, y)
	for i, v := range f {
		if !(math.Abs(v) <= 1e-9*(1+math.Abs(y[i]))+atol) {
			t.Errorf("%s: component %d = %g moves by %g", what, i, y[i], v)
		}
	}
}
