// Package notebooks tests that the notebooks beside it say what they say when they are run.
package notebooks

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "run the notebooks and store what they show")

// A notebook is as much of the format (version 4.5) as is looked at.
type notebook struct {
	Cells []struct {
		Source  []string
		Outputs []struct {
			Kind string `json:"output_type"`
			Name string // of a stream
			Text []string
			Data map[string]any // by media type
		}
	}
}

// Every notebook runs, writes nothing to standard error, and shows the text that is stored
// with it. Pictures have to be there; how they look is a matter of package plots.
func TestNotebooks_golden(t *testing.T) {
	if _, err := exec.LookPath("jupyter"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("jupyter with nbconvert is not installed")
	}
	files, err := filepath.Glob("*.ipynb")
	if err != nil || len(files) != 5 {
		t.Fatalf("%d notebooks, want 5: %v", len(files), err)
	}
	env := kernel(t)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			cmd := exec.Command("jupyter", "nbconvert", "--to", "notebook", "--execute", "--output-dir", out,
				"--ExecutePreprocessor.record_timing=False", "--ExecutePreprocessor.timeout=600", file)
			cmd.Env = append(env, "TMPDIR="+t.TempDir())
			if log, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, log)
			}
			run := filepath.Join(out, file)
			got := shown(t, run)
			for i, cell := range got {
				if strings.Contains(cell, "stderr:") || strings.Contains(cell, "error:") {
					t.Errorf("cell %d fails:\n%s", i, cell)
				}
			}
			if *update {
				store(t, run, file)
			}
			want := shown(t, file)
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Errorf("cell %d shows\n%s\nand not what is stored, which go test -update mends\n%s", i, got[i], want[i])
				}
			}
		})
	}
}

// kernel builds the kernel and returns an environment in which Jupyter finds it.
func kernel(t *testing.T) []string {
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin")+string(filepath.Separator), "tool")
	if log, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	spec := filepath.Join(dir, "kernels", "gonb")
	if err := os.MkdirAll(spec, 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"argv": [%q, "--raw_error", "--kernel", "{connection_file}"], "display_name": "Go (gonb)", "language": "go"}`,
		filepath.Join(dir, "bin", "gonb"))
	if err := os.WriteFile(filepath.Join(spec, "kernel.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "JUPYTER_PATH="+dir, "PATH="+filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// shown returns the source of each cell and what it shows: streams as wholes, since where a
// picture falls between two lines of text is a matter of chance.
func shown(t *testing.T, file string) []string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var nb notebook
	if err := json.Unmarshal(data, &nb); err != nil {
		t.Fatal(err)
	}
	cells := make([]string, len(nb.Cells))
	for i, c := range nb.Cells {
		streams := map[string]string{}
		var rest strings.Builder
		for _, o := range c.Outputs {
			if o.Kind == "stream" {
				streams[o.Name] += strings.Join(o.Text, "")
				continue
			}
			for _, media := range slices.Sorted(maps.Keys(o.Data)) {
				fmt.Fprintf(&rest, "%s:\n", media)
				if strings.HasPrefix(media, "text/") {
					fmt.Fprintln(&rest, o.Data[media])
				}
			}
			if o.Kind == "error" {
				fmt.Fprintln(&rest, "error:")
			}
		}
		cells[i] = strings.Join(c.Source, "") + "\n"
		for _, name := range slices.Sorted(maps.Keys(streams)) {
			cells[i] += name + ":\n" + streams[name]
		}
		cells[i] += rest.String()
	}
	return cells
}

// store writes a notebook that was run in place of the one in the repository, without the
// version of Go that ran it.
func store(t *testing.T, run, file string) {
	data, err := os.ReadFile(run)
	if err != nil {
		t.Fatal(err)
	}
	var nb map[string]any
	if err := json.Unmarshal(data, &nb); err != nil {
		t.Fatal(err)
	}
	delete(nb["metadata"].(map[string]any)["language_info"].(map[string]any), "version")
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(nb); err != nil {
		t.Fatal(err)
	}
	const most = 600_000 // bytes; more is slow to open in a browser
	if text.Len() > most {
		t.Errorf("%d bytes, want at most %d", text.Len(), most)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
