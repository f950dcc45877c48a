package data_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/metastable/metastable/data"
	"github.com/metastable/metastable/model"
)

func TestNamesInvariant(t *testing.T) {
	want := []string{"cold-start", "facebook-2010-09-23", "hotos21-cache", "hotos21-retry", "msf-replicated-db", "osdi22-cache", "osdi22-mongodb", "slack-2022-02-22", "wikimedia-2020-02-04"}
	if got := data.Names(); !slices.Equal(got, want) {
		t.Errorf("Names() = %q, want %q", got, want)
	}
	for folder, suffix := range map[string]string{"scenarios": ".yaml", "incidents": ".md"} {
		entries, err := fs.ReadDir(data.FS, folder)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, strings.TrimSuffix(e.Name(), suffix))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s/ holds %q, want one %s file for each of %q", folder, got, suffix, want)
		}
	}
}

func TestUnknownNameInvariant(t *testing.T) {
	for asked, want := range map[string]string{
		"slack-2022-02-23":  "did you mean slack-2022-02-22?",
		"facebook":          "did you mean facebook-2010-09-23?",
		"hotos-retry":       "did you mean hotos21-retry?",
		"":                  "there are: cold-start, ",
		"elephant":          "there are: cold-start, ",
		"../data_test":      "there are: cold-start, ",
		"slack-2022-02-22/": "did you mean slack-2022-02-22?",
	} {
		for _, read := range []func(string) ([]byte, error){data.Scenario, data.Incident} {
			if b, err := read(asked); err == nil || b != nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %d bytes and error %v, want one that contains %q", asked, len(b), err, want)
			}
		}
	}
}

// Every scenario parses and is called what its file is called.
func TestScenarioFilesInvariant(t *testing.T) {
	for _, name := range data.Names() {
		b, err := data.Scenario(name)
		if err != nil {
			t.Fatal(err)
		}
		sub, err := fs.Sub(data.FS, "scenarios")
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.Parse(name+".yaml", b, sub)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Name != name {
			t.Errorf("%s: its name is %q", name, s.Name)
		}
		if s.Title == "" || s.Description == "" {
			t.Errorf("%s: has no title or no description", name)
		}
	}
}

// Every number of a scenario stands in the table of its incident page, beside a
// source that the page lists or the word assumption; and nothing else stands
// there.
func TestEveryNumberHasASourceInvariant(t *testing.T) {
	for _, name := range data.Names() {
		t.Run(name, func(t *testing.T) {
			page, err := data.Incident(name)
			if err != nil {
				t.Fatal(err)
			}
			rows := parameterRows(t, string(page))
			leaves := numbers(t, name)
			used := map[string]bool{}
			for p, value := range leaves {
				row, values, ok := covering(rows, p)
				if !ok {
					t.Errorf("%s = %s has no row", p, value)
					continue
				}
				used[row] = true
				if !slices.Contains(values, value) {
					t.Errorf("%s = %s in the scenario; the row %s says %q", p, value, row, values)
				}
			}
			for row := range rows {
				if !used[row] {
					t.Errorf("the row %s belongs to no number of the scenario", row)
				}
			}
		})
	}
}

var (
	rowForm    = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\| ([^|]*) \\|$")
	sourceForm = regexp.MustCompile(`(?m)^(\d+)\. .*https?://\S+`)
	citeForm   = regexp.MustCompile(`\[(\d+)\]`)
)

// parameterRows returns the words of the value of each row, by parameter.
func parameterRows(t *testing.T, page string) map[string][]string {
	t.Helper()
	_, list, ok := strings.Cut(page, "\n## Sources\n")
	if !ok {
		t.Fatal("the page has no list of sources")
	}
	known := map[string]bool{}
	for _, m := range sourceForm.FindAllStringSubmatch(list, -1) {
		known[m[1]] = true
	}
	for _, m := range citeForm.FindAllStringSubmatch(page, -1) {
		if !known[m[1]] {
			t.Errorf("[%s] is cited and not listed with an address", m[1])
		}
	}
	rows := map[string][]string{}
	for _, m := range rowForm.FindAllStringSubmatch(page, -1) {
		if rows[m[1]] != nil {
			t.Errorf("%s has two rows", m[1])
		}
		if !strings.Contains(m[3], "assumption") && !citeForm.MatchString(m[3]) {
			t.Errorf("%s: neither a source nor the word assumption: %q", m[1], m[3])
		}
		rows[m[1]] = strings.Fields(m[2])
	}
	return rows
}

// covering returns the row of a path or of the nearest part around it.
func covering(rows map[string][]string, p string) (row string, values []string, ok bool) {
	for row = p; row != ""; row = strings.TrimSuffix(row, path.Ext(row)) {
		if values, ok = rows[row]; ok {
			return row, values, true
		}
		if path.Ext(row) == "" {
			break
		}
	}
	return "", nil, false
}

// numbers returns the values of a scenario file that hold a digit, by path. The
// distributions of uncertainty are the ranges of the page in another form.
func numbers(t *testing.T, name string) map[string]string {
	t.Helper()
	b, err := data.Scenario(name)
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := yaml.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"name", "title", "description", "start", "uncertainty"} {
		delete(file, key)
	}
	out := map[string]string{}
	var walk func(p string, v any)
	walk = func(p string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, child := range v {
				if key != "note" {
					walk(p+"."+key, child)
				}
			}
		case []any:
			for i, child := range v {
				walk(p+"."+strconv.Itoa(i), child)
			}
		default:
			text := fmt.Sprint(v)
			if f, ok := v.(float64); ok {
				text = strconv.FormatFloat(f, 'f', -1, 64)
			}
			if strings.ContainsAny(text, "0123456789") {
				out[strings.TrimPrefix(p, ".")] = text
			}
		}
	}
	walk("", file)
	return out
}
