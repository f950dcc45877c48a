package model

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// Files too large to keep: every limit is named when it is exceeded.
func TestParse_limits_exact(t *testing.T) {
	const head = "name: x\nduration: 1d\nclasses: {q: {per_boot: 1}}\npools: {p: {capacity: 1/s}}\n"
	const traffic = "traffic: {boots: 1/s, session_length: 1s}\n"
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	csv := fstest.MapFS{"p.csv": {Data: []byte("time,value\n" + repeat(100_001, "%d,1\n"))}}
	for _, c := range []struct{ name, file, want string }{
		{"bytes", head + traffic + strings.Repeat("# \n", 1_400_000), "the file has 4200119 bytes, more than 4194304 are not read"},
		{"entries", head + traffic + "timeline:\n" + repeat(10_001, "- {at: %ds, flush: 1%%}\n"), "timeline: 10001 entries; the limit is 10000"},
		{"points", head + "traffic:\n  boots: 1/s\n  session_length: 1s\n  profile:\n" + repeat(100_001, "  - [%ds, 1]\n"), "traffic.profile: 100001 entries; the limit is 100000"},
		{"rows", head + "traffic: {boots: 1/s, session_length: 1s, profile: {csv: p.csv}}\n", "traffic.profile: p.csv: more than 100000 rows"},
		{"pools", "name: x\nduration: 1d\n" + traffic + "classes: {q: {pool: p1}}\npools:\n" + repeat(65, "  p%d: {capacity: 1/s}\n"), "pools: 65 of them; the limit is 64"},
		{"changes", head + traffic + "timeline:\n" + repeat(1001, "- {at: %ds, change: {cache.nodes: 2}}\n"), "timeline.1000.change: more than 1000 changes"},
		{"name", strings.Replace(head, "x", strings.Repeat("x", 101), 1) + traffic, "at most 100"},
		{"text", head + traffic + "title: " + strings.Repeat("x", 10_001) + "\n", "title: 10001 bytes of text; the limit is 10000"},
	} {
		_, err := Parse(c.name, []byte(c.file), csv)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %.300v, want %s", c.name, err, c.want)
		}
	}
}

// At most 20 problems are reported, and how many more there are.
func TestParse_many_exact(t *testing.T) {
	var b bytes.Buffer
	for i := range 30 {
		fmt.Fprintf(&b, "wrong%d: 1\n", i)
	}
	_, err := Parse("many", b.Bytes(), nil)
	var all ParseErrors
	// 30 unknown keys, and six that are missing: name, duration, boots,
	// session_length; classes and pools are only counted once all else is right
	if !errors.As(err, &all) || len(all) != 21 || all[20].Message != "and 14 more problems from here on" {
		t.Errorf("got %d problems\n%v", len(all), err)
	}
}

func TestParse_noFiles_golden(t *testing.T) {
	data := referenceFiles(t)["forms.yaml"]
	_, err := Parse("forms.yaml", data, nil)
	const want = `forms.yaml:10:12: traffic.profile: refers to "traffic.csv", but there are no files beside this scenario to read`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// schemaBlind are the decoder's complaints that a JSON Schema cannot make.
var schemaBlind = map[string]string{
	"number-overflow":        "range of a number with a suffix",
	"range-zero":             "range of a number with a suffix",
	"rollout-of-nothing":     "range of a number with a suffix",
	"range-keys":             "range of a number that the YAML library takes for a text",
	"number-underscore":      "a number to the YAML library",
	"profile-no-file":        "files",
	"profile-outside":        "files",
	"profile-column":         "files",
	"profile-cell":           "files",
	"change-fixed":           "paths",
	"uncertain-path":         "paths",
	"uncertain-path-front":   "paths",
	"uncertain-unit":         "unit of a path",
	"uncertain-ends":         "unit of a path",
	"uncertain-word":         "unit of a path",
	"uncertain-whole-number": "unit of a path",
}

// What the decoder refuses the schema refuses too, but for what it cannot know.
func TestSchema_broken_exact(t *testing.T) {
	schema := compiledSchema(t)
	seen := 0
	for name, data := range brokenFiles(t) {
		root, err := parseYAML(data)
		if err != nil {
			continue // not YAML, or not one document
		}
		d := &decoder{scenario: new(Scenario), files: os.DirFS("testdata/broken"), marks: map[string]*yamlNode{}}
		d.structure(reflect.ValueOf(d.scenario).Elem(), root, "")
		if len(d.errs) == 0 {
			continue // single fields are right
		}
		_, blind := schemaBlind[name]
		if valid := validate(schema, data) == nil; valid != blind {
			t.Errorf("%s: valid for the schema: %v", name, valid)
		}
		seen++
	}
	if seen < 40 {
		t.Errorf("only %d files were compared", seen)
	}
}

func TestQuantity_infinite_exact(t *testing.T) {
	s := reference(t, "full")
	if err := s.SetFloat("cache.pace", math.Inf(1)); err != nil {
		t.Error(err)
	}
	if got, err := s.Get("cache.pace"); got != "none" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
