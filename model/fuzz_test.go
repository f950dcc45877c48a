package model

import (
	"errors"
	"os"
	"reflect"
	"testing"
)

// FuzzParse: nothing that is read panics, every refusal is a ParseError, and
// what is accepted survives its canonical form.
func FuzzParse(f *testing.F) {
	for _, data := range referenceFiles(f) {
		f.Add(data)
	}
	for _, data := range brokenFiles(f) {
		f.Add(data)
	}
	files := os.DirFS("testdata/reference")
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("fuzz.yaml", data, files)
		if err != nil {
			var p *ParseError
			if !errors.As(err, &p) || p.Error() == "" {
				t.Fatalf("not a ParseError: %v", err)
			}
			return
		}
		again, err := Parse("canonical.yaml", s.YAML(), files)
		if err != nil {
			t.Fatalf("canonical form is refused: %v\n%s", err, s.YAML())
		}
		if !reflect.DeepEqual(s, again) {
			t.Fatalf("canonical form reads as another scenario\n%s\n%s", s.YAML(), again.YAML())
		}
	})
}
