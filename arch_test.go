package metastable_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const module = "github.com/metastable/metastable"

// mayImport lists, for each package, the packages of this module that it may import.
// Arrows point downward only. A package that is not listed may not exist: a new one
// gets its place here.
var mayImport = map[string][]string{
	"cmd/metastable": {"internal/cli"},
	"internal/cli": {
		"audit", "calibrate", "data", "fixedpoint", "internal/explore/site", "internal/ode", "model", "montecarlo", "plots",
		"internal/report", "recovery", "referee", "stability", "telemetry", "trajectory",
	},

	"notebooks":      {}, // the test that runs them
	"notebooks/show": {"data", "model", "plots"},

	"plots":      {"fixedpoint", "model", "internal/ode"}, // imported by what shows results alone
	"recovery":   {"fixedpoint", "model", "internal/ode", "stability", "trajectory"},
	"calibrate":  {"fixedpoint", "model", "internal/ode", "internal/special", "telemetry", "trajectory"},
	"montecarlo": {"fixedpoint", "model", "internal/ode", "internal/special", "trajectory"},
	"referee":    {"model", "referee/des", "referee/markov", "stability", "trajectory"},
	"stability":  {"fixedpoint", "model", "internal/ode", "trajectory"},
	"trajectory": {"model", "internal/ode"}, // puts a System and the integrator together
	"telemetry":  {},

	// The referees know the scenario file, and nothing of the equations they judge.
	"referee/des":    {"model"},
	"referee/markov": {"model"},

	// A System is a problem for the solvers by having their methods, not by importing them.
	"model":      {"internal/special"},
	"fixedpoint": {"internal/ode", "internal/special"}, // knows nothing of caches
	"audit":      {"model", "telemetry"},               // the units of scenario files, the dialects of CSV
	"data":       {},

	// The game runs in a browser: a few packages without files, processes or network.
	"internal/explore":      {"model", "trajectory"},
	"internal/explore/wasm": {"internal/explore", "model"},
	"internal/explore/site": {}, // a page; compiles the game by the go command

	"internal/ode":          {},
	"internal/browsertest":  {}, // tests alone
	"internal/report":       {}, // a page; knows nothing of what it shows
	"internal/special":      {},
	"internal/numtest":      {},                // for tests
	"internal/scenariotest": {"data", "model"}, // for tests
}

// testsOnly may be imported by every test, and by nothing else.
const testsOnly = "internal/numtest"

// general packages solve problems of no particular model; their tests keep to that.
var general = []string{"fixedpoint", "internal/ode", "internal/special", "internal/numtest"}

func TestInvariantImportsPointDownward(t *testing.T) {
	checked := 0
	walk(t, func(path string) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if filepath.Ext(path) != ".go" || dir == "." {
			return
		}
		allowed, ok := mayImport[dir]
		if !ok {
			t.Errorf("%s: package %s has no place in mayImport", path, dir)
			return
		}
		if strings.HasSuffix(path, "_test.go") {
			if !slices.Contains(general, dir) {
				return // a test may put packages together that the code keeps apart
			}
			allowed = append(slices.Clone(allowed), dir, testsOnly)
		}
		checked++
		for _, imported := range imports(t, path) {
			if !slices.Contains(allowed, imported) {
				t.Errorf("%s imports %s, but may import only %q of this module", path, imported, allowed)
			}
		}
	})
	if checked == 0 {
		t.Error("no Go file was checked")
	}
}

// imports returns what the file imports of this module, as paths within it.
func imports(t *testing.T, path string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if inside, ok := strings.CutPrefix(name, module+"/"); ok {
			found = append(found, inside)
		}
	}
	return found
}

func TestInvariantFilesAreShort(t *testing.T) {
	const most = 500 // lines
	walk(t, func(path string) {
		if filepath.Ext(path) != ".go" {
			return
		}
		if lines := bytes.Count(read(t, path), []byte("\n")); lines > most {
			t.Errorf("%s has %d lines, more than %d: split it by subject", path, lines, most)
		}
	})
}

// machinePath matches an absolute path that exists on its author's machine only.
var machinePath = regexp.MustCompile(`(?m)(?:^|[\s"'` + "`" + `(=])/(?:home|root|tmp|work|Users)/\w`)

func TestInvariantNoPathOfAMachine(t *testing.T) {
	walk(t, func(path string) {
		text := read(t, path)
		if !utf8.Valid(text) {
			return
		}
		for _, at := range machinePath.FindAllIndex(text, -1) {
			line := 1 + bytes.Count(text[:at[1]], []byte("\n"))
			t.Errorf("%s:%d: a path of one machine", path, line)
		}
	})
}

func read(t *testing.T, path string) []byte {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// walk calls visit for each file of the module that version control would keep,
// with its path from the root.
func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	skip := []string{"out", "review"}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path == ".git" || slices.Contains(skip, path)):
			return fs.SkipDir
		case entry.Type().IsRegular() && path != ".git": // which a linked work tree has as a file
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
