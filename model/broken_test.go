package model

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// brokenFiles returns the files of testdata/broken by name without extension.
func brokenFiles(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/broken/*.yaml")
	if err != nil || len(names) < 40 {
		t.Fatalf("%d broken files: %v", len(names), err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(name), ".yaml")] = data
	}
	return files
}

func TestParse_broken_golden(t *testing.T) {
	for name, data := range brokenFiles(t) {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(name+".yaml", data, os.DirFS("testdata/broken"))
			var first *ParseError
			if !errors.As(err, &first) {
				t.Fatalf("no ParseError but %v", err)
			}
			if first.File != name+".yaml" || first.Line < 1 || first.Column < 1 {
				t.Errorf("no position: %+v", first)
			}
			got, golden := err.Error()+"\n", filepath.Join("testdata/broken", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}
