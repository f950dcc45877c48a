package model

import (
	"testing"

	"github.com/metastable/metastable/internal/ode"
)

// compiled reads and compiles a scenario file, with numbers put at paths.
func compiled(t testing.TB, file string, numbers map[string]float64) *System {
	t.Helper()
	sc, err := Parse("test.yaml", []byte(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, v := range numbers {
		if err := sc.SetFloat(path, v); err != nil {
			t.Fatal(err)
		}
	}
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
