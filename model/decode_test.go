package model

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// referenceFiles returns the scenario files that are right, by name.
func referenceFiles(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/reference/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no reference files: %v", err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = data
	}
	return files
}

func TestParse_reference_invariant(t *testing.T) {
	for name, data := range referenceFiles(t) {
		s, err := Parse(name, data, os.DirFS("testdata/reference"))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		again, err := Parse(name, s.YAML(), os.DirFS("testdata/reference"))
		if err != nil {
			t.Errorf("canonical form of %s: %v\n%s", name, err, s.YAML())
			continue
		}
		if !reflect.DeepEqual(s, again) {
			t.Errorf("%s: canonical form reads as another scenario\n%s", name, s.YAML())
		}
	}
}

func mustParse(t testing.TB, name string, data []byte) *Scenario {
	t.Helper()
	s, err := Parse(name, data, os.DirFS("testdata/reference"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
