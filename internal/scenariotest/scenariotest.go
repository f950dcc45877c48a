// Package scenariotest reads scenarios for tests, which it ends when that fails. What is to be set
// stands as on a command line: path, value, path, value, …
package scenariotest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/metastable/metastable/data"
	"github.com/metastable/metastable/model"
)

// Parse reads the text of a file that names no other file.
func Parse(t testing.TB, text string, set ...string) *model.Scenario {
	t.Helper()
	return parse(t, "test.yaml", []byte(text), nil, set)
}

// Read reads a file, and those beside it that it names.
func Read(t testing.TB, path string, set ...string) *model.Scenario {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, path, text, os.DirFS(filepath.Dir(path)), set)
}

// Shipped reads the shipped scenario of that name.
func Shipped(t testing.TB, name string, set ...string) *model.Scenario {
	t.Helper()
	text, err := data.Scenario(name)
	if err != nil {
		t.Fatal(err)
	}
	beside, err := fs.Sub(data.FS, "scenarios")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, name, text, beside, set)
}

func parse(t testing.TB, name string, text []byte, beside fs.FS, set []string) *model.Scenario {
	t.Helper()
	sc, err := model.Parse(name, text, beside)
	if err != nil {
		t.Fatal(err)
	}
	return Set(t, sc, set...)
}

// Set puts values, spelled as in a file, at paths of sc, and returns it.
func Set(t testing.TB, sc *model.Scenario, set ...string) *model.Scenario {
	t.Helper()
	for i := 0; i < len(set); i += 2 {
		if err := sc.Set(set[i], set[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// Compile compiles sc.
func Compile(t testing.TB, sc *model.Scenario) *model.System {
	t.Helper()
	sys, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return sys
}
