package site

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Without Go the program is not compiled, and the error says what is missing.
func TestCompile_noGo_exact(t *testing.T) {
	t.Setenv("PATH", "")
	if _, err := Compile(t.Context()); !errors.Is(err, ErrNoGo) {
		t.Errorf("error %v, want %v", err, ErrNoGo)
	}
}

// Whatever a scenario's texts hold, the page has the tags of its template and no others, and
// its scripts are those that its policy names.
func TestWrite_escapes_invariant(t *testing.T) {
	write := func(text string) string {
		var b bytes.Buffer
		p := &Page{Title: text, Scenario: []byte(text), Program: &Program{Wasm: []byte(text), Loader: []byte(text)}}
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	plain, hostile := write("text"), write(`</script><script>alert("x")</script><img src=x></title>`)
	for _, tag := range []string{"<script", "</script", "<img", "</title"} {
		if a, b := strings.Count(plain, tag), strings.Count(hostile, tag); a != b {
			t.Errorf("%s: %d times with a hostile text, %d with a plain one", tag, b, a)
		}
	}
	for _, text := range []string{script(), style} {
		if !strings.Contains(hostile, ">"+text+"<") {
			t.Error("a script or style is not as it was hashed")
		}
	}
}
