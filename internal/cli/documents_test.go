package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Commands in documents, as a whole or in prose, and their words.
var (
	documented = regexp.MustCompile("(?m)(?:^ *|`)(go run \\./cmd/metastable|metastable) ([a-z][^`\n]*)")
	shellWord  = regexp.MustCompile(`'[^']*'|\S+`)
)

// Every command in the documents exists, with its flags; one to be copied, with its arguments.
func TestDocuments_invariant(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range documented.FindAllStringSubmatch(string(text), -1) {
			whole := strings.HasPrefix(found[1], "go run")
			var words []string
			for _, w := range shellWord.FindAllString(found[2], -1) {
				if slices.Contains([]string{">", "|", "#", "&&"}, w) {
					break
				}
				words = append(words, strings.Trim(w, "'"))
			}
			checked++
			t.Run(filepath.Base(file)+": "+strings.Join(words, " "), func(t *testing.T) {
				root := newRoot()
				root.InitDefaultHelpCmd()
				cmd, rest, err := root.Find(words)
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.ParseFlags(rest); err != nil {
					t.Fatal(err)
				}
				if err := cmd.ValidateArgs(cmd.Flags().Args()); whole && err != nil {
					t.Error(err)
				}
			})
		}
	}
	if checked < 20 {
		t.Errorf("%d commands found, the README alone has 20", checked)
	}
}
