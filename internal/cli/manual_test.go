package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// The pages in docs/commands say what the help says.
func TestManual_golden(t *testing.T) {
	const stored = "../../docs/commands"
	dir := t.TempDir()
	if err := writeManual(newRoot(), dir); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		want, err := os.ReadFile(filepath.Join(dir, p.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(stored, p.Name()))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the help says (%v): go run ./cmd/metastable docs markdown docs/commands", p.Name(), err)
		}
	}
	if there, err := os.ReadDir(stored); err != nil || len(there) != len(pages) {
		t.Errorf("%d pages in docs/commands, want %d (%v)", len(there), len(pages), err)
	}
}
