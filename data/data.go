// Package data holds what ships with the toolkit: the scenarios, the facts behind each
// of them with their sources, and inventories of queries to audit.
package data

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// FS holds scenarios/NAME.yaml, incidents/NAME.md, queries/NAME.queries.csv and
// queries/NAME.pools.csv.
//
//go:embed scenarios incidents queries
var FS embed.FS

const scenarioSuffix = ".yaml"

// Names returns the names of the shipped scenarios in alphabetical order.
func Names() []string {
	entries, err := fs.ReadDir(FS, "scenarios")
	if err != nil {
		panic("data: " + err.Error()) // the folder is part of the binary
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), scenarioSuffix); ok {
			names = append(names, name)
		}
	}
	return names
}

// Scenario returns the file of a shipped scenario. The error for an unknown name
// suggests the nearest one.
func Scenario(name string) ([]byte, error) {
	return read("scenarios/", name, scenarioSuffix)
}

// Incident returns the page, in Markdown, that says what happened and where each
// number of the scenario comes from. The error for an unknown name suggests the
// nearest one.
func Incident(name string) ([]byte, error) {
	return read("incidents/", name, ".md")
}

// Inventory returns the shipped inventory of queries and its pools of that name, and
// whether there is one.
func Inventory(name string) (queries, pools []byte, ok bool) {
	queries, err1 := FS.ReadFile("queries/" + name + ".queries.csv")
	pools, err2 := FS.ReadFile("queries/" + name + ".pools.csv")
	return queries, pools, err1 == nil && err2 == nil
}

// NearestInventory returns the name of the shipped inventory nearest to one that is none,
// empty where none is near.
func NearestInventory(name string) string {
	entries, err := fs.ReadDir(FS, "queries")
	if err != nil {
		panic("data: " + err.Error()) // the folder is part of the binary
	}
	var names []string
	for _, e := range entries {
		if n, ok := strings.CutSuffix(e.Name(), ".queries.csv"); ok {
			names = append(names, n)
		}
	}
	return nearest(name, names)
}

func read(folder, name, suffix string) ([]byte, error) {
	names := Names()
	for _, n := range names {
		if n == name {
			return FS.ReadFile(folder + name + suffix)
		}
	}
	if near := nearest(name, names); near != "" {
		return nil, fmt.Errorf("no shipped scenario is called %q; did you mean %s?", name, near)
	}
	return nil, fmt.Errorf("no shipped scenario is called %q; there are: %s", name, strings.Join(names, ", "))
}

// nearest returns the first name that begins with what was asked for, else the one
// the fewest changed bytes away if these are at most a third of the longer word,
// else nothing.
func nearest(asked string, names []string) string {
	for _, n := range names {
		if asked != "" && strings.HasPrefix(n, asked) {
			return n
		}
	}
	best, bestDistance := "", 0
	for _, n := range names {
		d := distance(asked, n)
		if 3*d <= max(len(asked), len(n)) && (best == "" || d < bestDistance) {
			best, bestDistance = n, d
		}
	}
	return best
}

// distance counts the bytes to insert, delete or replace to turn a into b
// (Levenshtein 1966).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
