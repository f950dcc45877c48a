package telemetry

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

var update = flag.Bool("update", false, "write the golden files anew")

// settingsOf are those that a file of testdata/hostile asks for by its name.
func settingsOf(t testing.TB, name string) *Settings {
	set := &Settings{BlankZero: strings.Contains(name, "blank-zero")}
	if strings.Contains(name, "new-york") {
		zone, err := time.LoadLocation("America/New_York")
		if err != nil {
			t.Fatal(err)
		}
		set.Zone = zone
	}
	return set
}

// told writes everything that was understood, one line a fact, for golden files.
func told(d *Data, err error) string {
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d.Format)
	for i := range d.Series {
		s := &d.Series[i]
		fmt.Fprintf(&b, "\n%s\n  unit %q, column %q, %d cells, %d missing, %d refused, elapsed %v\n", s.Name, s.Unit, s.Column, s.Cells, s.Missing, s.Refused, s.Elapsed)
		for k, t := range s.T {
			at := fmt.Sprint(t)
			if !s.Elapsed {
				at = time.UnixMilli(int64(t*1000 + 0.5)).UTC().Format("2006-01-02T15:04:05.999Z")
			}
			fmt.Fprintf(&b, "  %s %v\n", at, s.V[k])
		}
		for _, g := range s.Gaps() {
			fmt.Fprintf(&b, "  gap of %v s\n", g.To-g.From)
		}
	}
	b.WriteByte('\n')
	for _, w := range d.Warnings {
		fmt.Fprintf(&b, "! %v\n", w)
	}
	return b.String()
}

func hostile(t testing.TB) []string {
	files, err := filepath.Glob(filepath.Join("testdata", "hostile", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for _, f := range files {
		if filepath.Ext(f) != ".golden" {
			inputs = append(inputs, f)
		}
	}
	return inputs
}

func TestHostileFiles_golden(t *testing.T) {
	files := hostile(t)
	if len(files) < 60 {
		t.Errorf("%d files, want at least 60", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			set := settingsOf(t, file)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := told(Read(bytes.NewReader(text), set))
			golden := file + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
