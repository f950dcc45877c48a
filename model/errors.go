package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// maxErrors is how many problems of a file are reported together.
const maxErrors = 20

// A ParseError is one problem of a scenario file, or of a value set by path.
type ParseError struct {
	File         string // empty for a value set by path
	Line, Column int    // from 1
	Key          string // full path, such as pools.main.timeout
	Found        string // what is there, if that is the problem
	Allowed      string // what may be there
	Message      string // what else is wrong
	source       string // the line of the file
}

func (e *ParseError) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Column)
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	switch {
	case e.Message != "":
		b.WriteString(e.Message)
	default:
		fmt.Fprintf(&b, "found %s, want %s", e.Found, e.Allowed)
	}
	if e.source != "" {
		margin := fmt.Sprintf("\n%6d | ", e.Line)
		from := max(0, e.Column-61) // of a long line, the part around the culprit
		line := []rune(strings.Map(visible, e.source))
		line = line[min(from, len(line)):min(from+100, len(line))]
		b.WriteString(margin + strings.TrimRight(string(line), " ") + "\n" + strings.Repeat(" ", len(margin)-3) + "| " + strings.Repeat(" ", e.Column-1-from) + "^")
	}
	return b.String()
}

// visible replaces what would move the caret or upset a terminal.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case !unicode.IsPrint(r):
		return '\ufffd'
	}
	return r
}

// ParseErrors are all problems found in a scenario, by position.
type ParseErrors []*ParseError

func (e ParseErrors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes [errors.As] find the first [ParseError].
func (e ParseErrors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, err := range e {
		errs[i] = err
	}
	return errs
}

// locate gives every error its place in the file and sorts them.
func (e ParseErrors) locate(file string, data []byte, marks map[string]*yamlNode) ParseErrors {
	lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	for _, err := range e {
		err.File = file
		for key := err.Key; err.Line == 0; key = parentPath(key) {
			if n := marks[key]; n != nil {
				err.Line, err.Column = n.line, n.col
			}
			if key == "" {
				break
			}
		}
		err.Line, err.Column = max(err.Line, 1), max(err.Column, 1)
		if err.Line <= len(lines) {
			err.source = strings.TrimRight(lines[err.Line-1], "\r")
		}
	}
	slices.SortStableFunc(e, func(a, b *ParseError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if len(e) > maxErrors {
		rest := len(e) - maxErrors
		e = append(e[:maxErrors:maxErrors], &ParseError{File: file, Line: e[maxErrors].Line, Column: e[maxErrors].Column, Message: fmt.Sprintf("and %d more problems from here on", rest)})
	}
	return e
}

func parentPath(key string) string {
	return key[:max(0, strings.LastIndexByte(key, '.'))]
}

// suggestion returns `; did you mean "x"?` for the candidate nearest to word,
// or nothing when none is near.
func suggestion(word string, candidates []string) string {
	if best := nearest(word, candidates); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

func nearest(word string, candidates []string) string {
	best, limit := "", max(1, min(3, len(word)/3))+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < limit {
			best, limit = c, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours (Damerau–Levenshtein, optimal string alignment).
func editDistance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return max(len(a), len(b))
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
